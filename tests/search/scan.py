"""A naive search over a list of texts: folding, words and phrases as docs/search.md
and src/search/tokenizer.c describe them, without an index."""
import functools
import re
import unicodedata

PARTS_MAX = 16
TOKEN_BYTES_MAX = 64


def is_cjk(c):
    return unicodedata.category(c)[0] == "L" and (
        "\u3040" <= c <= "\u30ff" or "\u3400" <= c <= "\u9fff" or
        "\uac00" <= c <= "\ud7af")


@functools.lru_cache(maxsize=None)
def fold_character(c):
    if c < "\x80" or is_cjk(c):
        return c.lower()
    if unicodedata.category(c) == "Mn":
        return ""
    base = unicodedata.normalize("NFD", c)[0]
    return base.lower()


def fold(text):
    """The text without case and accents."""
    return "".join(map(fold_character, text))


@functools.lru_cache(maxsize=None)
def kind(c):
    """What a character is within a word, "" for a separator."""
    if c == "_":
        return "_"
    if is_cjk(c):
        return "cjk"
    category = unicodedata.category(c)
    if category == "Mn":
        return "mark"
    if category[0] == "N":
        return "digit"
    return ("upper" if c.isupper() else "lower") if category[0] == "L" else ""


def runs(text):
    """Words, and characters of Chinese, Japanese and Korean side by side."""
    if text.isascii():
        yield from re.findall(r"\w+", text)
        return
    run, cjk = "", False
    for c in text:
        k = kind(c)
        if run and (not k or (k == "cjk") != cjk and k != "mark"):
            yield run
            run = ""
        if k:
            cjk = cjk if run and k == "mark" else k == "cjk"
            run += c
    if run:
        yield run


def begins_word(word, at):
    """Is the capital at `at` the S of HTTPServer, but not the L of URLs?"""
    behind = [kind(c) for c in word[at + 1:at + 3]] + ["_", "_"]
    return behind[0] == "lower" and (word[at + 1] != "s" or
                                     behind[1] == "lower")


def parts(word):
    """The parts of an identifier."""
    word = unicodedata.normalize("NFC", word)
    found, before = [], "_"
    for at, c in enumerate(word):
        k = kind(c)
        if k == "_":
            before = k
            continue
        if before == "_" or (before == "digit") != (k == "digit") or (
                k == "upper" and (before == "lower" or begins_word(word, at))):
            found.append("")
        found[-1] += c
        before = k
    return found if len(found) <= PARTS_MAX else [word.strip("_")]


def cut(token):
    return fold(token).encode()[:TOKEN_BYTES_MAX].decode(errors="ignore")


@functools.lru_cache(maxsize=None)
def run_places(run):
    if is_cjk(run[0]):
        return [{c, run[at:at + 2]} for at, c in enumerate(run)]
    if not run.strip("_"):
        return []
    found = [{cut(part)} for part in parts(run)]
    found[0] |= {cut(run), cut(run.strip("_"))}
    return found


def places(text):
    """A set of tokens for each place of a document."""
    return [tokens for run in runs(text) for tokens in run_places(run)]


def query_tokens(text):
    """One token for each place of a phrase, the most specific."""
    words = list(runs(text))
    tokens = []
    for run in words:
        if is_cjk(run[0]):
            tokens += [run[at:at + 2] for at in range(len(run))]
            if len(run) > 1:
                tokens[-1] = run[-1]
        elif len(words) == 1:
            tokens.append(cut(run))
        else:
            tokens += map(cut, parts(run))
    return tokens


class Text:
    """One document, prepared for all matchers."""

    def __init__(self, name, text):
        self.name, self.text = name, text
        self.folded = fold(text)
        self.places = places(text)
        self.where = {}
        for place, tokens in enumerate(self.places):
            for token in tokens:
                self.where.setdefault(token, []).append(place)


def starts(text, tokens, prefix):
    """Places where a phrase begins."""
    if prefix and len(tokens) == 1:
        return [p for t, at in text.where.items() if t.startswith(tokens[0])
                for p in at]
    found = []
    for at in text.where.get(tokens[0], []):
        here = text.places[at:at + len(tokens)]
        if len(here) == len(tokens) and all(
                token in place or prefix and i == len(tokens) - 1 and
                any(t.startswith(token) for t in place)
                for i, (token, place) in enumerate(zip(tokens, here))):
            found.append(at)
    return found


def phrase(words, prefix=False):
    tokens = query_tokens(words)
    return lambda text: bool(starts(text, tokens, prefix))


def part(characters):
    folded = fold(characters)
    return lambda text: folded in text.folded


def pattern(compiled):
    return lambda text: compiled.search(text.text) is not None


def both(*matchers):
    return lambda text: all(m(text) for m in matchers)


def either(*matchers):
    return lambda text: any(m(text) for m in matchers)


def without(matcher):
    return lambda text: not matcher(text)
