/*
 * names.c - names of sessions, entries, files and directories
 *
 * This code does not check what exists. Names are built from what the caller
 * knows (a clock, randomness, real paths) and parsed again; whether one is in
 * use is known to the owner of the entries or the directory.
 *
 * Invariants of names built here for the disk, file, directory or terminal:
 *
 *   (1) It is one component: no slash in it, and it is not "", "." or "..".
 *   (2) It has no NUL, no control character, and at most 255 bytes, if the
 *       ids and numbers that go in are ours.
 */
#include "session/names.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/utf8.h"
#include "base/timestamp.h"
#include "blob/hash.h"

/* ---- ids ---------------------------------------------------------------- */

/* Of 4 billion ids; a hundred in a row are taken only when a session has
 * billions of entries, or when `taken` is broken. */
#define ENTRY_TRIES 100

quire_status names_entry_id(const struct rand_source *r,
                            bool (*taken)(void *ctx, quire_bytes id), void *ctx,
                            char out[NAMES_ID_SIZE], quire_error *err)
{
    uint8_t bytes[16];
    quire_status st;
    int i;

    for (i = 0; i < ENTRY_TRIES; i++) {
        st = rand_bytes(r, bytes, 4, err);
        if (st)
            return st;
        hex_encode(bytes, 4, out);
        if (!taken || !taken(ctx, bytes_of(out, 8)))
            return QUIRE_OK;
    }
    st = rand_bytes(r, bytes, sizeof bytes, err);
    if (!st)
        hex_encode(bytes, sizeof bytes, out);
    return st;
}

/* 2015-01-01. 42 bits of milliseconds from there reach until 2154. */
#define SNOWFLAKE_EPOCH_MS   1420070400000
#define SNOWFLAKE_MS_BITS    42
#define SNOWFLAKE_SPARE_BITS 22

static void snowflake(int64_t ms, const uint8_t random[10], char *out)
{
    uint64_t since = ms > SNOWFLAKE_EPOCH_MS
                         ? (uint64_t)(ms - SNOWFLAKE_EPOCH_MS)
                         : 0;
    uint64_t spare = (uint64_t)random[0] << 16 | (uint64_t)random[1] << 8 |
                     random[2];
    uint64_t id = (since & (((uint64_t)1 << SNOWFLAKE_MS_BITS) - 1))
                      << SNOWFLAKE_SPARE_BITS |
                  (spare & (((uint64_t)1 << SNOWFLAKE_SPARE_BITS) - 1));

    snprintf(out, NAMES_ID_SIZE, "%016llx", (unsigned long long)id);
}

/* RFC 9562: 48 bits of milliseconds since 1970, then randomness around the four
 * bits of the version, 7, and the two of the variant. */
static void uuid7(int64_t ms, const uint8_t random[10], char *out)
{
    uint64_t since = ms > 0 ? (uint64_t)ms : 0;
    uint8_t id[16];
    char hex[33];
    int i;

    for (i = 0; i < 6; i++)
        id[i] = (uint8_t)(since >> (40 - 8 * i));
    memcpy(id + 6, random, 10);
    id[6] = (uint8_t)(0x70 | (id[6] & 0x0f));
    id[8] = (uint8_t)(0x80 | (id[8] & 0x3f));
    hex_encode(id, sizeof id, hex);
    snprintf(out, NAMES_ID_SIZE, "%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex + 8,
             hex + 12, hex + 16, hex + 20);
}

quire_status names_session_id(const struct rand_source *r, int64_t now_us,
                              bool uuid, char out[NAMES_ID_SIZE],
                              quire_error *err)
{
    uint8_t random[10];
    quire_status st = rand_bytes(r, random, sizeof random, err);

    if (st)
        return st;
    if (uuid)
        uuid7(now_us / 1000, random, out);
    else
        snowflake(now_us / 1000, random, out);
    return QUIRE_OK;
}

/* ---- files -------------------------------------------------------------- */

/* The longer one first. */
static const char *const endings[] = {".jsonl.gz", ".jsonl"};

void names_file(int64_t created_us, const char *id, bool compressed,
                struct buf *out)
{
    char when[TIMESTAMP_SIZE], *at;

    timestamp_format(created_us, when);
    for (at = when; *at; at++)
        if (*at == ':' || *at == '.')
            *at = '-';
    buf_addf(out, "%s_%s%s", when, id, endings[compressed ? 0 : 1]);
}

quire_bytes names_stem(quire_bytes file_name)
{
    size_t i, n;

    for (i = 0; i < sizeof endings / sizeof *endings; i++) {
        n = strlen(endings[i]);
        if (file_name.len >= n &&
            bytes_is(bytes_sub(file_name, file_name.len - n, file_name.len),
                     endings[i]))
            return bytes_sub(file_name, 0, file_name.len - n);
    }
    return file_name;
}

bool names_is_session(quire_bytes file_name)
{
    size_t n = names_stem(file_name).len;

    return n > 0 && n < file_name.len;
}

/* The text behind the last `c`; all of it if there is none. */
static quire_bytes text_behind(quire_bytes text, char c)
{
    const char *found = text.len ? memrchr(text.data, c, text.len) : NULL;

    if (!found)
        return text;
    return bytes_sub(text, (size_t)(found - (const char *)text.data) + 1,
                     text.len);
}

quire_bytes names_id_in_file(quire_bytes file_name)
{
    return text_behind(names_stem(text_behind(file_name, '/')), '_');
}

static char to_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool has_prefix(quire_bytes text, quire_bytes prefix)
{
    const char *a = text.data, *b = prefix.data;
    size_t i;

    if (text.len < prefix.len)
        return false;
    for (i = 0; i < prefix.len; i++)
        if (to_lower(a[i]) != to_lower(b[i]))
            return false;
    return true;
}

bool names_match(quire_bytes header_id, quire_bytes file_name,
                 quire_bytes wanted)
{
    if (!wanted.len)
        return false;
    return has_prefix(header_id, wanted) ||
           has_prefix(text_behind(file_name, '/'), wanted) ||
           has_prefix(names_id_in_file(file_name), wanted);
}

/* ---- directories -------------------------------------------------------- */

/* 64 bits: two long paths will not collide, unless their names were the same
 * before. */
#define SHORT_HEX 16

static quire_bytes trim_text(const char *path)
{
    quire_bytes b = bytes_str(path ? path : "");

    while (b.len && path[b.len - 1] == '/')
        b.len--;
    return b;
}

/* Is `path` below `root`, or `root` itself? The rest of it goes to *inside. */
static bool is_within(quire_bytes path, const char *root, quire_bytes *inside)
{
    quire_bytes r = trim_text(root);

    if (!root || !*root || !bytes_starts(path, r))
        return false;
    *inside = bytes_sub(path, r.len, path.len);
    if (!inside->len)
        return true;
    if (*(const char *)inside->data != '/')
        return false;
    *inside = bytes_sub(*inside, 1, inside->len);
    return !bytes_starts(*inside, bytes_str(".."));
}

/* Add a path as part of one name. A control character above ASCII has two
 * bytes, C2 and one from 80 to 9F. */
static void add_flat(struct buf *out, quire_bytes path)
{
    const unsigned char *at = path.data, *end = at + path.len;

    for (; at < end; at++) {
        bool c1 = *at == 0xc2 && end - at > 1 && at[1] >= 0x80 && at[1] < 0xa0;

        at += c1;
        if (c1 || *at < 0x20 || *at == 0x7f || strchr("/\\:", *at))
            buf_add_char(out, '-');
        else
            buf_add_char(out, (char)*at);
    }
}

/* Shorten the name that begins at `from`: its beginning, and a hash of all of
 * it. */
static void shorten(struct buf *out, size_t from, bool tail)
{
    quire_bytes name = bytes_sub(buf_bytes(out), from, out->len);
    size_t room = NAMES_COMPONENT_MAX - 1 - SHORT_HEX - (tail ? 2 : 0);
    char hex[sizeof(quire_digest) * 2 + 1];
    quire_digest digest;

    hash_bytes(name, &digest);
    hex_encode(digest.byte, sizeof digest.byte, hex);
    out->len = from + utf8_cut(name, room);
    buf_addf(out, "-%.*s%s", SHORT_HEX, hex, tail ? "--" : "");
    assert(out->failed || out->len - from <= NAMES_COMPONENT_MAX);
}

void names_dir(const char *cwd, bool omp, const char *home, const char *tmp,
               struct buf *out)
{
    quire_bytes path = trim_text(cwd), inside;
    size_t from = out->len;
    bool tail = false;

    if (omp && is_within(path, home, &inside)) {
        buf_add_char(out, '-');
        add_flat(out, inside);
    } else if (omp && is_within(path, tmp, &inside)) {
        buf_add_str(out, inside.len ? "-tmp-" : "-tmp");
        add_flat(out, inside);
    } else {
        tail = true;
        if (path.len && *(const char *)path.data == '/')
            path = bytes_sub(path, 1, path.len);
        buf_add_str(out, "--");
        add_flat(out, path);
        buf_add_str(out, "--");
    }
    if (!out->failed && out->len - from > NAMES_COMPONENT_MAX)
        shorten(out, from, tail);
}

/* ---- terminals ---------------------------------------------------------- */

/* From the inside out: a pane of tmux in a window of kitty has the variables of
 * both, and shares kitty's with the pane beside it. */
static const struct {
    const char *variable, *prefix;
} terminals[] = {
    {"ZELLIJ_PANE_ID", "zellij"}, {"TMUX_PANE", "tmux"},
    {"CMUX_SURFACE_ID", "cmux"},  {"KITTY_WINDOW_ID", "kitty"},
    {"WEZTERM_PANE", "wezterm"},  {"TERM_SESSION_ID", "apple"},
    {"WT_SESSION", "wt"},
};

static bool is_harmless(char c)
{
    return (c >= '0' && c <= '9') ||
           (to_lower(c) >= 'a' && to_lower(c) <= 'z') ||
           (c && strchr("._-%:@+=,", c));
}

/* Turn the text in `out` into a file name; `n` is snprintf()'s result. */
static bool fit_for_file(char *out, size_t cap, int n)
{
    char *at;

    if (n <= 0 || (size_t)n >= cap || n > NAMES_COMPONENT_MAX)
        return false;
    for (at = out; *at; at++)
        if (!is_harmless(*at) || (at == out && *at == '.'))
            *at = '-';
    return true;
}

bool names_terminal(char *out, size_t cap, int stdin_fd,
                    const char *(*env)(const char *name))
{
    char device[512];
    size_t i;

    if (!ttyname_r(stdin_fd, device, sizeof device) &&
        !strncmp(device, "/dev/", 5) &&
        fit_for_file(out, cap, snprintf(out, cap, "%s", device + 5)))
        return true;
    for (i = 0; env && i < sizeof terminals / sizeof *terminals; i++) {
        const char *value = env(terminals[i].variable);

        if (value && *value)
            return fit_for_file(out, cap,
                                snprintf(out, cap, "%s-%s", terminals[i].prefix,
                                         value));
    }
    return false;
}

/* ---- breadcrumbs -------------------------------------------------------- */

bool names_breadcrumb(const char *cwd, const char *path, struct buf *out)
{
    if (!*cwd || !*path || strpbrk(cwd, "\r\n") || strpbrk(path, "\r\n"))
        return false;
    buf_addf(out, "%s\n%s\n", cwd, path);
    return true;
}

/* The next line of *text, without its end; empty lines are skipped. False at
 * the end. */
static bool next_line(quire_bytes *text, quire_bytes *line)
{
    while (text->len) {
        const char *end = memchr(text->data, '\n', text->len);
        size_t n = end ? (size_t)(end - (const char *)text->data) : text->len;

        *line = bytes_sub(*text, 0, n);
        *text = bytes_sub(*text, n + (end != NULL), text->len);
        if (n && ((const char *)line->data)[n - 1] == '\r')
            line->len--;
        if (line->len)
            return true;
    }
    return false;
}

bool names_read_breadcrumb(quire_bytes text, struct breadcrumb *out)
{
    quire_bytes line;

    *out = (struct breadcrumb){.fresh = false};
    if (!next_line(&text, &out->cwd) || !next_line(&text, &out->path))
        return false;
    /* A path with a NUL is invalid: to the system it would end there. */
    if (memchr(out->cwd.data, '\0', out->cwd.len) ||
        memchr(out->path.data, '\0', out->path.len))
        return false;
    while (next_line(&text, &line))
        out->fresh |= bytes_is(line, "fresh");
    return true;
}
