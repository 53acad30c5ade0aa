"""Options that say which agent attempts the tasks, what it is told, and which model it may talk to."""

import argparse
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.adapters.agents.known import description_file, near_name, read_description
from assay.adapters.sandbox import hide
from assay.cli.options.common import Options, number_from_0, option, positive
from assay.core.errors import InputError
from assay.engine.model_access import ModelGrant, ModelLimits, ModelPrices, PriceList
from assay.engine.run.agent_description import model_variables
from assay.engine.run.ports import Agent

if TYPE_CHECKING:
    from assay.adapters.models.proxy.door import Doors
    from assay.engine.sandbox import Sandbox

ENV = "--agent-env"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
ANY_MODEL = "*"
_GIVEN = re.compile(rf"({ENV}=)?([A-Za-z_][A-Za-z0-9_]*)=.*", re.DOTALL)


def add_agent(parser: argparse.ArgumentParser) -> None:
    """Add the options of the agent and its model."""
    option(
        parser,
        "-a --agent AGENT",
        "oracle, nop, a shell command, a name of 'assay agents', or a file that describes an agent (.toml)",
        required=True,
    )
    option(parser, "--agent-name NAME", "name of the agent in reports (default: the command's first word)")
    option(parser, "-m --model NAME", "name of the agent's model, for reports and agents with a name")
    option(
        parser,
        f"{ENV} NAME[=VALUE]…",
        "give the agent alone a variable, from your environment unless there is a value; may be "
        "given several times. Values are never recorded, but others on this machine can see one that you type",
    )
    option(parser, "--agent-env-file FILE", "give the agent alone the variables in a file of NAME=VALUE lines")
    option(
        parser,
        "--model-endpoint URL",
        "let agents without a network talk to the language model at this address, and to nothing else",
    )
    option(
        parser,
        "--model-key-env NAME",
        "variable of your environment with the endpoint's key; the key is added outside of the sandbox",
    )
    option(parser, "--model-requests N", "most requests to the model per trial", positive)
    option(
        parser,
        "--allow-models NAME",
        f"let agents also ask for these models, not only for that of -m; '{ANY_MODEL}' allows any",
        action="extend",
        nargs="+",
        default=[],
    )
    option(parser, "--model-tokens N", "most tokens per trial", positive)
    option(parser, "--model-cost X", "most dollars per trial; needs a price", number_from_0)
    option(
        parser,
        "--model-price IN,OUT[,CACHED]",
        "dollars for a million tokens; without it, the cost isn't known",
        model_price,
    )
    option(parser, "--model-price-file FILE", "TOML file with a table of prices for each model: input, output")


def agent_of(args: Options, env: Mapping[str, str], sandbox: "Sandbox", say: Callable[[str], None]) -> Agent:
    """The agent that the options describe, installed if need be. ``env`` is the environment of the command.

    Raises ``InputError``.
    """
    private, grant = _private(args, env), _grant(args, env)
    agent = replace(_named_agent(args, sandbox, say), private=private, model_grant=grant)
    if agent.model_grant is not None and agent.command is None:
        raise InputError(f"--model-endpoint must come with an agent that is a command, got {agent.name}")
    return agent


def _named_agent(args: Options, sandbox: "Sandbox", say: Callable[[str], None]) -> Agent:
    if args.agent == "oracle":
        return Agent("oracle", oracle=True, model=args.model)
    if args.agent == "nop":
        return Agent("nop", model=args.model)
    if not args.agent.strip():
        raise InputError("--agent must be oracle, nop or a shell command, got an empty string")
    path = description_file(args.agent)
    if path is not None:
        return _described_agent(path, args, sandbox, say)
    if meant := near_name(args.agent):
        say(f"{args.agent!r} is run as a command; did you mean the agent {meant}?")
    name = args.agent_name or os.path.basename(args.agent.split()[0])
    return Agent(name, command=args.agent, model=args.model)


def _described_agent(path: str, args: Options, sandbox: "Sandbox", say: Callable[[str], None]) -> Agent:
    from assay.adapters.agents.install import install  # noqa: PLC0415 - only for agents with a description

    found = read_description(path)
    if found.needs_model and args.model is None:
        raise InputError(f"the agent {found.name} needs the name of a model: pass -m")
    installed = install(found, sandbox, say)
    model = {} if args.model is None else model_variables(args.model)
    return Agent(
        args.agent_name or found.name,
        command=found.command,
        model=args.model,
        env={**found.env, **model, **dict(installed.env)},
        mounts=installed.mounts,
        trajectory=found.trajectory,
        version=found.version,
    )


def doors_of(agent: Agent, sandbox: "Sandbox", env: Mapping[str, str]) -> "Doors | None":
    """The way to the agent's model, if it may talk to one."""
    grant = agent.model_grant
    if grant is None:
        return None
    from assay.adapters.models.proxy.door import Doors  # noqa: PLC0415 - only who has a model needs it

    return Doors(grant, None if grant.key_env is None else env[grant.key_env], sandbox)


def kept_from_tasks(args: Options) -> list[str]:
    """The variables of the environment that no task may ask for: they are for the agent alone, or a key."""
    return [given for given in (*args.agent_env, args.model_key_env) if given is not None and "=" not in given]


def recordable(argv: Sequence[str]) -> tuple[str, ...]:
    """The arguments of a command without the values of private variables."""
    after_option = False
    kept = []
    for argument in argv:
        found = _GIVEN.fullmatch(argument)
        if found is not None and (after_option or found[1]):
            argument = f"{found[1] or ''}{found[2]}=…"  # noqa: PLW2901
        after_option = argument.startswith("--agent-e")
        kept.append(argument)
    return tuple(kept)


def _private(args: Options, env: Mapping[str, str]) -> dict[str, str]:
    hide(*([] if args.agent_env_file is None else [args.agent_env_file]))
    found = {} if args.agent_env_file is None else _env_file(args.agent_env_file)
    for given in args.agent_env:
        name, equals, value = given.partition("=")
        _check_name(name, ENV)
        if not equals and name not in env:
            raise InputError(f"{ENV} {name} needs the variable in your environment, but it isn't set")
        found[name] = value if equals else env[name]
    return found


def _env_file(path: str) -> dict[str, str]:
    """The variables in a file: lines of NAME=VALUE. Empty lines and those that begin with # are skipped."""
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"--agent-env-file {path} can't be read: {getattr(error, 'strerror', error)}") from error
    found: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        if line.strip() and not line.lstrip().startswith("#"):
            name, equals, value = line.strip().removeprefix("export ").partition("=")
            if not equals:
                raise InputError(f"--agent-env-file {path}, line {number}: a line must be NAME=VALUE, got no '='")
            _check_name(name, f"--agent-env-file {path}, line {number}:")
            quoted = len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'"
            found[name] = value[1:-1] if quoted else value
    return found


def _check_name(name: str, where: str) -> None:
    if not _NAME.fullmatch(name):
        raise InputError(f"{where} must name a variable with letters, digits and _, got {name!r}")


def _grant(args: Options, env: Mapping[str, str]) -> ModelGrant | None:
    if args.model_endpoint is None:
        given = [name for name, value in vars(args).items() if name.startswith("model_") and value is not None]
        if given:
            raise InputError(f"pass --model-endpoint with --{given[0].replace('_', '-')}")
        return None
    if args.network == "public":
        raise InputError("pass --model-endpoint or --network public, not both: one is in the place of the other")
    if args.model_key_env is not None and not env.get(args.model_key_env):
        raise InputError(
            f"--model-key-env {args.model_key_env} needs the variable in your environment, but it isn't set"
        )
    from assay.formats.endpoint_url import base_url  # noqa: PLC0415 - few agents are given a model

    try:
        url = base_url(args.model_endpoint, "a model's endpoint")
    except ValueError as error:
        raise InputError(f"--model-endpoint: {error}") from error
    limits = ModelLimits(args.model_requests, args.model_tokens, args.model_cost)
    models = {} if args.model_price_file is None else _price_file(args.model_price_file)
    prices = PriceList(models, args.model_price)
    if limits.cost_usd is not None and not models and prices.others is None:
        raise InputError("--model-cost needs prices: pass --model-price or --model-price-file")
    return ModelGrant(url, args.model_key_env, limits, prices, _allowed_models(args))


def _allowed_models(args: Options) -> tuple[str, ...] | None:
    """The models that an agent may ask for: that of ``-m``, with and without its provider, and those allowed."""
    if args.model is None or ANY_MODEL in args.allow_models:
        return None
    return tuple(dict.fromkeys((args.model, args.model.partition("/")[2] or args.model, *args.allow_models)))


def model_price(text: str) -> ModelPrices:
    parts = text.split(",")
    if len(parts) not in (2, 3):
        raise argparse.ArgumentTypeError(f"must be two or three numbers such as 3,15 or 3,15,0.3, got {text!r}")
    return ModelPrices(*(number_from_0(part) for part in parts))


def _price_file(path: str) -> dict[str, ModelPrices]:
    """Prices by the name of the model."""
    import tomllib  # noqa: PLC0415 - only for this file

    try:
        with open(path, "rb") as file:
            tables = tomllib.load(file)
    except (OSError, ValueError) as error:
        raise InputError(f"--model-price-file {path} can't be read: {error}") from error
    return {model: _prices(table, f"{path}: {model}") for model, table in tables.items()}


def _prices(table: object, where: str) -> ModelPrices:
    known = {"input", "output", "cached", "written"}
    usable = isinstance(table, dict) and {"input", "output"} <= set(table) <= known
    numbers = table.values() if isinstance(table, dict) else ()
    if not usable or not all(type(one) in (int, float) and 0 <= one < 1e9 for one in numbers):
        raise InputError(
            f"{where} must have input and output, and may have cached and written, all of them numbers"
        )
    return ModelPrices(**table)  # type: ignore[arg-type]
