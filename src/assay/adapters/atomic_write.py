"""Write a file so that a reader sees the old content or the new one, never half of either."""

import os
import tempfile


def write_text(path: str, text: str) -> None:
    """Replace the file at ``path``. A link there is replaced, not followed."""
    folder = os.path.dirname(path) or "."
    fd, temporary = tempfile.mkstemp(prefix=".assay-", dir=folder)
    try:
        with os.fdopen(fd, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
