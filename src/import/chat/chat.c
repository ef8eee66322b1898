/*
 * chat.c - files of messages, of no agent: its format is in chat_format.h
 *
 * It has no places; `--from` names a file, or a directory with some.
 */
#include "base/err.h"
#include "import/agents.h"
#include "import/chat_format.h"
#include "import/value.h"

static quire_status find(struct import_places *p, quire_error *err)
{
    (void)p;
    (void)err;
    return QUIRE_OK;
}

static enum import_match match_dir(struct import_places *p, const char *dir)
{
    (void)p;
    (void)dir;
    return IMPORT_NOT;
}

static quire_status add_dir(struct import_places *p, const char *dir,
                            quire_error *err)
{
    (void)p;
    (void)dir;
    (void)err;
    return QUIRE_OK;
}

static quire_bytes skip_space(quire_bytes text)
{
    const char *at = text.data, *end = at + text.len;

    while (at < end &&
           (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n'))
        at++;
    return bytes_of(at, (size_t)(end - at));
}

static bool is_list(quire_bytes head)
{
    return head.len > 0 && *(const char *)head.data == '[';
}

/* "messages": [ … */
static bool has_list(quire_bytes head, const char *key)
{
    const char *end = (const char *)head.data + head.len;
    const char *at = memmem(head.data, head.len, key, strlen(key));
    quire_bytes rest;

    if (!at)
        return false;
    at += strlen(key);
    rest = skip_space(bytes_of(at, (size_t)(end - at)));
    return rest.len > 0 && *(const char *)rest.data == ':' &&
           is_list(skip_space(bytes_sub(rest, 1, rest.len)));
}

/* The first record has a role, or is, or begins, a list of messages. */
static enum import_match match_file(const struct import_candidate *f)
{
    struct json_want w[] = {JSON_WANT("role"), JSON_WANT("from")};
    quire_bytes head = skip_space(f->head);

    if (!name_ends(f->base, ".jsonl") && !name_ends(f->base, ".json") &&
        !name_ends(f->base, ".ndjson"))
        return IMPORT_NOT;
    if (is_list(head))
        head = skip_space(bytes_sub(head, 1, head.len));
    json_head(head, w, 2, NULL);
    return value_is_string(w[0].value) || value_is(w[1].value, "human") ||
                   value_is(w[1].value, "system") ||
                   has_list(head, "\"messages\"") ||
                   has_list(head, "\"conversations\"")
               ? IMPORT_LIKELY
               : IMPORT_NOT;
}

/* An array, or an object that goes on behind its first line. */
static bool is_whole(const char *path)
{
    char buf[IMPORT_HEAD];
    quire_bytes head = skip_space(places_head(path, buf));
    const char *nl = head.len ? memchr(head.data, '\n', head.len) : NULL;

    if (is_list(head))
        return true;
    if (!nl)
        return name_ends(path, ".json");
    head.len = (size_t)(nl - (const char *)head.data);
    return !json_check(head, 0, NULL) && name_ends(path, ".json");
}

static quire_status add_file(struct import_place *at, const char *name,
                             const struct stat *st, quire_error *err)
{
    struct import_found f = places_found(at, name, st);
    const char *base = name_base(name), *dot = strrchr(base, '.');

    if (!f.path)
        return err_memory(err);
    f.is_whole = is_whole(f.path);
    f.id = name_id(at->p->keep,
                   bytes_of(base, dot ? (size_t)(dot - base) : strlen(base)));
    return places_add(at->p, &f, err);
}

const struct import_format import_chat = CHAT_FORMAT("chat");

const struct import_agent import_agent_chat = {
    .name = "chat",
    .title =
        "any program that writes messages of OpenAI's or Anthropic's shape",
    .where = "files and directories that `--from` names",
    .format = &import_chat,
    .find = find,
    .match_dir = match_dir,
    .add_dir = add_dir,
    .match_file = match_file,
    .add_file = add_file,
};
