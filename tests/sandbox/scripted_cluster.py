"""An API server like that of Kubernetes, on loopback, whose pods are namespaces of bubblewrap.

It speaks HTTP and the WebSocket channels of a real one, as far as pods are concerned, and does what it is asked.
What else happens to a pod is scripted: by the name of its image when it starts, and by a word that a command
prints while it runs. It's no cluster: nothing is scheduled, pulled or limited.
"""

import base64
import contextlib
import hashlib
import json
import os
import re
import shutil
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

TOKEN: Final = "letmein"  # noqa: S105
NAMESPACE: Final = "trials"
DAY: Final = timedelta(days=1)
_PROTOCOL: Final = "v4.channel.k8s.io"
_CLOSE, _PING, _PONG = 8, 9, 10

# How pods of these images wait forever.
WAITING: Final[dict[str, dict[str, Any]]] = {
    "no-such-image": {
        "containerStatuses": [
            {"name": "command", "state": {"waiting": {"reason": "ImagePullBackOff", "message": "pull denied"}}}
        ]
    },
    "nowhere": {
        "conditions": [
            {
                "type": "PodScheduled",
                "status": "False",
                "reason": "Unschedulable",
                "message": "0/3 nodes: no memory",
            }
        ]
    },
    "crashes": {
        "phase": "Failed",
        "containerStatuses": [
            {"name": "command", "state": {"terminated": {"reason": "StartError", "exitCode": 128}}}
        ],
    },
}


def _terminated(reason: str) -> list[dict[str, Any]]:
    return [{"name": "command", "state": {"terminated": {"reason": reason, "exitCode": 137}}}]


# How pods end at these words of a command. None is a pod that somebody removes, and {} one that lives on.
ENDS: Final[dict[bytes, dict[str, Any] | None]] = {
    b"EVICT-NODE": {
        "phase": "Failed",
        "reason": "Evicted",
        "message": "The node was low on resource: memory.",
        "containerStatuses": _terminated("OOMKilled"),
    },
    b"EVICT-DISK": {
        "phase": "Failed",
        "reason": "Evicted",
        "message": "Pod ephemeral local storage usage exceeds the total limit of containers 20Mi. ",
    },
    b"OOM": {"phase": "Failed", "containerStatuses": _terminated("OOMKilled")},
    b"REMOVE": None,
    b"DROP": {},
}

# The first process of a pod. It starts what it is asked to, with descriptors from outside.
_FIRST: Final = """
import json, os, socket, subprocess, sys, threading
listening = socket.socket(socket.AF_UNIX)
listening.bind("/run/pod/new")
listening.listen(50)
os.rename("/run/pod/new", "/run/pod/socket")

def attend(asked):
    argv, fds, _, _ = socket.recv_fds(asked, 1 << 20, 3)
    try:
        running = subprocess.Popen(json.loads(argv), stdin=fds[0], stdout=fds[1], stderr=fds[2])
        for fd in fds:
            os.close(fd)
        code = running.wait()
        answer = str(code if code >= 0 else 128 - code)
    except OSError as error:
        answer = f"no: {error}"
    asked.sendall(answer.encode())
    asked.close()

def accept():
    while True:
        asked, _ = listening.accept()
        threading.Thread(target=attend, args=(asked,), daemon=True).start()

threading.Thread(target=accept, daemon=True).start()
# Whoever made the pod holds its input open.
sys.stdin.read()
os._exit(0)
"""


class Pod:
    """A pod: what was asked for, what has become of it, and its processes if it has begun."""

    def __init__(self, asked: dict[str, Any]) -> None:
        self.asked = asked
        self.scratch = Path(tempfile.mkdtemp(prefix="assay-pod-"))
        self.status: dict[str, Any] = WAITING.get(self.image, {"phase": "Pending"})
        self._first: subprocess.Popen[bytes] | None = None

    @property
    def image(self) -> str:
        return str(self.asked["spec"]["containers"][0]["image"])

    def begin(self) -> None:
        system = ["--ro-bind", "/usr", "/usr", "--ro-bind", "/etc", "/etc", "--proc", "/proc", "--dev", "/dev"]
        for name in ("bin", "lib", "lib64", "sbin"):
            system += ["--symlink", f"usr/{name}", f"/{name}"]
        python = os.path.realpath(sys.executable)
        argv = ["bwrap", *system, "--ro-bind", sys.base_prefix, sys.base_prefix, "--tmpfs", "/tmp"]
        argv += ["--bind", str(self.scratch), "/run/pod", "--unshare-pid", "--as-pid-1"]
        argv += ["--dir", "/image/workdir", "--chdir", "/image/workdir", "--", python, "-c", _FIRST]
        environment = {"PATH": "/usr/bin:/bin", "KUBERNETES_SERVICE_HOST": "10.0.0.1", "HOSTS_OWN": "1"}
        self._first = subprocess.Popen(argv, env=environment, stdin=subprocess.PIPE)
        while not Path(self.scratch, "socket").exists():
            assert self._first.poll() is None
        state = [{"name": "command", "state": {"running": {}}}]
        self.status = {"phase": "Running", "containerStatuses": state}

    def run(self, argv: list[str], fds: list[int]) -> socket.socket:
        """Have a command run. Its exit code can be read from the connection."""
        asked = socket.socket(socket.AF_UNIX)
        asked.connect(f"{self.scratch}/socket")
        socket.send_fds(asked, [json.dumps(argv).encode()], fds)
        return asked

    def end(self) -> None:
        if self._first is not None:
            self._first.communicate()


def write_certificate(path: Path) -> Path:
    """A certificate for loopback that signs itself, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "scripted cluster")])
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now, now + DAY)
    loopback = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    signed = builder.add_extension(loopback, critical=False).sign(key, hashes.SHA256())
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path.write_bytes(secret + signed.public_bytes(Encoding.PEM))
    return path


class Cluster(ThreadingHTTPServer):
    """The server. ``made`` has all pods that were asked for, and ``removed`` the names of those removed."""

    daemon_threads = True
    is_deaf = False
    # How the cluster says that it can begin nothing in a pod.
    refusal = ""

    def __init__(self, certificate: Path | None = None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self._certificate = certificate
        if certificate is not None:
            encrypted = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            encrypted.load_cert_chain(certificate)
            self.socket = encrypted.wrap_socket(self.socket, server_side=True)
        self.pods: dict[str, Pod] = {}
        self.made: list[dict[str, Any]] = []
        self.removed: list[str] = []
        self.commands: list[str] = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def write_config(self, path: Path, token: str = TOKEN) -> None:
        """The kubeconfig that leads here."""
        scheme = "http" if self._certificate is None else "https"
        named = {"server": f"{scheme}://127.0.0.1:{self.server_port}"}
        if self._certificate is not None:
            named["certificate-authority"] = str(self._certificate)
        config = {
            "clusters": [{"cluster": named, "name": "c"}],
            "users": [{"name": "u", "user": {"token": token}}],
            "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
            "current-context": "x",
        }
        path.write_text(yaml.safe_dump(config))

    def remove(self, name: str) -> None:
        pod = self.pods.pop(name)
        self.removed.append(name)
        pod.end()
        shutil.rmtree(pod.scratch)

    def close(self) -> None:
        self.shutdown()
        self.server_close()
        for name in list(self.pods):
            self.remove(name)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Cluster

    def log_message(self, format: str, *args: object) -> None:
        pass

    def _say(self, code: int, content: object) -> None:
        data = json.dumps(content).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _refuse(self, code: int, message: str) -> None:
        self._say(code, {"kind": "Status", "status": "Failure", "message": message, "code": code})

    def _may(self) -> bool:
        """Whether the question is one that has an answer. If not, that is said."""
        found = re.match(rf"/api/v1/namespaces/{NAMESPACE}/pods/?([^/]*)", urlsplit(self.path).path)
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            self._refuse(401, "Unauthorized")
        elif found is None or (found[1] and found[1] not in self.server.pods):
            self._refuse(404, f'pods "{found[1] if found else self.path}" not found')
        else:
            return True
        return False

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not self._may():
            return
        name = body["metadata"]["name"]
        if body["spec"]["containers"][0]["image"] == "forbidden":
            self._refuse(403, 'pods is forbidden: violates PodSecurity "restricted"')
            return
        self.server.made.append(body)
        pod = self.server.pods[name] = Pod(body)
        if pod.image not in WAITING:
            threading.Thread(target=pod.begin).start()
        self._say(201, body)

    def do_DELETE(self) -> None:
        if self._may():
            self.server.remove(urlsplit(self.path).path.rsplit("/", 1)[-1])
            self._say(200, {"kind": "Status", "status": "Success"})

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        if not self._may():
            return
        if url.path.endswith("/pods"):
            ((key, value),) = (one.split("=") for one in parse_qs(url.query)["labelSelector"])
            asked = [one.asked for one in self.server.pods.values()]
            self._say(200, {"items": [one for one in asked if one["metadata"]["labels"].get(key) == value]})
            return
        pod = self.server.pods[url.path.split("/")[6]]
        if url.path.endswith("/exec"):
            self._exec(pod, parse_qs(url.query, keep_blank_values=True))
        else:
            self._say(200, {**pod.asked, "status": pod.status})

    def _exec(self, pod: Pod, query: dict[str, list[str]]) -> None:
        asked = self.headers["Sec-WebSocket-Protocol"].replace(" ", "").split(",")
        assert _PROTOCOL in asked
        assert query["container"] == ["command"]
        key = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        accepted = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()  # noqa: S324 - so says the protocol
        self.send_header("Sec-WebSocket-Accept", accepted)
        self.send_header("Sec-WebSocket-Protocol", _PROTOCOL)
        self.end_headers()
        self.close_connection = True
        self.server.commands.append(self.path)
        _Exec(self, pod).attend(query["command"])


class _Exec:
    """A command of a pod, and the channels that lead to it."""

    def __init__(self, handler: _Handler, pod: Pod) -> None:
        self._handler = handler
        self._pod = pod
        self._lock = threading.Lock()
        self._is_lost = False

    def attend(self, argv: list[str]) -> None:
        pipes = [os.pipe() for _ in range(3)]
        theirs = [pipes[0][0], pipes[1][1], pipes[2][1]]
        ended = self._pod.run(argv, theirs)
        for fd in theirs:
            os.close(fd)
        threading.Thread(target=self._feed, args=(pipes[0][1],), daemon=True).start()
        readers = [threading.Thread(target=self._print, args=(pipes[one][0], one), daemon=True) for one in (1, 2)]
        for reader in readers:
            reader.start()
        with ended:
            answer = self._handler.server.refusal or ended.recv(1000).decode()
        for reader in readers:
            reader.join(0.5)
        if answer.isdigit() and answer != "0":
            causes = [{"reason": "ExitCode", "message": answer}]
            status = {"status": "Failure", "reason": "NonZeroExitCode", "details": {"causes": causes}}
        else:
            status = (
                {"status": "Failure", "reason": "InternalError", "message": answer}
                if answer != "0"
                else {"status": "Success"}
            )
        if answer and not self._is_lost:
            self._send(2, b"\3" + json.dumps(status).encode())
            self._send(_CLOSE, struct.pack("!H", 1000))
        with contextlib.suppress(OSError):
            self._handler.connection.shutdown(socket.SHUT_RDWR)

    def _send(self, kind: int, data: bytes) -> None:
        length = bytes([len(data)]) if len(data) < 126 else b"\x7e" + struct.pack("!H", len(data))
        with self._lock, contextlib.suppress(OSError):
            self._handler.connection.sendall(bytes([0x80 | kind]) + length + data)

    def _print(self, fd: int, channel: int) -> None:
        while data := os.read(fd, 32 * 1024):
            self._send(2, bytes([channel]) + data)
            for word, status in ENDS.items():
                if word in data:
                    self._lose(status)
        os.close(fd)

    def _lose(self, status: dict[str, Any] | None) -> None:
        """Lose the connection, and what the script says beside that."""
        self._is_lost = True
        self._handler.connection.shutdown(socket.SHUT_RDWR)
        if status is None:
            self._handler.server.remove(self._pod.asked["metadata"]["name"])
        elif status:
            self._pod.end()
            self._pod.status = status

    def _feed(self, fd: int) -> None:
        """Write what comes on the channel of the input, to the end of the connection."""
        stream = self._handler.rfile
        with (
            contextlib.suppress(OSError, struct.error, ValueError, IndexError),
            open(fd, "wb", buffering=0) as file,
        ):
            while True:
                head = stream.read(2)
                length = head[1] & 0x7F
                if length == 126:
                    (length,) = struct.unpack("!H", stream.read(2))
                elif length == 127:
                    (length,) = struct.unpack("!Q", stream.read(8))
                mask = stream.read(4)
                plain = stream.read(length)
                data = (
                    int.from_bytes(plain, "big") ^ int.from_bytes((mask * (length // 4 + 1))[:length], "big")
                ).to_bytes(length, "big")
                if head[0] & 15 == _PING:
                    if not self._handler.server.is_deaf:
                        self._send(_PONG, data)
                elif head[0] & 15 == _CLOSE:
                    return
                elif data[:1] == b"\0":
                    file.write(data[1:])
