"""Pods of a cluster as a backend, tried against a scripted API server: no real cluster was ever asked."""

import contextlib
import io
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import kubernetes_validate  # type: ignore[import-untyped]
import pytest

from assay.adapters.sandbox import PLUGGED, backends, kubernetes_pods, plugged
from assay.adapters.sandbox.backend_kit import _archive as archive_of
from assay.adapters.sandbox.containers.images import label, new_name
from assay.adapters.sandbox.kubernetes_pods import KubernetesPods, PodSession
from assay.adapters.sandbox.plugged import PluggedSandbox
from assay.backends import LostFilesError, SessionCommand, SessionEnd, SessionNeeds, check_backend
from assay.cli.main import main
from assay.core.errors import MeasurementError
from assay.engine.sandbox import CommandLimits, Mount, SandboxCommand
from assay.evidence.coding_run import ProcessEnd
from tests.sandbox.backends import working
from tests.sandbox.scripted_cluster import NAMESPACE, Cluster, Pod, write_certificate
from tests.tasks import write_hello_task

pytestmark = pytest.mark.skipif(isinstance(working("bubblewrap"), str), reason="pods are made of bubblewrap")


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[Cluster]:
    is_encrypted = getattr(request, "param", False)
    server = Cluster(write_certificate(tmp_path / "certificate") if is_encrypted else None)
    server.write_config(tmp_path / "kubeconfig")
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "kubeconfig"))
    monkeypatch.setenv(kubernetes_pods.NAMESPACE, NAMESPACE)
    monkeypatch.setenv(kubernetes_pods.IMAGE, "debian:12")
    yield server
    server.close()


@pytest.mark.parametrize("cluster", [True], indirect=True, ids=["encrypted"])
def test_pods_keep_all_promises(cluster: Cluster) -> None:
    assert check_backend(KubernetesPods()) == []
    assert cluster.pods == {}
    assert len(cluster.removed) == len(cluster.made) == 13


def shell(script: str, **more: Any) -> SessionCommand:
    given: dict[str, Any] = {
        "timeout_sec": 60.0,
        "output_bytes": 4096,
        "env": {"PATH": "/usr/bin:/bin"},
        "workdir": "/",
    } | more
    return SessionCommand(("/bin/sh", "-c", script), **given)


@contextlib.contextmanager
def session(**needs: Any) -> Iterator[PodSession]:
    begun = KubernetesPods().start(SessionNeeds(**needs))
    try:
        yield begun
    finally:
        begun.stop()


def test_a_pod_has_its_limits_and_nothing_that_it_does_not_need(cluster: Cluster) -> None:
    with session(image="python:3.12", cpus=1.5, memory_mb=512, disk_mb=2048):
        (pod,) = cluster.made
    (container,) = pod["spec"].pop("containers")
    limits = {"cpu": "1.5", "memory": "512Mi", "ephemeral-storage": "2048Mi"}
    assert (container["image"], container["resources"]["limits"]) == ("python:3.12", limits)
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"], "add": ["CHOWN", "DAC_OVERRIDE", "FOWNER", "KILL", "SETGID", "SETUID"]},
    }
    assert pod["spec"] == {
        "restartPolicy": "Never",
        "activeDeadlineSeconds": 86400,
        "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
        "terminationGracePeriodSeconds": 0,
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
    }
    assert pod["metadata"]["labels"] == {
        "app.kubernetes.io/managed-by": "assay",
        "assay.network": "none",
        **dict([label().split("=")]),
    }


def test_a_pod_is_one_that_kubernetes_takes(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(kubernetes_pods.SPEC, '{"runtimeClassName": "gvisor", "activeDeadlineSeconds": 60}')
    with session(cpus=2, network=True):
        (pod,) = cluster.made
    kubernetes_validate.validate({"apiVersion": "v1", "kind": "Pod", **pod}, "1.31", strict=True)
    assert (pod["spec"]["runtimeClassName"], pod["spec"]["activeDeadlineSeconds"]) == ("gvisor", 60)
    assert pod["metadata"]["labels"]["assay.network"] == "open"


def test_neither_variables_nor_input_are_in_what_a_cluster_logs(cluster: Cluster) -> None:
    with session() as pod:
        env = {"PATH": "/usr/bin:/bin", "KEY": "sesame"}
        ended = pod.exec(shell('cat; echo "$KEY"', env=env, stdin=b"tulip "))
    assert ended.output == b"tulip sesame\n"
    assert not any("sesame" in one or "tulip" in one for one in cluster.commands)


def test_much_input_that_nobody_reads_does_no_harm(cluster: Cluster) -> None:
    with session() as pod:
        assert pod.exec(shell("echo done", stdin=b"x" * 2_000_000)) == SessionEnd(0, b"done\n")
        assert pod.exec(shell("sleep 0.2; wc -c", stdin=b"x" * 2_000_000)).output.strip() == b"2000000"


def test_output_without_end_is_cut_and_stopped_in_time(cluster: Cluster) -> None:
    with session() as pod:
        ended = pod.exec(shell("yes", timeout_sec=1.5))
        assert (ended.exit_code, len(ended.output), ended.output_cut) == (None, 4096, True)
        assert pod.exec(shell("ps ax -o stat= -o comm= | grep -v ^Z | grep -c yes")).output == b"0\n"


def test_what_a_command_left_running_writes_nothing_while_files_are_fetched(cluster: Cluster) -> None:
    with session() as pod:
        pod.put("/work", archive_of({}))
        pod.exec(shell("(while :; do date > /work/now; done) >/dev/null 2>&1 &"))
        pod.get("/work", io.BytesIO())
        assert pod.shown("rm -f /work/now; sleep 0.3; ls /work") == ""


def test_a_user_that_the_pod_does_not_have_is_refused(cluster: Cluster) -> None:
    with session() as pod:
        own = pod.shown("id -un").strip()
        assert pod.exec(shell("id -un", user=own)).output.decode().strip() == own
        with pytest.raises(MeasurementError, match=rf"its image's user, \d+/{own}, and the task wants agent"):
            pod.exec(shell("true", user="agent"))


def test_the_folder_in_which_an_image_begins(cluster: Cluster) -> None:
    assert KubernetesPods().workdir_of("python:3.12") == "/image/workdir"
    assert cluster.pods == {}


def test_an_image_can_not_be_built(cluster: Cluster) -> None:
    with pytest.raises(
        MeasurementError, match=r"builds no images, so the task must name one \(environment.docker_im"
    ):
        KubernetesPods().build("/task", 60)


def test_pods_whose_process_is_gone_are_removed_and_others_are_not(cluster: Cluster) -> None:
    gone = subprocess.run(["/bin/sh", "-c", "echo $$"], capture_output=True, text=True, check=True).stdout.strip()
    for name, place in (
        (f"assay-{gone}-1-ab", label()),
        (new_name(), label()),
        (f"assay-{gone}-1-cd", "assay.place=x"),
    ):
        cluster.pods[name] = Pod(
            {
                "metadata": {"name": name, "labels": dict([place.split("=")])},
                "spec": {"containers": [{"image": "nowhere"}]},
            }
        )
    KubernetesPods()
    assert cluster.removed == [f"assay-{gone}-1-ab"]


@pytest.mark.parametrize(
    ("image", "words"),
    [
        ("no-such-image", r"the pod assay-\S+ doesn't start: ImagePullBackOff: pull denied"),
        ("nowhere", r"the pod assay-\S+ doesn't start: Unschedulable: 0/3 nodes: no memory"),
        ("crashes", r"the pod assay-\S+ doesn't start: StartError: "),
        ("forbidden", r'the cluster at http://127\S+: pods is forbidden: violates PodSecurity "restricted"'),
    ],
)
def test_a_pod_that_does_not_start_is_removed(
    cluster: Cluster, image: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kubernetes_pods, "START_SEC", 0.5)
    with pytest.raises(MeasurementError, match=words):
        KubernetesPods().start(SessionNeeds(image))
    assert cluster.pods == {}


@pytest.mark.parametrize(
    ("event", "words"),
    [
        ("EVICT-NODE", r"the pod \S+ ended while it was in use: Evicted: The node was low on resource: memory"),
        ("REMOVE", r"the pod \S+ was removed while it was in use"),
        ("DROP", r"the pod \S+ can't be reached any more: "),
    ],
)
def test_a_command_whose_pod_is_lost_is_a_broken_measurement(
    cluster: Cluster, event: str, words: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(kubernetes_pods, "FATE_SEC", 1.0)
    limits = CommandLimits(timeout_sec=60, memory_mb=512)
    command = SandboxCommand(("/bin/sh", "-c", f"echo {event}; sleep 60"), "/", limits)
    with pytest.raises(MeasurementError, match=words):
        PluggedSandbox("kubernetes", KubernetesPods()).run(command)
    assert cluster.pods == {}


@pytest.mark.parametrize(
    ("event", "end"),
    [
        ("OOM", ProcessEnd(exit_code=137, out_of_memory=True)),
        (
            "EVICT-DISK",
            ProcessEnd(
                exit_code=None,
                excess="used too much disk: Pod ephemeral local storage usage exceeds the total limit of"
                " containers 20Mi.",
            ),
        ),
    ],
)
def test_a_command_that_used_up_its_pod_did_so_itself(
    cluster: Cluster, event: str, end: ProcessEnd, tmp_path: Path
) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "old").write_text("1")
    limits = CommandLimits(timeout_sec=60, memory_mb=512, disk_mb=20)
    mounts = (Mount(str(tmp_path / "work"), "/work", writable=True),)
    argv = ("/bin/sh", "-c", f"rm /work/old; echo {event}; sleep 60")
    ran = PluggedSandbox("kubernetes", KubernetesPods()).run(SandboxCommand(argv, "/", limits, mounts))
    assert (ran.end, ran.output) == (end, f"{event}\n".encode())
    assert (tmp_path / "work" / "old").read_text() == "1"


def test_memory_that_no_limit_of_the_command_held_is_the_nodes(cluster: Cluster) -> None:
    with session() as pod, pytest.raises(MeasurementError, match="ended while it was in use: OOMKilled") as raised:
        pod.exec(shell("echo OOM; sleep 60"))
    assert not isinstance(raised.value, LostFilesError)


def test_a_command_that_breaks_what_would_bring_its_files_back_did_so_itself(
    cluster: Cluster, tmp_path: Path
) -> None:
    (tmp_path / "work").mkdir()
    mounts = (Mount(str(tmp_path / "work"), "/work", writable=True),)
    argv = ("/bin/sh", "-c", "rm -rf /work; echo > /work")
    limits = CommandLimits(timeout_sec=60)
    ran = PluggedSandbox("kubernetes", KubernetesPods()).run(SandboxCommand(argv, "/", limits, mounts))
    assert ran.end.excess.startswith("put its files out of reach: mkdir: cannot create directory")


@pytest.mark.parametrize(
    ("refusal", "kind"),
    [
        ("OCI runtime exec failed: fork/exec /proc/self/exe: resource temporarily unavailable", LostFilesError),
        ("error dialing backend: no route to host", MeasurementError),
    ],
)
def test_a_pod_that_is_full_of_processes_is_the_commands_doing(
    cluster: Cluster, refusal: str, kind: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kubernetes_pods, "FATE_SEC", 0.1)
    with session() as pod:
        cluster.refusal = refusal
        with pytest.raises(MeasurementError, match=f"can't be reached any more: {refusal}") as raised:
            pod.get("/work", io.BytesIO())
    assert type(raised.value) is kind


def test_a_silent_connection_is_asked_for_a_sign_of_life(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kubernetes_pods, "QUIET_SEC", 0.05)
    monkeypatch.setattr(kubernetes_pods, "FATE_SEC", 0.5)
    with session() as pod:
        assert pod.exec(shell("sleep 1; echo done")) == SessionEnd(0, b"done\n")
        cluster.is_deaf = True
        with pytest.raises(MeasurementError, match=r"the pod \S+ can't be reached any more: Connection timed out"):
            pod.exec(shell("sleep 60"))


def test_an_agent_of_one_cluster_is_nobody_in_another(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.write_config(tmp_path / "kubeconfig", token="stale")  # noqa: S106
    with pytest.raises(MeasurementError, match=r"the cluster at http://127.0.0.1:\d+: Unauthorized"):
        KubernetesPods()


@pytest.mark.usefixtures("cluster")
def test_a_cluster_that_is_away(tmp_path: Path) -> None:
    (tmp_path / "kubeconfig").write_text(
        (tmp_path / "kubeconfig").read_text().replace("http://127.0.0.1:", "http://127.0.0.1:1#")
    )
    with pytest.raises(MeasurementError, match=r"the cluster at http://127\.0\.0\.1:1\S*: .*Connection refused"):
        KubernetesPods()


@pytest.mark.parametrize(("agent", "reward"), [("oracle", "1.0000"), ("rm -rf /workspace", "0.0000")])
def test_a_trial_runs_in_pods(
    cluster: Cluster,
    agent: str,
    reward: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in (backends, plugged):
        own = EntryPoint("kubernetes", "assay.adapters.sandbox.kubernetes_pods:KubernetesPods", PLUGGED)
        monkeypatch.setattr(module, "entry_points", lambda own=own, **_: [own])
    monkeypatch.setattr(backends, "measure", lambda *_: {"network": "not held"})
    task = write_hello_task(tmp_path / "hello")
    argv = ["run", str(task), "-a", agent, "--isolation", "kubernetes", "--jobs-dir", str(tmp_path)]
    # An output that isn't there is unusable.
    assert main(argv) == (agent != "oracle")
    printed = capsys.readouterr()
    assert f"mean             {reward} of 1 run" in printed.out, printed
    assert {one["spec"]["containers"][0]["image"] for one in cluster.made} == {"any"}
    assert cluster.pods == {}


def test_nobody_asks_a_cluster_who_names_no_namespace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(kubernetes_pods.NAMESPACE, raising=False)
    with pytest.raises(MeasurementError, match="the variable ASSAY_KUBERNETES_NAMESPACE must name a namespace"):
        KubernetesPods()


def test_no_cluster_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(kubernetes_pods.NAMESPACE, NAMESPACE)
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    with pytest.raises(
        MeasurementError, match=r"there must be a kubeconfig \(KUBECONFIG or ~/.kube/config\), or a"
    ):
        KubernetesPods()


def test_without_the_client_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(kubernetes_pods.NAMESPACE, NAMESPACE)
    monkeypatch.setitem(sys.modules, "kubernetes.config", None)
    with pytest.raises(MeasurementError, match=r"need its client: pip install 'assay-grading\[kubernetes\]'"):
        KubernetesPods()


def test_fields_of_a_pod_must_be_an_object(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(kubernetes_pods.SPEC, "3")
    with pytest.raises(
        MeasurementError, match="ASSAY_KUBERNETES_POD_SPEC must be a JSON object with fields of a pod's spec"
    ):
        KubernetesPods().start(SessionNeeds())


def test_a_task_without_an_image_needs_one_of_the_backend(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(kubernetes_pods.IMAGE)
    with pytest.raises(MeasurementError, match="neither does the variable ASSAY_KUBERNETES_IMAGE"):
        KubernetesPods().start(SessionNeeds())
