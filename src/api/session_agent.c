/* session_agent.c - the agent of a session, as quire/session_rows.h has it */
#include <string.h>

#include "api/core/handle.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"

enum { AGENT_BYTES_MAX = 64 };

static quire_status check_agent(const char *agent, quire_error *err)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "abcdefghijklmnopqrstuvwxyz0123456789_-";
    size_t len = strlen(agent);

    if (len > 0 && len <= AGENT_BYTES_MAX && strspn(agent, letters) == len)
        return QUIRE_OK;
    return err_fail(err, QUIRE_INVALID, "such as index",
                    "agent is not 1 to %d letters, digits, _ and -",
                    AGENT_BYTES_MAX);
}

quire_status quire_session_set_agent(quire *q, const char *which,
                                     const char *agent, const char *definition,
                                     quire_error *err)
{
    quire_session_row row = {.number = 0};
    quire_status st = check_agent(agent, err);

    if (!st && definition &&
        !json_check(bytes_str(definition), JSON_UTF8, NULL))
        st = err_set(err, QUIRE_INVALID,
                     "definition of agent %s is not JSON in UTF-8", agent);
    if (!st)
        st = quire_session_row_of(q, which, &row, err);
    if (!st && !row.number)
        st = err_fail(err, QUIRE_INVALID, "name a session of this home",
                      "session %.60s is not in a home that has agents", which);
    if (!st)
        st = need_own_rows(q, true, err);
    return st ? st
              : session_agent_set(&q->catalog, q->tenant, row.number, agent,
                                  definition, err);
}
