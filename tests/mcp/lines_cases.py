"""Lines that are no messages, and messages that are no requests: each gets its
answer or none, and the server lives."""
import json

from peer import case


def alive(p):
    p.w.same({}, p.result("ping"), "ping afterwards")


@case
def bad_lines_get_an_error_without_an_id(w):
    p = w.peer()
    lines = {
        b"nonsense": -32700, b"{": -32700, b'{"jsonrpc":"2.0"} x': -32700,
        b'"text"': -32600, b"7": -32600, b"null": -32600, b"true": -32600,
        b"{}": -32600, b"[]": -32600, b"[" * 100000: -32700,
        b'{"jsonrpc":"2.0","id":1,"method":"ping","x":"\xff"}': -32700,
        b'{"jsonrpc":"2.0","id":1,"method":"ping\x00"}': -32700,
        b"\xef\xbb\xbf{}": -32700, b"\x00": -32700,
        b'{"jsonrpc":"2.0","id":null,"method":"ping"}': -32600,
        b'{"jsonrpc":"2.0","id":[1],"method":"ping"}': -32600,
        b'{"jsonrpc":"2.0","id":true,"method":"ping"}': -32600,
        b'{"jsonrpc":"2.0","method":7}': -32600,
        b'{"jsonrpc":"1.0","method":"ping"}': -32600,
        b"'" * 1000000: -32700,
    }
    for line, code in lines.items():
        p.say(line + b"\n")
        got = p.answer(None)
        w.same(code, got["error"]["code"], repr(line[:60]))
    alive(p)


@case
def what_is_wrong_is_said_under_its_id(w):
    p = w.peer()
    for line, code in (
            ('{"jsonrpc":"2.0","id":77,"method":7}', -32600),
            ('{"id":77,"method":"ping"}', -32600),
            ('{"jsonrpc":"2.0","id":77,"method":"ping","params":[1]}', -32602),
            ('{"jsonrpc":"2.0","id":77,"method":"ping","params":"x"}', -32602),
            ('{"jsonrpc":"2.0","id":77,"method":"nope"}', -32601),
            ('{"jsonrpc":"2.0","id":77}', -32600)):
        p.open.add("77")
        p.say(line + "\n")
        w.same(code, p.answer(77)["error"]["code"], line)
    alive(p)


@case
def ids_come_back_as_they_were_spelled(w):
    p = w.peer()
    for id in ("0", "-1", "1.5", "1e3", '"a\\u0062c"', '""', '"\\n"',
               "9007199254740993", '"' + "x" * 5000 + '"'):
        p.say('{"jsonrpc":"2.0","id":%s,"method":"ping"}\n' % id)
        line = p.lines.get(timeout=5)
        w.yes(b'"id":' + id.encode() + b"," in line, repr(line[:100]))


@case
def notifications_and_answers_get_no_answer(w):
    p = w.peer()
    for line in ('{"jsonrpc":"2.0","method":"notifications/nonsense"}',
                 '{"jsonrpc":"2.0","method":"tools/call","params":{"name":'
                 '"workspace","arguments":{"action":"write","filename":"x",'
                 '"content":"x"}}}',
                 '{"jsonrpc":"2.0","id":5,"result":{}}',
                 '{"jsonrpc":"2.0","id":5,"error":{"code":1,"message":"x"}}',
                 '{"jsonrpc":"2.0","method":"notifications/cancelled"}',
                 '{"jsonrpc":"2.0","method":"notifications/cancelled",'
                 '"params":{"requestId":12345}}',
                 "", "   ", "\r"):
        p.say(line + "\n")
    alive(p)
    w.same(0, p.data(action="list")["count"], "a notification wrote a file")


@case
def a_line_that_is_too_long_is_refused_and_passed_over(w):
    p = w.peer()
    p.say(b'{"jsonrpc":"2.0","id":1,"method":"ping","x":"')
    for _ in range(70):
        p.say(b"x" * (1 << 20))
    p.say(b'"}\n')
    got = p.answer(None)
    w.same(-32600, got["error"]["code"], "code")
    alive(p)


@case
def a_message_may_come_in_pieces_and_many_in_one(w):
    p = w.peer()
    for byte in b'{"jsonrpc":"2.0","id":"a","method":"ping"}\r\n':
        p.say(bytes([byte]))
    p.open.add('"a"')
    p.answer("a")
    ids = list(range(1000, 1300))
    p.open.update(map(str, ids))
    p.say("".join('{"jsonrpc":"2.0","id":%d,"method":"ping"}\n' % i
                  for i in ids))
    for i in ids:
        p.answer(i)


@case
def the_last_line_needs_no_newline(w):
    p = w.peer(greet=None)
    p.open.add("1")
    p.say('{"jsonrpc":"2.0","id":1,"method":"ping"}')
    p.process.stdin.close()
    p.answer(1)


@case
def two_calls_with_one_id_are_one_too_many(w):
    p = w.peer("--allow-run")
    a = p.begin("tools/call", {"name": "workspace", "arguments": {
        "action": "run", "command": "sleep 20"}})
    p.say('{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":'
          '"workspace","arguments":{"action":"list"}}}\n' % a)
    w.same(-32600, p.answer(a)["error"]["code"], "code")
    p.cancel(a)
    alive(p)


@case
def before_the_greeting_only_ping_is_answered(w):
    p = w.peer(greet=None)
    alive(p)
    w.same(-32602, p.code("tools/list"), "code")
    w.same(-32602, p.code("initialize", {}), "no version")
    p.greet("2024-11-05")
    p.result("tools/list")


@case
def a_version_that_nobody_knows_becomes_the_newest(w):
    for asked, got in (("2024-11-05",) * 2, ("2025-03-26",) * 2,
                       ("2025-06-18",) * 2, ("2025-11-25",) * 2,
                       ("2099-01-01", "2025-11-25"),
                       ("2026-07-28", "2025-11-25"), ("", "2025-11-25")):
        p = w.peer(greet=None)
        w.same(got, p.greet(asked)["protocolVersion"], asked)


@case
def each_version_gets_what_it_knows(w):
    for version in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"):
        p = w.peer(greet=version)
        tool = p.result("tools/list")["tools"][0]
        w.same(version >= "2025-03-26", "annotations" in tool, version)
        w.same(version >= "2025-06-18", "outputSchema" in tool, version)
        got = p.tool(action="list")
        w.same(version >= "2025-06-18", "structuredContent" in got, version)


@case
def the_list_of_tools_is_short(w):
    for greet in ("2025-11-25", "2026-07-28"):
        for args in ((), ("--allow-run",), ("--allow-append",)):
            p = w.peer(*args, greet=greet)
            got = p.ask("tools/list")
            size = len(json.dumps(got["result"]["tools"],
                                  separators=(",", ":")))
            w.yes(size < 3000, "%d bytes" % size)
            if args == ("--allow-append",):
                continue
            names = got["result"]["tools"][0]["inputSchema"]["properties"]
            w.same(bool(args), "run" in names["action"]["enum"], "run")
            w.same(bool(args), "command" in names, "command")


@case
def a_batch_has_an_end(w):
    p = w.peer(greet="2025-03-26")
    p.say(b"[" + b"1," * 300000 + b"1]\n")
    w.same(-32600, p.answer(None)["error"]["code"], "a batch of 300,001")
    p.open.update(json.dumps(n) for n in range(1000, 1100))
    p.say(json.dumps([{"jsonrpc": "2.0", "id": n, "method": "ping"}
                      for n in range(1000, 1100)]).encode() + b"\n")
    for n in range(1000, 1100):
        w.same({}, p.answer(n)["result"], "one of a hundred")
    alive(p)
