/*
 * export.c - sessions for other agents and formats
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "server/routes/handlers.h"

static bool find_target(const char *name, quire_export_target *out)
{
    unsigned i;

    for (i = 0; quire_export_target_at(i, out); i++)
        if (!strcmp(out->name, name))
            return true;
    return false;
}

/* The name of the file, as a header can hold it. */
static const char *disposition(struct request *c, const char *name)
{
    char *text = arena_printf(&c->keep, "attachment; filename=\"%s\"", name);
    char *at = text ? strchr(text, '"') + 1 : NULL;

    for (; at && *at && at[1]; at++)
        if (!((*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'z') ||
              (*at >= 'A' && *at <= 'Z') || strchr("._-", *at)))
            *at = '_';
    return text ? text : "attachment";
}

/* Content of a session is untrusted, whatever its type: it is saved, not shown. */
void route_export(struct request *c)
{
    const char *session = request_session(c), *to = request_text(c, "to");
    quire_export_options options = QUIRE_EXPORT_OPTIONS_INIT;
    quire_export_target target;
    quire_exported out = {{0}, {0}, {0}, 0, {0}};
    quire_error err = {0};
    quire_status st;

    if (!session)
        return;
    if (!to)
        to = "jsonl";
    options.leaf = request_text(c, "leaf");
    options.from = request_text(c, "from");
    options.redact = request_flag(c, "redact", false);
    st = find_target(to, &target)
             ? quire_export_write(c->q, session, to, &options, request_write, c,
                                  &out, &err)
             : err_set(&err, QUIRE_INVALID, "no such target");
    if (st) {
        request_fail(c, st, &err);
        return;
    }
    response_header(&c->answer, "Content-Type", "%s", target.mime_type);
    response_header(&c->answer, "Content-Security-Policy", "sandbox");
    response_header(&c->answer, "Content-Disposition", "%s",
                    disposition(c, out.name));
}
