"""A backend for pods of a Kubernetes cluster, by its official client: an extra, which is imported here only.

The cluster is that of the user's kubeconfig, or the one that Assay runs in. ASSAY_KUBERNETES_NAMESPACE has the
namespace, ASSAY_KUBERNETES_IMAGE the image for tasks that name none, and ASSAY_KUBERNETES_POD_SPEC fields of a
pod's spec as JSON, such as nodeSelector.
"""

import contextlib
import json
import os
import re
import shlex
import time
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, BinaryIO, Final

from assay.adapters.sandbox.containers.images import is_gone, label, new_name
from assay.adapters.sandbox.run_child import ANSWER_SEC, CHUNK, OutputTail
from assay.core.errors import MeasurementError, install_hint
from assay.engine.backend import LostFilesError, SessionCommand, SessionEnd, SessionNeeds

IMAGE: Final = "ASSAY_KUBERNETES_IMAGE"
NAMESPACE: Final = "ASSAY_KUBERNETES_NAMESPACE"
SPEC: Final = "ASSAY_KUBERNETES_POD_SPEC"
# So long may a pod take to start, and files to travel; so long may a connection be silent before it is asked for a
# sign of life, and the cluster not know yet that a pod has ended.
START_SEC, FILES_SEC, QUIET_SEC, FATE_SEC = 600.0, 1800.0, 20.0, 10.0
_HOPELESS: Final = re.compile("ImagePullBackOff|InvalidImageName|ErrImageNeverPull|(Create|Run)Container.*Error")
# A pod that has all processes that it may have can begin no more.
_FULL: Final = re.compile("resource temporarily unavailable", re.IGNORECASE)
# A pod that nobody stopped ends by itself.
_LONGEST: Final = 86400
# Of root's rights, those that the programs of tasks need in their own pod.
_RIGHTS: Final = ["CHOWN", "DAC_OVERRIDE", "FOWNER", "KILL", "SETGID", "SETUID"]
_STDOUT, _STDERR, _STATUS = 1, 2, 3


class KubernetesPods:
    """Fulfils ``Backend``."""

    def __init__(self) -> None:
        """Raises ``MeasurementError`` if a variable or the client is missing, or no cluster is known."""
        self.trial_image = os.environ.get(IMAGE)
        self.namespace = os.environ.get(NAMESPACE, "")
        if not self.namespace:
            raise MeasurementError(f"the variable {NAMESPACE} must name a namespace of a cluster")
        try:
            config = import_module("kubernetes.config")
        except ImportError as error:
            raise MeasurementError(f"pods need its client: {install_hint('kubernetes')}") from error
        self._settings = import_module("kubernetes.client").Configuration()
        import_module("websocket").setdefaulttimeout(ANSWER_SEC)
        try:
            try:
                config.load_kube_config(os.environ.get("KUBECONFIG"), client_configuration=self._settings)
            except config.ConfigException:
                config.load_incluster_config(client_configuration=self._settings)
        except config.ConfigException as error:
            missing = "there must be a kubeconfig (KUBECONFIG or ~/.kube/config), or a cluster around this process"
            raise MeasurementError(missing) from error
        left = _ask(self.api(), "list_namespaced_pod", self.namespace, label_selector=label())["items"]
        for name in filter(is_gone, (pod["metadata"]["name"] for pod in left)):
            PodSession(self, name).stop()

    def api(self) -> Any:
        """A client of its own: one that opens a connection to a pod can do nothing else meanwhile."""
        client = import_module("kubernetes.client")
        return client.CoreV1Api(client.ApiClient(self._settings))

    def start(self, needs: SessionNeeds) -> "PodSession":
        image = needs.image or self.trial_image
        if image is None:
            raise MeasurementError(f"the task names no image, and neither does the variable {IMAGE}")
        session = PodSession(self, new_name(), limits_memory=needs.memory_mb is not None)
        try:
            session.create(_pod(session.name, image, needs))
        except BaseException:
            with contextlib.suppress(MeasurementError):
                session.stop()
            raise
        return session

    def build(self, folder: str, timeout_sec: float) -> str:  # noqa: ARG002
        raise MeasurementError("a cluster builds no images, so the task must name one (environment.docker_image)")

    def workdir_of(self, image: str) -> str | None:
        """A cluster doesn't say, but its pods begin there."""
        session = self.start(SessionNeeds(image))
        try:
            return session.shown("pwd").strip() or None
        finally:
            session.stop()


class PodSession:
    """Fulfils ``Session`` by a pod."""

    def __init__(self, backend: KubernetesPods, name: str, limits_memory: bool = False) -> None:
        self.name = name
        self._backend = backend
        self._limits_memory = limits_memory
        self._api = backend.api()

    def create(self, pod: dict[str, Any]) -> None:
        """Make the pod, and wait for it."""
        _ask(self._api, "create_namespaced_pod", self._backend.namespace, pod)
        until = time.monotonic() + START_SEC
        while (found := self._look())[0] != "running":
            state, reason, message = found
            if state == "terminated" or _HOPELESS.match(reason) or time.monotonic() > until:
                raise MeasurementError(f"the pod {self.name} doesn't start: {reason}: {message}")
            time.sleep(0.25)

    def put(self, folder: str, archive: BinaryIO) -> None:
        place, size = shlex.quote(folder), archive.seek(0, os.SEEK_END)
        archive.seek(0)
        chunks = iter(lambda: archive.read(CHUNK), b"")
        words = self._move(f"mkdir -p {place} && head -c {size} | tar -xzpof - -C {place}", chunks)
        if words is not None:
            raise MeasurementError(f"files can't be put into {folder}: {words}")

    def get(self, folder: str, archive: BinaryIO) -> None:
        place = shlex.quote(folder)
        # Nothing that the command left running may write meanwhile.
        lines = f"kill -9 -1 2>/dev/null; mkdir -p {place} && tar -czf - -C {place} ."
        words = self._move(lines, (), archive.write)
        if words is not None:
            raise LostFilesError(f"put its files out of reach: {words}")

    def _move(self, lines: str, sent: Iterable[bytes], write: Callable[[bytes], object] = len) -> str | None:
        """Move files by a line of shell. Returns what it says if it fails."""
        errors = OutputTail(300)
        code = self._run(lines, sent, FILES_SEC, lambda to, data: (write if to == _STDOUT else errors.add)(data))
        said = errors.printed().data.decode(errors="replace").strip()
        return None if code == 0 else said or f"exit code {code}"

    def shown(self, lines: str) -> str:
        """The output of a line of shell."""
        tail = OutputTail(CHUNK)
        self._run(lines, (), ANSWER_SEC, lambda _, data: tail.add(data))
        return tail.printed().data.decode(errors="replace")

    def exec(self, command: SessionCommand) -> SessionEnd:
        user = command.user
        if user is not None and str(user) not in (own := self.shown("id -u; id -un").split()):
            raise MeasurementError(f"a pod has its image's user, {'/'.join(own)}, and the task wants {user}")
        whole, *apart = (OutputTail(command.output_bytes) for _ in range(3))

        def take(channel: int, data: bytes) -> None:
            whole.add(data)
            apart[channel - _STDOUT].add(data)

        # Clusters log the lines of a connection, and variables may be secret, so they come by the input. A command
        # can't see the end of that, so it reads a file.
        kept = f"mkdir -p /tmp; head -c {len(command.stdin)} >/tmp/.assay; exec </tmp/.assay; rm /tmp/.assay"
        stdin, place = kept if command.stdin else "exec </dev/null", shlex.quote(command.workdir)
        words = shlex.join([*(f"{name}={value}" for name, value in command.env.items()), *command.argv])
        header = f"{stdin}; cd {place} && exec env -i {words}".encode(errors="surrogateescape")
        read = f'eval "$(dd bs=1 count={len(header)} 2>/dev/null)"'
        fate: MeasurementError | None = None
        try:
            code = self._run(read, (header, command.stdin), command.timeout_sec, take)
            if code is None:
                with contextlib.suppress(MeasurementError):
                    self.shown("kill -9 -1")
            fate = self._fate("") if code == 137 else None
        except _UsedUpError as error:
            code, fate = 137, error
        excess = fate.excess if isinstance(fate, _UsedUpError) else None
        output, *streams = (tail.printed() for tail in (whole, *apart))
        told = tuple(streams) if command.apart else ()
        return SessionEnd(code, output.data, output.cut, told, excess == "", excess or "")

    def stop(self) -> None:
        with contextlib.suppress(_AbsentError):
            _ask(self._api, "delete_namespaced_pod", self.name, self._backend.namespace, grace_period_seconds=0)

    def _run(
        self, lines: str, sent: Iterable[bytes], timeout_sec: float, take: Callable[[int, bytes], object]
    ) -> int | None:
        """Run lines of shell that read what is sent. Their exit code; None if they aren't done in time.

        Raises ``MeasurementError``, which is ``_UsedUpError`` if that was the command's doing.
        """
        websocket, stream = import_module("websocket"), import_module("kubernetes.stream").stream
        lost = (OSError, websocket.WebSocketException, import_module("kubernetes.client").ApiException)
        wanted = {"container": "command", "command": ["/bin/sh", "-c", lines], "stdin": True, "binary": True}
        until, silences, socket = time.monotonic() + timeout_sec, 0, None
        try:
            call = self._backend.api().connect_get_namespaced_pod_exec
            socket = stream(call, self.name, self._backend.namespace, **wanted, _preload_content=False).sock
            with contextlib.suppress(*lost):  # A command that doesn't read has ended, and it's said how.
                for data in sent:
                    socket.send(b"\0" + data, websocket.ABNF.OPCODE_BINARY)
            while (left := until - time.monotonic()) > 0:
                socket.settimeout(min(left, QUIET_SEC))
                try:
                    kind, frame = socket.recv_data_frame(control_frame=True)
                    silences = 0
                except websocket.WebSocketTimeoutException:
                    silences += 1
                    if silences > 3:
                        raise
                    socket.ping()
                    continue
                channel = frame.data[0] if kind == websocket.ABNF.OPCODE_BINARY and frame.data else None
                if channel in (_STDOUT, _STDERR):
                    take(channel, frame.data[1:])
                elif channel == _STATUS:
                    status = json.loads(frame.data[1:])
                    causes = (status.get("details") or {}).get("causes") or ()
                    codes = [int(cause["message"]) for cause in causes if cause.get("reason") == "ExitCode"]
                    if status["status"] != "Success" and not codes:
                        raise self._fate(status.get("message", ""))
                    return codes[0] if codes else 0
                elif kind == websocket.ABNF.OPCODE_CLOSE:
                    raise self._fate("it was closed")
        except lost as error:
            raise self._fate(_words(error)) from error
        finally:
            if socket is not None:
                socket.shutdown()
        return None

    def _look(self) -> tuple[str, str, str]:
        """Whether the pod is waiting, running or terminated, with the reason for it and a message."""
        status = _ask(self._api, "read_namespaced_pod", self.name, self._backend.namespace)["status"]
        containers = [one for one in status.get("containerStatuses") or () if one["name"] == "command"]
        states = (containers[0].get("state") if containers else None) or {"waiting": {}}
        ((state, detail), *_) = states.items()
        if status.get("phase") in ("Failed", "Succeeded"):
            state = "terminated"
        unmet = [one for one in status.get("conditions") or () if one.get("status") == "False"]
        told = (status, detail, *(one for one in unmet if one["type"] == "PodScheduled"))
        reason, message = (next((one[key] for one in told if one.get(key)), "") for key in ("reason", "message"))
        return state, reason or status.get("phase") or "", message

    def _fate(self, words: str) -> MeasurementError:
        """The reason why a connection ended, by what has become of the pod."""
        until = time.monotonic() + FATE_SEC
        try:
            while (found := self._look())[0] != "terminated":
                if time.monotonic() > until:
                    kind = LostFilesError if _FULL.search(words) else MeasurementError
                    return kind(f"the pod {self.name} can't be reached any more: {words}")
                time.sleep(0.25)
        except _AbsentError:
            return MeasurementError(f"the pod {self.name} was removed while it was in use")
        except MeasurementError as error:
            return error
        _, reason, message = found
        if reason == "OOMKilled" and self._limits_memory:
            return _UsedUpError("")
        if reason == "Evicted" and "limit" in message.partition("exceed")[2]:
            return _UsedUpError(f"used too much disk: {message.strip()}")
        return MeasurementError(f"the pod {self.name} ended while it was in use: {reason}: {message}")


class _UsedUpError(LostFilesError):
    """The pod ended because of its own limits: that of the memory, or one that is named."""

    def __init__(self, excess: str) -> None:
        super().__init__(excess or "used up the memory of its pod")
        self.excess = excess


class _AbsentError(MeasurementError):
    """The cluster has no such thing."""


def _ask(api: Any, question: str, *args: Any, **options: Any) -> Any:
    """Ask the cluster for something. Raises ``MeasurementError`` with its words."""
    try:
        asked = getattr(api, question)(*args, **options, _preload_content=False, _request_timeout=ANSWER_SEC)
        return json.loads(asked.data)
    except Exception as error:
        kind = _AbsentError if getattr(error, "status", None) == 404 else MeasurementError
        raise kind(f"the cluster at {api.api_client.configuration.host}: {_words(error)}") from error


def _words(error: Exception) -> str:
    """The words of a cluster in an answer, or of a connection."""
    found = re.search(r'"message": ?"((?:[^"\\]|\\+.)*)"', str(error))
    return found[1].replace("\\", "") if found else " ".join(str(error).split())[-300:]


def _pod(name: str, image: str, needs: SessionNeeds) -> dict[str, Any]:
    key, place = label().split("=")
    limits = {"cpu": needs.cpus, "memory": needs.memory_mb, "ephemeral-storage": needs.disk_mb}
    held = {kind: f"{most:g}{'' if kind == 'cpu' else 'Mi'}" for kind, most in limits.items() if most is not None}
    rights = {"drop": ["ALL"], "add": _RIGHTS}
    command = {
        "name": "command",
        "image": image,
        # A first process that nothing in the pod can kill.
        "command": ["sleep", str(_LONGEST)],
        "resources": {"limits": held, "requests": held},
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": rights},
    }
    spec = {
        "containers": [command],
        "restartPolicy": "Never",
        "activeDeadlineSeconds": _LONGEST,
        "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
        "terminationGracePeriodSeconds": 0,
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
    }
    network, text = "open" if needs.network else "none", os.environ.get(SPEC, "{}")
    labels = {"app.kubernetes.io/managed-by": "assay", key: place, "assay.network": network}
    try:
        return {"metadata": {"name": name, "labels": labels}, "spec": spec | json.loads(text)}
    except (TypeError, ValueError) as error:
        raise MeasurementError(
            f"{SPEC} must be a JSON object with fields of a pod's spec, got {text!r}"
        ) from error
