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
#include "base/json.h"
#include "api/audit_log.h"
#include "store/sql.h"

const char config_schema[] = "CREATE TABLE setting("
                             " key TEXT PRIMARY KEY,"
                             " value TEXT NOT NULL) WITHOUT ROWID;";

enum kind { NUMBER, SPAN, WORD };

static const struct setting {
    const char *key;
    enum kind kind;
    const char *otherwise;
    const char *words; /* of a WORD: which there are, each with a space */
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

/* So many digits fit in what it is compared with. */
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

static quire_status unknown(const char *key, quire_error *err)
{
    quire_status st = err_fail(err, QUIRE_NOT_FOUND,
                               "`quire config ls` lists all of them",
                               "there is no setting %.60s", key);
    return st;
}

static quire_status refuse(const struct setting *s, const char *value,
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
    stmt_bind_text(s, 1, bytes_str(key));
    st = sql_row(s, err);
    if (!st) {
        *value = arena_text(&q->loan, stmt_column_bytes(s, 0));
        st = *value ? QUIRE_OK : err_memory(err);
    }
    stmt_reset(s);
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

/* The home's settings, if it has a catalogue: *sql is NULL where it has none.
 * The statements stay: a put asks for four of them. */
static quire_status open_rows(struct quire *q, bool write, struct sql **sql,
                              quire_error *err)
{
    quire_status st = check_free(q, err);

    *sql = NULL;
    if (!st && write && q->read_only)
        st = read_only_error(err);
    if (!st && q->db_path)
        st = need_db(q, write, err);
    if (st || !q->db || q->schema < SCHEMA_SETTINGS)
        return st;
    if (!q->settings.stmts)
        st = sql_init(&q->settings, q->db, texts, N_SQL, err);
    *sql = st ? NULL : &q->settings;
    return st;
}

/* ---- the public functions ----------------------------------------------- */

/* Without taking back what is on loan: this is asked in the middle of calls. */
static quire_status get(struct quire *q, const char *key, quire_setting *out,
                        quire_error *err)
{
    const struct setting *s = find(key);
    struct sql *sql;
    quire_status st;

    if (!s)
        return unknown(key, err);
    st = open_rows(q, false, &sql, err);
    return st ? st : look_up(q, sql, s, out, err);
}

quire_status quire_config_get(quire *q, const char *key, quire_setting *out,
                              quire_error *err)
{
    arena_reset(&q->loan);
    return get(q, key, out, err);
}

quire_status quire_config_list(quire *q, quire_setting_fn each, void *ctx,
                               quire_error *err)
{
    struct sql *sql;
    quire_setting one;
    quire_status st;
    size_t i;

    arena_reset(&q->loan);
    st = open_rows(q, false, &sql, err);
    for (i = 0; i < N_SETTINGS && !st; i++) {
        st = look_up(q, sql, &settings[i], &one, err);
        if (!st)
            st = each(ctx, &one, err);
    }
    return st;
}

/* Rooms that were opened with the settings as they were are opened again. */
static void forget_rooms(struct quire *q)
{
    q->limits_state = 0;
    if (q->in_batch || q->in_group)
        return;
    artifacts_free(q->artifacts);
    q->artifacts = NULL;
    blobs_free(q->blobs);
    q->blobs = NULL;
    q->relaxed = config_is(q, "durability", "flush");
    db_relax(q->db, q->relaxed);
}

/* What it was set to before, and is now; nothing if that is the same. */
static quire_status note(struct quire *q, const char *key, const char *before,
                         const char *after, quire_error *err)
{
    struct buf was = BUF_INIT(4096), is = BUF_INIT(4096);
    quire_status st = QUIRE_OK;

    if (before)
        json_add_quoted(&was, bytes_str(before));
    if (after)
        json_add_quoted(&is, bytes_str(after));
    if (!bytes_equal(buf_bytes(&was), buf_bytes(&is)))
        st = audit_log_add(q, "config.set", 0, key,
                           before ? buf_text(&was) : NULL,
                           after ? buf_text(&is) : NULL, err);
    buf_release(&was);
    buf_release(&is);
    return st;
}

quire_status quire_config_set(quire *q, const char *key, const char *value,
                              quire_error *err)
{
    const struct setting *s = find(key);
    const char *before = NULL;
    struct sql *sql;
    struct stmt *stmt;
    quire_status st;

    if (!s && value)
        return unknown(key, err);
    if (value && !is_valid(s, value))
        return refuse(s, value, "", err);
    st = open_rows(q, true, &sql, err);
    if (!st && !sql) {
        st = err_fail(err, QUIRE_INVALID,
                      "set a variable such as QUIRE_QUOTA_FILE instead",
                      "%s is a home of another program, which has no settings",
                      q->home);
    }
    if (!st)
        st = db_begin(q->db, DB_DURABLE, err);
    if (st)
        return st;
    st = read_row(q, sql, key, &before, err);
    if (!st)
        st = sql_use(sql, value ? SQL_SET : SQL_UNSET, &stmt, err);
    if (!st) {
        stmt_bind_text(stmt, 1, bytes_str(key));
        if (value)
            stmt_bind_text(stmt, 2, bytes_str(value));
        st = sql_run(stmt, err);
    }
    /* One that nobody knows can be taken back all the same, if it is there. */
    if (!st && !s && db_changes(q->db) == 0)
        st = unknown(key, err);
    if (!st)
        st = note(q, key, before, value, err);
    st = sql_end(q->db, st, err);
    if (!st)
        forget_rooms(q);
    return st;
}

bool config_knows(const char *key, const char *value)
{
    const struct setting *s = find(key);

    return s && is_valid(s, value);
}

bool config_is(struct quire *q, const char *key, const char *word)
{
    quire_setting s = {.value = ""};

    return !get(q, key, &s, NULL) && !strcmp(s.value, word);
}

quire_status config_number(struct quire *q, const char *key, uint64_t *out,
                           quire_error *err)
{
    quire_setting s = {.value = "0"};
    quire_status st = get(q, key, &s, err);

    if (!st)
        *out = strtoull(s.value, NULL, 10);
    return st;
}

quire_status config_span(struct quire *q, const char *key, int64_t *seconds,
                         quire_error *err)
{
    quire_setting s = {.value = "0"};
    quire_status st = get(q, key, &s, err);
    char *unit;

    if (st)
        return st;
    *seconds = strtoll(s.value, &unit, 10);
    *seconds *= *unit == 'm'   ? 60
                : *unit == 'h' ? 3600
                : *unit == 'd' ? 86400
                               : 1;
    return QUIRE_OK;
}
