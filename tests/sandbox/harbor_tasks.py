"""Twenty small tasks that together use what harbor 0.25 has for tasks that one container can run.

Each is worth 1 if its own solution ran, and 0 if nothing did.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.tasks import script

REWARD = "/logs/verifier/reward.txt"
SOLVE = "echo right > answer.txt"


def gives(condition: str, reward: str = REWARD) -> str:
    """A verifier that says so if a condition holds."""
    if reward.endswith(".json"):
        return f"if {condition}; then r=1; else r=0; fi; echo '{{\"reward\": '$r', \"lines\": 1}}' > {reward}"
    return f"if {condition}; then echo 1 > {reward}; else echo 0 > {reward}; fi"


RIGHT = '[ "$(cat answer.txt 2>/dev/null)" = right ]'
AT_WORK = '[ "$(cat /workspace/answer.txt 2>/dev/null)" = right ]'


@dataclass(frozen=True)
class Trait:
    """One task. ``image`` are lines of its Dockerfile, ``tests`` and ``environment`` further files.

    A task with steps has those in the place of a verifier and a solution of its own.
    """

    toml: str = ""
    verifier: str = gives(RIGHT)
    solution: str = SOLVE
    image: str = "WORKDIR /workspace\n"
    tests: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    steps: tuple[str, ...] = ()


OWN = {"Dockerfile": "FROM {image}\nCOPY . /tests\nRUN echo verifier > /who\n"}
IN_OWN = gives(f'{AT_WORK} && [ "$(cat /who)" = verifier ]')
PUBLISHED = 'artifacts = ["/workspace/answer.txt"]\n'
STEPS = '[[steps]]\nname = "one"\n{one}[[steps]]\nname = "two"\n{two}'

TRAITS: Mapping[str, Trait] = {
    "text": Trait(),
    "json": Trait(verifier=gives(RIGHT, "/logs/verifier/reward.json")),
    "named-image": Trait('[environment]\ndocker_image = "{image}"\nworkdir = "/workspace"\n', image=""),
    "workdir-and-files": Trait(
        verifier=gives('[ "$(cat out/total.txt 2>/dev/null)" = 42 ]'),
        solution="mkdir -p out; cp given.txt out/total.txt",
        image="WORKDIR /srv/app\nENV LEVEL=3\nCOPY given.txt ./\n",
        environment={"given.txt": "42\n"},
    ),
    "limits": Trait("[environment]\ncpus = 0.5\nmemory_mb = 256\nstorage_mb = 1024\nbuild_timeout_sec = 300.0\n"),
    "older-names": Trait('[environment]\nmemory = "256M"\nstorage = "1G"\nallow_internet = false\n'),
    "variables": Trait(
        '[environment.env]\nA = "1"\n[solution.env]\nD = "4"\n'
        '[verifier.env]\nB = "2"\nC = "${NO_SUCH_VARIABLE:-3}"\n',
        gives('[ "$(cat answer.txt 2>/dev/null)" = 14 ] && [ "$A$B$C$D" = 123 ]'),
        "echo $A$D > answer.txt",
    ),
    "shared": Trait(
        '[verifier]\nenvironment_mode = "shared"\n',
        gives('[ "$(cat /root/note 2>/dev/null)" = mine ]'),
        "mkdir -p /root; echo mine > /root/note",
    ),
    "separate": Trait(f'{PUBLISHED}[verifier]\nenvironment_mode = "separate"\n', IN_OWN, tests=OWN),
    "own-environment": Trait(
        f'{PUBLISHED}[verifier.environment]\ncpus = 1\nmemory_mb = 256\n[verifier.environment.env]\nKEY = "k"\n',
        gives(f'{AT_WORK} && [ "$KEY" = k ] && [ -e /who ]'),
        tests=OWN,
    ),
    "artifacts": Trait(
        'artifacts = [{source = "/workspace/out", destination = "kept", exclude = ["*.tmp"]}]\n',
        gives('[ "$(cat out/a.txt 2>/dev/null)" = a ]'),
        "mkdir -p out; echo a > out/a.txt; echo b > out/b.tmp",
    ),
    "network": Trait(
        '[agent]\nnetwork_mode = "no-network"\n[verifier]\nnetwork_mode = "no-network"\n'
        '[environment]\nnetwork_mode = "no-network"\n'
    ),
    "time-limits": Trait("[agent]\ntimeout_sec = 120.0\n[verifier]\ntimeout_sec = 90.0\n[metadata]\nlevel = 2\n"),
    "users": Trait(
        "[agent]\nuser = 0\n[verifier]\nuser = 0\n",
        gives('[ "$(cat answer.txt 2>/dev/null)" = 0 ] && [ "$(id -u)" = 0 ]'),
        "id -u > answer.txt",
    ),
    "registered": Trait(
        '[task]\nname = "some-org/registered"\ndescription = "d"\nkeywords = ["k"]\n'
        '[[task.authors]]\nname = "A"\nemail = "a@example.org"\n'
    ),
    "further-tests": Trait(
        verifier=gives("cmp -s answer.txt /tests/data/expected"), tests={"data/expected": "right\n"}
    ),
    "logs": Trait(
        verifier=gives("grep -q done /logs/agent/mine.log"), solution="echo done > /logs/agent/mine.log"
    ),
    "steps": Trait('multi_step_reward_strategy = "mean"\n' + STEPS.format(one="", two=""), steps=("one", "two")),
    "last-step": Trait(
        'multi_step_reward_strategy = "final"\n' + STEPS.format(one="min_reward = 0.0\n", two=""),
        steps=("one", "two"),
    ),
    "step-that-must-pass": Trait(
        STEPS.format(one="min_reward = 1.0\n", two="[steps.verifier]\ntimeout_sec = 60.0\n"), steps=("one", "two")
    ),
}


def write_traits(folder: Path, image: str) -> list[str]:
    """The tasks in a folder, made of the smallest image there is. Returns their names."""
    for name, trait in TRAITS.items():
        _write(folder / name, trait, image)
    return sorted(TRAITS)


def _write(task: Path, trait: Trait, image: str) -> None:
    files = {
        "task.toml": f'schema_version = "1.4"\n{trait.toml}'.replace("{image}", image),
        **{f"environment/{name}": text for name, text in trait.environment.items()},
        **{f"tests/{name}": text.replace("{image}", image) for name, text in trait.tests.items()},
    }
    if trait.image:
        files["environment/Dockerfile"] = f"FROM {image}\n{trait.image}"
    else:
        files["environment/.keep"] = ""
    for step in trait.steps:
        script(task / "steps" / step / "tests" / "test.sh", gives(f"[ -e {step}.txt ]"))
        script(task / "steps" / step / "solution" / "solve.sh", f"touch {step}.txt")
        files[f"steps/{step}/instruction.md"] = f"Make {step}.txt.\n"
    if not trait.steps:
        script(task / "tests" / "test.sh", trait.verifier)
        script(task / "solution" / "solve.sh", trait.solution)
        files["instruction.md"] = "Write right into answer.txt.\n"
    for name, text in files.items():
        (task / name).parent.mkdir(parents=True, exist_ok=True)
        (task / name).write_text(text)
