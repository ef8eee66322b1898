/*
 * env.c - environment of the command
 *
 * Nothing of the caller's environment is passed on: it is where tokens live.
 */
#include <string.h>

#include "base/err.h"
#include "sandbox/priv.h"

/* These say where the command is. Programs rely on them, so a caller cannot
 * make them lie. */
static const char *const reserved[] = {"SESSION_ID", "QUIRE_DATA_DIR",
                                       "LOOM_DATA_DIR", "SESSION_ARTIFACT_DIR",
                                       "SESSION_SCRATCHPAD_DIR"};

struct env {
    char **list;
    size_t n;
    struct arena *mem;
    bool failed;
};

static size_t name_len(const char *pair)
{
    return strcspn(pair, "=");
}

static void env_put(struct env *e, char *pair)
{
    size_t i, n;

    if (!pair) {
        e->failed = true;
        return;
    }
    n = name_len(pair) + 1;
    for (i = 0; i < e->n; i++)
        if (strncmp(e->list[i], pair, n) == 0)
            break;
    e->list[i] = pair;
    if (i == e->n)
        e->n++;
}

static void env_set(struct env *e, const char *name, const char *value)
{
    if (value)
        env_put(e, arena_printf(e->mem, "%s=%s", name, value));
}

static quire_status check_pair(const char *pair, quire_error *err)
{
    size_t n = name_len(pair);
    size_t i;

    if (n == 0 || pair[n] != '=') {
        err_fail(err, QUIRE_INVALID, "write NAME=VALUE",
                 "\"%s\" is not a variable assignment", pair);
        return QUIRE_INVALID;
    }
    for (i = 0; i < sizeof reserved / sizeof *reserved; i++) {
        if (strlen(reserved[i]) == n && memcmp(reserved[i], pair, n) == 0) {
            err_fail(err, QUIRE_INVALID, "choose another name for the variable",
                     "%s is reserved: it is set for every command",
                     reserved[i]);
            return QUIRE_INVALID;
        }
    }
    return QUIRE_OK;
}

/* Each directory of PATH with the name of the command. */
static quire_status plan_tries(struct plan *p, const char *path,
                               quire_error *err)
{
    const char *name = p->spec->argv[0];
    size_t n = 0, len;

    p->tries = arena_array(&p->mem, strlen(path) + 2, sizeof *p->tries);
    if (!p->tries)
        return err_memory(err);
    if (strchr(name, '/')) {
        p->tries[0] = name;
        return QUIRE_OK;
    }
    for (; *path; path += len + (path[len] == ':')) {
        len = strcspn(path, ":");
        if (*path != '/' || *name == '\0')
            continue;
        p->tries[n] = arena_printf(&p->mem, "%.*s/%s", (int)len, path, name);
        if (!p->tries[n++])
            return err_memory(err);
    }
    return QUIRE_OK;
}

static const char *env_get(const struct env *e, const char *name)
{
    size_t i, n = strlen(name);

    for (i = 0; i < e->n; i++)
        if (strncmp(e->list[i], name, n) == 0 && e->list[i][n] == '=')
            return e->list[i] + n + 1;
    return "";
}

static void env_places(struct env *e, const struct plan *p)
{
    env_set(e, "SESSION_ID", p->spec->session);
    env_set(e, "QUIRE_DATA_DIR", p->spec->home);
    env_set(e, "LOOM_DATA_DIR", p->spec->home);
    env_set(e, "SESSION_ARTIFACT_DIR", p->agent.path);
    env_set(e, "SESSION_SCRATCHPAD_DIR", p->scratch.path);
}

quire_status plan_env(struct plan *p, quire_error *err)
{
    const char *const *given = p->spec->env;
    struct env e = {.mem = &p->mem};
    quire_status st = QUIRE_OK;
    size_t n = 0;

    while (given && given[n])
        n++;
    e.list = arena_array(&p->mem, n + 16, sizeof *e.list);
    if (!e.list)
        return err_memory(err);
    env_set(&e, "PATH", RUN_PATH);
    /* Caches and settings of tools must not become artifacts. */
    env_set(&e, "HOME", p->spaces ? "/tmp/home" : p->tmp.path);
    env_set(&e, "TMPDIR", p->spaces ? NULL : p->tmp.path);
    /* What Landlock refuses is there, but cannot be read: git gives up then. */
    env_set(&e, "GIT_CONFIG_NOSYSTEM", p->spaces ? NULL : "1");
    env_set(&e, "LANG", "C.UTF-8");
    env_set(&e, "TERM", "dumb");
    env_places(&e, p);
    for (; n > 0 && !st; n--, given++) {
        st = check_pair(*given, err);
        if (!st)
            env_put(&e, arena_printf(&p->mem, "%s", *given));
    }
    if (!st && e.failed)
        st = err_memory(err);
    p->envp = e.list;
    p->path = env_get(&e, "PATH");
    return st ? st : plan_tries(p, p->path, err);
}
