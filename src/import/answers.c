/* answers.c - see answers.h */
#include "import/answers.h"

#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"

static const uint64_t session_seed[2] = {0x71756972, 10};
static const uint64_t answer_seed[2] = {0x71756972, 11};

void answers_init(struct import_answers *a)
{
    pthread_mutex_init(&a->lock, NULL);
    map_init(&a->owners, 0x71756972, 12);
    a->keep = (struct arena)ARENA_INIT;
}

void answers_release(struct import_answers *a)
{
    map_release(&a->owners);
    arena_release(&a->keep);
    pthread_mutex_destroy(&a->lock);
}

/* The owner of an answer; if it has none, it gets this one. */
static uint64_t claim(struct import_answers *a, uint64_t answer, uint64_t owner)
{
    quire_bytes key = bytes_of(&answer, sizeof answer);
    uint64_t *found;

    pthread_mutex_lock(&a->lock);
    found = map_get(&a->owners, key);
    if (found) {
        owner = *found;
    } else {
        key = arena_dup(&a->keep, key);
        if (key.data)
            map_put(&a->owners, key, owner, NULL);
    }
    pthread_mutex_unlock(&a->lock);
    return owner;
}

bool answers_elsewhere(struct import_answers *a, quire *q, uint64_t answer,
                       const char *session)
{
    uint64_t owner = map_hash(session_seed, bytes_str(session));
    int elsewhere;

    if (claim(a, answer, owner) != owner)
        return true;
    return q && !quire_import_answered(q, answer, session, &elsewhere, NULL) &&
           elsewhere;
}

uint64_t answers_key(const char *agent, const struct import_usage *u)
{
    struct buf text = BUF_INIT(1 << 20);
    uint64_t key = 0;

    if (!u->message_id.len && !u->request_id.len)
        return 0;
    buf_add(&text, agent, strlen(agent) + 1);
    buf_add(&text, u->message_id.data, u->message_id.len);
    buf_add_char(&text, '\0');
    buf_add(&text, u->request_id.data, u->request_id.len);
    if (!text.failed)
        key = map_hash(answer_seed, buf_bytes(&text)) >> 1 | 1;
    buf_release(&text);
    return key;
}
