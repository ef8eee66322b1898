#include "search/tokenizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/utf8.h"
#include "support/test.h"

/* ---- what a text becomes -------------------------------------------------- */

struct line {
    char text[8192];
    size_t len;
    uint32_t place;
    uint32_t to; /* of the last token that began a place */
    quire_bytes input;
};

static void add_to_line(struct line *l, const char *before, quire_bytes text)
{
    YES(l->len + text.len + 2 < sizeof l->text);
    l->len += (size_t)snprintf(l->text + l->len, sizeof l->text - l->len,
                               "%s%.*s", l->len ? before : "", (int)text.len,
                               (const char *)text.data);
}

/* What holds for every token. */
static void check_token(struct line *l, const struct token *t)
{
    YES(t->text.len > 0 && t->text.len <= TOKEN_BYTES_MAX);
    YES(t->from < t->to && t->to <= l->input.len);
    YES(utf8_check(t->text));
    if (l->len && t->place != l->place) {
        YES(t->place > l->place);
        YES(t->from >= l->to);
    }
    if (!l->len || t->place != l->place)
        l->to = t->to;
}

static void add_token(void *ctx, const struct token *t)
{
    struct line *l = ctx;

    check_token(l, t);
    add_to_line(l, t->place == l->place ? " " : "|", t->text);
    l->place = t->place;
}

/* Every token, places divided by "|": "get getusername|user|name". */
static const char *tokens(quire_bytes text, bool query)
{
    static struct line l;
    struct tokenize_result r;

    l = (struct line){.input = text};
    r = query ? tokenize_query(text, add_token, &l)
              : tokenize_document(text, add_token, &l);
    YES(!l.len || r.n_places > l.place);
    return l.text;
}

static const char *document(const char *text)
{
    return tokens(bytes_str(text), false);
}

static const char *query(const char *text)
{
    return tokens(bytes_str(text), true);
}

static void ignore_token(void *ctx, const struct token *t)
{
    (void)ctx, (void)t;
}

static bool leaves_out(quire_bytes text)
{
    return tokenize_document(text, ignore_token, NULL).left_out;
}

TEST(tokenizer_finds_these_tokens_in_a_document)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"", ""},
        {"The quick, brown Fox", "the|quick|brown|fox"},
        {"snake_case", "snake snake_case|case"},
        {"getUserName", "get getusername|user|name"},
        {"HTTPServer", "http httpserver|server"},
        {"parseHTTPHeader2x", "parse parsehttpheader2x|http|header|2|x"},
        {"utf8 42", "utf utf8|8|42"},
        {"SCREAMING_SNAKE_9", "screaming screaming_snake_9|snake|9"},
        {"__init__", "init __init__"},
        {"_private_name", "private _private_name private_name|name"},
        {"a__b", "a a__b|b"},
        {"___ _ x", "x"},
        {"URLs IDs NASA", "urls|ids|nasa"},
        {"XMLsFound", "xmls xmlsfound|found"},
        {"report-2024.csv", "report|2024|csv"},
        {"https://example.org/a_b?q=1", "https|example|org|a a_b|b|q|1"},
        {"it's C++", "it|s|c"},
        {"x86_64", "x x86_64|86|64"},
        {"a1b2c3d4e5f6a7b8", "a a1b2c3d4e5f6a7b8|1|b|2|c|3|d|4|e|5|f|6|a|7|b|"
                             "8"},
        {"_a1b2c3d4e5f6a7b8c_", "a1b2c3d4e5f6a7b8c _a1b2c3d4e5f6a7b8c_"},
        {"École caféName CAFÉ", "ecole|cafe cafename|name|cafe"},
        {"getÉcole", "get getecole|ecole"},
        {"cafe\u0301 E\u0301cole_x", "cafe|ecole ecole_x|x"},
        {"\u0301 x", "x"},
        {"Straße ﬁn", "straße|ﬁn"},
        {"ＵＴＦ８ ℌ", "utf utf8|8|h"},
        {"Ὀδυσσεύς ΟΔΟΣ", "οδυσσευσ|οδοσ"},
        {"приветМир мой ёлка", "привет приветмир|мир|мой|елка"},
        {"ภาษาไทย", "ภาษาไทย"},
        {"שָׁלוֹם عَرَبِيّ أب", "שלום|عربي|أب"},
        {"हिन्दी", "हिन्दी"},
        {"中", "中"},
        {"全文检索", "全 全文|文 文检|检 检索|索"},
        {"中文，检索", "中 中文|文|检 检索|索"},
        {"utf8中文x", "utf utf8|8|中 中文|文|x"},
        {"中_文", "中|文"},
        {"葛\U000e0100城", "葛 葛城|城"},
        {"한국어 검색", "한 한국|국 국어|어|검 검색|색"},
        {"ｶﾀ", "ｶ ｶﾀ|ﾀ"},
        {"か\u3099き", "か か\u3099|\u3099 \u3099き|き"},
        {"がき", "が がき|き"},
        {"done🤔🤔 \ue0b0main ❤\ufe0f", "done|main"},
        {"a\xff"
         "b\xc3\xa9\xc3 c\xe4\xb8"
         "d",
         "a|be|c|d"},
    };
    size_t i;

    for (i = 0; i < sizeof cases / sizeof *cases; i++)
        SAME_TEXT(cases[i].want, document(cases[i].text));
}

TEST(tokenizer_takes_the_most_specific_token_of_a_query)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"", ""},
        {"getUserName", "getusername"},
        {" __init__ ", "__init__"},
        {"getUserName x", "get|user|name|x"},
        {"utf8中", "utf|8|中"},
        {"全文检索", "全文|文检|检索|索"},
        {"中", "中"},
        {"a1b2c3d4e5f6a7b8c x", "a1b2c3d4e5f6a7b8c|x"},
        {"a\u0301Bc", "abc"},
    };
    size_t i;

    for (i = 0; i < sizeof cases / sizeof *cases; i++)
        SAME_TEXT(cases[i].want, query(cases[i].text));
}

struct spots {
    uint32_t from[8], to[8];
    int n;
};

static void add_spot(void *ctx, const struct token *t)
{
    struct spots *s = ctx;

    s->from[s->n] = t->from;
    s->to[s->n++] = t->to;
}

TEST(tokenizer_reports_the_bytes_of_each_token)
{
    struct spots s = {.n = 0};
    struct tokenize_result r = tokenize_document(bytes_str("- Éa_B 中文"),
                                                 add_spot, &s);
    static const uint32_t want[][2] = {{2, 5},  {2, 7},  {6, 7},
                                       {8, 11}, {8, 11}, {11, 14}};
    int i;

    EQ(4, r.n_places);
    EQ(6, s.n);
    for (i = 0; i < s.n; i++) {
        EQ(want[i][0], s.from[i]);
        EQ(want[i][1], s.to[i]);
    }
}

/* ---- what is left out ----------------------------------------------------- */

/* `n` times a text. */
static char *repeat(const char *text, size_t n)
{
    size_t len = strlen(text), i;
    char *out = test_alloc(len * n + 1);

    for (i = 0; i < n; i++)
        memcpy(out + i * len, text, len);
    out[len * n] = '\0';
    return out;
}

static char *join(const char *a, const char *b, const char *c)
{
    size_t len = strlen(a) + strlen(b) + strlen(c) + 1;
    char *out = test_alloc(len);

    snprintf(out, len, "%s%s%s", a, b, c);
    return out;
}

TEST(tokenizer_cuts_long_words_and_reports_it)
{
    char *a64 = repeat("a", 64), *a32 = repeat("a", 32), *a31, want[256];

    SAME_TEXT(a64, document(a64));
    NO(leaves_out(bytes_str(a64)));
    SAME_TEXT(a64, document(repeat("A", 65)));
    YES(leaves_out(bytes_str(repeat("A", 65))));
    SAME_TEXT(a64, query(repeat("a", 1000)));
    /* Between characters: ж is two bytes, ภ three. */
    SAME_TEXT(repeat("ж", 32), document(repeat("Ж", 40)));
    SAME_TEXT(repeat("ภ", 21), document(repeat("ภ", 30)));
    /* What folding shortens may be longer before it. */
    SAME_TEXT(repeat("e", 64), document(repeat("É", 64)));
    NO(leaves_out(bytes_str(repeat("É", 64))));
    /* The parts remain. */
    a31 = a32 + 1;
    snprintf(want, sizeof want, "%s %s_%s|%s|b", a32, a32, a31, a32);
    SAME_TEXT(want, document(join(a32, "_", join(a32, "_b", ""))));
    YES(leaves_out(bytes_str(join(a32, "_", join(a32, "_b", "")))));
}

/* Base64 of noise, in lines of `line` characters; 0: in one. */
static char *base64(size_t len, size_t line, const char *end)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char *noise = test_alloc(len);
    struct buf b = BUF_INIT((size_t)1 << 20);
    char *out;
    size_t i;

    test_noise(len, noise, len);
    for (i = 0; i < len; i++) {
        if (line && i && i % line == 0)
            buf_add_str(&b, end);
        buf_add_char(&b, digits[noise[i] & 63]);
    }
    out = test_alloc(b.len + 1);
    memcpy(out, b.data, b.len);
    out[b.len] = '\0';
    buf_release(&b);
    return out;
}

static char *hex(size_t len)
{
    unsigned char *noise = test_alloc(len);
    char *out = test_alloc(2 * len + 1);

    test_noise(len, noise, len);
    hex_encode(noise, len, out);
    return out;
}

TEST(tokenizer_leaves_out_data)
{
    char *data[] = {
        base64(200, 0, ""),
        base64(5000, 0, ""),
        base64(1000, 64, "\n"),
        base64(1000, 76, "\r\n"),
        base64(1030, 60, "\n   "),
        base64(1000, 64, "\\n"),
        hex(100),
        hex(2000),
    };
    struct tokenize_result r;
    size_t i;
    char *text;

    for (i = 0; i < sizeof data / sizeof *data; i++) {
        text = join("see: ", data[i], "\n-----END OF IT");
        SAME_TEXT("see|end|of|it", document(text));
        r = tokenize_document(bytes_str(text), ignore_token, NULL);
        EQ(5, r.n_places);
        YES(r.left_out);
        SAME_TEXT("see|end|of|it", query(text));
    }
    /* Where it is announced, it may be anything. */
    text = join("data:image/jpeg;base64,/9j/", repeat("A", 200), "\" alt");
    SAME_TEXT("data|image|jpeg|base base64|64|alt", document(text));
}

/* Every word of the text has its token. */
static void keeps(const char *text, const char *token, size_t n_times)
{
    const char *found = document(text);
    size_t n = 0;

    for (; (found = strstr(found, token)); found++)
        n++;
    EQ(n_times, n);
}

TEST(tokenizer_takes_no_text_for_data)
{
    keeps(repeat("/usr/share/word-list", 20), "word", 20);
    keeps(repeat("/blog/2024/05/17/what-is-Word", 10), "word", 10);
    keeps(repeat("some_kebab-case-Name/", 30), "kebab", 60);
    keeps(repeat("CamelCase/and2More/", 20), "more", 40);
    keeps(repeat("550e8400-e29b-41d4-a716-446655440000/word/", 10), "word", 10);
    keeps(repeat("function(a,b){return a+b};", 20), "return", 20);
    keeps(repeat("文档", 100), "文档|", 100);
    keeps(join(repeat("-", 300), "word", repeat("=", 300)), "word", 1);
    keeps(repeat("a", 300), repeat("a", 64), 1);
    /* Words in front of data, and behind it. */
    keeps(join("/static/main/word/chunk/of/data/by/the/name/of/", "the/hash/",
               base64(300, 0, "")),
          "word", 1);
    keeps(join(base64(320, 0, ""), "\n", "word and more"), "word", 1);
    /* Lines of text that happen to have no space. */
    keeps(
        repeat("a-line-of-words-that-is-longer-than-sixty-characters-and-goes-"
               "on\n",
               10),
        "sixty", 10);
}

/* ---- substrings ----------------------------------------------------------- */

static void add_piece(void *ctx, const struct text_piece *p)
{
    struct line *l = ctx;
    char text[512];

    snprintf(text, sizeof text, "%s%.*s%s%s", p->open_left ? "<" : "",
             (int)p->text.len, (const char *)p->text.data, p->cjk ? "=" : "",
             p->open_right ? ">" : "");
    add_to_line(l, "|", bytes_str(text));
}

static const char *pieces(const char *text)
{
    static struct line l;

    l = (struct line){.len = 0};
    tokenize_pieces(bytes_str(text), add_piece, &l);
    return l.text;
}

TEST(tokenizer_splits_a_substring_into_pieces)
{
    SAME_TEXT("", pieces(""));
    SAME_TEXT("", pieces(" ... ___ "));
    SAME_TEXT("<word>", pieces("Word"));
    SAME_TEXT("word", pieces(" Word "));
    SAME_TEXT("<ername|x_2|get>", pieces("erName x_2 get"));
    SAME_TEXT("<utf8|全文=|e>", pieces("utf8全文É"));
    SAME_TEXT("<x|全文=>", pieces("\u0301X全文\u0301"));
    SAME_TEXT(join("<", repeat("a", 64), ">"), pieces(repeat("A", 99)));
    /* Each pair is in one piece. */
    SAME_TEXT(join("<", repeat("全", 21), join("=|<", repeat("全", 5), "=|x>")),
              pieces(join(repeat("全", 24), "\u0301全", "x")));
}

static void check_fold(const char *text, const char *want)
{
    struct buf b = BUF_INIT(10000);
    size_t len = strlen(text), i;
    uint32_t *map = test_alloc((len + 1) * sizeof *map);

    buf_add_str(&b, "before");
    fold_text(bytes_of(text, len), &b, map);
    SAME(bytes_str(want), bytes_of(b.data + 6, b.len - 6));
    EQ(b.len - 6, map[len]);
    for (i = 0; i < len; i++)
        YES(map[i] <= map[i + 1]);
    buf_release(&b);
}

TEST(tokenizer_folds_a_text_with_its_separators)
{
    struct buf b = BUF_INIT(100);
    uint32_t map[9];
    static const uint32_t want[] = {0, 1, 1, 2, 3, 3, 3, 3, 6};
    size_t i;

    check_fold("", "");
    check_fold("Ein, \xff \xc3ZWEI!", "ein, \xff \xc3zwei!");
    check_fold(repeat("Ⱥ ÉX", 1000), repeat("ⱥ ex", 1000));
    check_fold("が か\u3099 각 й ё Ά ẞ İ", "が か\u3099 각 й е α ß i");
    fold_text(bytes_str("aÉe\u0301Ⱥ"), &b, map);
    SAME_TEXT("aeeⱥ", buf_text(&b));
    for (i = 0; i < 9; i++)
        EQ(want[i], map[i]);
    buf_clear(&b);
    fold_text(bytes_str("a"), &b, NULL);
    SAME_TEXT("a", buf_text(&b));
    buf_release(&b);
}

/* ---- random texts --------------------------------------------------------- */

static uint32_t below(uint64_t *seed, uint32_t n)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % n;
}

static const char *const ascii_bits[] = {
    "a",   "b",   "s",  "word", "Name", "HTTP", "URLs", "X", "Y",
    "_",   "__",  "9",  "42",   " ",    " ",    ".",    "/", "-",
    "\n ", "get", "id", "'",    "(",    "=",    "\t",   "z",
};

/* Characters that both tokenizers treat in the same way. */
static const char *const common_bits[] = {
    "é",  "É",  "ü",       "Ñ",  "ж",  "Ж",  "й",  "σ", "Σ",
    "ß",  "全", "文",      "の", "カ", "한", "글", "ｶ", "，",
    "。", "—",  "e\u0301", "ا",  "ב",  "ł",  "Ø",  "१",
};

static const char *const other_bits[] = {
    "🤔", "\ue0b0", "\u0301",  "\u3099", "か", "\xff",   "\xe4\xb8",
    "\xc3", "ς",      "ΐ",       "ё",      "ภา", "นี้",      "Ａ",
    "８",   "ﬁ",      "ด\u0301", "Ⱥ",      "İ",  "\ufe0f", "葛\U000e0100",
    "हि",   "ְ",
};

#define COUNT(a) (sizeof(a) / sizeof *(a))

struct random_text {
    char text[512];
    size_t starts[512]; /* where bits begin; a text is cut there */
    size_t n, len;
};

static void add_bit(struct random_text *r, const char *bit)
{
    r->starts[r->n++] = r->len;
    memcpy(r->text + r->len, bit, strlen(bit));
    r->len += strlen(bit);
}

/* `sorts`: 1 ASCII only, 2 what is common, 3 all. */
static void make_text(uint64_t *seed, uint32_t sorts, struct random_text *r)
{
    uint32_t n = below(seed, 24);

    *r = (struct random_text){.n = 0};
    while (n--) {
        switch (below(seed, sorts)) {
        case 0: add_bit(r, ascii_bits[below(seed, COUNT(ascii_bits))]); break;
        case 1: add_bit(r, common_bits[below(seed, COUNT(common_bits))]); break;
        default: add_bit(r, other_bits[below(seed, COUNT(other_bits))]); break;
        }
    }
    r->starts[r->n] = r->len;
}

struct bag {
    char tokens[512][TOKEN_BYTES_MAX];
    size_t len[512], n;
};

static void put_into_bag(void *ctx, const struct token *t)
{
    struct bag *b = ctx;

    YES(b->n < 512);
    memcpy(b->tokens[b->n], t->text.data, t->text.len);
    b->len[b->n++] = t->text.len;
}

/* Does one of the tokens have `text`, at its beginning and end unless open? */
static bool bag_has(const struct bag *b, quire_bytes text, bool open_left,
                    bool open_right)
{
    size_t i, at;

    for (i = 0; i < b->n; i++) {
        if (b->len[i] < text.len)
            continue;
        for (at = 0; at + text.len <= b->len[i]; at++) {
            if ((open_left || at == 0) &&
                (open_right || at + text.len == b->len[i]) &&
                !memcmp(b->tokens[i] + at, text.data, text.len))
                return true;
        }
    }
    return false;
}

static void check_piece(void *ctx, const struct text_piece *p)
{
    const struct bag *b = ctx;
    size_t at = 0, first, second;
    uint32_t cp;

    YES(p->text.len > 0);
    if (!p->cjk) {
        YES(bag_has(b, p->text, p->open_left, p->open_right));
        return;
    }
    first = utf8_decode(p->text, &cp, NULL);
    if (first == p->text.len)
        YES(bag_has(b, p->text, false, false));
    for (; at + first < p->text.len; at += first, first = second) {
        second = utf8_decode(bytes_sub(p->text, at + first, p->text.len), &cp,
                             NULL);
        YES(bag_has(b, bytes_sub(p->text, at, at + first + second), false,
                    false));
    }
}

/* In the folded document, where the map says the substring is. */
static void check_fold_of_part(quire_bytes text, size_t from, size_t to)
{
    struct buf all = BUF_INIT(4096), part = BUF_INIT(4096);
    uint32_t map[513];

    fold_text(text, &all, map);
    fold_text(bytes_sub(text, from, to), &part, NULL);
    EQ(part.len, map[to] - map[from]);
    if (part.len)
        SAME(buf_bytes(&part), bytes_of(all.data + map[from], part.len));
    buf_release(&all);
    buf_release(&part);
}

TEST(tokenizer_has_the_pieces_of_every_substring_among_the_tokens)
{
    static struct random_text t;
    static struct bag b;
    uint64_t seed = 1;
    size_t i, from, to, n_checked = 0;

    for (i = 0; i < 20000; i++) {
        quire_bytes text;

        make_text(&seed, 1 + (uint32_t)i % 3, &t);
        text = bytes_of(t.text, t.len);
        from = t.starts[below(&seed, (uint32_t)t.n + 1)];
        to = t.starts[below(&seed, (uint32_t)t.n + 1)];
        b.n = 0;
        if (to < from || tokenize_document(text, put_into_bag, &b).left_out)
            continue;
        tokenize_pieces(bytes_sub(text, from, to), check_piece, &b);
        check_fold_of_part(text, from, to);
        n_checked++;
    }
    YES(n_checked > 5000);
}
