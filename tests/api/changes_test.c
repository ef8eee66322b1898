/* That somebody else has changed something can be seen. */
#include "quire.h"
#include "support/catalog.h"
#include "support/test.h"

static quire *open_home(void)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q;

    o.home = test_path("home");
    o.tenant = "default";
    OK(quire_open(&o, &q, &test_err));
    return q;
}

static void change(quire *q, const char *name)
{
    char token[QUIRE_TOKEN_SIZE];
    quire_tenant t;

    OK(quire_tenant_add(q, name, token, &t, &test_err));
}

TEST(what_others_change_is_seen_and_what_one_changes_oneself_is_not)
{
    quire *mine = open_home(), *theirs = open_home();
    int64_t before;

    change(mine, "one");
    before = quire_changes(mine);
    YES(before);
    EQ(before, quire_changes(mine));
    change(mine, "two");
    EQ(before, quire_changes(mine));
    change(theirs, "three");
    NO(before == quire_changes(mine));
    before = quire_changes(mine);
    EQ(before, quire_changes(mine));
    quire_close(mine);
    quire_close(theirs);
}

TEST(a_home_without_a_database_has_no_changes_and_gets_none)
{
    quire *q = open_home();

    EQ(0, quire_changes(q));
    NO(test_exists(catalogue_file()));
    quire_close(q);
}
