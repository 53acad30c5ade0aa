"""Open a store by its path or its URL."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from assay.adapters.sandbox import hide
from assay.adapters.store.errors import StoreRefusalError
from assay.core.errors import install_hint

if TYPE_CHECKING:
    from sqlalchemy import URL

    from assay.adapters.store.store import Store

DEFAULT = "assay.db"
VARIABLE = "ASSAY_STORE"
_POSTGRES = ("postgres", "postgresql", "postgresql+psycopg")


def revision_of(where: str) -> tuple[str | None, str]:
    """The migration that a store's tables are at, and the newest that this version of Assay has.

    Nothing is changed. Raises like ``open_store``.
    """
    with _packages("a store", "criteria"):
        from assay.adapters.store.database import (  # noqa: PLC0415
            connect,
            engine_for,
            reaching,
        )
        from assay.adapters.store.migrate import NEWEST, revision  # noqa: PLC0415
    engine = engine_for(_url(where) if "://" in where else _file(where, create=False))
    try:
        with reaching("of this name"), connect(engine) as connection:
            return revision(connection), NEWEST
    finally:
        engine.dispose()


def open_store(where: str, create: bool = False) -> "Store":
    """A store: the path of a SQLite file, or a URL of PostgreSQL. A file is made only if that is asked for.

    Raises ``StoreRefusalError`` for what is neither, ``MeasurementError`` where it can't be reached.
    """
    with _packages("a store", "criteria"):
        from assay.adapters.store.database import engine_for  # noqa: PLC0415 - an extra, and slow to import
        from assay.adapters.store.store import Store  # noqa: PLC0415
    if "://" not in where:
        file = _file(where, create)
        return Store(engine_for(file), where, engine_for(file, durable=False))
    url = _url(where)
    if url.get_backend_name() == "sqlite":
        return open_store(str(url.database or ""), create)
    with _packages("a PostgreSQL database", "postgres"):
        return Store(engine_for(url), store_name(where))


def store_name(where: str) -> str:
    """How messages call a store: a path, or a URL without its password."""
    if "://" not in where:
        return where
    # Settings behind a question mark may have a password, too.
    return str(_url(where).set(drivername="postgresql", query={}).render_as_string(hide_password=True))


@contextmanager
def _packages(what: str, extra: str) -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        raise StoreRefusalError(f"{what} needs {error.name or 'more packages'}: {install_hint(extra)}") from error


def _url(where: str) -> Any:
    from sqlalchemy.engine import make_url  # noqa: PLC0415
    from sqlalchemy.exc import ArgumentError  # noqa: PLC0415

    try:
        url = make_url(where)
    except (ArgumentError, ValueError) as error:
        # The text of the error has the URL in it, and that may have a password.
        raise StoreRefusalError("the URL of the store must be like postgresql://user@host/name") from error
    if url.drivername in _POSTGRES:
        return url.set(drivername="postgresql+psycopg")
    if url.drivername == "sqlite":
        return url
    raise StoreRefusalError(f"a store must be a SQLite file or a PostgreSQL database, got {url.drivername}")


def _file(path: str, create: bool) -> "URL":
    """The address of a file. Records are private, so only the owner may read a file that is made here."""
    whole = os.path.abspath(path)
    if not path or "\0" in path or os.path.isdir(whole):
        raise StoreRefusalError(f"the store must be a file, got {path!r}")
    hide(whole)
    if not os.path.exists(whole):
        if not create:
            raise StoreRefusalError(
                f"the store {path} doesn't exist; 'assay serve' and 'assay playground load' make one"
            )
        try:
            os.close(os.open(whole, os.O_CREAT | os.O_WRONLY, 0o600))
        except OSError as error:
            raise StoreRefusalError(f"the store {path} can't be created: {error.strerror}") from error
    with _packages("a store", "criteria"):
        from sqlalchemy import URL  # noqa: PLC0415
    return URL.create("sqlite", database=whole)
