"""What a docker-compose.yaml asks for beyond the one container that a task has anyway.

Many published tasks carry harbor's own description of that container. It changes nothing and is read over.
"""

from collections.abc import Iterator
from typing import Any

MAIN = "main"
# Settings that say how harbor starts the container, or repeat what task.toml and the Dockerfile say.
_HARBORS_OWN = frozenset(
    {"build", "command", "container_name", "deploy", "environment", "image", "init", "stdin_open"}
)
_HARBORS_OWN |= {"tty", "volumes", "working_dir", "restart"}


def beyond_one_container(text: str) -> str | None:
    """Why a compose file can't be done without; None if it only describes the container of the Dockerfile."""
    from assay.detectors.runner_config.yaml_text import load_yaml  # noqa: PLC0415 - few tasks have YAML

    documents = load_yaml(text)
    content = documents[0] if documents else None
    services = content.get("services") if isinstance(content, dict) else None
    if not isinstance(services, dict) or not services:
        return "it must have services, but it has none"
    others = [str(name) for name in services if name != MAIN]
    if others:
        return f"a task must have a single container, but it has the services {', '.join(map(str, services))}"
    return next(_of_main(services[MAIN]), None)


def _of_main(main: Any) -> Iterator[str]:
    if not isinstance(main, dict):
        yield "services.main must be a mapping"
        return
    for name, value in main.items():
        if name not in _HARBORS_OWN:
            yield f"services.main.{name} is not supported"
        elif name == "build" and not _is_the_dockerfile(value):
            yield "services.main.build must name the folder of the task's own Dockerfile"
        elif name == "volumes" and not all(_is_variable(volume) for volume in value or ()):
            yield "services.main.volumes must only name harbor's own folders"
        elif name == "environment" and not all(_is_variable(one) for one in _values(value)):
            yield "services.main.environment must be set in task.toml or the Dockerfile"


def _is_the_dockerfile(build: Any) -> bool:
    context = build.get("context", ".") if isinstance(build, dict) else build
    file = build.get("dockerfile", "Dockerfile") if isinstance(build, dict) else "Dockerfile"
    more = set(build) - {"context", "dockerfile"} if isinstance(build, dict) else set()
    return (_is_variable(context) or context in (".", "./")) and file == "Dockerfile" and not more


def _is_variable(value: Any) -> bool:
    """Whether harbor fills a value in: ``${HOST_AGENT_LOGS_PATH}:…``."""
    return isinstance(value, str) and value.startswith("${")


def _values(environment: Any) -> Iterator[Any]:
    if isinstance(environment, dict):
        yield from environment.values()
    else:
        yield from (str(one).partition("=")[2] for one in environment or ())
