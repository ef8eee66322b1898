/* google.c - see google.h */
#include "export/google.h"

#include "base/bytes.h"

void google_put_text(struct export *x, quire_bytes text)
{
    json_object(&x->w);
    json_put_bytes(&x->w, "text", text);
    json_object_end(&x->w);
}

static void put_image(struct export *x, const struct export_block *b)
{
    if (!export_is_image(x, b))
        return;
    json_object(&x->w);
    json_key(&x->w, "inlineData");
    json_object(&x->w);
    json_put_bytes(&x->w, "mimeType", b->mime);
    json_put_bytes(&x->w, "data", b->data);
    json_object_end(&x->w);
    json_object_end(&x->w);
}

static void put_thought(struct export *x, const struct export_block *b,
                        bool thoughts)
{
    export_drop_opaque(x, b);
    if (!thoughts || b->kind == EXPORT_REDACTED || !b->text.len)
        return;
    json_object(&x->w);
    json_put_bytes(&x->w, "text", b->text);
    json_put_bool(&x->w, "thought", true);
    json_object_end(&x->w);
}

void google_put_parts(struct export *x, const struct export_blocks *b,
                      bool thoughts)
{
    size_t i;

    for (i = 0; i < b->n; i++) {
        const struct export_block *block = &b->list[i];

        switch (block->kind) {
        case EXPORT_TEXT:
            if (block->text.len)
                google_put_text(x, block->text);
            break;
        case EXPORT_IMAGE: put_image(x, block); break;
        case EXPORT_THINKING:
        case EXPORT_REDACTED: put_thought(x, block, thoughts); break;
        case EXPORT_CALL: break;
        case EXPORT_OTHER: export_drop(x, "block", block->type); break;
        }
    }
}

void google_put_call(struct export *x, const struct export_block *b)
{
    json_object(&x->w);
    json_key(&x->w, "functionCall");
    json_object(&x->w);
    json_put_bytes(&x->w, "id", b->id);
    json_put_bytes(&x->w, "name", export_plain_id(x, b->name));
    export_put_raw(x, "args", b->arguments);
    json_object_end(&x->w);
    json_object_end(&x->w);
}

static void put_media(struct export *x, const struct export_blocks *b)
{
    size_t i;

    for (i = 0; i < b->n; i++)
        if (b->list[i].kind == EXPORT_IMAGE)
            put_image(x, &b->list[i]);
        else if (b->list[i].kind == EXPORT_OTHER)
            export_drop(x, "block", b->list[i].type);
}

void google_put_response(struct export *x, const struct export_block *call,
                         bool nested)
{
    const struct export_result *r = call->result;

    nested = nested && export_has(&r->blocks, EXPORT_IMAGE);
    json_object(&x->w);
    json_key(&x->w, "functionResponse");
    json_object(&x->w);
    json_put_bytes(&x->w, "id", call->id);
    json_put_bytes(&x->w, "name", export_plain_id(x, call->name));
    json_key(&x->w, "response");
    json_object(&x->w);
    json_put_bytes(&x->w, r->is_error ? "error" : "output",
                   export_text_of(x, &r->blocks, false));
    json_object_end(&x->w);
    if (nested) {
        json_key(&x->w, "parts");
        json_array(&x->w);
        put_media(x, &r->blocks);
        json_array_end(&x->w);
    }
    json_object_end(&x->w);
    json_object_end(&x->w);
    if (!nested)
        put_media(x, &r->blocks);
}
