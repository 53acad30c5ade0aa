"""Add, list and revoke keys of a service, at its store.

    assay keys add --organisation NAME --scope admin
    assay keys list --organisation NAME
    assay keys revoke KEY --organisation NAME

This is for whoever operates the service and can reach its store: it needs no key. An organisation that isn't there
yet is added. The secret of a new key is printed once; the store has only its hash.

Exit codes: 0 done, 2 it could not be done.
"""

import argparse
from typing import TYPE_CHECKING

from assay.cli.service_options import add_store, store_of
from assay.core.errors import InputError

if TYPE_CHECKING:
    from assay.adapters.store.service.keys import StoredKeys

SCOPES = ("admin", "grader", "reader")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=["add", "list", "revoke"], help="what to do")
    parser.add_argument("key", metavar="KEY", nargs="?", help="the id of the key to revoke")
    parser.add_argument(
        "--organisation", metavar="NAME", default="default", help="whose keys (default: %(default)s)"
    )
    parser.add_argument("--scope", choices=SCOPES, default="admin", help="what a new key may do (default: admin)")
    parser.add_argument("--name", metavar="TEXT", default="added at the store", help="how lists call a new key")
    add_store(parser)


def run(args: argparse.Namespace) -> int:
    from assay.adapters.store.opening import open_store  # noqa: PLC0415 - help needs no database

    if (args.action == "revoke") != (args.key is not None):
        raise InputError("KEY must be given to revoke a key, and only then")
    with open_store(store_of(args), create=args.action == "add") as store:
        from assay.adapters.store.service.keys import StoredKeys  # noqa: PLC0415

        keys = StoredKeys(store)
        for line in _lines(keys, args):
            print(line)
    return 0


def _lines(keys: "StoredKeys", args: argparse.Namespace) -> list[str]:
    from assay.adapters.service_host import ThisServer  # noqa: PLC0415 - only who does something needs it
    from assay.engine.service.keys import Owner, Scope, issue_key  # noqa: PLC0415

    host = ThisServer()
    if args.action == "add":
        keys.add_organisation(args.organisation, args.organisation, host.now())
        issued = issue_key(keys, host, Owner(args.organisation), Scope(args.scope), args.name)
        return [f"{issued.key.id}, shown only now: {issued.secret}"]
    if args.action == "revoke":
        revoked = keys.revoke_key(args.organisation, args.key, host.now())
        return [f"{revoked.id} is revoked"]
    return [
        f"{key.id}  {key.scope.value:<6}  {'valid' if key.valid_at(host.now()) else 'ended':<5}  {key.name}"
        for key in keys.all_keys(args.organisation)
    ]
