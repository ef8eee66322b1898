/*
 * targets.h - what sessions can be exported to
 *
 * One line a target. Commands, help, completion, the route and error messages
 * follow this list.
 */
#ifndef EXPORT_TARGETS_H
#define EXPORT_TARGETS_H

#include "export/target.h"

/* clang-format off */
#define EXPORT_TARGETS(X) \
    X(claude_code)        \
    X(codex)              \
    X(gemini)             \
    X(opencode)           \
    X(qwen)               \
    X(copilot)            \
    X(pi)                 \
    X(omp)                \
    X(jp)                 \
    X(markdown)           \
    X(html)               \
    X(jsonl)              \
    X(otlp)               \
    X(atif)
/* clang-format on */

#define EXPORT_DECLARE(id) extern const struct export_target export_##id;

EXPORT_TARGETS(EXPORT_DECLARE)

/* In that order, ended by NULL. */
extern const struct export_target *const export_targets[];

/* "codex"; NULL: unknown. */
const struct export_target *export_target_of(const char *name);

#endif
