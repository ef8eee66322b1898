/*
 * atif.c - sessions in the Agent Trajectory Interchange Format
 *
 * One object with steps of the user, the agent and the system; what a tool gave is
 * the observation of the step that called it.
 */
#include <stdio.h>

#include "base/bytes.h"
#include "export/targets.h"

struct atif {
    uint64_t steps;
};

static void begin_step(struct export *x, const struct export_message *m,
                       const char *source, quire_bytes text)
{
    struct atif *s = x->state;

    json_object(&x->w);
    json_put_uint(&x->w, "step_id", ++s->steps);
    export_put_time(x, "timestamp", m->ms);
    json_put_str(&x->w, "source", source);
    json_put_bytes(&x->w, "message", text);
}

static void drop_blocks(struct export *x, const struct export_blocks *b)
{
    size_t i;

    for (i = 0; i < b->n; i++) {
        if (b->list[i].kind == EXPORT_IMAGE)
            export_drop(x, "image", b->list[i].mime);
        if (b->list[i].kind == EXPORT_OTHER)
            export_drop(x, "block", b->list[i].type);
        export_drop_opaque(x, &b->list[i]);
    }
}

/* ---- answers ------------------------------------------------------------- */

static void put_reasoning(struct export *x, const struct export_message *m)
{
    struct buf b = BUF_INIT((size_t)1 << 30);
    size_t i;

    for (i = 0; i < m->blocks.n; i++) {
        const struct export_block *block = &m->blocks.list[i];

        if (block->kind != EXPORT_THINKING || !block->text.len)
            continue;
        if (b.len)
            buf_add_str(&b, "\n\n");
        buf_add(&b, block->text.data, block->text.len);
    }
    x->out.failed |= b.failed;
    if (b.len)
        json_put_bytes(&x->w, "reasoning_content", buf_bytes(&b));
    buf_release(&b);
}

static void put_calls(struct export *x, const struct export_message *m)
{
    size_t i;

    json_key(&x->w, "tool_calls");
    json_array(&x->w);
    for (i = 0; i < m->blocks.n; i++) {
        const struct export_block *b = &m->blocks.list[i];

        if (b->kind != EXPORT_CALL)
            continue;
        json_object(&x->w);
        json_put_bytes(&x->w, "tool_call_id", b->id);
        json_put_bytes(&x->w, "function_name", b->name);
        export_put_raw(x, "arguments", b->arguments);
        json_object_end(&x->w);
    }
    json_array_end(&x->w);
}

static void put_observation(struct export *x, const struct export_message *m)
{
    size_t i;

    json_key(&x->w, "observation");
    json_object(&x->w);
    json_key(&x->w, "results");
    json_array(&x->w);
    for (i = 0; i < m->blocks.n; i++) {
        const struct export_block *b = &m->blocks.list[i];

        if (b->kind != EXPORT_CALL || !b->result)
            continue;
        drop_blocks(x, &b->result->blocks);
        json_object(&x->w);
        json_put_bytes(&x->w, "source_call_id", b->id);
        json_put_bytes(&x->w, "content",
                       export_text_of(x, &b->result->blocks, false));
        json_object_end(&x->w);
        if (b->result->is_error)
            export_drop(x, "error flag of a result", bytes_str(""));
    }
    json_array_end(&x->w);
    json_object_end(&x->w);
}

/* Prompt tokens include the cached ones. */
static void put_counts(struct export *x, const char *const keys[4],
                       const struct export_usage *u)
{
    char cost[32];

    json_put_uint(&x->w, keys[0], u->input + u->cache_read + u->cache_write);
    json_put_uint(&x->w, keys[1], u->output);
    json_put_uint(&x->w, keys[2], u->cache_read);
    if (u->cost > 0) {
        snprintf(cost, sizeof cost, "%.9f", u->cost);
        json_put_raw(&x->w, keys[3], bytes_str(cost));
    }
}

static void on_answer(struct export *x, const struct export_message *m)
{
    static const char *const keys[] = {"prompt_tokens", "completion_tokens",
                                       "cached_tokens", "cost_usd"};

    drop_blocks(x, &m->blocks);
    begin_step(x, m, "agent", export_text_of(x, &m->blocks, false));
    if (m->model.len)
        json_put_bytes(&x->w, "model_name", m->model);
    put_reasoning(x, m);
    if (m->has_calls) {
        put_calls(x, m);
        put_observation(x, m);
    }
    json_key(&x->w, "metrics");
    json_object(&x->w);
    put_counts(x, keys, &m->usage);
    json_object_end(&x->w);
    json_object_end(&x->w);
}

static void on_other(struct export *x, const struct export_message *m,
                     const char *source)
{
    drop_blocks(x, &m->blocks);
    begin_step(x, m, source, export_plain(x, m));
    json_object_end(&x->w);
}

static quire_status message(struct export *x, const struct export_message *m,
                            quire_error *err)
{
    (void)err;
    switch (m->role) {
    case EXPORT_ASSISTANT: on_answer(x, m); break;
    case EXPORT_USER: on_other(x, m, "user"); break;
    case EXPORT_RESET: export_drop(x, "new context", bytes_str("")); break;
    default: on_other(x, m, "system"); break;
    }
    return QUIRE_OK;
}

/* ---- the whole ----------------------------------------------------------- */

static quire_status begin(struct export *x, quire_error *err)
{
    const struct export_session *s = &x->session;

    (void)err;
    json_object(&x->w);
    json_put_str(&x->w, "schema_version", "ATIF-v1.6");
    json_put_str(&x->w, "session_id", s->id);
    json_key(&x->w, "agent");
    json_object(&x->w);
    json_put_str(&x->w, "name", *s->agent ? s->agent : "quire");
    json_put_str(&x->w, "version", "unknown");
    if (*s->model)
        json_put_str(&x->w, "model_name", s->model);
    json_object_end(&x->w);
    json_key(&x->w, "steps");
    json_array(&x->w);
    return QUIRE_OK;
}

static quire_status end(struct export *x, quire_error *err)
{
    static const char *const keys[] = {"total_prompt_tokens",
                                       "total_completion_tokens",
                                       "total_cached_tokens", "total_cost_usd"};
    struct atif *s = x->state;

    (void)err;
    json_array_end(&x->w);
    json_key(&x->w, "final_metrics");
    json_object(&x->w);
    put_counts(x, keys, &x->total);
    json_put_uint(&x->w, "total_steps", s->steps);
    json_object_end(&x->w);
    if (*x->session.title || *x->session.cwd) {
        json_key(&x->w, "extra");
        json_object(&x->w);
        if (*x->session.title)
            json_put_str(&x->w, "title", x->session.title);
        if (*x->session.cwd)
            json_put_str(&x->w, "cwd", x->session.cwd);
        json_object_end(&x->w);
    }
    json_object_end(&x->w);
    buf_add_char(&x->out, '\n');
    return QUIRE_OK;
}

const struct export_target export_atif = {
    .name = "atif",
    .title = "Agent Trajectory Interchange Format",
    .suffix = ".json",
    .mime_type = "application/json",
    .state_size = sizeof(struct atif),
    .begin = begin,
    .message = message,
    .end = end,
};
