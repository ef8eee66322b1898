/* generate.c - see generate.h */
#include "generate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CEILING ((size_t)1 << 31)

struct gen {
    struct generated *g;
    struct buf *out;
    uint64_t rng;
    bool large;
    uint64_t clock; /* seconds */
    unsigned answers, calls;

    /* Claude Code: uuids are numbers here. */
    uint64_t n_uuids, tip;
    uint64_t rewinds[64]; /* parents of prompts */
    unsigned n_rewinds;
    bool sidechain;

    /* Codex */
    uint64_t total_input, total_output;
    unsigned turns;
};

static uint64_t draw(struct gen *s, uint64_t below)
{
    s->rng ^= s->rng << 13;
    s->rng ^= s->rng >> 7;
    s->rng ^= s->rng << 17;
    return s->rng % below;
}

static void add(struct gen *s, const char *text)
{
    buf_add_str(s->out, text);
}

/* Words with the escapes of prose and code; about `len` bytes. */
static void add_words(struct gen *s, size_t len)
{
    static const char *const words[] = {"the ",
                                        "session ",
                                        "returns ",
                                        "a ",
                                        "value,\\n",
                                        "and \\\"then\\\" ",
                                        "stores ",
                                        "it.\\n    ",
                                        "int main(void) ",
                                        "{\\n\\treturn 0;\\n}\\n",
                                        "h\xc3\xa9llo ",
                                        "\xe4\xbd\xa0\xe5\xa5\xbd ",
                                        "x = y + 1; ",
                                        "\\u00fc ",
                                        "https://example.org/a/b?c=d ",
                                        "error: no such file or directory "};
    size_t from = s->out->len;

    while (s->out->len - from < len)
        add(s, words[draw(s, sizeof words / sizeof *words)]);
}

static size_t text_size(struct gen *s, size_t small, size_t big)
{
    return s->large ? big / 2 + draw(s, big) : 1 + draw(s, small);
}

static void add_base64(struct gen *s, size_t len)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (len = len / 4 * 4; len; len--)
        buf_add_char(s->out, digits[draw(s, 64)]);
}

static void add_time(struct gen *s)
{
    s->clock += draw(s, 5);
    buf_addf(s->out, "\"2026-03-%02dT%02d:%02d:%02d.%03dZ\"",
             (int)(1 + s->clock / 86400 % 28), (int)(s->clock / 3600 % 24),
             (int)(s->clock / 60 % 60), (int)(s->clock % 60),
             (int)draw(s, 1000));
}

static void end_line(struct gen *s)
{
    buf_add_char(s->out, '\n');
}

/* ---- Claude Code -------------------------------------------------------- */

static const char session[] = "11111111-2222-4333-8444-555555555555";

static void spell_uuid(uint64_t n, char out[40])
{
    uint64_t mixed = n * UINT64_C(0x9e3779b97f4a7c15);

    snprintf(out, 40, "%08x-%04x-4%03x-8%03x-%012llx", (unsigned)n,
             (unsigned)(mixed >> 48), (unsigned)(mixed >> 36) & 0xfff,
             (unsigned)(mixed >> 24) & 0xfff,
             (unsigned long long)(mixed & 0xffffffffffff));
}

static void add_uuid(struct gen *s, const char *key, uint64_t n)
{
    char uuid[40];

    spell_uuid(n, uuid);
    if (n)
        buf_addf(s->out, "\"%s\":\"%s\",", key, uuid);
    else
        buf_addf(s->out, "\"%s\":null,", key);
}

/* The members that every record in the tree has. Returns its uuid. */
static uint64_t begin(struct gen *s, uint64_t parent, const char *type)
{
    uint64_t uuid = ++s->n_uuids;

    add(s, "{");
    add_uuid(s, "parentUuid", parent);
    buf_addf(
        s->out,
        "\"isSidechain\":%s,\"userType\":\"external\",\"cwd\":\"/srv/demo\","
        "\"sessionId\":\"%s\",\"version\":\"2.1.200\",\"gitBranch\":\"main\",",
        s->sidechain ? "true" : "false", session);
    buf_addf(s->out, "\"type\":\"%s\",", type);
    add_uuid(s, "uuid", uuid);
    add(s, "\"timestamp\":");
    add_time(s);
    if (!s->sidechain)
        spell_uuid(uuid, s->g->leaf);
    return uuid;
}

static void add_image(struct gen *s)
{
    add(s, "{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":"
           "\"image/png\",\"data\":\"");
    add_base64(s, s->large ? 40000 : 1200);
    add(s, "\"}}");
}

static void prompt_content(struct gen *s)
{
    if (draw(s, 4)) {
        add(s, "\"");
        add_words(s, text_size(s, 60, 300));
        add(s, "\"");
        return;
    }
    add(s, "[{\"type\":\"text\",\"text\":\"");
    add_words(s, text_size(s, 60, 300));
    add(s, "\"}");
    if (!draw(s, 3)) {
        add(s, ",");
        add_image(s);
    }
    add(s, "]");
}

static void prompt(struct gen *s)
{
    bool meta = !draw(s, 8);

    s->rewinds[s->n_rewinds++ % 64] = s->tip;
    s->tip = begin(s, s->tip, "user");
    if (meta)
        add(s, ",\"isMeta\":true");
    add(s,
        ",\"promptSource\":\"typed\",\"message\":{\"role\":\"user\",\"content\":");
    prompt_content(s);
    add(s, "}}");
    end_line(s);
    s->g->users += !meta;
}

static void usage(struct gen *s, unsigned input, unsigned output)
{
    buf_addf(
        s->out,
        ",\"usage\":{\"input_tokens\":%u,\"cache_creation_input_tokens\":20,"
        "\"cache_read_input_tokens\":300,\"cache_creation\":"
        "{\"ephemeral_5m_input_tokens\":15,\"ephemeral_1h_input_tokens\":5},"
        "\"output_tokens\":%u,\"service_tier\":\"standard\"}",
        input, output);
}

static void answer_block(struct gen *s, unsigned kind)
{
    switch (kind) {
    case 0:
        add(s, "{\"type\":\"thinking\",\"thinking\":\"");
        add_words(s, text_size(s, 80, 400));
        add(s, "\",\"signature\":\"");
        add_base64(s, s->large ? 400 : 40);
        add(s, "\"}");
        break;
    case 1: add(s, "{\"type\":\"redacted_thinking\",\"data\":\"b2g=\"}"); break;
    case 2:
        add(s, "{\"type\":\"text\",\"text\":\"");
        add_words(s, text_size(s, 80, 600));
        add(s, "\"}");
        break;
    default:
        buf_addf(s->out,
                 "{\"type\":\"tool_use\",\"id\":\"toolu_%u\",\"name\":\"Bash\","
                 "\"input\":{\"command\":\"",
                 ++s->calls);
        add_words(s, text_size(s, 30, 200));
        add(s, "\"}}");
    }
}

/* One record of an answer. */
static void answer_line(struct gen *s, unsigned kind, bool last,
                        unsigned output)
{
    s->tip = begin(s, s->tip, "assistant");
    buf_addf(s->out,
             ",\"requestId\":\"req_%u\",\"message\":{\"id\":\"msg_%u\","
             "\"type\":\"message\",\"role\":\"assistant\",\"model\":"
             "\"claude-opus-5\",\"content\":[",
             s->answers, s->answers);
    answer_block(s, kind);
    buf_addf(s->out, "],\"stop_reason\":%s,\"stop_sequence\":null",
             !last       ? "null"
             : kind >= 3 ? "\"tool_use\""
                         : "\"end_turn\"");
    usage(s, 10, output);
    add(s, "}}");
    end_line(s);
}

static void result_line(struct gen *s, uint64_t parent, unsigned call)
{
    size_t from, end;

    s->tip = begin(s, parent, "user");
    buf_addf(s->out,
             ",\"message\":{\"role\":\"user\",\"content\":[{\"tool_use_id\":"
             "\"toolu_%u\",\"type\":\"tool_result\",\"content\":",
             call);
    from = s->out->len;
    if (draw(s, 3)) {
        add(s, "\"");
        add_words(s, text_size(s, 100, draw(s, 8) ? 1500 : 20000));
        add(s, "\"");
    } else {
        add(s, "[{\"type\":\"text\",\"text\":\"");
        add_words(s, text_size(s, 100, 1000));
        add(s, "\"}]");
    }
    end = s->out->len;
    buf_addf(s->out, ",\"is_error\":%s}]},\"toolUseResult\":{\"stdout\":",
             draw(s, 9) ? "false" : "true");
    /* The program writes the text twice. */
    buf_room(s->out, end - from);
    buf_add(s->out, s->out->data + from, end - from);
    add(s, ",\"stderr\":\"\",\"interrupted\":false}}");
    end_line(s);
    s->g->results++;
}

static void notice(struct gen *s)
{
    static const char *const notices[] = {
        "\"subtype\":\"turn_duration\",\"durationMs\":1200,\"isMeta\":false",
        "\"subtype\":\"local_command\",\"content\":\"ran\",\"level\":\"info\"",
        "\"subtype\":\"api_error\",\"error\":{\"status\":529},\"level\":\"error\"",
        "\"subtype\":\"away_summary\",\"content\":\"away\"",
        "\"subtype\":\"stop_hook_summary\",\"hookCount\":1",
        "\"subtype\":\"model_refusal_fallback\",\"retractedMessageUuids\":[]"};

    s->tip = begin(s, s->tip, "system");
    buf_addf(s->out, ",%s}",
             notices[draw(s, sizeof notices / sizeof *notices)]);
    end_line(s);
}

static void attachment(struct gen *s)
{
    bool queued = !draw(s, 3);

    s->tip = begin(s, s->tip, "attachment");
    if (queued)
        add(s, ",\"attachment\":{\"type\":\"queued_command\",\"prompt\":\"and "
               "this too\",\"commandMode\":\"prompt\"}}");
    else
        add(s, ",\"attachment\":{\"type\":\"todo_reminder\",\"content\":[],"
               "\"itemCount\":0}}");
    end_line(s);
    s->g->users += queued;
}

static void progress(struct gen *s)
{
    char before[40];

    memcpy(before, s->g->leaf, sizeof before);
    s->tip = begin(s, s->tip, "progress");
    add(s, ",\"toolUseID\":\"toolu_1\",\"data\":{\"type\":\"hook_progress\"}}");
    end_line(s);
    memcpy(s->g->leaf, before, sizeof before);
}

/* Records without a place. */
static void meta(struct gen *s)
{
    static const char *const metas[] = {
        "\"type\":\"ai-title\",\"aiTitle\":\"A title\"",
        "\"type\":\"custom-title\",\"customTitle\":\"My title\"",
        "\"type\":\"summary\",\"summary\":\"About it\",\"leafUuid\":\"x\"",
        "\"type\":\"agent-name\",\"agentName\":\"n\"",
        "\"type\":\"agent-setting\",\"agentSetting\":\"s\"",
        "\"type\":\"mode\",\"mode\":\"normal\"",
        "\"type\":\"permission-mode\",\"permissionMode\":\"plan\"",
        "\"type\":\"last-prompt\",\"lastPrompt\":\"hello\"",
        "\"type\":\"pr-link\",\"prNumber\":1,\"prUrl\":\"https://e.org/1\"",
        "\"type\":\"frame-link\",\"frameUrl\":\"https://e.org/2\"",
        "\"type\":\"worktree-state\",\"worktreeSession\":null",
        "\"type\":\"relocated\",\"relocatedCwd\":\"/srv/other\"",
        "\"type\":\"bridge-session\",\"bridgeSessionId\":\"b\"",
        "\"type\":\"atis-latch\",\"atis\":true",
        "\"type\":\"queue-operation\",\"operation\":\"enqueue\",\"content\":\"q\"",
        "\"type\":\"queue-operation\",\"operation\":\"dequeue\"",
        ("\"type\":\"file-history-snapshot\",\"snapshot\":{\"trackedFileBackups\":"
         "{\"a.c\":{\"backupFileName\":\"f@v1\"}}}"),
        "\"type\":\"made-up\",\"value\":[1,2,3]"};

    buf_addf(s->out, "{%s,\"sessionId\":\"%s\"}",
             metas[draw(s, sizeof metas / sizeof *metas)], session);
    end_line(s);
}

static void between(struct gen *s)
{
    while (!draw(s, 3)) {
        switch (draw(s, 4)) {
        case 0: notice(s); break;
        case 1: attachment(s); break;
        case 2: progress(s); break;
        default: meta(s);
        }
    }
}

/* An answer with up to three calls; results between its records, or behind
 * them; below their call each, or one below the other. */
static void answer(struct gen *s)
{
    unsigned n_calls = (unsigned)draw(s, 4), i, first = s->calls + 1;
    unsigned output = 5;
    bool early = draw(s, 2), chained = draw(s, 2);
    uint64_t at[3];

    s->answers++;
    if (draw(s, 2))
        answer_line(s, (unsigned)draw(s, 2), false, output);
    if (n_calls == 0 || draw(s, 2))
        answer_line(s, 2, n_calls == 0, output += 5);
    for (i = 0; i < n_calls; i++) {
        answer_line(s, 3, i + 1 == n_calls, output += 5);
        at[i] = s->tip;
        if (early) {
            result_line(s, at[i], first + i);
            if (!chained && i + 1 < n_calls)
                s->tip = at[i];
        }
        if (!draw(s, 6))
            meta(s);
    }
    for (i = 0; !early && i < n_calls; i++) {
        result_line(s, chained ? s->tip : at[i], first + i);
        between(s);
    }
    s->g->assistants++;
    s->g->input += 10 + 20 + 300;
    s->g->output += output;
}

static void compaction(struct gen *s)
{
    uint64_t before = s->tip;
    char leaf[40];

    s->tip = begin(s, 0, "system");
    memcpy(leaf, s->g->leaf, sizeof leaf);
    add(s, ",");
    add_uuid(s, "logicalParentUuid", before);
    add(s, "\"subtype\":\"compact_boundary\",\"content\":\"compacted\","
           "\"compactMetadata\":{\"trigger\":\"auto\",\"preTokens\":150000}}");
    end_line(s);
    s->tip = begin(s, s->tip, "user");
    memcpy(s->g->leaf, leaf, sizeof leaf); /* its entry is the boundary's */
    add(s, ",\"isCompactSummary\":true,\"isVisibleInTranscriptOnly\":true,"
           "\"message\":{\"role\":\"user\",\"content\":\"The summary: ");
    add_words(s, text_size(s, 40, 2000));
    add(s, "\"}}");
    end_line(s);
    s->g->compactions++;
    s->n_rewinds = 0;
}

static void subagent(struct gen *s)
{
    uint64_t tip = s->tip;
    unsigned n_rewinds = s->n_rewinds;

    s->sidechain = true;
    s->tip = 0;
    prompt(s);
    answer(s);
    s->sidechain = false;
    s->tip = tip;
    s->n_rewinds = n_rewinds;
}

static void rewind_tip(struct gen *s)
{
    unsigned n = s->n_rewinds < 64 ? s->n_rewinds : 64;

    if (n)
        s->tip = s->rewinds[draw(s, n)];
}

void generate_claude(struct generated *g, uint64_t seed, size_t bytes,
                     bool large)
{
    struct gen s = {.g = g,
                    .out = &g->file,
                    .rng = seed * 2654435761u + 88172645463325252u,
                    .large = large};

    *g = (struct generated){.file = BUF_INIT(CEILING)};
    while (!draw(&s, 2))
        meta(&s);
    while (g->file.len < bytes) {
        if (!draw(&s, 12))
            rewind_tip(&s);
        prompt(&s);
        between(&s);
        do
            answer(&s);
        while (draw(&s, 3));
        between(&s);
        if (!draw(&s, 20))
            compaction(&s);
        if (!draw(&s, 15))
            subagent(&s);
    }
}

/* ---- Codex -------------------------------------------------------------- */

static void codex_begin(struct gen *s, const char *type, const char *payload)
{
    add(s, "{\"timestamp\":");
    add_time(s);
    buf_addf(s->out, ",\"type\":\"%s\",\"payload\":{\"type\":\"%s\"", type,
             payload);
}

static void codex_end(struct gen *s)
{
    add(s, "}}");
    end_line(s);
}

static void codex_header(struct gen *s)
{
    add(s, "{\"timestamp\":");
    add_time(s);
    buf_addf(
        s->out,
        ",\"type\":\"session_meta\",\"payload\":{\"id\":\"%s\",\"timestamp\":"
        "\"2026-03-01T00:00:00.000Z\",\"cwd\":\"/srv/demo\",\"originator\":"
        "\"codex_cli_rs\",\"cli_version\":\"0.169.0\",\"source\":\"cli\","
        "\"model_provider\":\"openai\",\"base_instructions\":{\"text\":\"do\"},"
        "\"git\":{\"branch\":\"main\"}}}",
        session);
    end_line(s);
}

static void codex_context(struct gen *s)
{
    add(s, "{\"timestamp\":");
    add_time(s);
    buf_addf(s->out,
             ",\"type\":\"turn_context\",\"payload\":{\"cwd\":\"/srv/demo\","
             "\"model\":\"gpt-5.%d\",\"effort\":\"%s\"}}",
             (int)draw(s, 2), draw(s, 4) ? "high" : "low");
    end_line(s);
}

static void codex_prompt(struct gen *s)
{
    size_t from, len;
    char *text;

    codex_begin(s, "response_item", "message");
    add(s,
        ",\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":");
    from = s->out->len;
    add(s, "\"");
    add_words(s, text_size(s, 60, 300));
    add(s, "\"");
    len = s->out->len - from;
    text = malloc(len);
    memcpy(text, s->out->data + from, len);
    add(s, "}");
    if (!draw(s, 4)) {
        add(s,
            ",{\"type\":\"input_image\",\"image_url\":\"data:image/png;base64,");
        add_base64(s, s->large ? 40000 : 1200);
        add(s, "\"}");
    }
    add(s, "]");
    codex_end(s);
    codex_begin(s, "event_msg", "user_message");
    add(s, ",\"message\":");
    buf_add(s->out, text, len);
    codex_end(s);
    free(text);
    s->g->users++;
    s->turns++;
}

static void codex_usage(struct gen *s, bool again)
{
    if (!again) {
        s->total_input += 100;
        s->total_output += 7;
        s->g->input += 100;
        s->g->output += 7;
    }
    codex_begin(s, "event_msg", "token_count");
    buf_addf(
        s->out,
        ",\"info\":{\"total_token_usage\":{\"input_tokens\":%llu,"
        "\"cached_input_tokens\":0,\"output_tokens\":%llu,"
        "\"total_tokens\":%llu},\"last_token_usage\":{\"input_tokens\":100,"
        "\"cached_input_tokens\":60,\"output_tokens\":7,"
        "\"reasoning_output_tokens\":2,\"total_tokens\":107},"
        "\"model_context_window\":258400},\"rate_limits\":null",
        (unsigned long long)s->total_input, (unsigned long long)s->total_output,
        (unsigned long long)(s->total_input + s->total_output));
    codex_end(s);
}

static void codex_call(struct gen *s)
{
    unsigned kind = (unsigned)draw(s, 3);

    if (kind == 0) {
        codex_begin(s, "response_item", "function_call");
        add(s, ",\"name\":\"exec_command\",\"arguments\":"
               "\"{\\\"cmd\\\":\\\"ls -la\\\",\\n\\\"n\\\":1}\"");
    } else if (kind == 1) {
        codex_begin(s, "response_item", "custom_tool_call");
        add(s,
            ",\"status\":\"completed\",\"name\":\"apply_patch\",\"input\":\"");
        add_words(s, text_size(s, 60, 800));
        add(s, "\"");
    } else {
        codex_begin(s, "response_item", "local_shell_call");
        add(s, ",\"action\":{\"type\":\"exec\",\"command\":[\"ls\"]}");
    }
    buf_addf(s->out, ",\"call_id\":\"call_%u\"", ++s->calls);
    codex_end(s);
}

static void codex_output(struct gen *s, unsigned call)
{
    codex_begin(s, "response_item",
                draw(s, 2) ? "function_call_output"
                           : "custom_tool_call_output");
    buf_addf(s->out, ",\"call_id\":\"call_%u\",\"output\":", call);
    switch (draw(s, 3)) {
    case 0:
        add(s, "\"");
        add_words(s, text_size(s, 100, draw(s, 8) ? 1500 : 20000));
        add(s, "\"");
        break;
    case 1:
        add(s, "\"{\\\"output\\\":\\\"done\\\\n\\\",\\\"metadata\\\":"
               "{\\\"exit_code\\\":1}}\"");
        break;
    default: add(s, "[{\"type\":\"input_text\",\"text\":\"ok\"}]");
    }
    codex_end(s);
    s->g->results++;
}

static void codex_event(struct gen *s)
{
    static const char *const events[] =
        {"agent_reasoning",     "exec_command_end",    "patch_apply_end",
         "context_compacted",   "item_completed",      "error",
         "entered_review_mode", "guardian_assessment", "made_up_event"};
    static const char *const lines[] = {"world_state", "security_risk_score",
                                        "inter_agent_communication",
                                        "new_kind"};

    if (draw(s, 3))
        codex_begin(s, "event_msg",
                    events[draw(s, sizeof events / sizeof *events)]);
    else
        codex_begin(s, lines[draw(s, 4)], "full");
    add(s, ",\"value\":1");
    codex_end(s);
}

static void codex_answer(struct gen *s)
{
    unsigned n_calls = (unsigned)draw(s, 4), first = s->calls + 1, i;
    bool usage_first = draw(s, 2);

    if (draw(s, 2)) {
        codex_begin(s, "response_item", "reasoning");
        add(s,
            ",\"summary\":[{\"type\":\"summary_text\",\"text\":\"thinking\"}],"
            "\"content\":null,\"encrypted_content\":\"");
        add_base64(s, s->large ? 1500 : 40);
        add(s, "\"");
        codex_end(s);
    }
    if (!n_calls || draw(s, 2)) {
        codex_begin(s, "response_item", "message");
        add(s, ",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\","
               "\"text\":\"");
        add_words(s, text_size(s, 80, 600));
        add(s, "\"}]");
        codex_end(s);
    }
    for (i = 0; i < n_calls; i++)
        codex_call(s);
    if (usage_first || !n_calls)
        codex_usage(s, false);
    for (i = 0; i < n_calls; i++)
        codex_output(s, first + i);
    if (!usage_first && n_calls)
        codex_usage(s, false);
    if (draw(s, 2)) {
        codex_context(s);
        codex_usage(s, true);
    }
    s->g->assistants++;
}

static void codex_compaction(struct gen *s)
{
    codex_begin(s, "compacted", "x");
    add(s,
        ",\"message\":\"The summary\",\"replacement_history\":[{\"type\":"
        "\"message\",\"role\":\"user\",\"content\":[{\"type\":\"input_text\","
        "\"text\":\"first\"},{\"type\":\"input_image\",\"image_url\":"
        "\"data:image/png;base64,");
    add_base64(s, s->large ? 40000 : 1200);
    add(s, "\"}]}]");
    codex_end(s);
    s->g->compactions++;
}

static void codex_rollback(struct gen *s)
{
    unsigned n = 1 + (unsigned)draw(s, 3);

    codex_begin(s, "event_msg", "thread_rolled_back");
    buf_addf(s->out, ",\"num_turns\":%u", n);
    codex_end(s);
}

void generate_codex(struct generated *g, uint64_t seed, size_t bytes,
                    bool large)
{
    struct gen s = {.g = g,
                    .out = &g->file,
                    .rng = seed * 2654435761u + 88172645463325252u,
                    .large = large};

    *g = (struct generated){.file = BUF_INIT(CEILING)};
    codex_header(&s);
    while (g->file.len < bytes) {
        codex_prompt(&s);
        codex_context(&s);
        do
            codex_answer(&s);
        while (draw(&s, 3));
        while (!draw(&s, 2))
            codex_event(&s);
        if (!draw(&s, 10))
            codex_rollback(&s);
        if (!draw(&s, 20))
            codex_compaction(&s);
    }
}

/* ---- damage ------------------------------------------------------------- */

static void damage_line(struct gen *s, const char *line, size_t len)
{
    switch (draw(s, 24)) {
    case 0: buf_add(s->out, line, len / 2); break;
    case 1:
        buf_add(s->out, line, len / 3);
        return;                                 /* runs into the next line */
    case 2: buf_add(s->out, line, len); return; /* two objects in a line */
    case 3: add(s, "not json at all\n[1,2]\nnull\n"); break;
    case 4:
        buf_add(s->out, "\0\0\0\0", 4);
        buf_add(s->out, line, len);
        break;
    case 5:
        buf_add(s->out, line, len);
        add(s, "\r");
        break;
    case 6:
        add(s, "\n  \n");
        buf_add(s->out, line, len);
        break;
    case 7:
        buf_add(s->out, line, len);
        add(s, "\xff trailing");
        break;
    default: buf_add(s->out, line, len);
    }
    end_line(s);
}

void generate_damage(struct buf *file, uint64_t seed)
{
    struct buf out = BUF_INIT(CEILING);
    struct gen s = {.out = &out, .rng = seed * 2654435761u + 1};
    const char *at = file->data, *end = at + file->len;

    while (at < end) {
        const char *nl = memchr(at, '\n', (size_t)(end - at));
        size_t len = (size_t)((nl ? nl : end) - at);

        damage_line(&s, at, len);
        at += len + (nl != NULL);
    }
    if (out.len > 10 && draw(&s, 2))
        out.len -= draw(&s, out.len / 2 < 300 ? out.len / 2 : 300);
    buf_release(file);
    *file = out;
}
