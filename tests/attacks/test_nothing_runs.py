"""A workspace full of files that some tool would run: whoever scores it runs none of them.

Each would leave a canary. The command line is started inside of the workspace, as people do.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.attacks.corpus.workspaces import ALWAYS
from tests.coding import PROJECT, write_files

TOUCH = "open({canary!r}, 'w').close()\n"
SHELL = "#!/bin/sh\ntouch {canary}\n"
TRAPS = {
    "sitecustomize.py": TOUCH,
    "usercustomize.py": TOUCH,
    "json.py": TOUCH,
    "yaml/__init__.py": TOUCH,
    "assay.py": TOUCH,
    "conftest.py": TOUCH,
    "setup.py": TOUCH,
    "noxfile.py": TOUCH,
    "calc.py": TOUCH,
    "tests/test_more.py": TOUCH,
    "x.pth": "import os; os.system('touch {canary}')\n",
    "aid.egg-info/entry_points.txt": "[console_scripts]\nassay = calc:main\n[pytest11]\naid = calc\n",
    "git": SHELL,
    "find": SHELL,
    "bin/git": SHELL,
    ".envrc": "touch {canary}\n",
    ".env": "LD_PRELOAD={canary}\nPYTHONSTARTUP=conftest.py\n",
    "sgconfig.yml": "customLanguages:\n  x:\n    libraryPath: {canary}\n    extensions: [py]\n",
    "Makefile": "$(shell touch {canary})\ntest:\n\ttouch {canary}\n",
    "Rakefile": "`touch {canary}`\n",
    "build.rs": 'fn main() {{ std::fs::write("{canary}", "").unwrap(); }}\n',
    "package.json": '{{"scripts": {{"preinstall": "touch {canary}", "test": "touch {canary}"}}}}\n',
    "jest.config.js": 'require("fs").writeFileSync("{canary}", "");\n',
    ".gitattributes": "* filter=x diff=x\n",
    ".git/config": '[core]\n\tfsmonitor = "touch {canary}"\n[filter "x"]\n\tclean = "touch {canary}"\n',
    ".git/hooks/post-index-change": SHELL,
    "sub/.git/config": '[core]\n\tfsmonitor = "touch {canary}"\n',
    "data.yml": "!!python/object/apply:os.system ['touch {canary}']\n",
    ".github/workflows/ci.yml": "jobs: !!python/object/apply:os.system ['touch {canary}']\n",
    "pom.xml": '<!DOCTYPE p [<!ENTITY x SYSTEM "file://{canary}">]><project>&x;</project>\n',
}


def test_nothing_of_the_workspace_runs(tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    baseline = write_files(tmp_path / "baseline", PROJECT)
    traps = {name: text.format(canary=str(canary)) for name, text in TRAPS.items()}
    workspace = write_files(tmp_path / "workspace", {**PROJECT, **traps})
    for name in ("git", "find", "bin/git", ".git/hooks/post-index-change"):
        (workspace / name).chmod(0o755)
    scenario = tmp_path / "scenario.json"
    scenario.write_text(json.dumps({"scorers": [{"name": kind, "type": kind} for kind in ALWAYS]}))
    # As an installed command starts: without the working folder among the places for modules.
    start = [
        sys.executable,
        "-P",
        "-c",
        "import sys; from assay.cli.main import main; sys.exit(main(sys.argv[1:]))",
    ]
    arguments = ["score", ".", "--scenario", str(scenario), "--baseline", str(baseline), "--json"]
    arguments += ["--diff", str(tmp_path / "diff")]
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    ran = subprocess.run([*start, *arguments], cwd=workspace, env=env, capture_output=True, text=True, check=False)
    assert ran.returncode in (0, 1), ran.stderr
    assert {row["verdict"] for row in json.loads(ran.stdout)["scorers"]} <= {"PASS", "FAIL", "N/A"}
    assert not canary.exists()
