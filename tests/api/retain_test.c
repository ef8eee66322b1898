/* Rules of retention: what they remove, what stays, and what the audit log has. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "support/catalog.h"
#include "support/tenants.h"

enum { SESSIONS = 4 };

/* Sessions that changed 1, 2, 3 and 4 days ago. */
static void furnish(quire *q, struct tenants_session s[SESSIONS])
{
    struct timespec times[2] = {{0, 0}, {0, 0}};
    char title[8];
    int i;

    for (i = 0; i < SESSIONS; i++) {
        snprintf(title, sizeof title, "s%d", i);
        s[i] = tenants_session(q, title);
        clock_gettime(CLOCK_REALTIME, &times[1]);
        times[1].tv_sec -= 86400 * (i + 1);
        times[0] = times[1];
        EQ(0, utimensat(AT_FDCWD, s[i].path, times, 0));
    }
}

static quire_status add_line(void *ctx, const char *session, const char *rule,
                             uint64_t bytes, const char *action,
                             quire_error *err)
{
    (void)err;
    buf_addf(ctx, "%s %s %d %s\n", session, rule, bytes > 0, action);
    return QUIRE_OK;
}

/* The dry run says what the run does. */
static uint64_t retain(quire *q, quire_retain_options o)
{
    struct buf dry = BUF_INIT(1 << 16), run = BUF_INIT(1 << 16);
    uint64_t said, done;

    o.each = add_line;
    o.ctx = &dry;
    OK(quire_retain(q, &o, &said, &test_err));
    o.ctx = &run;
    o.apply = 1;
    OK(quire_retain(q, &o, &done, &test_err));
    SAME_TEXT(buf_text(&dry), buf_text(&run));
    EQ(said, done);
    buf_release(&dry);
    buf_release(&run);
    return done;
}

TEST(each_rule_of_retention_removes_the_oldest_sessions)
{
    quire_retain_options o = QUIRE_RETAIN_OPTIONS_INIT;
    quire *q = tenants_open(NULL, 0);
    struct tenants_session s[SESSIONS];
    struct stat info;

    furnish(q, s);
    EQ(0, retain(q, o)); /* no rule is set */
    o.age_s = 3 * 86400 + 3600;
    EQ(1, retain(q, o));
    NO(test_exists(s[3].path));
    o.age_s = 0;
    o.count = 2;
    EQ(1, retain(q, o));
    NO(test_exists(s[2].path));
    EQ(0, stat(s[0].path, &info));
    o.count = 0;
    o.bytes = info.st_size;
    EQ(1, retain(q, o));
    NO(test_exists(s[1].path));
    YES(test_exists(s[0].path));
    EQ(3, catalogue_number("SELECT count(*) FROM journal WHERE action ="
                           " 'session.retain' AND after LIKE '%rule%'"));
    EQ(3, catalogue_number("SELECT count(*) FROM trash"));
    quire_close(q);
    catalogue_sound();
}

TEST(retention_leaves_pinned_and_held_sessions)
{
    quire_retain_options o = QUIRE_RETAIN_OPTIONS_INIT;
    quire *q = tenants_open(NULL, 0);
    struct tenants_session s[SESSIONS];

    furnish(q, s);
    OK(quire_session_pin(q, s[2].id, 1, &test_err));
    OK(quire_session_hold(q, s[3].id, "case 12", &test_err));
    OK(quire_config_set(q, "retain.age", "1h", &test_err));
    EQ(2, retain(q, o));
    YES(test_exists(s[2].path));
    YES(test_exists(s[3].path));
    OK(quire_session_pin(q, s[2].id, 0, &test_err));
    EQ(1, retain(q, o));
    quire_close(q);
    catalogue_sound();
}
