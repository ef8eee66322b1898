/*
 * folders.c - folders of conversations
 *
 * A folder is a name that conversations are filed under. Which one a conversation
 * is in is a field of the conversation.
 */
#include "base/bytes.h"
#include "server/page.h"
#include "server/routes/handlers.h"

static void put_folder(struct request *c, const quire_folder *f)
{
    json_object(&c->w);
    put_number(c, "id", f->id);
    put_number(c, "tenant_id", c->tenant.id);
    put_text(c, "name", f->name);
    put_number(c, "position", (int64_t)f->position);
    put_number(c, "conversations", (int64_t)f->sessions);
    put_time(c, "created_at", f->created_us);
    put_time(c, "updated_at", f->updated_us);
    json_object_end(&c->w);
}

static quire_status give(void *ctx, const quire_folder *f, quire_error *err)
{
    struct page *p = ctx;

    (void)err;
    put_folder(p->c, f);
    return page_take(p, 0, 0);
}

void route_folders_list(struct request *c)
{
    struct page p = {.c = c};
    quire_error err;
    quire_status st;

    page_begin(&p, "folders");
    st = quire_folder_list(c->q, give, &p, &err);
    page_end_rows(&p);
    page_end(&p, st, &err);
}

static void answer(struct request *c, quire_status st, const quire_folder *f,
                   const quire_error *err)
{
    if (st)
        request_fail(c, st, err);
    else
        put_folder(c, f);
}

void route_folders_add(struct request *c)
{
    quire_folder f;
    quire_error err;
    quire_status st = quire_folder_add(c->q, request_text(c, "name"), &f, &err);

    answer(c, st, &f, &err);
}

void route_folders_patch(struct request *c)
{
    const char *name = request_text(c, "name");
    quire_folder f;
    quire_error err;
    quire_status st = quire_folder_get(c->q, request_id(c, 0), &f, &err);

    if (!st && name)
        st = quire_folder_rename(c->q, request_id(c, 0), name, &f, &err);
    if (!st && request_json(c, "position").data)
        st = quire_folder_place(c->q, request_id(c, 0),
                                request_number(c, "position", 0), &f, &err);
    answer(c, st, &f, &err);
}

void route_folders_remove(struct request *c)
{
    quire_error err;
    quire_status st = quire_folder_remove(c->q, request_id(c, 0), &err);

    answer_deleted(c, st, &err);
}
