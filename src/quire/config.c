/*
 * config.c - settings, and where each comes from
 *
 * A setting has a value that makes sense without anybody having set it. It can
 * be set in the home, for everyone who uses it, and for one process by a
 * variable: quota.file by QUIRE_QUOTA_FILE. The variable wins.
 *
 * What is read back is checked like what is set: a variable, or a row that
 * another version wrote, may hold anything.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "quire/priv.h"
#include "store/sql.h"

const char config_schema[] = "CREATE TABLE setting("
                             " key TEXT PRIMARY KEY,"
                             " value TEXT NOT NULL) WITHOUT ROWID;";

enum kind {
    BYTES,  /* a number of bytes                       */
    NUMBER, /* of anything else                        */
    TIME,   /* 500ms, 2s, 5m, 24h, 7d                  */
    SWITCH, /* on, off                                 */
    CHOICE, /* one of the words in `words`             */
};

static const struct setting {
    const char *key;
    enum kind kind;
    const char *otherwise;
    const char *words;
    const char *about;
} settings[] = {
    {"quota.file", BYTES, "1048576", NULL, "bytes an artifact may have"},
    {"quota.session", BYTES, "52428800", NULL,
     "bytes the artifacts of a session may have"},
    {"quota.tenant", BYTES, "524288000", NULL,
     "bytes the artifacts of a tenant may have"},
    {"versions.kept", NUMBER, "20", NULL,
     "versions of an artifact that are kept; 0 for all"},
    {"session.sync", CHOICE, "flush", "none|flush|each",
     "when an entry is safe from a power cut"},
    {"gc.grace", TIME, "24h", NULL,
     "how long a blob that nobody names is spared"},
    {"gc.auto", SWITCH, "on", NULL, "whether blobs are collected unasked"},
};

enum { N_SETTINGS = sizeof settings / sizeof *settings };

enum { SQL_GET, SQL_SET, SQL_UNSET, N_SQL };

static const char *const texts[N_SQL] = {
    [SQL_GET] = "SELECT value FROM setting WHERE key = ?1",
    [SQL_SET] = ("INSERT INTO setting(key, value) VALUES(?1, ?2)"
                 " ON CONFLICT(key) DO UPDATE SET value = ?2"),
    [SQL_UNSET] = "DELETE FROM setting WHERE key = ?1",
};

/* ---- values ------------------------------------------------------------- */

static const struct setting *find(const char *key)
{
    size_t i;

    for (i = 0; i < N_SETTINGS; i++) {
        if (!strcmp(settings[i].key, key))
            return &settings[i];
    }
    return NULL;
}

/* Whether `word` is one of "a|b|c". */
static bool is_word_of(const char *words, const char *word)
{
    size_t len = strlen(word);

    while (*words) {
        size_t n = strcspn(words, "|");

        if (n == len && !memcmp(words, word, n))
            return true;
        words += n;
        words += *words == '|';
    }
    return false;
}

static bool is_valid(const struct setting *s, const char *value)
{
    static const char *const units[] = {"ms", "s", "m", "h", "d"};
    size_t digits = strspn(value, "0123456789"), i;

    if (s->kind == SWITCH)
        return is_word_of("on|off", value);
    if (s->kind == CHOICE)
        return is_word_of(s->words, value);
    if (digits == 0 || digits > 15)
        return false;
    if (s->kind != TIME)
        return value[digits] == '\0';
    for (i = 0; i < sizeof units / sizeof *units; i++) {
        if (!strcmp(value + digits, units[i]))
            return true;
    }
    return false;
}

static quire_status unknown(const char *key, quire_error *err)
{
    quire_status st = err_set(err, QUIRE_NOT_FOUND, "there is no setting %.60s",
                              key);

    err_next(err, "`quire config ls` lists all of them");
    return st;
}

static quire_status refuse(const struct setting *s, const char *value,
                           const char *from, quire_error *err)
{
    static const char *const forms[] = {
        [BYTES] = "a number of bytes, such as 1048576",
        [NUMBER] = "a number",
        [TIME] = "a time, such as 90s, 24h or 7d",
        [SWITCH] = "on or off",
        [CHOICE] = "one of",
    };
    quire_status st = err_set(err, QUIRE_INVALID, "%s is %s%s%s, not %.40s%s%s",
                              s->key, forms[s->kind],
                              s->kind == CHOICE ? " " : "",
                              s->kind == CHOICE ? s->words : "", value,
                              *from ? ", in " : "", from);

    err_next(err, "`quire config set %s %s` is how it was", s->key,
             s->otherwise);
    return st;
}

/* ---- where from --------------------------------------------------------- */

/* QUIRE_QUOTA_FILE of quota.file. */
static const char *variable(const struct setting *s, char name[64])
{
    size_t i;

    snprintf(name, 64, "QUIRE_%s", s->key);
    for (i = 6; name[i]; i++)
        name[i] = name[i] == '.' ? '_' : (char)toupper((unsigned char)name[i]);
    return getenv(name);
}

/* What the home says, in the store's loan; NULL: nothing. */
static quire_status read_row(struct quire *q, struct sql *sql, const char *key,
                             const char **value, quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(sql, SQL_GET, &s, err);

    *value = NULL;
    if (st)
        return st;
    s->ops->bind_text(s, 1, bytes_str(key));
    st = sql_row(s, err);
    if (!st) {
        *value = arena_text(&q->loan, s->ops->column_bytes(s, 0));
        st = *value ? QUIRE_OK : err_memory(err);
    }
    s->ops->reset(s);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

static quire_status look_up(struct quire *q, struct sql *sql,
                            const struct setting *s, quire_setting *out,
                            quire_error *err)
{
    const char *value;
    char name[64];
    quire_status st = QUIRE_OK;

    *out = (quire_setting){.key = s->key,
                           .value = s->otherwise,
                           .from = "default",
                           .otherwise = s->otherwise,
                           .about = s->about};
    value = variable(s, name);
    if (value) {
        out->value = value;
        out->from = "environment";
        return is_valid(s, value) ? QUIRE_OK : refuse(s, value, name, err);
    }
    if (sql)
        st = read_row(q, sql, s->key, &value, err);
    if (st || !value)
        return st;
    out->value = value;
    out->from = "quire.db";
    return is_valid(s, value) ? QUIRE_OK : refuse(s, value, "quire.db", err);
}

/* The home's settings, if it has a catalogue: *sql is NULL where it has none. */
static quire_status open_rows(struct quire *q, bool write, struct sql *rows,
                              struct sql **sql, quire_error *err)
{
    quire_status st = check_free(q, err);

    *sql = NULL;
    if (!st && write && q->read_only)
        st = read_only_error(q, err);
    if (!st && q->db_path)
        st = need_db(q, write, err);
    if (st || !q->db || q->schema < SCHEMA_SETTINGS)
        return st;
    st = sql_init(rows, q->db, texts, N_SQL, err);
    *sql = st ? NULL : rows;
    return st;
}

/* ---- the public functions ----------------------------------------------- */

quire_status quire_config_get(quire *q, const char *key, quire_setting *out,
                              quire_error *err)
{
    const struct setting *s = find(key);
    struct sql rows = {0}, *sql;
    quire_status st;

    if (!s)
        return unknown(key, err);
    arena_reset(&q->loan);
    st = open_rows(q, false, &rows, &sql, err);
    if (!st)
        st = look_up(q, sql, s, out, err);
    sql_release(&rows);
    return st;
}

quire_status quire_config_list(quire *q, quire_setting_fn each, void *ctx,
                               quire_error *err)
{
    struct sql rows = {0}, *sql;
    quire_setting one;
    quire_status st;
    size_t i;

    arena_reset(&q->loan);
    st = open_rows(q, false, &rows, &sql, err);
    for (i = 0; i < N_SETTINGS && !st; i++) {
        st = look_up(q, sql, &settings[i], &one, err);
        if (!st)
            st = each(ctx, &one, err);
    }
    sql_release(&rows);
    return st;
}

quire_status quire_config_set(quire *q, const char *key, const char *value,
                              quire_error *err)
{
    const struct setting *s = find(key);
    struct sql rows = {0}, *sql;
    struct stmt *stmt;
    quire_status st;

    if (!s)
        return unknown(key, err);
    if (value && !is_valid(s, value))
        return refuse(s, value, "", err);
    st = open_rows(q, true, &rows, &sql, err);
    if (!st && !sql) {
        st = err_set(err, QUIRE_INVALID,
                     "%s is a home of another program, which has no settings",
                     q->home);
        err_next(err, "set a variable such as QUIRE_QUOTA_FILE instead");
    }
    if (!st)
        st = sql_use(sql, value ? SQL_SET : SQL_UNSET, &stmt, err);
    if (!st) {
        stmt->ops->bind_text(stmt, 1, bytes_str(key));
        if (value)
            stmt->ops->bind_text(stmt, 2, bytes_str(value));
        st = sql_run(stmt, err);
    }
    sql_release(&rows);
    return st;
}

quire_status config_number(struct quire *q, const char *key, uint64_t *out,
                           quire_error *err)
{
    quire_setting s = {.value = "0"};
    quire_status st = quire_config_get(q, key, &s, err);

    if (!st)
        *out = strtoull(s.value, NULL, 10);
    return st;
}
