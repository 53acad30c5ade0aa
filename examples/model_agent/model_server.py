"""A language model that isn't one: a loopback server that speaks OpenAI's chat completions and follows a script.

    python examples/model_agent/model_server.py [PORT]

It answers each question of a conversation with the next line of ``SCRIPT``, as a call of the tool ``bash`` where
the agent offers one, and in a code block otherwise. With it you can try out agents, limits and prices without a
key, and see the very requests that an agent makes. It listens on loopback only.
"""

import json
import sys
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SCRIPT = (
    "cat contacts.txt 2>/dev/null || ls",
    "printf 'Canberra\\n' > /workspace/answer.txt",
    "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT",
)


def answer_to(request: dict[str, Any], script: Sequence[str] = SCRIPT) -> dict[str, Any]:
    """The next line of the script, by how often the model has already spoken in this conversation."""
    spoken = sum(message.get("role") == "assistant" for message in request["messages"])
    command = script[min(spoken, len(script) - 1)]
    message: dict[str, Any] = {"role": "assistant", "content": f"I run a command.\n\n```bash\n{command}\n```"}
    tools = [tool["function"]["name"] for tool in request.get("tools") or () if "function" in tool]
    if tools:
        call = {"name": tools[0], "arguments": json.dumps({"command": command})}
        message["tool_calls"] = [{"id": f"call-{spoken}", "type": "function", "function": call}]
    size = len(json.dumps(request["messages"]))
    return {
        "id": f"answer-{spoken}",
        "object": "chat.completion",
        "created": 0,
        "model": request.get("model", "scripted"),
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if tools else "stop"}],
        "usage": {
            "prompt_tokens": size // 4,
            "completion_tokens": 20,
            "total_tokens": size // 4 + 20,
            "prompt_tokens_details": {"cached_tokens": size // 8 if spoken else 0},
        },
    }


def as_events(answer: dict[str, Any]) -> bytes:
    """The same as a stream."""
    choice = answer["choices"][0]
    calls = [{"index": 0, **call} for call in choice["message"].get("tool_calls", ())]
    delta = {**choice["message"], **({"tool_calls": calls} if calls else {})}
    about = {name: answer[name] for name in ("id", "created", "model")} | {"object": "chat.completion.chunk"}
    chunks = [
        {**about, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        {**about, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]},
        {**about, "choices": [], "usage": answer["usage"]},
    ]
    return b"".join(f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks) + b"data: [DONE]\n\n"


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        answer = answer_to(request)
        streamed = request.get("stream") is True
        body = as_events(answer) if streamed else json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream" if streamed else "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def serve(port: int) -> ThreadingHTTPServer:
    """A server on loopback. A port of 0 means any free one."""
    return ThreadingHTTPServer(("127.0.0.1", port), Handler)


if __name__ == "__main__":
    server = serve(int(sys.argv[1]) if len(sys.argv) > 1 else 8765)
    print(f"a scripted model answers at http://127.0.0.1:{server.server_address[1]}/v1", flush=True)
    server.serve_forever()
