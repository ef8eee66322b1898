/* edits.c - see edits.h */
#include "view/edits.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/err.h"
#include "view/diff_json.h"

/* Lines of one file that are listed. */
enum { LINES_MAX = 5000 };

struct edits {
    struct json_writer *w;
    struct arena tmp;
    quire_bytes call; /* the block                                           */
};

/* The first of some members that is a string; .data NULL: none. */
static quire_bytes find_text(struct edits *e, quire_bytes object,
                             const char *const *names)
{
    quire_bytes value = bytes_of(NULL, 0);
    int i;

    for (i = 0; names[i] && json_kind(value) != JSON_STRING; i++)
        value = json_get(object, names[i]);
    return json_kind(value) == JSON_STRING ? json_text(value, &e->tmp)
                                           : bytes_of(NULL, 0);
}

static quire_bytes find_path(struct edits *e, quire_bytes arguments)
{
    static const char *const names[] = {"file_path", "filePath",
                                        "path",      "notebook_path",
                                        "file",      "filename",
                                        NULL};

    return find_text(e, arguments, names);
}

static void begin_file(struct edits *e, quire_bytes path)
{
    json_object(e->w);
    json_put_bytes(e->w, "path", path.data ? path : bytes_str(""));
    json_put_raw(e->w, "call",
                 json_kind(json_get(e->call, "id")) == JSON_STRING
                     ? json_get(e->call, "id")
                     : bytes_str("\"\""));
    json_put_raw(e->w, "tool",
                 json_kind(json_get(e->call, "name")) == JSON_STRING
                     ? json_get(e->call, "name")
                     : bytes_str("\"\""));
    json_key(e->w, "hunks");
}

static void end_file(struct edits *e, size_t added, size_t removed, bool cut)
{
    json_put_uint(e->w, "added", added);
    json_put_uint(e->w, "removed", removed);
    json_put_bool(e->w, "cut", cut);
    json_object_end(e->w);
}

/* ---- old and new text --------------------------------------------------- */

static quire_status write_pair(struct edits *e, quire_bytes path,
                               quire_bytes before, quire_bytes after,
                               quire_error *err)
{
    quire_diff_summary sum;
    bool cut;
    quire_status st;

    begin_file(e, path);
    st = view_diff(before, after, LINES_MAX, e->w, &sum, &cut, err);
    end_file(e, sum.added, sum.removed, cut);
    return st;
}

/* Whether `object` has an old and a new text; then they are written. */
static bool try_pair(struct edits *e, quire_bytes object, quire_bytes path,
                     quire_status *st, quire_error *err)
{
    static const char *const old[] = {"old_string", "oldText",  "old_str",
                                      "oldString",  "old_text", NULL};
    static const char *const new[] = {"new_string", "newText",  "new_str",
                                      "newString",  "new_text", NULL};
    quire_bytes before = find_text(e, object, old);
    quire_bytes after = find_text(e, object, new);

    if (!before.data || !after.data)
        return false;
    *st = write_pair(e, path, before, after, err);
    return true;
}

static bool try_list(struct edits *e, quire_bytes arguments, quire_bytes path,
                     quire_status *st, quire_error *err)
{
    quire_bytes list = json_get(arguments, "edits");
    struct json_scan it;
    bool found = false;

    if (json_kind(list) != JSON_ARRAY)
        return false;
    json_iter_init(&it, list);
    while (!*st && json_next(&it))
        found |= try_pair(e, it.value, path, st, err);
    return found;
}

static bool try_content(struct edits *e, quire_bytes arguments,
                        quire_bytes path, quire_status *st, quire_error *err)
{
    static const char *const names[] = {"content", "contents", "file_text",
                                        NULL};
    quire_bytes after = find_text(e, arguments, names);

    if (!after.data || !path.data)
        return false;
    *st = write_pair(e, path, bytes_str(""), after, err);
    return true;
}

/* ---- patches ------------------------------------------------------------ */

struct patch {
    struct edits *e;
    quire_bytes rest;
    size_t added, removed, lines;
    size_t old_line, new_line;
    bool in_file, in_hunk, cut;
};

static quire_bytes next_line(struct patch *p)
{
    const char *at = p->rest.data;
    const char *end = memchr(at, '\n', p->rest.len);
    size_t n = end ? (size_t)(end - at) : p->rest.len;
    quire_bytes line = bytes_sub(p->rest, 0, n);

    p->rest = bytes_sub(p->rest, end ? n + 1 : n, p->rest.len);
    if (line.len && at[line.len - 1] == '\r')
        line.len--;
    return line;
}

static bool starts(quire_bytes line, const char *prefix)
{
    return bytes_starts(line, bytes_str(prefix));
}

static void end_hunk(struct patch *p)
{
    if (p->in_hunk) {
        json_array_end(p->e->w);
        json_object_end(p->e->w);
    }
    p->in_hunk = false;
}

static void end_patch_file(struct patch *p)
{
    end_hunk(p);
    if (p->in_file) {
        json_array_end(p->e->w);
        end_file(p->e, p->added, p->removed, p->cut);
    }
    p->in_file = p->cut = false;
    p->added = p->removed = p->lines = 0;
    p->old_line = p->new_line = 1;
}

static void begin_patch_file(struct patch *p, quire_bytes path)
{
    end_patch_file(p);
    begin_file(p->e, path);
    json_array(p->e->w);
    p->in_file = true;
}

/* "@@ -12,3 +14,4 @@": where it says lines, they are its lines. */
static void begin_hunk(struct patch *p, quire_bytes line)
{
    char text[64];
    size_t n = line.len < sizeof text - 1 ? line.len : sizeof text - 1;
    char *at;

    memcpy(text, line.data, n);
    text[n] = '\0';
    at = strchr(text, '-');
    if (at && at[1] >= '0' && at[1] <= '9') {
        p->old_line = strtoul(at + 1, NULL, 10);
        at = strchr(at, '+');
        if (at)
            p->new_line = strtoul(at + 1, NULL, 10);
    }
    end_hunk(p);
    json_object(p->e->w);
    json_put_uint(p->e->w, "old", p->old_line);
    json_put_uint(p->e->w, "new", p->new_line);
    json_key(p->e->w, "lines");
    json_array(p->e->w);
    p->in_hunk = true;
}

static void add_line(struct patch *p, quire_bytes line)
{
    char first = line.len ? *(const char *)line.data : ' ';
    const char kind[2] = {first == ' ' ? '=' : first, '\0'};

    p->added += first == '+';
    p->removed += first == '-';
    p->old_line += first != '+';
    p->new_line += first != '-';
    p->cut |= p->lines == LINES_MAX;
    if (p->lines == LINES_MAX)
        return;
    p->lines++;
    if (!p->in_hunk)
        begin_hunk(p, bytes_str(""));
    json_array(p->e->w);
    json_str(p->e->w, kind);
    json_bytes(p->e->w, bytes_sub(line, line.len ? 1 : 0, line.len));
    json_array_end(p->e->w);
}

/* The path behind a prefix, without blanks around it and without "a/" or "b/". */
static quire_bytes path_behind(quire_bytes line, const char *prefix)
{
    quire_bytes path = bytes_sub(line, strlen(prefix), line.len);
    const char *text = path.data;

    if (path.len > 2 && (text[0] == 'a' || text[0] == 'b') && text[1] == '/')
        path = bytes_sub(path, 2, path.len);
    return path;
}

static void read_patch_line(struct patch *p, quire_bytes line, quire_bytes path)
{
    static const char *const files[] = {"*** Update File: ", "*** Add File: ",
                                        "*** Delete File: ", NULL};
    int i;

    for (i = 0; files[i]; i++) {
        if (starts(line, files[i])) {
            begin_patch_file(p, path_behind(line, files[i]));
            return;
        }
    }
    if (starts(line, "+++ ") && !p->in_hunk) {
        begin_patch_file(p, path_behind(line, "+++ "));
    } else if (starts(line, "*** ") || starts(line, "diff --git ") ||
               (starts(line, "--- ") && !p->in_hunk)) {
        if (!starts(line, "*** Move to: ") && !starts(line, "*** End of File"))
            end_hunk(p);
    } else if (starts(line, "@@")) {
        if (!p->in_file)
            begin_patch_file(p, path);
        begin_hunk(p, line);
    } else if (p->in_file && line.len &&
               strchr("+- ", *(const char *)line.data)) {
        add_line(p, line);
    }
}

static bool try_patch(struct edits *e, quire_bytes arguments, quire_bytes path)
{
    static const char *const names[] = {"patch", "input", "diff", "patchText",
                                        NULL};
    struct patch p = {.e = e, .old_line = 1, .new_line = 1};
    quire_bytes text = find_text(e, arguments, names);

    if (!text.data || (!memmem(text.data, text.len, "*** ", 4) &&
                       !memmem(text.data, text.len, "@@", 2)))
        return false;
    p.rest = text;
    while (p.rest.len > 0)
        read_patch_line(&p, next_line(&p), path);
    end_patch_file(&p);
    return true;
}

/* ---- calls -------------------------------------------------------------- */

static quire_status write_call(struct edits *e, quire_error *err)
{
    quire_bytes arguments = json_get(e->call, "arguments"), path;
    quire_status st = QUIRE_OK;

    if (json_kind(arguments) != JSON_OBJECT)
        return QUIRE_OK;
    path = find_path(e, arguments);
    if (!try_list(e, arguments, path, &st, err) &&
        !try_pair(e, arguments, path, &st, err) &&
        !try_patch(e, arguments, path))
        try_content(e, arguments, path, &st, err);
    return st;
}

quire_status view_edits(quire_bytes entry, struct json_writer *w,
                        quire_error *err)
{
    quire_bytes content = json_get(json_get(entry, "message"), "content");
    struct edits e = {.w = w, .tmp = ARENA_INIT};
    struct json_scan it;
    quire_status st = QUIRE_OK;

    json_key(w, "files");
    json_array(w);
    if (json_kind(content) == JSON_ARRAY) {
        json_iter_init(&it, content);
        while (!st && json_next(&it)) {
            e.call = it.value;
            if (json_is(json_get(it.value, "type"), "toolCall"))
                st = write_call(&e, err);
        }
    }
    json_array_end(w);
    arena_release(&e.tmp);
    return st;
}
