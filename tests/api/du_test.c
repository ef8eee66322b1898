/* What uses the space: the parts add up to what the file system says. */
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "support/tenants.h"

static uint64_t walked; /* nftw() has no context */

static int add_blocks(const char *path, const struct stat *st, int type,
                      struct FTW *ftw)
{
    (void)path;
    (void)type;
    (void)ftw;
    walked += (uint64_t)st->st_blocks * 512;
    return 0;
}

struct sums {
    uint64_t all, session, trash, reclaimable;
    int sessions;
};

static quire_status add_row(void *ctx, const quire_du_row *row,
                            quire_error *err)
{
    struct sums *s = ctx;

    (void)err;
    s->all += row->bytes;
    s->reclaimable += row->reclaimable_bytes;
    if (!strcmp(row->kind, "session")) {
        s->sessions++;
        s->session += row->bytes;
    }
    if (!strcmp(row->kind, "trash"))
        s->trash += row->bytes;
    return QUIRE_OK;
}

static struct sums measure(quire *q)
{
    struct sums s = {0};

    OK(quire_du(q, add_row, &s, &test_err));
    walked = 0;
    EQ(0, nftw(test_path("home"), add_blocks, 16, FTW_PHYS));
    EQ(walked, s.all);
    return s;
}

TEST(the_parts_of_a_home_add_up_to_what_the_file_system_says)
{
    quire *q = tenants_open(NULL, 0), *own;
    struct tenants_session s = tenants_session(q, "one");
    struct sums before, after;
    char path[512], text[9000];
    FILE *f;

    tenants_add("acme");
    own = tenants_open("acme", 0);
    tenants_session(own, "theirs");
    quire_close(own);
    memset(text, 'x', sizeof text);
    snprintf(path, sizeof path, "%.*s", (int)(strlen(s.path) - 6), s.path);
    YES(mkdir(path, 0700) == 0);
    strcat(path, "/0.bash.log");
    f = fopen(path, "w");
    YES(f != NULL);
    fwrite(text, 1, sizeof text, f);
    fclose(f);
    OK(quire_artifact_put(q, s.id, "a", bytes_of(text, sizeof text), NULL, NULL,
                          &test_err));
    before = measure(q);
    EQ(2, before.sessions);
    YES(before.session > sizeof text);
    EQ(0, before.trash);
    YES(before.reclaimable >= before.session);
    OK(quire_session_hold(q, s.id, "case 12", &test_err));
    after = measure(q);
    YES(after.reclaimable + sizeof text < before.reclaimable);
    OK(quire_session_release(q, s.id, &test_err));
    OK(quire_session_trash(q, s.id, 0, NULL, &test_err));
    after = measure(q);
    EQ(1, after.sessions);
    YES(after.trash > sizeof text);
    OK(quire_trash_empty(q, NULL, NULL, &test_err));
    before = after;
    after = measure(q);
    EQ(0, after.trash);
    YES(after.all + before.trash / 2 < before.all + 200000);
    quire_close(q);
    own = tenants_open("acme", 0);
    IS(QUIRE_INVALID, quire_du(own, add_row, &before, &test_err));
    quire_close(own);
}

TEST(a_file_with_two_names_counts_once)
{
    quire *q = tenants_open(NULL, 0);
    struct tenants_session s = tenants_session(q, "one");
    struct sums before = measure(q), after = {0};
    char path[512];

    snprintf(path, sizeof path, "%s.x.bak", s.path);
    YES(link(s.path, path) == 0);
    OK(quire_du(q, add_row, &after, &test_err));
    EQ(before.all, after.all);
    quire_close(q);
}
