/*
 * agents.h - the agents whose sessions can be imported
 *
 * One line an agent. The folder of that name has its `struct import_agent`
 * (agent.h), with its places, and its converter, a `struct import_format`. Without
 * the folder and the line there is no such agent: commands, help, completion and
 * error messages follow this list. Where a file could belong to several, the
 * first counts.
 */
#ifndef IMPORT_AGENTS_H
#define IMPORT_AGENTS_H

#include "import/agent.h"

/* clang-format off */
#define IMPORT_AGENTS(X) \
    X(claude_code)       \
    X(codex)             \
    X(gemini)            \
    X(omp)               \
    X(pi)                \
    X(cline)             \
    X(qwen)              \
    X(copilot)           \
    X(kimi)              \
    X(opencode)          \
    X(jp)                \
    X(crush)             \
    X(goose)             \
    X(aider)             \
    X(chat)
/* clang-format on */

#define IMPORT_DECLARE(id)                              \
    extern const struct import_agent import_agent_##id; \
    extern const struct import_format import_##id;

IMPORT_AGENTS(IMPORT_DECLARE)

#define IMPORT_COUNT(id) +1

enum { IMPORT_AGENTS_MAX = 0 IMPORT_AGENTS(IMPORT_COUNT) };

/* In that order, ended by NULL. */
extern const struct import_agent *const import_agents[];

/* "codex"; NULL: unknown. */
const struct import_agent *import_agent_of(const char *name);

#endif
