"""A job folder as an archive, to be sent to a service."""

import os

from assay.adapters.results_folder import JOB_FILES
from assay.adapters.scratch import temporary_folder
from assay.adapters.trees import pack_tree
from assay.core.errors import InputError


def packed_job(path: str) -> tuple[str, bytes]:
    """The name of a job and its archive. Raises ``InputError`` for anything but a whole job folder."""
    if not any(os.path.isfile(f"{path}/{name}") for name in JOB_FILES):
        raise InputError(f"with --server, JOB must be a folder with {' or '.join(JOB_FILES)}, got {path}")
    with temporary_folder(0o700) as place:
        archive = f"{place}/job.tar.gz"
        kept = pack_tree(path, archive)
        if kept.too_much:
            raise InputError(f"{path} must be smaller to be sent: it has too many files, or too large ones")
        with open(archive, "rb") as file:
            return os.path.basename(os.path.abspath(path)), file.read()
