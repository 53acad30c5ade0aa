"""Assay turns what an AI agent did into a reward that you can trust.

The public faces are submodules, imported when they are used: ``from assay import harbor``.
"""

from assay.version import VERSION

__version__ = VERSION

__all__ = ["__version__"]
