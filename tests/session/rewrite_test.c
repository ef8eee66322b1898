/* Whole files: migrated, renamed, moved, copied, mended. */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "support/session.h"

#define X(id, parent) \
    "{\"type\":\"x\",\"id\":\"" id "\",\"parentId\":" parent "}\n"

static const char v1[] =
    "{\"type\":\"session\",\"id\":\"old\",\"cwd\":\"/w\"}\n"
    "{\"type\":\"message\",\"timestamp\":\"t\",\"message\":{\"role\":\"user\","
    "\"content\":\"one\"}}\n"
    "rubbish\n"
    "{\"type\":\"message\",\"timestamp\":\"t\",\"message\":{\"role\":"
    "\"hookMessage\",\"content\":\"two\"}}\n"
    "{\"type\":\"compaction\",\"summary\":\"s\",\"firstKeptEntryIndex\":2,"
    "\"tokensBefore\":9}\n";

static void migrated(struct house *h)
{
    const char *read, *written;
    quire_session *s;
    quire_session_info info;

    house_write(h, "f", v1);
    s = house_open_session(h, "f", QUIRE_SESSION_READ);
    read = all_entries(s);
    quire_session_describe(s, &info);
    EQ(1, info.version);
    HAS(context_of(s, NULL), "\"role\":\"custom\",\"content\":\"two\"");
    NO(strstr(context_of(s, NULL), "\"one\""));
    quire_session_close(s);
    SAME(bytes_str(v1), house_read(h, "f")); /* reading wrote nothing */

    s = house_open_session(h, "f", 0);
    written = all_entries(s);
    SAME_TEXT(read, written); /* two readers agree on the ids */
    quire_session_describe(s, &info);
    EQ(1, info.version);
    say(s, "user", "three");
    quire_session_close(s);
    HAS((const char *)house_read(h, "f").data, "\"version\":3");
    SAME_TEXT("garbage@3 ", problems_of(h, "f")); /* it is kept */
    s = house_open_session(h, "f", QUIRE_SESSION_READ);
    HAS(all_entries(s), read);
    HAS(all_entries(s), "three");
    quire_session_describe(s, &info);
    EQ(3, info.version);
    quire_session_close(s);
}

TEST(an_old_file_reads_the_same_before_and_after_it_is_rewritten)
{
    house_each(migrated);
}

static void check_old(struct house *h)
{
    house_write(h, "f", v1);
    SAME_TEXT("garbage@3 ", problems_of(h, "f"));
}

TEST(damage_in_an_old_file_is_told_by_its_own_lines)
{
    house_each(check_old);
}

static void renamed(struct house *h)
{
    quire_session *s;
    quire_session_info info;

    house_write(h, "f", HEADER X("a", "null") "rubbish\n" X("b", "\"a\""));
    s = house_open_session(h, "f", 0);
    OK(session_rename(s, "a \"title\"", &test_err));
    quire_session_describe(s, &info);
    SAME_TEXT("a \"title\"", info.title);
    put(s, "{\"type\":\"x\",\"id\":\"c\"}");
    quire_session_close(s);
    /* Nothing but the header has changed, rubbish included. */
    HAS((const char *)house_read(h, "f").data,
        X("a", "null") "rubbish\n" X("b", "\"a\"") "{\"type\":"
                                                   "\"x\",\"id\":"
                                                   "\"c\"");
    HAS((const char *)house_read(h, "f").data,
        ",\"cwd\":\"/w\",\"title\":\"a \\\"title\\\"\"}\n");
    s = house_open_session(h, "f", 0);
    OK(session_rename(s, NULL, &test_err));
    quire_session_describe(s, &info);
    SAME_TEXT("", info.title);
    quire_session_close(s);
    NO(strstr(house_read(h, "f").data, "title"));
}

TEST(a_title_is_kept_in_the_header)
{
    house_each(renamed);
}

static void renamed_early(struct house *h)
{
    quire_session *s = house_new(h, "f", 0);
    quire_session_info info;

    say(s, "user", "q");
    OK(session_rename(s, "early", &test_err));
    quire_session_describe(s, &info);
    SAME_TEXT("early", info.title);
    NO(house_has(h, "f"));
    say(s, "assistant", "a");
    quire_session_close(s);
    HAS((const char *)house_read(h, "f").data, "\"title\":\"early\"");
}

TEST(a_session_without_a_file_can_be_renamed_too)
{
    house_each(renamed_early);
}

static void slot(struct house *h)
{
    char file[1024], title[600];
    quire_session *s;
    quire_session_info info;
    quire_bytes now;
    int n;

    n = sprintf(file, "{\"type\":\"title\",\"v\":1,\"title\":\"first\","
                      "\"updatedAt\":\"t\",\"pad\":\"");
    memset(file + n, ' ', (size_t)(253 - n));
    strcpy(file + 253, "\"}\n");
    EQ(256, strlen(file));
    strcat(file, HEADER X("a", "null"));
    house_write(h, "f", file);
    s = house_open_session(h, "f", 0);
    quire_session_describe(s, &info);
    SAME_TEXT("first", info.title);
    OK(session_rename(s, "second", &test_err));
    quire_session_close(s);
    now = house_read(h, "f");
    EQ('\n', ((const char *)now.data)[255]);
    HAS((const char *)now.data, "\"title\":\"second\"");
    HAS((const char *)now.data, "\"previousTitle\":\"first\"");
    HAS((const char *)now.data + 256, HEADER X("a", "null"));
    SAME_TEXT("", problems_of(h, "f"));

    memset(title, 'x', sizeof title);
    memcpy(title + 100, "\xc3\xa9\xc3\xa9", 4);
    title[599] = '\0';
    s = house_open_session(h, "f", 0);
    OK(session_rename(s, title, &test_err));
    quire_session_close(s);
    now = house_read(h, "f");
    EQ('\n', ((const char *)now.data)[255]);
    s = house_open_session(h, "f", QUIRE_SESSION_READ);
    quire_session_describe(s, &info);
    YES(strlen(info.title) > 100 && strlen(info.title) < 256);
    quire_session_close(s);
    SAME_TEXT("", problems_of(h, "f"));
}

TEST(a_title_slot_is_overwritten_in_place)
{
    house_each(slot);
}

static void rehomed(struct house *h)
{
    quire_session *s;
    quire_session_info info;

    house_write(h, "f", HEADER X("a", "null"));
    s = house_open_session(h, "f", 0);
    OK(session_rehome(s, "/elsewhere", &test_err));
    quire_session_describe(s, &info);
    SAME_TEXT("/elsewhere", info.cwd);
    SAME_TEXT("a", leaf_of(s));
    quire_session_close(s);
    HAS((const char *)house_read(h, "f").data, "\"cwd\":\"/elsewhere\"}\n");
}

TEST(a_session_moves_to_another_project)
{
    house_each(rehomed);
}

static const struct session_birth second = {.id = "s2",
                                            .cwd = "/w",
                                            .title = "T",
                                            .parent = "s1"};

static void forked(struct house *h)
{
    quire_session *s;
    const char *entries;

    house_write(h, "f", HEADER X("a", "null") X("b", "\"a\"") "rubbish\n");
    s = house_open_session(h, "f", QUIRE_SESSION_READ);
    OK(session_copy(s, NULL, h->store->logs, "g", &second, &test_err));
    IS(QUIRE_EXISTS,
       session_copy(s, NULL, h->store->logs, "g", &second, &test_err));
    entries = all_entries(s);
    quire_session_close(s);
    s = house_open_session(h, "g", QUIRE_SESSION_READ);
    SAME_TEXT(entries, all_entries(s));
    quire_session_close(s);
    HAS((const char *)house_read(h, "g").data, "\"parentSession\":\"s1\"");
    SAME_TEXT("", problems_of(h, "g"));
}

TEST(a_fork_has_the_same_entries)
{
    house_each(forked);
}

/* A label on the way must not cost the history before it. */
static void extracted(struct house *h)
{
    quire_session *s;

    house_write(
        h, "f",
        HEADER X("a", "null") X(
            "b",
            "\"a\"") "{\"type\":\"label\",\"id\":\"l\",\"parentId\":\"b\","
                     "\"targetId\":\"a\",\"label\":\"here\"}\n" X("c", "\"l\"") X(
                         "d",
                         "\"b\"") "{\"type\":\"label\",\"id\":\"m\",\"parentId\":"
                                  "\"d\",\"targetId\":\"d\",\"label\":\"other\"}\n");
    s = house_open_session(h, "f", QUIRE_SESSION_READ);
    OK(session_copy(s, "c", h->store->logs, "g", &second, &test_err));
    IS(QUIRE_NOT_FOUND,
       session_copy(s, "zz", h->store->logs, "i", &second, &test_err));
    quire_session_close(s);
    s = house_open_session(h, "g", QUIRE_SESSION_READ);
    HAS(tree_of(s), "a[here](b(c(");
    NO(strstr(all_entries(s), "\"id\":\"d\""));
    quire_session_close(s);
    SAME_TEXT("", problems_of(h, "g"));
    NO(house_has(h, "i"));
}

TEST(an_extract_through_a_label_loses_nothing)
{
    house_each(extracted);
}

static void mended(struct house *h)
{
    static const char broken[] = HEADER X(
        "a", "null") "{\"type\":\"x\",\"id\":\"b\",\"pare" X("c",
                                                             "\"b\"") X("d",
                                                                        "\"c\"")
        X("a",
          "\"d\"") "\nnull\n"
                   "{\"type\":\"x\",\"parentId\":\"a\"}\n" X(
                       "t",
                       "\"a\"") "{\"type\":\"x\",\"id\":\"u\",\"parentId\":\"t\",\"s\":\"\xff\"}";
    bool changed;
    quire_session *s;

    house_write(h, "f", broken);
    OK(session_mend(&h->env, h->store, "f", "f.bak", &changed, &test_err));
    YES(changed);
    SAME(bytes_str(broken), house_read(h, "f.bak"));
    SAME_TEXT("", problems_of(h, "f"));
    s = house_open_session(h, "f", QUIRE_SESSION_READ);
    HAS(path_of(s, NULL), "c d a t u");
    quire_session_close(s);
    OK(session_mend(&h->env, h->store, "f", "f.bak2", &changed, &test_err));
    NO(changed);
    NO(house_has(h, "f.bak2"));
}

TEST(a_mended_file_has_all_that_could_be_read_and_the_original_is_kept)
{
    house_each(mended);
}

static void kept_from_label(struct house *h)
{
    quire_session *s;
    const char *all;

    house_write(
        h, "f",
        HEADER X(
            "a",
            "null") "{\"type\":\"label\",\"id\":\"l\",\"parentId\":\"a\","
                    "\"targetId\":\"a\",\"label\":\"x\"}\n"
                    "{\"type\":\"message\",\"id\":\"b\",\"parentId\":\"l\","
                    "\"message\":{\"role\":\"user\",\"content\":\"kept\"}}\n"
                    "{\"type\":\"compaction\",\"id\":\"c\",\"parentId\":\"b\","
                    "\"summary\":\"s\",\"firstKeptEntryId\":\"l\"}\n");
    s = house_open_session(h, "f", QUIRE_SESSION_READ);
    HAS(context_of(s, NULL), "\"kept\"");
    OK(session_copy(s, "c", h->store->logs, "g", &second, &test_err));
    quire_session_close(s);
    s = house_open_session(h, "g", QUIRE_SESSION_READ);
    all = all_entries(s);
    HAS(all, "\"firstKeptEntryId\":\"b\"");
    HAS(context_of(s, "c"), "\"kept\"");
    quire_session_close(s);
}

TEST(an_extract_keeps_what_a_compaction_keeps_from_a_label_on)
{
    house_each(kept_from_label);
}
