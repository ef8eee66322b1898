/* What happened in a session, by hour. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "session/activity.h"
#include "support/session.h"

#define AT(time) "\"timestamp\":\"2026-02-16T" time ".000Z\""
#define USER(id, parent, time)                                     \
    "{\"type\":\"message\",\"id\":\"" id "\",\"parentId\":" parent \
    "," AT(time) ",\"message\":{\"role\":\"user\",\"content\":\"x\"}}\n"
#define ANSWER(id, parent, time, usage)                                       \
    "{\"type\":\"message\",\"id\":\"" id "\",\"parentId\":" parent            \
    "," AT(time) ",\"message\":{\"role\":\"assistant\",\"model\":\"m\","      \
                 "\"content\":[{\"type\":\"toolCall\",\"id\":\"c\",\"name\":" \
                 "\"bash\"}],\"usage\":" usage "}}\n"
#define RESULT(id, parent, time)                                       \
    "{\"type\":\"message\",\"id\":\"" id "\",\"parentId\":" parent     \
    "," AT(time) ",\"message\":{\"role\":\"toolResult\",\"toolName\":" \
                 "\"bash\",\"isError\":true,\"content\":\"no\"}}\n"
#define PAID \
    "{\"input\":1,\"output\":2,\"cacheRead\":3,\"cost\":{\"total\":0.5}}"
#define UNPAID "{\"input\":10,\"output\":20,\"cacheWrite\":30}"

static void read_more(struct house *h, const char *name, struct activity *a)
{
    struct object_info info;
    struct log *file;

    OK(log_open(h->store->logs, name, LOG_READ, &file, &info, &test_err));
    OK(activity_read(file, a, &test_err));
    log_close(file);
}

/* "prompts calls errors images compactions branches agent model; hour model messages
 * tokens cost; ... tool calls errors". */
static const char *text_of(const struct activity *a)
{
    struct buf out = BUF_INIT(1 << 16);
    char *text;
    size_t i;

    buf_addf(&out, "%llu %llu %llu %llu %llu %llu %s %s",
             (unsigned long long)a->prompts, (unsigned long long)a->calls,
             (unsigned long long)a->errors, (unsigned long long)a->images,
             (unsigned long long)a->compactions,
             (unsigned long long)a->branches, a->agent, a->model);
    for (i = 0; i < a->n_hours; i++) {
        const struct activity_hour *h = &a->hours[i];

        buf_addf(&out, "; %d %s %u %llu/%llu $%llu", (int)(h->hour % 24),
                 a->models[h->model], h->messages,
                 (unsigned long long)(h->tokens[0] + h->tokens[1] +
                                      h->tokens[2] + h->tokens[3]),
                 (unsigned long long)(h->unpriced[0] + h->unpriced[1] +
                                      h->unpriced[2] + h->unpriced[3]),
                 (unsigned long long)(h->cost_nano_usd / 1000000));
    }
    for (i = 0; i < a->n_uses; i++)
        buf_addf(&out, "; %s@%d %u %u", a->tools[a->uses[i].tool],
                 (int)(a->uses[i].hour % 24), a->uses[i].calls,
                 a->uses[i].errors);
    buf_add(&out, "", 1);
    text = test_alloc(out.len);
    memcpy(text, out.data, out.len);
    buf_release(&out);
    return text;
}

#define FIRST \
    HEADER USER("a", "null", "10:01:00") ANSWER("b", "\"a\"", "10:59:59", PAID)
#define SECOND \
    RESULT("c", "\"b\"", "11:00:00") ANSWER("d", "\"c\"", "11:02:00", UNPAID)

TEST(activity_is_summed_up_by_hour_and_model)
{
    struct activity a = {.agent = NULL};
    struct house h;

    house_open(&h, false);
    house_write(&h, "f", FIRST SECOND);
    read_more(&h, "f", &a);
    SAME_TEXT("1 2 1 0 0 0  m; 10  1 0/0 $0; 10 m 1 6/0 $500; "
              "11  1 0/0 $0; 11 m 1 60/60 $0; bash@10 1 0; bash@11 1 1",
              text_of(&a));
    EQ(4, a.usage.entries);
    activity_release(&a);
    house_close(&h);
}

/* Save, load, and go on with what was loaded. */
static void save_and_load(struct activity *a)
{
    struct buf text = BUF_INIT(1 << 20);
    struct activity b;

    activity_save(a, &text);
    YES(!text.failed);
    YES(activity_load(buf_bytes(&text), &b));
    buf_release(&text);
    activity_release(a);
    *a = b;
}

TEST(activity_goes_on_where_it_ended)
{
    struct activity a = {.agent = NULL}, whole = {.agent = NULL};
    struct house h;

    house_open(&h, false);
    house_write(&h, "f", FIRST);
    read_more(&h, "f", &a);
    save_and_load(&a);
    house_write(&h, "f", FIRST SECOND);
    read_more(&h, "f", &a);
    read_more(&h, "f", &whole);
    SAME_TEXT(text_of(&whole), text_of(&a));
    EQ(whole.usage.scanned, a.usage.scanned);
    /* Nothing new counts nothing. */
    save_and_load(&a);
    read_more(&h, "f", &a);
    SAME_TEXT(text_of(&whole), text_of(&a));
    activity_release(&a);
    activity_release(&whole);
    house_close(&h);
}

TEST(activity_of_a_file_that_was_replaced_is_counted_anew)
{
    struct activity a = {.agent = NULL};
    struct house h;

    house_open(&h, false);
    house_write(&h, "f", FIRST SECOND);
    read_more(&h, "f", &a);
    house_write(&h, "f", HEADER USER("x", "null", "12:00:00"));
    read_more(&h, "f", &a);
    SAME_TEXT("1 0 0 0 0 0  ; 12  1 0/0 $0", text_of(&a));
    activity_release(&a);
    house_close(&h);
}

TEST(entries_that_do_not_follow_the_one_before_are_branches)
{
    struct activity a = {.agent = NULL};
    struct house h;

    house_open(&h, false);
    house_write(&h, "f",
                HEADER USER("a", "null", "10:00:00")
                    USER("b", "\"a\"", "10:00:01")
                        USER("c", "\"a\"", "10:00:02")
                            USER("d", "\"c\"", "10:00:03")
                                USER("e", "null", "10:00:04"));
    read_more(&h, "f", &a);
    EQ(2, a.branches);
    activity_release(&a);
    house_close(&h);
}

TEST(what_was_saved_otherwise_is_refused)
{
    static const char *const bad[] = {
        "",
        "{}",
        "[]",
        "{\"agent\":1}",
        "{\"agent\":\"\",\"last\":\"\",\"model\":\"\",\"last_ms\":0,"
        "\"damaged\":false,\"tail\":\"\",\"counts\":[0,0,0],\"models\":[],"
        "\"tools\":[],\"hours\":[],\"uses\":[]}",
        "{\"agent\":\"\",\"last\":\"\",\"model\":\"\",\"last_ms\":0,"
        "\"damaged\":false,\"tail\":\"\",\"counts\":[0,0,0,0,0,0,0,0,0,0,0,0,"
        "0,0,0],\"models\":[],\"tools\":[],\"hours\":[],\"uses\":[[1,5,1,1]]}",
    };
    struct activity a;
    size_t i;

    for (i = 0; i < sizeof bad / sizeof *bad; i++)
        YES(!activity_load(bytes_str(bad[i]), &a));
}

TEST(a_session_with_many_tools_and_models_stays_small)
{
    struct activity a = {.agent = NULL};
    struct buf text = BUF_INIT(8 << 20), saved = BUF_INIT(8 << 20);
    struct house h;
    int i;

    buf_add_str(&text, HEADER);
    for (i = 0; i < 5000; i++)
        buf_addf(&text,
                 "{\"type\":\"message\",\"id\":\"%d\",\"message\":{\"role\":"
                 "\"assistant\",\"model\":\"m%d\",\"content\":[{\"type\":"
                 "\"toolCall\",\"name\":\"t%d\"}]}}\n",
                 i, i, i);
    house_open(&h, false);
    house_write_bytes(&h, "f", buf_bytes(&text));
    read_more(&h, "f", &a);
    EQ(ACTIVITY_NAMES, a.n_models);
    EQ(ACTIVITY_NAMES, a.n_tools);
    EQ(5000, a.calls);
    SAME_TEXT("other", a.models[ACTIVITY_NAMES - 1]);
    activity_save(&a, &saved);
    YES(saved.len < 64 * 1024);
    buf_release(&text);
    buf_release(&saved);
    activity_release(&a);
    house_close(&h);
}
