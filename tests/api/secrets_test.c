/* What is stored is looked at as the setting says, and reported to the caller. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "support/test.h"

#define KEY "ghp_a8F3kQ9zL2mN7pR5tV1xY4bC6dE0gH2jK9mQ"

static quire *q;
static char found[2000];

static void note(void *ctx, const quire_secret *s)
{
    size_t n = strlen(found);

    (void)ctx;
    snprintf(found + n, sizeof found - n, "%s@%s:%d+%d%s ", s->kind, s->place,
             (int)s->at, (int)s->bytes, s->masked ? "!" : "");
}

static void begin(const char *setting)
{
    quire_options o = QUIRE_OPTIONS_INIT;

    o.home = test_path("home");
    OK(quire_open(&o, &q, &test_err));
    OK(quire_config_set(q, "secrets", setting, &test_err));
    quire_on_secret(q, note, NULL);
    found[0] = '\0';
}

static quire_session *begin_session(void)
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    quire_session *s;

    o.flags = QUIRE_SESSION_AT_ONCE;
    o.cwd = "/";
    OK(quire_session_new(q, &o, &s, &test_err));
    return s;
}

static quire_bytes append(quire_session *s, uint64_t *secrets)
{
    quire_appended done;
    quire_entry e;

    OK(quire_session_append(s,
                            bytes_str("{\"type\":\"message\",\"message\":{"
                                      "\"role\":\"user\",\"content\":\"" KEY
                                      "\"}}"),
                            NULL, &done, &test_err));
    *secrets = done.secrets;
    OK(quire_session_entry(s, done.id, &e, &test_err));
    return e.json;
}

TEST(an_entry_is_stored_as_the_setting_says)
{
    static const struct {
        const char *setting, *report;
        bool is_masked;
        int n;
    } cases[] = {{"off", "", false, 0},
                 {"warn", "github-token@/message/content:0+40 ", false, 1},
                 {"mask", "github-token@/message/content:0+40! ", true, 1}};
    quire_session *s;
    quire_bytes json;
    uint64_t n;
    size_t i;

    for (i = 0; i < 3; i++) {
        begin(cases[i].setting);
        s = begin_session();
        json = append(s, &n);
        EQ(cases[i].n, n);
        SAME_TEXT(cases[i].report, found);
        YES(cases[i].is_masked == !memmem(json.data, json.len, KEY, 40));
        YES(cases[i].is_masked ==
            (memmem(json.data, json.len, "[redacted: github-token]", 24) !=
             NULL));
        quire_session_close(s);
        quire_close(q);
    }
}

TEST(a_setting_that_another_handle_changes_holds_at_once)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire_session *s;
    quire *other;
    uint64_t n;

    begin("off");
    s = begin_session();
    append(s, &n);
    EQ(0, n);
    o.home = test_path("home");
    OK(quire_open(&o, &other, &test_err));
    OK(quire_config_set(other, "secrets", "mask", &test_err));
    quire_close(other);
    append(s, &n);
    EQ(1, n);
    quire_session_close(s);
    quire_close(q);
}

TEST(outputs_and_artifacts_count_their_secrets)
{
    quire_outputs *outputs;
    quire_sink *sink;
    quire_sink_result r;
    quire_artifact a;

    begin("mask");
    OK(quire_outputs_open(q, NULL, &outputs, &test_err));
    OK(quire_sink_open(outputs, NULL, &sink, &test_err));
    quire_sink_write(sink, bytes_str("a ghp_a8F3kQ9zL2mN7pR5t"));
    quire_sink_write(sink, bytes_str("V1xY4bC6dE0gH2jK9mQ\n"));
    quire_sink_finish(sink, &r);
    EQ(1, r.secrets);
    SAME(bytes_str("a [redacted: github-token]\n"), r.output);
    SAME_TEXT("github-token@:2+40! ", found);
    quire_sink_free(sink);
    quire_outputs_close(outputs);
    found[0] = '\0';
    OK(quire_artifact_put(q, NULL, "a.env", bytes_str("A=" KEY), NULL, &a,
                          &test_err));
    EQ(1, a.secrets);
    EQ(26, a.size);
    SAME_TEXT("github-token@a.env:2+40! ", found);
    quire_close(q);
}

TEST(a_text_is_looked_at_without_a_store)
{
    found[0] = '\0';
    EQ(1, quire_secrets_find(bytes_str("x " KEY), note, NULL));
    SAME_TEXT("github-token@:2+40 ", found);
    EQ(0, quire_secrets_find(bytes_str("nothing"), NULL, NULL));
}
