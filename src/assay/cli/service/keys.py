"""Add, list, rotate and revoke keys of a service, at its store or over HTTP.

    assay keys add --organisation NAME --scope admin
    assay keys list --organisation NAME
    assay keys rotate KEY --organisation NAME
    assay keys revoke KEY --organisation NAME

This is for whoever operates the service and can reach its store: it needs no key. An organisation that isn't there
yet is added. The secret of a new key is printed once; the store has only its hash. Rotating revokes a key at once
and adds another one like it.

With --server URL it is for an admin of an organisation, whose key says which one that is.

Exit codes: 0 done, 2 it could not be done.
"""

import argparse
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from assay.cli.options.common import option
from assay.cli.options.server import add_server, client_of
from assay.cli.options.service import add_store, store_of
from assay.cli.output.table import clean
from assay.core.errors import InputError

if TYPE_CHECKING:
    from assay.engine.service.keys import Keys

SCOPES = ("admin", "grader", "reader")


def configure(parser: argparse.ArgumentParser) -> None:
    option(parser, "action", "what to do", choices=["add", "list", "revoke", "rotate"])
    option(parser, "key [KEY]", "the id of the key to revoke or rotate")
    option(parser, "--organisation NAME", "whose keys, at a store (default: default)")
    option(parser, "--scope", "what a new key may do (default: admin)", choices=SCOPES, default="admin")
    option(parser, "--name TEXT", "how lists call a new key", default="added at the store")
    add_store(parser)
    add_server(parser, "ask the service at this address")


def run(args: argparse.Namespace) -> int:
    if (args.action in ("revoke", "rotate")) != (args.key is not None):
        raise InputError("KEY must be given to revoke or rotate a key, and only then")
    if args.server is None:
        return _at_store(args)
    for name in ("organisation", "store"):
        if getattr(args, name) is not None:
            raise InputError(f"--{name} must not be given with --server: the key says whose keys they are")
    for line in _ask_server(args):
        print(line)
    return 0


def _ask_server(args: argparse.Namespace) -> Iterator[str]:
    from assay.client import Requests  # noqa: PLC0415 - only who asks a service needs it

    with client_of(args.server) as client:
        if args.action == "revoke":
            client.send(Requests.revoke_key(args.key))
            yield f"{args.key} is revoked"
        elif args.action == "list":
            for key in client.each("keys"):
                yield _line(key["id"], key["scope"], _is_valid(key), key["name"])
        else:
            new = Requests.create_key(args.name, args.scope)
            issued = client.send(Requests.rotate_key(args.key) if args.action == "rotate" else new)
            yield _shown_once(issued["key"]["id"], issued["secret"])


def _is_valid(key: dict[str, Any]) -> bool:
    expires = key["expires_at"]
    return key["revoked_at"] is None and (expires is None or datetime.fromisoformat(expires) > datetime.now(UTC))


def _line(identity: str, scope: str, valid: bool, name: str) -> str:
    return clean(f"{identity}  {scope:<6}  {'valid' if valid else 'ended':<5}  {name}")


def _shown_once(identity: str, secret: str) -> str:
    return f"{identity}, shown only now: {secret}"


def _at_store(args: argparse.Namespace) -> int:
    from assay.adapters.store.opening import open_store  # noqa: PLC0415 - help needs no database

    with open_store(store_of(args), create=args.action == "add") as store:
        from assay.adapters.machine.local_machine import ThisServer  # noqa: PLC0415
        from assay.adapters.store.service.storage import StoredStorage  # noqa: PLC0415
        from assay.engine.service.keys import Keys  # noqa: PLC0415

        storage, organisation = StoredStorage(store), args.organisation or "default"
        keys = Keys(storage, ThisServer())
        for line in _lines(keys, organisation, args):
            print(line)
        if args.action != "list":
            from assay.engine.service.audit import AuditLog  # noqa: PLC0415

            target = args.key or keys.every(organisation)[0].id
            AuditLog(storage, keys.host).add_at_store(organisation, f"{args.action}_key", target)
    return 0


def _lines(keys: "Keys", organisation: str, args: argparse.Namespace) -> list[str]:
    from assay.engine.service.keys import Owner, Scope, issue_key, rotate_key  # noqa: PLC0415

    if args.action == "add":
        keys.add_organisation(organisation, organisation)
        issued = issue_key(keys, Owner(organisation), Scope(args.scope), args.name)
        return [_shown_once(issued.key.id, issued.secret)]
    if args.action == "rotate":
        issued = rotate_key(keys, organisation, args.key)
        return [_shown_once(issued.key.id, issued.secret)]
    if args.action == "revoke":
        return [f"{keys.revoke(organisation, args.key).id} is revoked"]
    now = keys.host.now()
    return [_line(key.id, key.scope.value, key.valid_at(now), key.name) for key in keys.every(organisation)]
