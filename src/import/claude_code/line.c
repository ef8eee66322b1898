/* line.c - the members of a record; see claude_code.h */
#include "import/claude_code/claude_code.h"

static const struct field_name line_fields[N_LINE_FIELDS] = {
    FIELD("parentUuid"),
    FIELD("logicalParentUuid"),
    FIELD("isSidechain"),
    FIELD("userType"),
    FIELD("cwd"),
    FIELD("sessionId"),
    FIELD("version"),
    FIELD("gitBranch"),
    FIELD("slug"),
    FIELD("agentId"),
    FIELD("entrypoint"),
    FIELD("type"),
    FIELD("uuid"),
    FIELD("timestamp"),
    FIELD("sessionKind"),
    FIELD("forkedFrom"),

    FIELD("message"),
    FIELD("requestId"),
    FIELD("toolUseResult"),
    FIELD("isMeta"),
    FIELD("isCompactSummary"),
    FIELD("isApiErrorMessage"),
    FIELD("isAbortedMidStream"),
    FIELD("subtype"),
    FIELD("compactMetadata"),
    FIELD("attachment"),
    FIELD("summary"),
    FIELD("customTitle"),
    FIELD("aiTitle"),
    FIELD("leafUuid"),
    FIELD("relocatedCwd"),
    FIELD("snapshot"),
    FIELD("operation"),

    FIELD("isVisibleInTranscriptOnly"),
    FIELD("sourceToolAssistantUUID"),
    FIELD("sourceToolUseID"),
    FIELD("permissionMode"),
    FIELD("promptSource"),
    FIELD("promptId"),
    FIELD("origin"),
    FIELD("imagePasteIds"),
    FIELD("mcpMeta"),
    FIELD("interruptedByShutdown"),
    FIELD("effort"),
    FIELD("attributionAgent"),
    FIELD("attributionSkill"),
    FIELD("attributionPlugin"),
    FIELD("error"),
    FIELD("errorDetails"),
    FIELD("supersedesUuids"),
    FIELD("thinkingMetadata"),
    FIELD("todos"),
    FIELD("level"),
    FIELD("content"),
    FIELD("toolUseID"),
    FIELD("parentToolUseID"),
    FIELD("data"),
    FIELD("messageId"),
    FIELD("isSnapshotUpdate"),
    FIELD("lastPrompt"),
    FIELD("agentName"),
    FIELD("agentSetting"),
    FIELD("mode"),
    FIELD("apiErrorStatus"),
    FIELD("teamName"),
};

static const struct field_name message_fields[N_MESSAGE_FIELDS] = {
    FIELD("role"),
    FIELD("content"),
    FIELD("id"),
    FIELD("model"),
    FIELD("stop_reason"),
    FIELD("usage"),

    FIELD("type"),
    FIELD("stop_sequence"),
    FIELD("stop_details"),
    FIELD("container"),
    FIELD("context_management"),
    FIELD("diagnostics"),
};

bool claude_read_line(struct line *l, struct json_error *bad)
{
    struct fields message = {.names = message_fields,
                             .n = N_MESSAGE_FIELDS,
                             .of = l->message};
    struct fields f = {.names = line_fields,
                       .n = N_LINE_FIELDS,
                       .of = l->of,
                       .nested = LINE_MESSAGE,
                       .inner = &message};

    if (!fields_parse(l->text, &f, bad))
        return false;
    l->n_unknown = f.n_unknown;
    memcpy(l->unknown, f.unknown, f.n_unknown * sizeof *f.unknown);
    return true;
}

quire_bytes claude_data(struct import_converter *c, const struct line *l)
{
    buf_clear(&c->blocks);
    fields_copy_others(l->text, line_fields, N_ENVELOPE, &c->blocks);
    c->failed |= c->blocks.failed;
    return buf_bytes(&c->blocks);
}
