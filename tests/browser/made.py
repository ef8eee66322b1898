"""Sessions that a case makes, and the page of one."""


def entry(w, here, message, **more):
    return w.ask("POST", here + "/entries", {"entry": dict(
        {"type": "message", "message": message}, **more)})["id"]


def conversation(w, title="made for a case"):
    got = w.ask("POST", "/v1/sessions", {"title": title, "cwd": "/srv/case"})
    return got["session"], "/v1/sessions/" + got["session"]


def user(w, here, text, **more):
    return entry(w, here, {"role": "user", "content": text}, **more)


def answer(w, here, text, *calls, **more):
    content = [{"type": "text", "text": text}] if text else []
    content += [{"type": "toolCall", "id": id, "name": name,
                 "arguments": arguments} for id, name, arguments in calls]
    return entry(w, here, {"role": "assistant", "model": "m-1",
                           "content": content}, **more)


def result(w, here, call, text, error=False):
    return entry(w, here, {"role": "toolResult", "toolCallId": call,
                           "toolName": "bash", "isError": error,
                           "content": [{"type": "text", "text": text}]})


def open_session(w, id, at="", **query):
    w.open("/session/%s%s" % (id, "/" + at if at else ""), **query)
    w.wait(".entry")


def open_row(w):
    """The key of the row that keys act on."""
    return w.js("return document.querySelector('.entry.current')"
                "?.dataset.entry || null")
