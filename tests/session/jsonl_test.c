/* Lines of a log: what is too long for the window. */
#include <string.h>

#include "base/bytes.h"
#include "session/jsonl.h"
#include "support/session.h"
#include "support/test.h"

enum { LIMIT = 1 << 20 };

/* A header, a line of `len` bytes, and an entry. */
static quire_bytes log_with(size_t len)
{
    static const char head[] = "{\"type\":\"session\",\"id\":\"s\"}\n";
    static const char last[] = "{\"type\":\"x\",\"id\":\"a\"}\n";
    char *text = test_alloc(sizeof head + len + sizeof last), *at = text;

    at = stpcpy(at, head);
    memset(at, 'x', len);
    strcpy(at + len, "\n");
    strcpy(at + len + 1, last);
    return bytes_str(text);
}

/* The kinds of what is in the log: "-" for a value. */
static const char *kinds_of(struct house *h, bool full)
{
    static char out[256];
    struct jsonl_value v;
    struct object_info info;
    struct log *log;
    struct jsonl j;
    bool more;

    *out = '\0';
    OK(log_open(h->store->logs, "f", LOG_READ, &log, &info, &test_err));
    jsonl_init(&j, log, 0, 1, full);
    j.max_line = LIMIT;
    j.window.max = LIMIT + (256 << 10);
    for (;;) {
        OK(jsonl_next(&j, &v, &more, &test_err));
        if (!more)
            break;
        strcat(strcat(out, v.kind ? v.kind : "-"), " ");
    }
    jsonl_release(&j);
    log_close(log);
    return out;
}

TEST(a_line_of_any_length_leaves_the_others_readable)
{
    static const size_t lens[] = {LIMIT / 2 - 1, LIMIT / 2 + 1, LIMIT - 1,
                                  LIMIT / 2 + (300 << 10)};
    struct house h;
    size_t i;
    int full;

    house_open(&h, false);
    for (i = 0; i < sizeof lens / sizeof *lens; i++) {
        house_write_bytes(&h, "f", log_with(lens[i]));
        for (full = 0; full < 2; full++)
            SAME_TEXT("- garbage - ", kinds_of(&h, full));
    }
    house_write_bytes(&h, "f", log_with(LIMIT + 1));
    HAS(kinds_of(&h, true), "- too_long ");
    house_close(&h);
}
