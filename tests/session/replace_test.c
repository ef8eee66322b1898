/* Rewriting entries of a session on purpose. */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "support/session.h"

#define FIRST                                                              \
    "{\"type\":\"message\",\"id\":\"a1\",\"parentId\":null,\"timestamp\":" \
    "\"2026-02-16T10:20:31.000Z\",\"message\":{\"role\":\"user\","         \
    "\"content\":\"one\"}}"
#define SECOND                                                             \
    "{\"type\":\"message\",\"id\":\"a1\",\"parentId\":null,\"timestamp\":" \
    "\"2026-02-16T10:20:31.000Z\",\"message\":{\"role\":\"user\","         \
    "\"content\":\"two\"}}"

/* One rewrite of which the n-th call of the store fails. Whether one failed. */
static bool rewrite_failing(bool disk, long n)
{
    quire_bytes entry = bytes_str(SECOND);
    quire_rewritten done = {0};
    quire_session *s;
    struct house h;
    quire_status st;
    bool struck;

    house_open(&h, disk);
    house_write(&h, "p/f", HEADER FIRST "\n");
    s = house_open_session(&h, "p/f", 0);
    h.fault = (struct fault){.left = n, .status = QUIRE_IO};
    st = quire_session_rewrite(s, &entry, 1, &done, &test_err);
    struck = h.fault.struck;
    h.fault = (struct fault){.left = 0};
    if (!struck)
        OK(st);
    if (!st)
        EQ(1, done.entries);
    quire_session_close(s);
    YES(bytes_is(house_read(&h, "p/f"), HEADER FIRST "\n") ||
        bytes_is(house_read(&h, "p/f"), HEADER SECOND "\n"));
    house_close(&h);
    test_forget_dir();
    return struck;
}

TEST(a_rewrite_that_fails_leaves_the_old_file_or_the_new)
{
    int disk;
    long n;

    for (disk = 0; disk < 2; disk++) {
        for (n = 1; rewrite_failing(disk, n); n++)
            ;
        YES(n > 5);
    }
}
