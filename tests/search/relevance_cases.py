"""Questions with known answers. Each section of the documentation is a session:
its heading is the title, its text an answer. The sections a question should find
are in relevance.txt."""
import os

from home import at_once, entry, sections

# Of 100 questions, a little below what is measured.
FIRST_MIN, FIFTH_MIN = 76, 85

# Questions whose section has been renamed or removed do not count.
GONE_MAX = 10

NOTES = {
    "Datenbank": "Die Verbindungen zur Datenbank brechen nach zehn Minuten ab, "
                 "weil die Firewall untätige Sitzungen schließt. Abhilfe: "
                 "keepalive einschalten.",
    "Zertifikat": "Das Zertifikat des Servers läuft im März ab. Verlängert wird "
                  "es mit certbot renew; danach nginx neu laden.",
    "Anhänge": "Anhänge über 25 MB weist der Mailserver zurück. Die Größe eines "
               "Anhangs begrenzt message_size_limit, bei E-Mail auch Base64.",
    "Drucker": "Der Drucker im zweiten Stock meldet Papierstau, obwohl keiner da "
               "ist. Größe des Papiers auf A4 stellen.",
    "内存": "服务器运行两天后内存不断增长。用 valgrind 检查,发现解析器存在内存泄漏:"
            "缓冲区没有释放。",
    "超时": "数据库连接经常超时。把连接池的大小改为二十,并打开心跳检测。",
    "部署": "部署之前先备份数据库,然后停止服务,更新程序,再启动服务。",
    "検索": "検索の索引が古いままでした。索引を作り直すと、新しい文書も見つかります。",
    "設定": "設定ファイルはホームディレクトリにあります。変更後は再起動してください。",
}


def write_sections(homes):
    home = homes.new()
    known = [(name, heading, text)
             for pattern in ("docs/*.md", "docs/decisions/*.md")
             for name, heading, text in sections(pattern) if len(text) > 100]
    known += [("notes#" + title, title, text) for title, text in NOTES.items()]
    names = {}
    for n, (name, heading, text) in enumerate(known):
        asked = entry(100 * n, {"role": "user", "content": "A question."})
        answer = entry(100 * n + 1, {
            "role": "assistant", "content": [{"type": "text", "text": text}]})
        names[home.write_session(n, heading, [asked, answer])] = name
    return home, names


def questions():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                        "relevance.txt")
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("# "):
                yield [part.strip() for part in line.rsplit(" | ", 1)]


def sections_found(home, names, query):
    """Sections, best first, each once."""
    found = [names.get(hit["session"]) for hit in home.search("--", query)]
    return list(dict.fromkeys(found))


def questions_find_their_sections(homes):
    home, names = write_sections(homes)
    asked = list(questions())
    missed, gone, first, fifth = [], [], 0, 0
    answers = at_once(lambda q: sections_found(home, names, q[0]), asked)
    for (query, section), found in zip(asked, answers):
        if section not in names.values():
            gone.append(section)
            continue
        first += found[:1] == [section]
        fifth += section in found[:5]
        if found[:1] != [section]:
            place = found.index(section) + 1 if section in found else "not"
            missed.append("%s: %s found (%s), first %s" % (
                query, place, section, found[:1]))
    n = len(asked) - len(gone)
    print("relevance: hit@1 %d/%d, hit@5 %d/%d" % (first, n, fifth, n))
    if os.environ.get("TEST_VERBOSE"):
        print("\n".join(missed))
    assert len(gone) <= GONE_MAX, "no such sections: %s" % gone
    assert first * 100 >= FIRST_MIN * n and fifth * 100 >= FIFTH_MIN * n, \
        "below %d and %d of 100:\n%s" % (FIRST_MIN, FIFTH_MIN,
                                         "\n".join(missed))
    if gone:
        print("relevance: no such sections: %s" % ", ".join(gone))


CASES = [questions_find_their_sections]
