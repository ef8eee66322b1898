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
#include "base/units.h"
#include "catalog/priv.h"

enum kind { NUMBER, SIZE, SPAN, WORD, PLACE };

static const struct setting {
    const char *key;
    enum kind kind;
    const char *otherwise;
    const char *words; /* WORD: the values, a space after each */
    const char *about;
} settings[] = {
    {"quota.file", SIZE, "16777216", NULL, "bytes an artifact may have"},
    {"quota.session", SIZE, "1073741824", NULL,
     "bytes the artifacts of a session may have"},
    {"quota.tenant", SIZE, "10737418240", NULL,
     "bytes the artifacts of a tenant may have"},
    {"versions.kept", NUMBER, "20", NULL,
     "versions of an artifact that are kept; 0 for all"},
    {"blob.layout", WORD, "packed", "packed loose ",
     "packed: small blobs in quire.db; loose: each in a file"},
    {"blob.inline", SIZE, "65536", NULL,
     "packed: bytes a blob in quire.db may have, compressed"},
    {"durability", WORD, "each", "each flush ",
     "each: a change of the catalogue waits for the disk; flush: not"},
    {"gc.auto", WORD, "on", "on off ",
     "on: a command that writes sees to a collection, once an hour"},
    {"gc.grace", SPAN, "24h", NULL,
     "how long a blob that nothing refers to is kept"},
    {"gc.purge", SPAN, "30d", NULL,
     "how long an artifact that was removed can be restored"},
    {"import.watch", WORD, "off", "on off ",
     "on: a server keeps importing what other agents write"},
    {"prices.file", PLACE, "", NULL,
     "path of a table of prices that comes before the built-in one"},
    {"retain.age", SPAN, "0", NULL,
     "sessions that have not changed for so long go to the trash; 0 for none"},
    {"retain.size", SIZE, "0", NULL,
     "bytes the sessions of a tenant may have, else the oldest go; 0 for any"},
    {"retain.count", NUMBER, "0", NULL,
     "sessions a tenant may have, else the oldest go; 0 for any"},
    {"secrets", WORD, "off", "off warn mask ",
     "what happens when a known form of key or password is stored"},
    {"trash.keep", SPAN, "30d", NULL,
     "how long a session in the trash can be restored"},
    {"serve.rate", NUMBER, "0", NULL,
     "requests a second that a tenant may send to a server; 0 for any"},
    {"serve.burst", NUMBER, "0", NULL,
     "requests it may send at once; 0 for those of a second"},
};

enum { N_SETTINGS = sizeof settings / sizeof *settings };

/* The table has the defaults for the user whose machine it is; these are for the
 * other tenants, users of a server: 1, 50 and 500 MiB. */
static const struct {
    const char *key, *value;
} shared_defaults[] = {
    {"quota.file", "1048576"},
    {"quota.session", "52428800"},
    {"quota.tenant", "524288000"},
};

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

static const char *default_of(const struct setting *s, int64_t tenant)
{
    size_t i, n = sizeof shared_defaults / sizeof *shared_defaults;

    for (i = 0; i < n && tenant != TENANT_DEFAULT; i++) {
        if (!strcmp(shared_defaults[i].key, s->key))
            return shared_defaults[i].value;
    }
    return s->otherwise;
}

/* Fits in int64_t, also multiplied by 86,400. */
enum { DIGITS_MAX = 15, PLACE_MAX = 4096 };
#define NUMBER_MAX UINT64_C(999999999999999)

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
    uint64_t bytes;

    if (s->kind == WORD)
        return is_word_of(s->words, value);
    if (s->kind == PLACE)
        return (*value == '/' && strlen(value) < PLACE_MAX) || !*value;
    if (s->kind == SIZE)
        return units_parse(value, units_bytes, &bytes) && bytes <= NUMBER_MAX;
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

/* "off, warn or mask" of "off warn mask " */
static void list_words(const char *words, char *out, size_t size)
{
    size_t n = 0, step;

    *out = '\0';
    for (; *words && n < size; words += step + 1) {
        step = strcspn(words, " ");
        n += (size_t)snprintf(out + n, size - n, "%s%.*s",
                              n == 0             ? ""
                              : !words[step + 1] ? " or "
                                                 : ", ",
                              (int)step, words);
    }
}

static quire_status report_invalid(const struct setting *s, const char *value,
                                   const char *from, quire_error *err)
{
    char words[96];
    const char *what = s->kind == NUMBER  ? "a number of up to 15 digits"
                       : s->kind == SIZE  ? "a size like 4096, 64K or 10M"
                       : s->kind == SPAN  ? "a time like 30m, 24h or 7d"
                       : s->kind == PLACE ? "an absolute path"
                                          : words;
    quire_status st;

    list_words(s->words ? s->words : "", words, sizeof words);
    st = err_set(err, QUIRE_INVALID,
                 "invalid value %.40s for %s%s%s: expected %s", value, s->key,
                 *from ? " in " : "", from, what);
    err_next(err, "the default is %s", *s->otherwise ? s->otherwise : "none");
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

/* A valid value as it is stored and reported: a size in bytes, in `keep`. NULL:
 * out of memory. */
static const char *normalize_value(const struct setting *s, const char *value,
                                   struct arena *keep)
{
    uint64_t bytes;

    if (s->kind != SIZE || !units_parse(value, units_bytes, &bytes))
        return value;
    return arena_printf(keep, "%llu", (unsigned long long)bytes);
}

static quire_status check_value(const struct setting *s, const char *from,
                                struct arena *keep, quire_setting *out,
                                quire_error *err)
{
    if (!is_valid(s, out->value))
        return report_invalid(s, out->value, from, err);
    out->value = normalize_value(s, out->value, keep);
    return out->value ? QUIRE_OK : err_memory(err);
}

static quire_status read_value(struct catalog *c, int64_t tenant,
                               const struct setting *s, struct arena *keep,
                               quire_setting *out, quire_error *err)
{
    const char *value, *otherwise = default_of(s, tenant);
    char name[64];
    quire_status st;

    *out = (quire_setting){.key = s->key,
                           .value = otherwise,
                           .from = "default",
                           .otherwise = otherwise,
                           .about = s->about};
    value = read_variable(s, name);
    if (value) {
        out->value = value;
        out->from = "environment";
        return check_value(s, name, keep, out, err);
    }
    st = read_row(c, s->key, keep, &value, err);
    if (st || !value)
        return st;
    out->value = value;
    out->from = "quire.db";
    return check_value(s, "quire.db", keep, out, err);
}

quire_status settings_get(struct catalog *c, int64_t tenant, const char *key,
                          struct arena *keep, quire_setting *out,
                          quire_error *err)
{
    const struct setting *s = find_setting(key);

    return s ? read_value(c, tenant, s, keep, out, err)
             : report_unknown(key, err);
}

quire_status settings_list(struct catalog *c, int64_t tenant,
                           quire_setting_fn each, void *ctx, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    quire_setting one;
    quire_status st = QUIRE_OK;
    size_t i;

    for (i = 0; i < N_SETTINGS && !st; i++) {
        arena_reset(&tmp);
        st = read_value(c, tenant, &settings[i], &tmp, &one, err);
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
    bool is = !settings_get(c, TENANT_DEFAULT, key, &tmp, &s, NULL) &&
              !strcmp(s.value, value);

    arena_release(&tmp);
    return is;
}

quire_status settings_number(struct catalog *c, int64_t tenant, const char *key,
                             uint64_t *out, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    quire_setting s = {.value = "0"};
    quire_status st = settings_get(c, tenant, key, &tmp, &s, err);

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
    quire_status st = settings_get(c, TENANT_DEFAULT, key, &tmp, &s, err);
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

    if (!st && value) {
        value = normalize_value(find_setting(key), value, &tmp);
        st = value ? QUIRE_OK : err_memory(err);
    }
    if (!st)
        st = db_begin(c->db, DB_DURABLE, DB_ALL_TENANTS, err);
    if (st) {
        arena_release(&tmp);
        return st;
    }
    st = read_row(c, key, &tmp, &before, err);
    if (!st)
        st = write_row(c, key, value, err);
    if (!st)
        st = log_change(c, key, before, value, err);
    arena_release(&tmp);
    return sql_end(c->db, st, err);
}
