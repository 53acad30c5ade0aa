"""What judging costs: many questions at once, a prompt from a very long run, and answers that are known."""

import asyncio
import hashlib
import json
import multiprocessing
import tempfile
import time
import tracemalloc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path

from assay.adapters.models.judge_model import AnswerFolder, ChatModel, RecordedModel, limits_of
from assay.adapters.models.judge_setup import new_mark, prompt_file
from assay.dialects.scorers.report import Opinion
from assay.evidence.coding_run import CodingRecord, Diff, Form, RunStatus, Speaker, Trajectory, TrajectoryStep
from assay.judge.bounds import PromptBounds
from assay.judge.model import ModelQuestion, Reply, request_key
from assay.judge.prompt import Prompt, PromptFile, build
from assay.judge.run_judge import JudgeSetting, judge_run
from assay.judge.verdict_answer import NAME, verdict_question
from benchmarks.made_job import MadeJobs
from benchmarks.measure import TIMES, Result, best_cpu, sized, wall

QUESTIONS, AT_ONCE, LATENCY_SEC = sized(1000, 32), 32, 0.05
KNOWN = sized(100_000, 100)
SIZE = sized(5_000_000, 50_000)
ANSWER = json.dumps(
    {
        "reasoning": "The diff does what was asked, and the test passes. " * 5,
        "fact_check": [{"claim": "tests pass", "evidence": "exit code 0", "verdict": "supported"}],
        "task_completion": 5,
        "instruction_adherence": 5,
        "efficiency": 4,
        "verdict": "PASS",
        "failure_mode": None,
    }
)


def run(_jobs: MadeJobs) -> Iterator[Result]:
    """1,000 judgements against a slow server, a prompt from 10 MB, 100,000 answers that are known."""
    yield from _many_questions()
    yield from _long_run()
    with tempfile.TemporaryDirectory() as folder:
        yield from _known_answers(Path(folder))


def _many_questions() -> Iterator[Result]:
    """Against the ideal: as many rounds as it takes, each as long as the server."""
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=_serve, args=(theirs,), daemon=True)
    server.start()
    try:
        url = f"http://127.0.0.1:{ours.recv()}/v1"
        runs = [_run(f"task {number}", files=2) for number in range(QUESTIONS)]
        begin = time.process_time()
        spent = min(wall(lambda: _judge_many(url, runs)) for _ in range(5))
        cpu = (time.process_time() - begin) / 5 / QUESTIONS
    finally:
        server.terminate()
        server.join()
    ideal = QUESTIONS / AT_ONCE * LATENCY_SEC
    detail = f"{spent:.2f} s against {ideal:.2f} s, {cpu * 1e3:.2f} ms of CPU each"
    yield Result(
        f"{QUESTIONS:,} judgements, {AT_ONCE} at a time", spent / ideal, f"{TIMES} the ideal", 1.3, detail
    )


def _judge_many(url: str, runs: list[CodingRecord]) -> None:
    setting = JudgeSetting(prompt_file(NAME))
    with ChatModel(url, "m", limits=limits_of(60), at_once=AT_ONCE) as model, ThreadPoolExecutor(AT_ONCE) as pool:
        found = list(pool.map(lambda one: judge_run(one, [model], setting, new_mark), runs))
    assert all(isinstance(one.judgement, Opinion) for one in found)


def _serve(pipe: Connection) -> None:
    body = json.dumps({"choices": [{"finish_reason": "stop", "message": {"content": ANSWER}}]}).encode()
    reply = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (
        len(body),
        body,
    )

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                size = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
                await reader.readexactly(int(size.partition(b":")[2]))
                await asyncio.sleep(LATENCY_SEC)
                writer.write(reply)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def serve() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        pipe.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(serve())


def _long_run() -> Iterator[Result]:
    run = _run("a long task", size=SIZE)

    def prompt() -> str:
        return build(verdict_question(run, prompt_file(NAME), PromptBounds(), planted=True), new_mark).text

    hashed = run.diff.text.encode() if run.diff is not None else b""
    spent, hashing = best_cpu(7, prompt, lambda: hashlib.sha256(hashed).hexdigest())
    detail = f"hashing the diff once takes {hashing * 1e3:.0f} ms"
    yield Result("a prompt from 5 MB and 5 MB", spent * 1e3, "ms of CPU", 100, detail)
    tracemalloc.start()
    prompt()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    yield Result("  memory at its peak", peak / (2 * SIZE), "copies of it", 3)


def _run(task: str, size: int = 4000, files: int = 40) -> CodingRecord:
    line = "+    total = total + price * count  # add it up\n"
    diff = "".join(
        f"diff --git a/f{at}.py b/f{at}.py\n" + line * (size // len(line) // files) for at in range(files)
    )
    text = "I run the tests and read the output.\n" * 20
    steps = tuple(TrajectoryStep(at, Speaker.AGENT, text) for at in range(max(1, size // len(text))))
    return CodingRecord(
        task,
        "completion",
        RunStatus.COMPLETED,
        trajectory=Trajectory(Form.TEXT, steps),
        diff=Diff(diff, "0" * 64),
        final_response="Done.",
    )


def _known_answers(folder: Path) -> Iterator[Result]:
    answers = AnswerFolder(str(folder))
    requests = [ModelQuestion(Prompt("", {}, PromptFile("p-1", ""), f"{number:064x}")) for number in range(KNOWN)]
    reply = Reply(ANSWER)
    for request in requests:
        answers.write(request_key(request, "m"), reply)

    class Nobody:
        model = "m"

        def ask(self, request: ModelQuestion) -> Reply:
            raise AssertionError(request)

    client = RecordedModel(Nobody.model, answers, Nobody())
    begin = time.perf_counter()
    for request in requests:
        assert client.ask(request).recorded
    yield Result(f"{KNOWN:,} known answers", time.perf_counter() - begin, "s", 5)
