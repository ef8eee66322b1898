"""Model APIs on loopback: every request gets one fixed word, and is kept."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

WORD = "PONG"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send(self, body, kind="application/json"):
        body = body.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def events(self, events, named=False):
        out = ""
        for e in events:
            name = f"event: {e['type']}\n" if named else ""
            out += f"{name}data: {e if isinstance(e, str) else json.dumps(e)}\n\n"
        self.send(out, "text/event-stream")

    def body(self):
        if self.headers.get("Content-Length") is not None:
            return self.rfile.read(int(self.headers["Content-Length"]))
        out = b""
        while True:
            size = int(self.rfile.readline().split(b";")[0], 16)
            out += self.rfile.read(size)
            self.rfile.readline()
            if not size:
                return out

    def do_HEAD(self):
        self.send("")

    def do_GET(self):
        self.send('{"data":[],"models":[]}')

    def do_POST(self):
        try:
            body = json.loads(self.body())
        except ValueError:
            body = {}
        self.server.requests.append((self.path, body))
        for part, answer in (
            ("ount", lambda _: self.send('{"input_tokens":5,"totalTokens":5}')),
            ("/messages", self.anthropic),
            ("/responses", self.openai_responses),
            ("/chat/completions", self.openai_chat),
            ("enerateContent", self.google),
        ):
            if part in self.path:
                return answer(body)
        return self.send("{}")

    def anthropic(self, body):
        text = {"type": "text", "text": WORD}
        message = {
            "id": "msg_standin", "type": "message", "role": "assistant", "model": body.get("model", "m"),
            "content": [], "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
        }
        if not body.get("stream"):
            return self.send(json.dumps({**message, "content": [text], "stop_reason": "end_turn"}))
        return self.events(
            [
                {"type": "message_start", "message": message},
                {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
                {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": WORD}},
                {"type": "content_block_stop", "index": 0},
                {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": {"output_tokens": 1}},
                {"type": "message_stop"},
            ],
            named=True,
        )

    def openai_responses(self, _):
        text = {"type": "output_text", "text": WORD, "annotations": []}
        item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [text]}
        usage = {
            "input_tokens": 1, "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 1, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 2,
        }
        done = {
            "id": "resp_1", "object": "response", "created_at": 1, "status": "completed", "model": "m",
            "output": [item], "usage": usage,
        }
        delta = {"item_id": "msg_1", "output_index": 0, "content_index": 0, "delta": WORD}
        self.events(
            [
                {"type": "response.created", "response": {**done, "status": "in_progress", "output": []}},
                {"type": "response.output_item.added", "output_index": 0, "item": {**item, "content": []}},
                {"type": "response.output_text.delta", **delta},
                {"type": "response.output_item.done", "output_index": 0, "item": item},
                {"type": "response.completed", "response": done},
            ],
            named=True,
        )

    def openai_chat(self, body):
        base = {"id": "c1", "created": 1, "model": "m"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        message = {"role": "assistant", "content": WORD}
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            return self.send(json.dumps({**base, "object": "chat.completion", "choices": [choice], "usage": usage}))
        chunk = {**base, "object": "chat.completion.chunk"}
        last = {"index": 0, "delta": {}, "finish_reason": "stop"}
        return self.events(
            [
                {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
                {**chunk, "choices": [last], "usage": usage},
                "[DONE]",
            ]
        )

    def google(self, _):
        candidate = {"content": {"role": "model", "parts": [{"text": WORD}]}, "finishReason": "STOP", "index": 0}
        usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
        answer = {"candidates": [candidate], "usageMetadata": usage}
        if "stream" in self.path:
            self.events([answer])
        else:
            self.send(json.dumps(answer))


class Standin:
    """Listens from now on; `requests` has (path, body) of each."""

    def __init__(self):
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.requests = self.requests = []
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
