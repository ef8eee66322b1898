/*
 * settings.c - settings and where each value comes from
 *
 * Every setting has a default. It can be stored in the catalogue, for every user
 * of the home, and overridden for one process by an environment variable:
 * quota.file by QUIRE_QUOTA_FILE.
 *
 * A value is checked when it is read too: the environment, or a row that another
 * version wrote, may hold anything.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "catalog/priv.h"

enum kind { NUMBER, SPAN, WORD };

static const struct setting {
    const char *key;
    enum kind kind;
    const char *otherwise;
    const char *words; /* WORD: the values, a space after each */
    const char *about;
} settings[] = {
    {"quota.file", NUMBER, "1048576", NULL, "bytes an artifact may have"},
    {"quota.session", NUMBER, "52428800", NULL,
     "bytes the artifacts of a session may have"},
    {"quota.tenant", NUMBER, "524288000", NULL,
     "bytes the artifacts of a tenant may have"},
    {"versions.kept", NUMBER, "20", NULL,
     "versions of an artifact that are kept; 0 for all"},
    {"blob.layout", WORD, "packed", "packed loose ",
     "packed: small blobs in quire.db; loose: each in a file"},
    {"blob.inline", NUMBER, "65536", NULL,
     "packed: bytes a blob in quire.db may have, compressed"},
    {"durability", WORD, "each", "each flush ",
     "each: a change of the catalogue waits for the disk; flush: not"},
    {"gc.auto", WORD, "on", "on off ",
     "on: a command that writes sees to a collection, once an hour"},
    {"gc.grace", SPAN, "24h", NULL,
     "how long a blob that nothing refers to is kept"},
    {"gc.purge", SPAN, "30d", NULL,
     "how long an artifact that was removed can be restored"},
    {"serve.rate", NUMBER, "0", NULL,
     "requests a second that a tenant may send to a server; 0 for any"},
    {"serve.burst", NUMBER, "0", NULL,
     "requests it may send at once; 0 for those of a second"},
};

enum { N_SETTINGS = sizeof settings / sizeof *settings };

/* ---- values ------------------------------------------------------------- */

static const struct setting *find_setting(const char *key)
{
    size_t i;

    for (i = 0; i < N_SETTINGS; i++) {
        if (!strcmp(settings[i].key, key))
            return &settings[i];
    }
    return NULL;
}

/* Fits in int64_t, also multiplied by 86,400. */
enum { DIGITS_MAX = 15 };

static bool is_word_of(const char *words, const char *value)
{
    size_t len = strlen(value), step;

    for (; *words; words += step + 1) {
        step = strcspn(words, " ");
        if (step == len && !memcmp(words, value, len))
            return true;
    }
    return false;
}

static bool is_valid(const struct setting *s, const char *value)
{
    size_t digits = strspn(value, "0123456789");
    const char *rest = value + digits;

    if (s->kind == WORD)
        return is_word_of(s->words, value);
    if (digits == 0 || digits > DIGITS_MAX)
        return false;
    return *rest == '\0' || (s->kind == SPAN && strchr("smhd", *rest) &&
                             rest[1] == '\0' && digits <= 9);
}

static quire_status report_unknown(const char *key, quire_error *err)
{
    return err_fail(err, QUIRE_NOT_FOUND,
                    HINT_SHELL "`quire config ls` lists the settings",
                    "unknown setting %.60s", key);
}

static quire_status report_invalid(const struct setting *s, const char *value,
                                   const char *from, quire_error *err)
{
    char words[64] = "";
    const char *what = s->kind == NUMBER ? "a number of up to 15 digits"
                       : s->kind == SPAN ? "a time like 30m, 24h or 7d"
                                         : words;
    quire_status st;

    /* "packed or loose" of "packed loose " */
    if (s->kind == WORD) {
        size_t first = strcspn(s->words, " ");

        snprintf(words, sizeof words, "%.*s or %.*s", (int)first, s->words,
                 (int)strcspn(s->words + first + 1, " "), s->words + first + 1);
    }
    st = err_set(err, QUIRE_INVALID, "%s is %s, not %.40s%s%s", s->key, what,
                 value, *from ? ", in " : "", from);
    err_next(err, "it is %s unless it is set", s->otherwise);
    return st;
}

/* ---- reading ------------------------------------------------------------ */

/* QUIRE_QUOTA_FILE of quota.file. */
static const char *read_variable(const struct setting *s, char name[64])
{
    size_t i;

    snprintf(name, 64, "QUIRE_%s", s->key);
    for (i = 6; name[i]; i++)
        name[i] = name[i] == '.' ? '_' : (char)toupper((unsigned char)name[i]);
    return getenv(name);
}

/* The stored value, in `keep`; NULL: none. */
static quire_status read_row(struct catalog *c, const char *key,
                             struct arena *keep, const char **value,
                             quire_error *err)
{
    struct stmt *s;
    quire_status st;

    *value = NULL;
    if (!catalog_has(c, SCHEMA_SETTINGS))
        return QUIRE_OK;
    st = use(c, SQL_SETTING_GET, &s, err);
    if (st)
        return st;
    stmt_bind_text(s, 1, bytes_str(key));
    st = sql_row(s, err);
    if (!st) {
        *value = arena_text(keep, stmt_column_bytes(s, 0));
        st = *value ? QUIRE_OK : err_memory(err);
    }
    stmt_reset(s);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

static quire_status read_value(struct catalog *c, const struct setting *s,
                               struct arena *keep, quire_setting *out,
                               quire_error *err)
{
    const char *value;
    char name[64];
    quire_status st;

    *out = (quire_setting){.key = s->key,
                           .value = s->otherwise,
                           .from = "default",
                           .otherwise = s->otherwise,
                           .about = s->about};
    value = read_variable(s, name);
    if (value) {
        out->value = value;
        out->from = "environment";
        return is_valid(s, value) ? QUIRE_OK
                                  : report_invalid(s, value, name, err);
    }
    st = read_row(c, s->key, keep, &value, err);
    if (st || !value)
        return st;
    out->value = value;
    out->from = "quire.db";
    return is_valid(s, value) ? QUIRE_OK
                              : report_invalid(s, value, "quire.db", err);
}

quire_status settings_get(struct catalog *c, const char *key,
                          struct arena *keep, quire_setting *out,
                          quire_error *err)
{
    const struct setting *s = find_setting(key);

    return s ? read_value(c, s, keep, out, err) : report_unknown(key, err);
}

quire_status settings_list(struct catalog *c, quire_setting_fn each, void *ctx,
                           quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    quire_setting one;
    quire_status st = QUIRE_OK;
    size_t i;

    for (i = 0; i < N_SETTINGS && !st; i++) {
        arena_reset(&tmp);
        st = read_value(c, &settings[i], &tmp, &one, err);
        if (!st)
            st = each(ctx, &one, err);
    }
    arena_release(&tmp);
    return st;
}

bool settings_is_valid(const char *key, const char *value)
{
    const struct setting *s = find_setting(key);

    return s && is_valid(s, value);
}

bool settings_is(struct catalog *c, const char *key, const char *value)
{
    struct arena tmp = ARENA_INIT;
    quire_setting s = {.value = ""};
    bool is = !settings_get(c, key, &tmp, &s, NULL) && !strcmp(s.value, value);

    arena_release(&tmp);
    return is;
}

quire_status settings_number(struct catalog *c, const char *key, uint64_t *out,
                             quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    quire_setting s = {.value = "0"};
    quire_status st = settings_get(c, key, &tmp, &s, err);

    if (!st)
        *out = strtoull(s.value, NULL, 10);
    arena_release(&tmp);
    return st;
}

quire_status settings_duration(struct catalog *c, const char *key,
                               int64_t *seconds, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    quire_setting s = {.value = "0"};
    quire_status st = settings_get(c, key, &tmp, &s, err);
    char *unit;

    if (!st) {
        *seconds = strtoll(s.value, &unit, 10);
        *seconds *= *unit == 'm'   ? 60
                    : *unit == 'h' ? 3600
                    : *unit == 'd' ? 86400
                                   : 1;
    }
    arena_release(&tmp);
    return st;
}

/* ---- changing ----------------------------------------------------------- */

/* Record the change, unless the value is the same. */
static quire_status log_change(struct catalog *c, const char *key,
                               const char *before, const char *after,
                               quire_error *err)
{
    struct buf was = BUF_INIT(4096), is = BUF_INIT(4096);
    quire_status st = QUIRE_OK;

    if (before)
        json_add_quoted(&was, bytes_str(before));
    if (after)
        json_add_quoted(&is, bytes_str(after));
    if (!bytes_equal(buf_bytes(&was), buf_bytes(&is)))
        st = audit_log_add(c, "config.set", 0, key,
                           before ? buf_text(&was) : NULL,
                           after ? buf_text(&is) : NULL, err);
    buf_release(&was);
    buf_release(&is);
    return st;
}

static quire_status write_row(struct catalog *c, const char *key,
                              const char *value, quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, value ? SQL_SETTING_SET : SQL_SETTING_UNSET, &s,
                          err);

    if (st)
        return st;
    stmt_bind_text(s, 1, bytes_str(key));
    if (value)
        stmt_bind_text(s, 2, bytes_str(value));
    st = sql_run(s, err);
    if (!st && !find_setting(key) && db_changes(c->db) == 0)
        st = report_unknown(key, err);
    return st;
}

quire_status settings_check(const char *key, const char *value,
                            quire_error *err)
{
    const struct setting *s = find_setting(key);

    if (!value)
        return QUIRE_OK;
    if (!s)
        return report_unknown(key, err);
    return is_valid(s, value) ? QUIRE_OK : report_invalid(s, value, "", err);
}

quire_status settings_set(struct catalog *c, const char *key, const char *value,
                          quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    const char *before = NULL;
    quire_status st = settings_check(key, value, err);

    if (!st)
        st = db_begin(c->db, DB_DURABLE, err);
    if (st)
        return st;
    st = read_row(c, key, &tmp, &before, err);
    if (!st)
        st = write_row(c, key, value, err);
    if (!st)
        st = log_change(c, key, before, value, err);
    arena_release(&tmp);
    return sql_end(c->db, st, err);
}
