/*
 * generate.h - session files of other agents, made up
 *
 * Every kind of record that the facts about the formats name, in random order,
 * with branches, answers in several records, and sub-agents. The same seed makes
 * the same file.
 */
#ifndef TESTS_IMPORT_GENERATE_H
#define TESTS_IMPORT_GENERATE_H

#include <stdbool.h>

#include "base/buf.h"

struct generated {
    struct buf file;
    size_t users, assistants, results, compactions; /* entries expected     */
    uint64_t input, output;                         /* tokens               */
    char leaf[40]; /* id of the record where the agent continues; may be "" */
};

/* At least `bytes` long; with `large`, texts and results have the sizes that
 * real sessions have. The caller releases `file`. */
void generate_claude(struct generated *g, uint64_t seed, size_t bytes,
                     bool large);
void generate_codex(struct generated *g, uint64_t seed, size_t bytes,
                    bool large);

/* Damage a file: torn and foreign lines, CRLF, bytes of zero, a torn tail. */
void generate_damage(struct buf *file, uint64_t seed);

#endif
