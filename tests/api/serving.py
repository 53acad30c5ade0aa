"""An application behind a real server on a free port of this machine."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.applications import Starlette

from assay.api.connections import ConnectionLimits
from assay.api.serving import listening_socket, uvicorn_config


@contextmanager
def serving(app: Starlette, limits: ConnectionLimits | None = None) -> Iterator[str]:
    """The URL of the server, which ends with the context."""
    with listening_socket("127.0.0.1", 0) as listening:
        config = uvicorn_config(app, limits or ConnectionLimits())
        config.timeout_graceful_shutdown = 5
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            while not server.started:
                assert thread.is_alive(), "the server did not start"
                time.sleep(0.005)
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(30)
