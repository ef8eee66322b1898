/*
 * Everything that can fail while a conversation is written, failing in turn.
 * After each failure the file is what it was or what it was to become, whatever
 * it refers to is in the store, nothing lies about, and trying again works.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "support/test.h"

#define ONE "ws/.jp/conversations/17780000011"
#define PLAIN                                                            \
    "[{\"type\":\"tool_call_response\",\"content\":\"b2s=\"},{\"type\":" \
    "\"tool_call_response\",\"content\":{\"text\":\"found\",\"x\":1}},"  \
    "{\"type\":\"chat_request\",\"resources\":[{\"text\":\"attached\"}]}]"

static quire_status run(bool back, quire_error *err)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    char path[600];
    quire *q = NULL;
    quire_status st = quire_conversation_store(test_path(ONE), path,
                                               sizeof path, err);

    o.blobs = path;
    o.layout = QUIRE_LAYOUT_LOOSE;
    o.busy_ms = 0;
    if (!st)
        st = quire_open(&o, &q, err);
    if (!st)
        st = back ? quire_conversation_hydrate(q, test_path(ONE), NULL, NULL,
                                               NULL, NULL, err)
                  : quire_conversation_externalize(q, test_path(ONE), NULL,
                                                   NULL, err);
    quire_close(q);
    return st;
}

static quire_bytes events(void)
{
    return test_read_file(test_path(ONE "/events.json"));
}

static void set_the_scene(bool back)
{
    char command[700];

    snprintf(command, sizeof command, "mkdir -p '%s' '%s'", test_path(ONE),
             test_path("ws/.jp/locks"));
    EQ(0, system(command));
    test_write_file(test_path("ws/.jp/locks/jp-c17780000011.lock"),
                    bytes_str(""));
    test_write_file(test_path(ONE "/events.json"), bytes_str(PLAIN));
    if (back)
        OK(run(false, &test_err));
}

/* Whatever the file refers to can be had. */
static void all_is_there(void)
{
    quire_bytes now = events(), again;
    static const char answer[] = "\"b2s=\"";

    OK(run(true, &test_err));
    OK(run(false, &test_err));
    OK(run(true, &test_err));
    again = events();
    YES(memmem(again.data, again.len, answer, sizeof answer - 1) != NULL);
    YES(now.len > 0);
}

static bool strike(bool back, long n, bool stay, quire_bytes after)
{
    quire_error err = {0};
    quire_bytes before, now;
    quire_status st;
    bool struck;

    set_the_scene(back);
    before = events();
    fault_arm(n, n % 2 ? EIO : ENOMEM, stay);
    st = run(back, &err);
    struck = fault_disarm();
    now = events();
    if (!st)
        SAME(after, now);
    else
        YES(err.what[0] && err.status == st);
    if (!bytes_equal(now, before) && !bytes_equal(now, after)) {
        fprintf(stderr, "call %ld (%s)\n", n, fault_name());
        SAME(before, now);
    }
    /* Who can do nothing any more cannot clear up either. */
    if (!stay)
        NO(test_litter(test_dir()));
    all_is_there();
    test_forget_dir();
    return struck;
}

static void sweep(bool back, bool stay)
{
    quire_bytes after;
    long n;

    fault_arm(0, 0, false);
    fault_disarm();
    set_the_scene(back);
    OK(run(back, &test_err));
    after = events();
    test_forget_dir();
    for (n = 1; strike(back, n, stay, after); n++)
        ;
    YES(n > 20);
}

TEST(externalizing_survives_each_call_failing_once)
{
    sweep(false, false);
}

TEST(externalizing_survives_calls_failing_for_good)
{
    sweep(false, true);
}

TEST(hydrating_survives_each_call_failing_once)
{
    sweep(true, false);
}
