"""SHA-256 of files and of whole folders."""

import hashlib
import os
import stat


def file_checksum(path: str) -> str:
    """The hash of a file's content."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def checksum(root: str) -> str:
    """One hash over the names, modes and contents of all files below a folder."""
    digest = hashlib.sha256()
    for folder, folders, files in os.walk(root):
        folders.sort()
        linked = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        for name in sorted([*files, *linked]):
            file = os.path.join(folder, name)
            found = os.lstat(file)
            digest.update(os.fsencode(f"{os.path.relpath(file, root)}\0{stat.S_IMODE(found.st_mode):o}\0"))
            if stat.S_ISLNK(found.st_mode):
                digest.update(os.fsencode(os.readlink(file)))
            elif stat.S_ISREG(found.st_mode):
                with open(file, "rb") as content:
                    digest.update(hashlib.file_digest(content, "sha256").digest())
    return digest.hexdigest()
