/*
 * mcp_fuzz.c - messages to the mcp room
 *
 * Each line of the input is a message, by one client to one server with a home
 * of its own; nothing is run. Whatever it is, there is one answer or none: a
 * line of JSON, with a result or an error and never both, under the id that
 * was given if one was. A first byte that is a control character says how the
 * rest came, by HTTP with headers of some kind. What is sent besides answers
 * is a notification.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/fs.h"
#include "base/json.h"
#include "holds.h"
#include "mcp/mcp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LINES_MAX = 24 };

static char place[256], home[300];
static quire_options store = QUIRE_OPTIONS_INIT;
static struct mcp *m;
static struct mcp_handle *h;
static struct mcp_peer *p;

static void drop_place(void)
{
    int tmp;

    mcp_handle_close(h);
    mcp_close(m);
    *strrchr(place, '/') = '\0';
    if (!fs_open_dir(place, false, &tmp, NULL)) {
        fs_remove_tree(tmp, place + strlen(place) + 1);
        close(tmp);
    }
}

static void make_place(void)
{
    struct mcp_config config = {.store = &store};
    const char *tmp = getenv("TMPDIR");

    snprintf(place, sizeof place, "%.200s/mcp-fuzz-XXXXXX", tmp ? tmp : "/tmp");
    HOLDS(mkdtemp(place));
    snprintf(home, sizeof home, "%s/home", place);
    store.home = home;
    HOLDS(!mcp_open(&config, &m, NULL));
    HOLDS(!mcp_handle_open(m, NULL, &h, NULL));
    atexit(drop_place);
}

/* An answer by itself, or one of a batch. */
static void check_one(quire_bytes answer)
{
    quire_bytes result = json_get(answer, "result");
    quire_bytes error = json_get(answer, "error");
    int64_t code;

    HOLDS(json_is(json_get(answer, "jsonrpc"), "2.0"));
    HOLDS(json_get(answer, "id").data);
    HOLDS((result.data == NULL) != (error.data == NULL));
    if (result.data) {
        HOLDS(json_kind(result) == JSON_OBJECT);
        return;
    }
    HOLDS(json_read_int(json_get(error, "code"), &code) && code < -32000);
    HOLDS(code != -32603);
    HOLDS(!json_is(json_get(error, "message"), ""));
    HOLDS(json_kind(json_get(error, "data")) == JSON_OBJECT);
}

static void check_answer(quire_bytes answer)
{
    struct json_scan it;

    HOLDS(json_check(answer, JSON_UTF8, NULL));
    HOLDS(!memchr(answer.data, '\n', answer.len));
    if (json_kind(answer) != JSON_ARRAY) {
        check_one(answer);
        return;
    }
    json_iter_init(&it, answer);
    while (json_next(&it))
        check_one(it.value);
}

/* A notification, or the last word on a subscription. */
static void hear(void *ctx, quire_bytes message)
{
    (void)ctx;
    HOLDS(json_check(message, JSON_UTF8, NULL));
    if (json_get(message, "id").data)
        check_answer(message);
    else
        HOLDS(json_kind(json_get(message, "method")) == JSON_STRING);
}

static void one_line(quire_bytes line)
{
    static const struct mcp_via ways[] = {
        {.http = false},
        {true, "2026-07-28", "tools/call", "workspace"},
        {true, "2025-06-18", NULL, NULL},
        {true, "2025-03-26", NULL, NULL},
        {true, "2026-07-28", "tools/list", "=?base64?d29y?="},
        {true, NULL, NULL, NULL},
    };
    const unsigned char *t = line.data;
    size_t way = 0;
    struct mcp_call *c;
    quire_bytes answer;
    int status;

    if (line.len > 0 && t[0] >= 1 && t[0] < sizeof ways / sizeof *ways) {
        way = t[0];
        line = bytes_sub(line, 1, line.len);
    }
    c = mcp_begin(p, line, &ways[way]);
    if (!c)
        return;
    HOLDS(mcp_state(c) != MCP_LONG);
    if (mcp_state(c) != MCP_READY && mcp_do(c, h) == MCP_OPEN)
        return;
    answer = mcp_answer(c, &status);
    HOLDS(answer.data);
    HOLDS(status == 200 || status == 400 || status == 404);
    check_answer(answer);
    mcp_end(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *at = (const char *)data, *end = at + size;
    int n;

    if (!m)
        make_place();
    HOLDS(!mcp_peer_open(m, hear, NULL, &p, NULL));
    for (n = 0; n < LINES_MAX && at < end; n++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));

        stop = stop ? stop : end;
        one_line(bytes_of(at, (size_t)(stop - at)));
        at = stop + 1;
    }
    mcp_look(m, h, true);
    mcp_peer_close(p);
    return 0;
}
