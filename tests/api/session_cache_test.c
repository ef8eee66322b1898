/* session_cache_test.c - sessions that a handle has found before */
#include <unistd.h>

#include "base/bytes.h"
#include "support/tenants.h"
#include "support/test.h"

static quire_status put(quire *q, const char *session)
{
    return quire_artifact_put(q, session, "a", bytes_str("x"), NULL, NULL,
                              &test_err);
}

TEST(a_session_that_was_found_is_found_wherever_it_goes)
{
    quire *q = tenants_open("default", 0), *other;
    struct tenants_session s = tenants_session(q, "one");
    const char *id, *path;
    int i;

    for (i = 0; i < 3; i++)
        OK(put(q, s.id));
    other = tenants_open("default", 0);
    OK(quire_session_archive(other, s.id, &path, &test_err));
    OK(put(q, s.id));
    OK(quire_session_unarchive(other, s.id, &path, &test_err));
    OK(put(q, s.id));
    OK(quire_session_id(q, s.id, &id, &test_err));
    SAME_TEXT(s.id, id);
    OK(quire_session_remove(other, s.id, &test_err));
    IS(QUIRE_NOT_FOUND, put(q, s.id));
    IS(QUIRE_NOT_FOUND, quire_session_id(q, s.id, &id, &test_err));
    quire_close(other);
    quire_close(q);
}

/* The id is the header's, not that of a file somebody has given a name. */
TEST(a_file_that_is_called_like_a_session_is_what_its_header_says)
{
    quire *q = tenants_open("default", 0);
    struct tenants_session s = tenants_session(q, "one");
    struct tenants_session t = tenants_session(q, "two");
    quire_bytes mine = test_read_file(t.path);
    const char *id;
    int i;

    test_write_file(s.path, mine);
    for (i = 0; i < 3; i++) {
        OK(quire_session_id(q, s.id, &id, &test_err));
        SAME_TEXT(t.id, id);
    }
    quire_close(q);
}
