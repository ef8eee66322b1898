"""What a search finds is what a plain scan over the same texts finds."""
import os
import random
import re
import shutil
import subprocess

import scan
from home import Skip, at_once, entry, read_files
from scan import both, either, part, pattern, phrase, without

KINDS = ["-k", "message", "-k", "tool_result", "-k", "tool_input"]
TEXTS_MAX = 500
EACH_SESSION = 100

LANGUAGES = """\
全文检索引擎把文本切分成词语,再为每个词建立倒排索引。
数据库在提交事务之前会把日志写入磁盘。
会话文件损坏时,程序会跳过无法解析的行并继续读取。
搜索结果按相关性排序,标题的权重更高。
请把配置文件放在主目录下,然后重新启动服务器。
我们昨天修复了内存泄漏:parseHeader 没有释放缓冲区。
検索エンジンは文章を単語に分割して索引を作ります。
データベースの接続がタイムアウトしました。
ファイルが見つかりません:設定を確認してください。
東京都の天気は晴れ、京都は雨です。
セッションを削除すると、検索結果にも表示されません。
プログラムのメモリー使用量を減らす方法を教えて。
검색 엔진은 문서를 단어로 나누어 색인을 만든다.
데이터베이스 연결이 시간 초과로 끊어졌습니다.
파일을 찾을 수 없습니다. 설정을 확인하세요.
한국어 문장도 두 글자씩 색인에 들어간다.
Die Größe der Datei überschreitet das Limit für Anhänge; bitte kürzen.
Der Schlüssel läuft übermorgen ab, die Rückmeldung fehlt noch.
Le déploiement a échoué à cause d'un problème d'accès au dépôt.
L'élève a été félicité pour sa thèse sur la mémoire à court terme.
El año pasado la conexión falló: señal débil, configuración errónea.
A ligação à rede não está disponível; tente de novo amanhã.
Žluťoučký kůň úpěl ďábelské ódy na počítači.
Zażółcić gęślą jaźń potrafi każdy programista.
Ο διακομιστής απέρριψε την αίτηση λόγω λήξης.
Cafe\u0301 au lait, re\u0301sume\u0301 und nai\u0308ve Ansätze.
İstanbul'daki sunucu çöktü, yeniden başlatılıyor.
"""


def pieces():
    """Source and prose of the repository in pieces of 200 to 3000 characters,
    the same ones in each run; some of them twice; then other languages."""
    dice = random.Random(1)
    found = []
    for pattern_ in ("src/**/*.c", "docs/*.md"):
        for _, text in read_files(pattern_):
            while text:
                size = dice.randint(200, 3000)
                found.append(text[:size])
                text = text[size:]
    dice.shuffle(found)
    found = found[:TEXTS_MAX]
    lines = LANGUAGES.splitlines()
    found += lines + ["\n".join(lines[at:at + 3]) for at in range(0, 24, 3)]
    return found + found[:20]


def message_of(number, text):
    """One of the places where a session has text."""
    block = [{"type": "text", "text": text}]
    call = {"type": "toolCall", "id": "1", "name": "run",
            "arguments": {"script": text}}
    return [{"role": "user", "content": text},
            {"role": "user", "content": block},
            {"role": "assistant", "content": block},
            {"role": "assistant", "content": [call]},
            {"role": "toolResult", "toolCallId": "1", "toolName": "run",
             "content": block}][number % 5]


class Corpus:
    def __init__(self, homes):
        self.home = homes.new()
        self.texts = []
        entries = []
        for number, text in enumerate(pieces()):
            made = entry(number, message_of(number, text))
            entries.append(made)
            self.texts.append(scan.Text(made["id"], text))
        for at in range(0, len(entries), EACH_SESSION):
            self.home.write_session(at, "", entries[at:at + EACH_SESSION])

    def scan(self, matcher):
        return {t.name for t in self.texts if matcher(t)}

    def find(self, query, *options):
        """Entries that match the query itself, not a relaxed form of it."""
        hits = self.home.search("--flat", "-n", "0", *KINDS, *options, "--",
                                query)
        return {h["entry"] for h in hits if h["how"] == "exact"}


def compare(homes, queries, *options):
    """Fails with every query whose hits differ from the scan's. Most queries
    must have hits, or they would test nothing."""
    corpus = homes.share(Corpus)
    wrong, empty = [], 0
    all_found = at_once(lambda q: corpus.find(q[0], *options), queries)
    for (query, matcher), found in zip(queries, all_found):
        expected = corpus.scan(matcher)
        empty += not expected
        if found != expected:
            wrong.append("%s: %d hits, not %d; missing %s, extra %s" % (
                query, len(found), len(expected),
                sorted(expected - found)[:4], sorted(found - expected)[:4]))
    assert not wrong, "\n".join(wrong)
    assert empty * 2 <= len(queries), "%d queries without a hit" % empty


WORDS = """mutex transaction pragma snprintf quire_bytes parse header durable
    Segment BM25 utf8 UTF8 sha256 tokenize_document http2 QUIRE_INVALID
    QUIRE_BUSY parseHTTPHeader fold posting postings O_TMPFILE fcntl F_OFD_SETLK
    seccomp landlock SIGHUP 4096 64 idempotency xyzzy buf_add uint32_t _GNU_SOURCE
    ETag ETags URLs JSON openapi WAL""".split()


def words_are_found_whole_and_by_parts(homes):
    compare(homes, [(w, phrase(w)) for w in WORDS])


PHRASES = ["no such file", "write lock", "of the file", "if it has",
           "end of the", "quire_bytes text", "struct buf", "session file",
           "a row of", "is not a", "http server", "the first time",
           "return false", "size_t len", "without a token", "parent id",
           "bytes of", "sha256 digest", "user version", "out of memory"]


def phrases_are_consecutive_words(homes):
    compare(homes, [('"%s"' % p, phrase(p)) for p in PHRASES])


def terms_with_punctuation_are_phrases(homes):
    terms = ["quire.db", "a-z", "std::vector", "base/buf.h", "sizeof(buf)",
             "argv[0]", "read-only", "x-request-id", "user.quire.append", "oh-my-pi",
             "len(x)", "0,", "st.size", "session/write.c"]
    compare(homes, [(t, phrase(t)) for t in terms])


def terms_with_signs_are_found_as_written(homes):
    """C++ is not C."""
    def written(term):
        made = re.compile(r"(?<!\w)%s(?!\w)" % re.escape(term), re.I)
        return both(phrase(term), pattern(made))

    compare(homes, [(t, written(t)) for t in
                    ["t->len", "cli->q", "c->tenant", "c->q", "q->tenant",
                     "x=1", "w->err", "s->path", "c->answer", "l->n"]])


def prefixes_are_found(homes):
    queries = [("%s*" % w, phrase(w, True)) for w in
               "trans seg quire_s idempot pars O_ utf compil durab zz".split()]
    queries += [('"%s"*' % p, phrase(p, True)) for p in
                ["write lo", "the sess", "struct b", "no such f", "return f"]]
    compare(homes, queries)


# Each has a letter or digit: a term without one is ignored.
PARTS = ["ansact", "ire_by", "okeni", "(size_t", "->len", "!= 0)", "/* a", "\\n",
         "SELECT ", "é", "uit", "0x", "::s", ".jsonl", "sha256:", "_t *", "1]);",
         "if (!", "EMENT", "xq", "zz", "&& l", "%s", "e...", "x ==", "; i++",
         "error: ", "*out", "{0}", "'_x", "-- o", "#include <st", "TODO", "+ 1",
         "is not a", "ession fi", "ength of th", "a\",", "e, s", "it's"]


def quoted_part(characters):
    return '*"%s"*' % characters.replace("\\", "\\\\").replace('"', '\\"')


def substrings_are_found(homes):
    compare(homes, [(quoted_part(p), part(p)) for p in PARTS])


def substrings_of_words_are_found(homes):
    words = "ansact okeni emor ession utex osting ata ndex q z ab 25 6_t".split()
    compare(homes, [("*%s*" % w, part(w)) for w in words])
    compare(homes, [("*%s" % w, part(w)) for w in words])


PATTERNS = [r"size_t [a-z]+ = 0", r"\bint\b", r"[0-9]{4}", r"0x[0-9a-f]+",
            r"^static ", r"^#include <.*>$", r"\breturn -?[0-9]+;", r"E[A-Z]{4,}",
            r"a.c.e", r"(foo|bar|baz)", r"struct [a-z_]+ \*", r"[A-Z]{6}_[A-Z]+",
            r"\*\*Why\.\*\*", r"https?://", r"sess(ion|ions)\b", r"mutex",
            r"Mutex", r"\)\s*\{$", r"^\s+/\* .* \*/$", r"utf-?8", r"x{2,}",
            r"[^ -~\n\t]", r"^\|.*\|$", r"colou?r", r"if \(.*\) \{", r"z[aeiou]z",
            r"(\w)\1\1\1", r"(?<!un)signed", r"\d+ (MiB|KiB)", r";;$", r"\t"]


def compiled(source):
    return re.compile(source, re.M)


def smart(source):
    """Case matters if the expression has a capital."""
    plain = re.sub(r"\\.", "", source)
    return re.compile(source, re.M | (0 if re.search("[A-Z]", plain) else re.I))


def regular_expressions_are_found(homes):
    compare(homes, [(p, pattern(compiled(p))) for p in PATTERNS], "--regex")


def expressions_between_slashes_are_found(homes):
    some = [r"size_t [a-z]+ = 0", r"[0-9]{4}", r"E[A-Z]{4,}", r"sess(ion|ions)\b"]
    compare(homes, [("/%s/" % p, pattern(smart(p))) for p in some])


CJK = """全 检 索 索引 检索 全文 全文检索 数据库 日志 事务 文件 内存泄漏 の 検索 東京
    京都 東京都 データ データベース メモリー 索引を 검 색인 검색 데이터 데이터베이스 글자
    확인 한국어 结果 配置文件 漢字""".split()


def characters_of_cjk_are_found(homes):
    compare(homes, [(q, part(q)) for q in CJK])


def parts_and_expressions_of_cjk_are_found(homes):
    some = ["索引", "タイム", "エンジ", "이터베", "切分成词", "引,再"]
    compare(homes, [(quoted_part(q), part(q)) for q in some])
    compare(homes, [(q, pattern(re.compile(q, re.M)))
                    for q in ["检.", "[東西]京", "^会话", "データ|데이터"]],
            "--regex")


def accents_are_ignored(homes):
    words = """grosse Größe GROSSE uberschreitet fur kurzen schlussel Rückmeldung
        deploiement échoué problème eleve felicite these memoire ano conexion senal
        debil ligacao nao disponivel zlutoucky kun upel dabelske zazolcic gesla
        διακομιστης ΑΙΤΗΣΗ cafe café resume naive istanbul çöktü coktu""".split()
    compare(homes, [(w, phrase(w)) for w in words])
    compare(homes, [("*%s*" % w, part(w)) for w in
                    ["roß", "luss", "choue", "éleve", "nexión", "afe", "tanb"]])


def combinations_are_found(homes):
    queries = [
        ("write lock", both(phrase("write"), phrase("lock"))),
        ("struct -session", both(phrase("struct"), without(phrase("session")))),
        ("mutex NOT thread", both(phrase("mutex"), without(phrase("thread")))),
        ("mutex OR landlock", either(phrase("mutex"), phrase("landlock"))),
        ("blob put OR gc sweep", either(
            both(phrase("blob"), phrase("put")),
            both(phrase("gc"), phrase("sweep")))),
        ("(blob OR artifact) (put OR get)", both(
            either(phrase("blob"), phrase("artifact")),
            either(phrase("put"), phrase("get")))),
        ('"write lock" -pragma', both(phrase("write lock"),
                                      without(phrase("pragma")))),
        ("*ansact* -*sqlite*", both(part("ansact"), without(part("sqlite")))),
        ("*uffe* AND seg*", both(part("uffe"), phrase("seg", True))),
        ("/[0-9]{4}/ size", both(pattern(re.compile("[0-9]{4}")),
                                 phrase("size"))),
        ("token -/[A-Z]{4}_/", both(phrase("token"), without(
            pattern(re.compile("[A-Z]{4}_"))))),
        ("-(return OR the)", without(either(phrase("return"), phrase("the")))),
        ('size -(struct "size_t len")', both(phrase("size"), without(
            both(phrase("struct"), phrase("size_t len"))))),
        ("索引 -検索", both(part("索引"), without(part("検索")))),
        ("检索 | 검색", either(part("检索"), part("검색"))),
        ("parseHeader 内存", both(phrase("parseHeader"), part("内存"))),
        ("deploiement && *acc*", both(phrase("deploiement"), part("acc"))),
        ('(sess* OR *okeniz*) -"the session" len', both(
            either(phrase("sess", True), part("okeniz")),
            without(phrase("the session")), phrase("len"))),
    ]
    compare(homes, queries)


def near(first, second, between):
    """At most so many words between the two."""
    def matches(text):
        a, b = (text.where.get(w, []) for w in (first, second))
        return any(x != y and abs(x - y) <= between + 1 for x in a for y in b)
    return matches


def words_near_each_other_are_found(homes):
    compare(homes, [("%s near/%d %s" % (a, n, b), near(a, b, n))
                    for a, n, b in [("write", 3, "lock"), ("session", 1, "file"),
                                    ("file", 0, "session"), ("struct", 2, "len"),
                                    ("return", 5, "err"), ("blob", 8, "token")]])


def random_pieces_of_texts_are_found(homes):
    """Any run of characters of a text, as a part and as an expression."""
    dice = random.Random(2)
    texts = homes.share(Corpus).texts
    parts, expressions = [], []
    while len(parts) < 40:
        text = dice.choice(texts).text
        at = dice.randrange(len(text))
        piece = text[at:at + dice.randint(2, 30)].strip()
        if any(c.isalnum() for c in piece) and "\n" not in piece:
            parts.append((quoted_part(piece), part(piece)))
            source = re.sub(r"([^\w\s])", r"\\\1", piece)
            expressions.append((source, pattern(compiled(source))))
    compare(homes, parts)
    compare(homes, expressions[:15], "--regex")


def ripgrep_finds_the_same(homes):
    program = shutil.which("rg")
    if not program:
        raise Skip("no rg")
    corpus = homes.share(Corpus)
    directory = os.path.join(homes.work, "texts")
    os.mkdir(directory)
    for text in corpus.texts:
        with open(os.path.join(directory, text.name), "w", encoding="utf-8",
                  newline="") as file:
            file.write(text.text)

    def grep(*args):
        done = subprocess.run([program, "--no-config", "-l", *args, "."],
                              cwd=directory, capture_output=True, text=True)
        return {line[2:] for line in done.stdout.splitlines()}

    todo = [(["-F", "-i", "-e", p], [quoted_part(p)])
            for p in PARTS if p.isascii() and "\n" not in p]
    todo += [(["-e", p], [p, "--regex"]) for p in PATTERNS
             if not any(no in p for no in ("\\1", "(?<", "\\s"))]
    wrong = [ours[0] for (_, ours), same in zip(todo, at_once(
        lambda t: grep(*t[0]) == corpus.find(*t[1]), todo)) if not same]
    assert not wrong, "other hits than rg: %s" % wrong


CASES = [words_are_found_whole_and_by_parts, phrases_are_consecutive_words,
         terms_with_punctuation_are_phrases,
         terms_with_signs_are_found_as_written, prefixes_are_found,
         substrings_are_found, substrings_of_words_are_found,
         regular_expressions_are_found,
         expressions_between_slashes_are_found, characters_of_cjk_are_found,
         parts_and_expressions_of_cjk_are_found, accents_are_ignored,
         combinations_are_found, words_near_each_other_are_found,
         random_pieces_of_texts_are_found, ripgrep_finds_the_same]
