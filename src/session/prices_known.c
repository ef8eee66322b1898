/*
 * prices_known.c - list prices of models, in dollars for a million tokens
 *
 * As the vendors published them for requests of usual length, without discounts; the
 * date is the month in which a line was last known to hold. Prices of writes to a cache
 * are those of entries that last five minutes. The longest name counts: see prices.h.
 *
 * A name without "$" must not fit versions that are still to come, such as
 * "claude-opus-4" would.
 */
#include "session/prices.h"

/* In millionths of a dollar. */
#define D(dollars) ((uint64_t)((dollars)*1000000 + 0.5))

#define P(model, in, out, read, write, date)                \
    {                                                       \
        (model), {D(in), D(out), D(read), D(write)}, (date) \
    }

/* Anthropic: reads of a cache are a tenth of input, writes five quarters. */
#define OPUS(model, date)   P(model, 15, 75, 1.5, 18.75, date)
#define OPUS_5(model, date) P(model, 5, 25, 0.5, 6.25, date)
#define SONNET(model, date) P(model, 3, 15, 0.3, 3.75, date)

/* Others do not charge for writes to a cache: they are input. */
#define Q(model, in, out, read, date) P(model, in, out, read, in, date)

/* clang-format off */
const struct price prices_known[] = {
    OPUS("claude-3-opus", "2025-08"),
    OPUS("claude-opus-4$", "2025-11"),
    OPUS("claude-opus-4-0", "2025-11"),
    OPUS("claude-opus-4-2025", "2025-11"),
    OPUS("claude-opus-4@2025", "2025-11"),
    OPUS("claude-opus-4-1", "2025-11"),
    OPUS("claude-opus-4.1", "2025-11"),
    OPUS_5("claude-opus-4-5", "2025-11"),
    OPUS_5("claude-opus-4.5", "2025-11"),
    SONNET("claude-3-sonnet", "2025-02"),
    SONNET("claude-3-5-sonnet", "2025-08"),
    SONNET("claude-3.5-sonnet", "2025-08"),
    SONNET("claude-3-7-sonnet", "2025-11"),
    SONNET("claude-3.7-sonnet", "2025-11"),
    SONNET("claude-sonnet-4$", "2025-11"),
    SONNET("claude-sonnet-4-0", "2025-11"),
    SONNET("claude-sonnet-4-2025", "2025-11"),
    SONNET("claude-sonnet-4@2025", "2025-11"),
    SONNET("claude-sonnet-4-5", "2025-11"),
    SONNET("claude-sonnet-4.5", "2025-11"),
    P("claude-3-haiku", 0.25, 1.25, 0.03, 0.3, "2025-11"),
    P("claude-3-5-haiku", 0.8, 4, 0.08, 1, "2025-11"),
    P("claude-3.5-haiku", 0.8, 4, 0.08, 1, "2025-11"),
    P("claude-haiku-4-5", 1, 5, 0.1, 1.25, "2025-11"),
    P("claude-haiku-4.5", 1, 5, 0.1, 1.25, "2025-11"),

    Q("gpt-5$", 1.25, 10, 0.125, "2025-11"),
    Q("gpt-5-2025", 1.25, 10, 0.125, "2025-11"),
    Q("gpt-5-chat", 1.25, 10, 0.125, "2025-11"),
    Q("gpt-5-codex", 1.25, 10, 0.125, "2025-11"),
    Q("gpt-5-codex-mini", 0.25, 2, 0.025, "2025-11"),
    Q("gpt-5-mini", 0.25, 2, 0.025, "2025-11"),
    Q("gpt-5-nano", 0.05, 0.4, 0.005, "2025-11"),
    Q("gpt-5-pro", 15, 120, 15, "2025-11"),
    Q("gpt-5.1$", 1.25, 10, 0.125, "2025-11"),
    Q("gpt-5.1-2025", 1.25, 10, 0.125, "2025-11"),
    Q("gpt-5.1-chat", 1.25, 10, 0.125, "2025-11"),
    Q("gpt-5.1-codex", 1.25, 10, 0.125, "2025-11"),
    Q("gpt-5.1-codex-mini", 0.25, 2, 0.025, "2025-11"),
    Q("gpt-4.1$", 2, 8, 0.5, "2025-11"),
    Q("gpt-4.1-2025", 2, 8, 0.5, "2025-11"),
    Q("gpt-4.1-mini", 0.4, 1.6, 0.1, "2025-11"),
    Q("gpt-4.1-nano", 0.1, 0.4, 0.025, "2025-11"),
    Q("gpt-4o$", 2.5, 10, 1.25, "2025-11"),
    Q("gpt-4o-2024-05-13", 5, 15, 5, "2025-11"),
    Q("gpt-4o-2024", 2.5, 10, 1.25, "2025-11"),
    Q("gpt-4o-mini$", 0.15, 0.6, 0.075, "2025-11"),
    Q("gpt-4o-mini-2024", 0.15, 0.6, 0.075, "2025-11"),
    Q("gpt-4-turbo", 10, 30, 10, "2025-11"),
    Q("gpt-4$", 30, 60, 30, "2025-11"),
    Q("gpt-4-0613", 30, 60, 30, "2025-11"),
    Q("gpt-3.5-turbo$", 0.5, 1.5, 0.5, "2025-11"),
    Q("gpt-3.5-turbo-0125", 0.5, 1.5, 0.5, "2025-11"),
    Q("o1$", 15, 60, 7.5, "2025-11"),
    Q("o1-2024", 15, 60, 7.5, "2025-11"),
    Q("o1-mini", 1.1, 4.4, 0.55, "2025-11"),
    Q("o1-pro", 150, 600, 150, "2025-11"),
    Q("o3$", 2, 8, 0.5, "2025-11"),
    Q("o3-2025", 2, 8, 0.5, "2025-11"),
    Q("o3-mini", 1.1, 4.4, 0.55, "2025-11"),
    Q("o3-pro", 20, 80, 20, "2025-11"),
    Q("o4-mini$", 1.1, 4.4, 0.275, "2025-11"),
    Q("o4-mini-2025", 1.1, 4.4, 0.275, "2025-11"),
    Q("codex-mini-latest", 1.5, 6, 0.375, "2025-11"),

    Q("gemini-3-pro-preview", 2, 12, 0.2, "2025-11"),
    Q("gemini-2.5-pro", 1.25, 10, 0.125, "2025-11"),
    Q("gemini-2.5-flash", 0.3, 2.5, 0.03, "2025-11"),
    Q("gemini-2.5-flash-lite", 0.1, 0.4, 0.01, "2025-11"),
    Q("gemini-2.0-flash", 0.1, 0.4, 0.025, "2025-11"),
    Q("gemini-2.0-flash-lite", 0.075, 0.3, 0.075, "2025-11"),
    Q("gemini-1.5-pro", 1.25, 5, 0.3125, "2025-08"),
    Q("gemini-1.5-flash", 0.075, 0.3, 0.01875, "2025-08"),
    Q("gemini-1.5-flash-8b", 0.0375, 0.15, 0.01, "2025-08"),
    {.model = NULL},
};
/* clang-format on */
