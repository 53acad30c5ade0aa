"""Restore the folder that 'assay pack' wrote as one file: contents, modes, times and links.

Gradings that were added to the file come along. A file with anything that could leave its folder is refused.
"""

import argparse

from assay.adapters.jobs.packing import unpack


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("pack", metavar="PACK", help="a file that 'assay pack' wrote")
    parser.add_argument("-o", "--output", metavar="DIR", help="the folder to be made (default: as it was named)")


def run(args: argparse.Namespace) -> int:
    print(f"unpacked {args.pack} to {unpack(args.pack, args.output)}")
    return 0
