"""Open the pages of folders on this machine, or write them to one file."""

from urllib.parse import quote, urlencode

from assay.adapters.jobs.folder_pages import FolderPages
from assay.web.local_server import LocalServer
from assay.web.one_file import one_file

__all__ = ["one_file", "serve"]


def serve(source: FolderPages, port: int) -> LocalServer:
    """A server of these pages that isn't running yet. It begins with the job, the comparison, or the runs."""
    names = source.job_names
    if source.kept or not names:
        return LocalServer(source, port)
    compared = urlencode([("job", name) for name in names])
    return LocalServer(
        source, port, f"jobs/{quote(names[0], safe='')}" if len(names) == 1 else f"compare?{compared}"
    )
