#include "base/err.h"

#include <errno.h>
#include <string.h>

#include "support/test.h"

TEST(an_error_says_what_and_what_next)
{
    quire_error e;

    IS(QUIRE_DAMAGED, err_set(&e, QUIRE_DAMAGED, "blob %s: %d", "ab", 7));
    SAME_TEXT("blob ab: 7", e.what);
    SAME_TEXT("", e.next);
    err_next(&e, "run `%s`", "quire check");
    SAME_TEXT("run `quire check`", e.next);
    EQ(QUIRE_DAMAGED, e.status);
}

TEST(a_full_disk_comes_with_advice)
{
    quire_error e;

    IS(QUIRE_IO, err_sys(&e, ENOSPC, "cannot write %s", "x"));
    SAME_TEXT("cannot write x: No space left on device", e.what);
    HAS(e.next, "free some space");
    IS(QUIRE_NOT_FOUND, err_sys(&e, ENOENT, "cannot open x"));
    IS(QUIRE_NO_MEMORY, err_sys(&e, ENOMEM, "cannot open x"));
    IS(QUIRE_IO, err_sys(&e, ECONNRESET, "cannot read x"));
}

TEST(a_reason_survives_a_name_that_is_too_long)
{
    char *name = test_alloc(1000);
    quire_error e;

    memset(name, 'n', 1000);
    err_sys(&e, EACCES, "cannot open %s", name);
    HAS(e.what, "Permission denied");
}

TEST(nobody_need_care_about_the_words)
{
    IS(QUIRE_BUSY, err_set(NULL, QUIRE_BUSY, "x"));
    IS(QUIRE_IO, err_sys(NULL, EIO, "x"));
    err_next(NULL, "x");
}

TEST(every_status_has_its_own_name)
{
    int i, j;

    for (i = QUIRE_OK; i <= QUIRE_STOPPED; i++) {
        NO(!strcmp(quire_status_name((quire_status)i), "unknown"));
        for (j = QUIRE_OK; j < i; j++)
            NO(!strcmp(quire_status_name((quire_status)i),
                       quire_status_name((quire_status)j)));
    }
}
