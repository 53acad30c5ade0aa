"""Write a job as one file that is read like its folder.

FOLDER is a job, or a folder of jobs. 'assay report', 'audit', 'compare', 'view', 'import' and 'grade' take the
file where they take a folder, and a trial in it by its path (job.pack/TRIAL); 'grade' adds its gradings to it.
'assay unpack' restores the folder: contents, modes, times and links.
"""

import argparse
import os

from assay.adapters.jobs.packing import pack_folder
from assay.formats.counting import counted


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="FOLDER", help="the folder to be packed, which stays as it is")
    parser.add_argument("-o", "--output", metavar="FILE", help="where to write it (default: FOLDER.pack)")


def run(args: argparse.Namespace) -> int:
    target = args.output or f"{os.path.normpath(args.folder)}.pack"
    count = pack_folder(args.folder, target)
    print(f"packed {counted(count, 'file')} into {target} ({os.path.getsize(target):,} bytes)")
    return 0
