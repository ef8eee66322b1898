/* blobs.c - content by its digest */
#include "server/blob_response.h"
#include "server/routes/handlers.h"

void route_blobs_put(struct request *c)
{
    quire_blob_info info;
    quire_error err;
    /* The client has no reason to keep what was acknowledged. */
    quire_status st = quire_blob_put(c->q, exchange_body(c->x), QUIRE_PUT_MOVE,
                                     &info, &err);
    char ref[QUIRE_REF_SIZE];

    if (st) {
        request_fail(c, st, &err);
        return;
    }
    quire_ref_format(&info.digest, ref);
    c->answer.status = info.existed ? 200 : 201;
    c->unchanged = info.existed;
    json_object(&c->w);
    put_text(c, "ref", ref);
    put_text(c, "sha256", ref + sizeof "blob:sha256:" - 1);
    put_number(c, "size", (int64_t)info.size);
    put_flag(c, "existed", info.existed);
    json_object_end(&c->w);
}

/* By digest, or by the `ref` that the put answered. */
void route_blobs_get(struct request *c)
{
    quire_blob_info info;
    quire_digest digest;
    quire_error err;
    quire_status st;

    if (quire_ref_parse(c->match.params[0], &digest, NULL)) {
        request_refuse(c, 400, "invalid",
                       "send 64 hex digits, or the whole ref",
                       "not a digest of a blob");
        return;
    }
    st = quire_blob_stat(c->q, &digest, &info, &err);
    if (st == QUIRE_NOT_FOUND)
        request_refuse(c, 404, "not_found", "POST /v1/blobs stores it",
                       "unknown blob");
    else if (st)
        request_fail(c, st, &err);
    else
        blob_response_send(c, &digest, info.size, "application/octet-stream");
}
