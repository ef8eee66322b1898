/* store_ops.c - homes, blobs, outputs, exports */
#include "addon.h"

#include <string.h>

static quire_status home_open(struct job *j)
{
    j->made = handle_new(KIND_HOME);
    return j->made ? open_store(j, &j->made->q) : QUIRE_NO_MEMORY;
}

static quire_status home_path(struct job *j)
{
    text_quoted(&j->out, (quire_bytes){quire_home(j->h->q),
                                       strlen(quire_home(j->h->q))});
    return QUIRE_OK;
}

static quire_status close_handle(struct job *j)
{
    handle_close(j->h);
    return QUIRE_OK;
}

void put_session_info(struct text *out, const quire_session_info *i);

static quire_status take_session(void *ctx, const quire_session_info *i,
                                 quire_error *err)
{
    struct job *j = ctx;

    (void)err;
    if (j->out.len > 1)
        text_str(&j->out, ",");
    put_session_info(&j->out, i);
    return j->out.failed ? QUIRE_NO_MEMORY : QUIRE_OK;
}

static quire_status sessions(struct job *j)
{
    quire_list_options o = QUIRE_LIST_OPTIONS_INIT;
    quire_status st;

    o.cwd = job_text(j, 0);
    o.limit = (uint64_t)job_number(j, 1, 0);
    text_str(&j->out, "[");
    st = quire_session_list(j->h->q, &o, take_session, j, &j->err);
    text_str(&j->out, "]");
    return st;
}

static quire_status session_remove(struct job *j)
{
    return job_flag(j, 1)
               ? quire_session_remove(j->h->q, job_text(j, 0), &j->err)
               : quire_session_trash(j->h->q, job_text(j, 0), 0, NULL, &j->err);
}

/* ---- blobs --------------------------------------------------------------------- */

static quire_status blob_put(struct job *j)
{
    char ref[QUIRE_REF_SIZE];
    quire_blob_info info;
    quire_status st = quire_blob_put(j->h->q, j->data, 0, &info, &j->err);

    if (st)
        return st;
    quire_ref_format(&info.digest, ref);
    text_quoted(&j->out, (quire_bytes){ref, strlen(ref)});
    return QUIRE_OK;
}

static quire_status blob_get(struct job *j)
{
    quire_digest digest;
    quire_status st = quire_blob_resolve(j->h->q, job_text(j, 0), &digest,
                                         &j->err);

    j->is_bytes = true;
    if (!st)
        st = quire_blob_read(j->h->q, &digest, (uint64_t)job_number(j, 1, 0),
                             job_text(j, 2) ? (uint64_t)job_number(j, 2, 0)
                                            : UINT64_MAX,
                             take_bytes, j, &j->err);
    return st;
}

static quire_status blob_size(struct job *j)
{
    quire_blob_info info;
    quire_digest digest;
    quire_status st = quire_blob_resolve(j->h->q, job_text(j, 0), &digest,
                                         &j->err);

    if (!st)
        st = quire_blob_stat(j->h->q, &digest, &info, &j->err);
    if (!st)
        text_int(&j->out, (long long)info.size);
    return st;
}

/* ---- outputs ------------------------------------------------------------------- */

/* Arguments 0 to 2 open the store: a sink has one of its own. */
static quire_status sink_open(struct job *j)
{
    quire_sink_options o = QUIRE_SINK_OPTIONS_INIT;
    quire_status st;

    j->made = handle_new(KIND_SINK);
    if (!j->made)
        return QUIRE_NO_MEMORY;
    st = open_store(j, &j->made->q);
    o.tool = job_text(j, 4);
    o.threshold = (uint64_t)job_number(j, 5, 51200);
    o.head = (uint64_t)job_number(j, 6, 0);
    o.columns = (uint64_t)job_number(j, 7, 0);
    if (!st)
        st = quire_outputs_open(j->made->q, job_text(j, 3), &j->made->outputs,
                                &j->err);
    if (!st)
        st = quire_sink_open(j->made->outputs, &o, &j->made->sink, &j->err);
    return st;
}

static quire_status sink_write(struct job *j)
{
    quire_sink_write(j->h->sink, j->data);
    return QUIRE_OK;
}

static quire_status sink_finish(struct job *j)
{
    quire_sink_result r;

    quire_sink_finish(j->h->sink, &r);
    text_str(&j->out, "{");
    text_member_bytes(&j->out, "output", r.output);
    text_member_bool(&j->out, "truncated", r.truncated);
    text_member_int(&j->out, "totalLines", (long long)r.total_lines);
    text_member_int(&j->out, "totalBytes", (long long)r.total_bytes);
    text_member(&j->out, "number", r.id);
    text_member(&j->out, "path", r.path);
    text_str(&j->out, "}");
    j->err = r.problem;
    quire_status st = r.problem.status;

    handle_close(j->h);
    return st;
}

static quire_status take_line(void *ctx, const quire_line *line,
                              quire_error *err)
{
    return take_bytes(ctx, line->text, err);
}

static quire_status read_address(struct job *j)
{
    quire_read_options o = QUIRE_READ_OPTIONS_INIT;
    quire_outputs *outputs = NULL;
    quire_status st = quire_outputs_open(j->h->q, job_text(j, 0), &outputs,
                                         &j->err);

    o.offset = (uint64_t)job_number(j, 2, 0);
    o.limit = (uint64_t)job_number(j, 3, 0);
    o.grep = job_text(j, 4);
    o.tail = (uint64_t)job_number(j, 5, 0);
    j->is_bytes = true;
    if (!st)
        st = quire_read(j->h->q, outputs, job_text(j, 1), &o, take_line, j,
                        &j->err);
    quire_outputs_close(outputs);
    return st;
}

static quire_status export_session(struct job *j)
{
    quire_export_options o = QUIRE_EXPORT_OPTIONS_INIT;

    o.leaf = job_text(j, 2);
    o.redact = job_flag(j, 3);
    j->is_bytes = true;
    return quire_export_write(j->h->q, job_text(j, 0), job_text(j, 1), &o,
                              take_bytes, j, NULL, &j->err);
}

const struct op store_ops[] = {
    {"homeOpen", KIND_HOME, false, true, home_open},
    {"homePath", KIND_HOME, false, false, home_path},
    {"homeClose", KIND_HOME, false, false, close_handle},
    {"sessions", KIND_HOME, false, false, sessions},
    {"sessionRemove", KIND_HOME, false, false, session_remove},
    {"blobPut", KIND_HOME, false, false, blob_put},
    {"blobGet", KIND_HOME, false, false, blob_get},
    {"blobSize", KIND_HOME, false, false, blob_size},
    {"sinkOpen", KIND_HOME, false, true, sink_open},
    {"sinkWrite", KIND_SINK, false, false, sink_write},
    {"sinkFinish", KIND_SINK, false, false, sink_finish},
    {"sinkClose", KIND_SINK, false, false, close_handle},
    {"read", KIND_HOME, false, false, read_address},
    {"export", KIND_HOME, false, false, export_session},
    {NULL, KIND_HOME, false, false, NULL},
};
