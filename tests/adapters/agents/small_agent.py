"""A package with an agent, small enough to be built and installed in a test without any index."""

import base64
import hashlib
import zipfile
from pathlib import Path

AGENT = """
import json, os, urllib.request

def main():
    asked = {"model": os.environ["ASSAY_MODEL_NAME"], "messages": [{"role": "user", "content": "Hi"}]}
    url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    request = urllib.request.Request(url, json.dumps(asked).encode(), {"content-type": "application/json"})
    said = json.load(urllib.request.urlopen(request))["choices"][0]["message"]["content"]
    with open("/workspace/answer.txt", "w") as file:
        file.write(said)
    told = [*asked["messages"], {"role": "assistant", "content": said}]
    with open("/logs/agent/told.jsonl", "w") as file:
        file.writelines(json.dumps(message) + "\\n" for message in told)
"""


def build_wheel(folder: Path) -> Path:
    """A wheel with the agent and the command ``small-agent``."""
    about = "small_agent-1.0.dist-info"
    files = {
        "small_agent.py": AGENT,
        f"{about}/METADATA": "Metadata-Version: 2.1\nName: small-agent\nVersion: 1.0\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{about}/entry_points.txt": "[console_scripts]\nsmall-agent = small_agent:main\n",
    }
    record = [f"{name},sha256={_digest(text)},{len(text.encode())}" for name, text in files.items()]
    files[f"{about}/RECORD"] = "\n".join([*record, f"{about}/RECORD,,", ""])
    wheel = folder / "small_agent-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return wheel


def _digest(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()


def describe(folder: Path, package: str) -> Path:
    """A description of the agent."""
    path = folder / "small.toml"
    path.write_text(
        f"""\
name = "small"
about = "asks once"
version = "1.0"

[install]
packages = ["{package}"]

[run]
command = '"$ASSAY_AGENT_BIN/small-agent"'

[trajectory]
file = "told.jsonl"
"""
    )
    return path
