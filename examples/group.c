/*
 * group.c - many changes, one commit: all of them are kept, or none
 *
 * `./group` stores three files of a session as one transaction, then begins another
 * and leaves it: a rollback. It prints what is stored: 3.
 */
#include <quire.h>
#include <stdio.h>
#include <stdlib.h>

static quire_error err;

static void must(quire_status status)
{
    if (status == QUIRE_OK)
        return;
    fprintf(stderr, "%s\nhint: %s\n", err.what, err.next);
    exit(1);
}

static void put(quire *q, const char *path)
{
    quire_bytes content = {path, 1};

    must(quire_artifact_put(q, "user", path, content, NULL, NULL, &err));
}

static quire_status count(void *n, const quire_artifact *artifact, quire_error *e)
{
    (void)artifact, (void)e;
    ++*(int *)n;
    return QUIRE_OK;
}

int main(void)
{
    quire *q;
    int kept, n = 0;

    must(quire_open(NULL, &q, &err));
    must(quire_transaction_begin(q, &err));
    put(q, "plan.md");
    put(q, "src/main.c");
    put(q, "src/main.h");
    must(quire_transaction_end(q, &kept, &err)); /* one wait for the disk */

    must(quire_transaction_begin(q, &err));
    put(q, "mistake.md");
    quire_transaction_rollback(q);

    must(quire_artifact_list(q, "user", NULL, count, &n, &err));
    printf("%d\n", n);
    quire_close(q);
    return n == 3 ? 0 : 1;
}
