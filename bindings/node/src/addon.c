/*
 * addon.c - between JavaScript and the operations: run(op, handle, arguments, data)
 *
 * A failure is an Error with `kind` and `hint`. Strings are UTF-8; a string with a zero byte is
 * refused where a name is meant.
 */
#define NAPI_VERSION 8
#include <node_api.h>
#include <stdlib.h>
#include <string.h>

#include "addon.h"

struct work {
    struct job job;
    const struct op *op;
    napi_async_work work;
    napi_deferred deferred;
    napi_ref handle; /* keeps it alive; NULL: none */
};

static void work_free(napi_env env, struct work *w)
{
    size_t i;

    if (w->work)
        napi_delete_async_work(env, w->work);
    if (w->handle)
        napi_delete_reference(env, w->handle);
    for (i = 0; i < w->job.n_args; i++)
        free(w->job.arg[i]);
    free((void *)(uintptr_t)w->job.data.data);
    free(w->job.out.data);
    handle_free(w->job.made);
    free(w);
}

/* ---- on a thread of the pool --------------------------------------------------- */

static void execute(napi_env env, void *data)
{
    struct work *w = data;
    struct job *j = &w->job;
    bool locks = j->h && !w->op->alone;

    (void)env;
    if (locks)
        pthread_mutex_lock(&j->h->lock);
    j->status = locks && j->h->closed ? QUIRE_INVALID : w->op->run(j);
    if (j->status && j->h && j->h->closed && !j->err.what[0])
        strcpy(j->err.what, "it is closed");
    if (locks)
        pthread_mutex_unlock(&j->h->lock);
    if (!j->status && j->out.failed)
        j->status = QUIRE_NO_MEMORY;
}

/* ---- back on the main thread --------------------------------------------------- */

static void set_text(napi_env env, napi_value object, const char *key,
                     const char *text)
{
    napi_value value;

    if (napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, &value) == napi_ok)
        napi_set_named_property(env, object, key, value);
}

static napi_value make_error(napi_env env, const struct job *j)
{
    const char *what = j->err.what[0] ? j->err.what
                                      : quire_status_name(j->status);
    napi_value message, error;

    if (napi_create_string_utf8(env, what, NAPI_AUTO_LENGTH, &message) ||
        napi_create_error(env, NULL, message, &error))
        return NULL;
    set_text(env, error, "kind", quire_status_name(j->status));
    set_text(env, error, "hint",
             j->err.audience == QUIRE_FOR_ALL ? j->err.next : "");
    return error;
}

static void collect_handle(napi_env env, void *data, void *hint)
{
    (void)env;
    (void)hint;
    handle_free(data);
}

static napi_status make_answer(napi_env env, struct job *j, napi_value *out)
{
    napi_status st;

    if (j->made) {
        st = napi_create_external(env, j->made, collect_handle, NULL, out);
        if (st == napi_ok)
            j->made = NULL;
        return st;
    }
    if (j->is_bytes)
        return napi_create_buffer_copy(env, j->out.len,
                                       j->out.len ? j->out.data : "", NULL,
                                       out);
    if (!j->out.len)
        return napi_get_undefined(env, out);
    return napi_create_string_utf8(env, j->out.data, j->out.len, out);
}

static void complete(napi_env env, napi_status status, void *data)
{
    struct work *w = data;
    napi_value value = NULL;

    if (status != napi_ok && !w->job.status)
        w->job.status = QUIRE_STOPPED;
    if (!w->job.status && make_answer(env, &w->job, &value) != napi_ok)
        w->job.status = QUIRE_NO_MEMORY;
    if (w->job.status) {
        value = make_error(env, &w->job);
        if (value)
            napi_reject_deferred(env, w->deferred, value);
    } else {
        napi_resolve_deferred(env, w->deferred, value);
    }
    work_free(env, w);
}

/* ---- what is asked for --------------------------------------------------------- */

static char *copy_text(napi_env env, napi_value value, size_t *len)
{
    char *text;

    if (napi_get_value_string_utf8(env, value, NULL, 0, len) != napi_ok)
        return NULL;
    text = malloc(*len + 1);
    if (text && napi_get_value_string_utf8(env, value, text, *len + 1, len) !=
                    napi_ok) {
        free(text);
        return NULL;
    }
    return text;
}

/* Arguments are strings, or null. */
static bool read_args(napi_env env, napi_value list, struct job *j)
{
    uint32_t n, i;

    if (napi_get_array_length(env, list, &n) != napi_ok || n > ARGS_MAX)
        return false;
    for (i = 0; i < n; i++) {
        napi_value value;
        napi_valuetype type;
        size_t len;

        if (napi_get_element(env, list, i, &value) ||
            napi_typeof(env, value, &type))
            return false;
        j->n_args++;
        if (type != napi_string)
            continue;
        j->arg[i] = copy_text(env, value, &len);
        if (!j->arg[i] || strlen(j->arg[i]) != len)
            return false;
    }
    return true;
}

/* Bytes are copied: JavaScript may change its buffer while the job runs. */
static bool read_data(napi_env env, napi_value value, struct job *j)
{
    bool is_buffer = false;
    void *data, *copy;
    size_t len;
    napi_valuetype type;

    if (napi_typeof(env, value, &type) != napi_ok)
        return false;
    if (type == napi_string) {
        j->data.data = copy_text(env, value, &len);
        j->data.len = j->data.data ? len : 0;
        return j->data.data != NULL;
    }
    if (napi_is_buffer(env, value, &is_buffer) || !is_buffer)
        return type == napi_undefined || type == napi_null;
    if (napi_get_buffer_info(env, value, &data, &len) != napi_ok)
        return false;
    copy = malloc(len + 1);
    if (copy && len)
        memcpy(copy, data, len);
    j->data = (quire_bytes){copy, copy ? len : 0};
    return copy != NULL;
}

static bool read_handle(napi_env env, napi_value value, struct work *w)
{
    napi_valuetype type;
    void *data = NULL;

    if (w->op->unbound)
        return true;
    if (napi_typeof(env, value, &type) != napi_ok || type != napi_external ||
        napi_get_value_external(env, value, &data) != napi_ok || !data)
        return false;
    w->job.h = data;
    return w->job.h->kind == w->op->kind &&
           napi_create_reference(env, value, 1, &w->handle) == napi_ok;
}

static napi_value refuse(napi_env env, struct work *w, const char *message)
{
    if (w)
        work_free(env, w);
    napi_throw_type_error(env, NULL, message);
    return NULL;
}

static napi_value run(napi_env env, napi_callback_info info)
{
    struct work *w = calloc(1, sizeof *w);
    napi_value argv[4], promise, name;
    size_t argc = 4, len;
    char *op;

    if (!w || napi_get_cb_info(env, info, &argc, argv, NULL, NULL) != napi_ok)
        return refuse(env, w, "out of memory");
    op = argc > 0 ? copy_text(env, argv[0], &len) : NULL;
    w->op = op ? op_find(op) : NULL;
    free(op);
    if (!w->op)
        return refuse(env, w, "unknown operation");
    if (argc < 2 || !read_handle(env, argv[1], w))
        return refuse(env, w, "not a handle of this operation");
    if ((argc > 2 && !read_args(env, argv[2], &w->job)) ||
        (argc > 3 && !read_data(env, argv[3], &w->job)))
        return refuse(env, w, "an argument is not text without zero bytes");
    if (napi_create_promise(env, &w->deferred, &promise) != napi_ok)
        return refuse(env, w, "out of memory");
    if (napi_create_string_utf8(env, "quire", 5, &name) != napi_ok ||
        napi_create_async_work(env, NULL, name, execute, complete, w,
                               &w->work) != napi_ok ||
        napi_queue_async_work(env, w->work) != napi_ok)
        return refuse(env, w, "cannot start a job");
    return promise;
}

static napi_value version(napi_env env, napi_callback_info info)
{
    napi_value value = NULL;

    (void)info;
    napi_create_string_utf8(env, quire_version(), NAPI_AUTO_LENGTH, &value);
    return value;
}

NAPI_MODULE_INIT()
{
    napi_property_descriptor all[] = {
        {"run", NULL, run, NULL, NULL, NULL, napi_enumerable, NULL},
        {"version", NULL, version, NULL, NULL, NULL, napi_enumerable, NULL},
    };

    if (napi_define_properties(env, exports, 2, all) != napi_ok)
        return NULL;
    return exports;
}
