/*
 * The promises of store/lease.h, over every backend, bare and behind the
 * wrapper.
 */
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "support/backends.h"
#include "support/test.h"

/* ---- locks --------------------------------------------------------------- */

static void claiming(struct store *s)
{
    OK(backend_put(s, "a/b/one", "1", false));
    OK(lease_lock_dir(s->leases, "a/b", 0, &test_err));
    OK(backend_put(s, "a/b/two", "2",
                   false)); /* it hinders nobody who does not ask */
    lease_unlock_dir(s->leases);
    OK(lease_lock_dir(s->leases, "", 0, &test_err));
    lease_unlock_dir(s->leases);
    OK(lease_lock_dir(s->leases, "a/b", 0, &test_err));
    lease_unlock_dir(s->leases);
}

TEST(lease_directory_can_be_claimed_and_let_go)
{
    backend_each(claiming);
}

TEST(lease_claim_is_the_same_whichever_store_reaches_the_directory)
{
    struct store *whole, *part;

    OK(store_files_open(test_path("s"), false, &whole, &test_err));
    OK(backend_put(whole, "a/b/one", "1", false));
    OK(store_files_open(test_path("s/a/b"), false, &part, &test_err));
    OK(lease_lock_dir(part->leases, "", 0, &test_err));
    IS(QUIRE_BUSY, lease_lock_dir(whole->leases, "a/b", 5, &test_err));
    OK(lease_lock_dir(whole->leases, "a", 0, &test_err));
    lease_unlock_dir(whole->leases);
    lease_unlock_dir(part->leases);
    OK(lease_lock_dir(whole->leases, "a/b", 0, &test_err));
    IS(QUIRE_BUSY, lease_lock_dir(part->leases, "", 5, &test_err));
    lease_unlock_dir(whole->leases);
    IS(QUIRE_NOT_FOUND, lease_lock_dir(whole->leases, "nowhere", 0, &test_err));
    store_free(part);
    store_free(whole);
}

static void locking(struct store *s)
{
    OK(lease_lock(s->leases, LEASE_SHARED, 0, &test_err));
    OK(lease_lock(s->leases, LEASE_EXCLUSIVE, 0, &test_err));
    OK(lease_lock(s->leases, LEASE_UNLOCK, 0, &test_err));
    OK(lease_lock(s->leases, LEASE_UNLOCK, 0, &test_err));
}

TEST(lease_lock_can_change_its_mode)
{
    backend_each(locking);
}

TEST(files_store_lock_is_between_handles)
{
    struct store *a = backend_files(), *b = backend_files();

    OK(lease_lock(a->leases, LEASE_SHARED, 0, &test_err));
    OK(lease_lock(b->leases, LEASE_SHARED, 0, &test_err));
    IS(QUIRE_BUSY, lease_lock(b->leases, LEASE_EXCLUSIVE, 5, &test_err));
    HAS(test_err.what, "store");
    store_free(a);
    OK(lease_lock(b->leases, LEASE_EXCLUSIVE, 5, &test_err));
    store_free(b);
}

static void marking(struct store *s)
{
    int64_t one, two, three;

    OK(backend_put(s, "a", "1", false));
    OK(lease_lock(s->leases, LEASE_SHARED, 0, &test_err));
    OK(lease_gen(s->leases, &one, &test_err));
    lease_touch_gen(s->leases);
    OK(lease_gen(s->leases, &two, &test_err));
    lease_touch_gen(s->leases);
    OK(lease_gen(s->leases, &three, &test_err));
    YES(one != two && two != three);
    OK(lease_gen(s->leases, &two, &test_err));
    EQ(three, two);
    OK(lease_lock(s->leases, LEASE_UNLOCK, 0, &test_err));
}

TEST(lease_marks_differ)
{
    backend_each(marking);
}

/* ---- leases -------------------------------------------------------------- */

enum { LONG = 3600 * 1000 };

static void taking(struct store *s)
{
    uint64_t one, two, three;

    OK(lease_take(s->leases, "gc", "server a", LONG, &one, &test_err));
    YES(one > 0);
    IS(QUIRE_BUSY,
       lease_take(s->leases, "gc", "server b", LONG, &two, &test_err));
    HAS(test_err.what, "server a");
    OK(lease_take(s->leases, "merge", "server b", LONG, &two, &test_err));
    OK(lease_renew(s->leases, "gc", one, LONG, &test_err));
    OK(lease_release(s->leases, "gc", one, &test_err));
    OK(lease_take(s->leases, "gc", "server b", LONG, &two, &test_err));
    YES(two > one);
    /* The same holder may begin again, under a new epoch. */
    OK(lease_take(s->leases, "gc", "server b", LONG, &three, &test_err));
    YES(three > two);
}

TEST(lease_is_held_by_one_and_its_epoch_rises)
{
    backend_each(taking);
}

static void losing(struct store *s)
{
    uint64_t old, new;

    IS(QUIRE_CHANGED, lease_renew(s->leases, "gc", 1, LONG, &test_err));
    IS(QUIRE_CHANGED, lease_release(s->leases, "gc", 0, &test_err));
    OK(lease_take(s->leases, "gc", "a", 1, &old, &test_err));
    usleep(5000);
    OK(lease_take(s->leases, "gc", "b", LONG, &new, &test_err));
    YES(new > old);
    IS(QUIRE_CHANGED, lease_renew(s->leases, "gc", old, LONG, &test_err));
    IS(QUIRE_CHANGED, lease_release(s->leases, "gc", old, &test_err));
    IS(QUIRE_BUSY, lease_take(s->leases, "gc", "a", LONG, &old, &test_err));
    OK(lease_release(s->leases, "gc", new, &test_err));
    IS(QUIRE_CHANGED, lease_renew(s->leases, "gc", new, LONG, &test_err));
}

TEST(lease_that_has_ended_can_be_taken_and_its_old_epoch_is_lost)
{
    backend_each(losing);
}

static void renewing(struct store *s)
{
    uint64_t epoch, other;

    OK(lease_take(s->leases, "gc", "a", 1, &epoch, &test_err));
    usleep(5000);
    OK(lease_renew(s->leases, "gc", epoch, LONG, &test_err));
    IS(QUIRE_BUSY, lease_take(s->leases, "gc", "b", LONG, &other, &test_err));
    IS(QUIRE_INVALID, lease_renew(s->leases, "gc", epoch, 0, &test_err));
}

TEST(lease_that_has_ended_can_be_renewed_while_it_is_free)
{
    backend_each(renewing);
}

static void naming(struct store *s)
{
    static const char *const bad[] = {"", "a/b", "../x", ".", "a\nb"};
    uint64_t epoch;
    size_t i;

    for (i = 0; i < sizeof bad / sizeof *bad; i++)
        IS(QUIRE_INVALID,
           lease_take(s->leases, bad[i], "a", LONG, &epoch, &test_err));
    IS(QUIRE_INVALID, lease_take(s->leases, "x", "", LONG, &epoch, &test_err));
    IS(QUIRE_INVALID, lease_take(s->leases, "x", "a", 0, &epoch, &test_err));
    if (test_exists(test_path("store")))
        EQ(0, test_count_files(test_path("store")));
}

TEST(lease_refuses_what_cannot_be_a_name_or_a_holder)
{
    backend_each(naming);
}

TEST(files_lease_is_between_handles_and_its_epoch_outlives_them)
{
    struct store *a = backend_files(), *b = backend_files();
    uint64_t one, two;

    OK(lease_take(a->leases, "job", "a", LONG, &one, &test_err));
    IS(QUIRE_BUSY, lease_take(b->leases, "job", "b", LONG, &two, &test_err));
    OK(lease_release(a->leases, "job", one, &test_err));
    store_free(a);
    store_free(b);
    a = backend_files();
    OK(lease_take(a->leases, "job", "b", LONG, &two, &test_err));
    YES(two > one);
    store_free(a);
}

TEST(files_lease_never_gives_two_processes_the_same_epoch)
{
    enum { PROCESSES = 4, TAKES = 25 };
    struct store *s = backend_files();
    bool seen[PROCESSES * TAKES + 1] = {false};
    int pipes[2], i, n;
    uint64_t epoch;

    YES(pipe(pipes) == 0);
    for (i = 0; i < PROCESSES; i++) {
        if (fork() != 0)
            continue;
        /* All have one name: a take never has to wait. */
        for (n = 0; n < TAKES; n++)
            if (lease_take(s->leases, "job", "us", LONG, &epoch, NULL) ||
                write(pipes[1], &epoch, sizeof epoch) != sizeof epoch)
                _exit(1);
        _exit(0);
    }
    close(pipes[1]);
    for (n = 0; read(pipes[0], &epoch, sizeof epoch) == sizeof epoch; n++) {
        YES(epoch >= 1 && epoch <= PROCESSES * TAKES);
        NO(seen[epoch]);
        seen[epoch] = true;
    }
    EQ(PROCESSES * TAKES, n);
    close(pipes[0]);
    for (i = 0; i < PROCESSES; i++)
        wait(NULL);
    store_free(s);
}

TEST(files_lease_that_is_damaged_is_reported)
{
    static const char *const damaged[] = {"", "no number\n", "7\n", "7 0\n",
                                          "7 x a", "-7 0 a\n", "7 -1 a\n",
                                          "7 99999999999999999999 a\n",
                                          /* The next epoch would be 0. */
                                          "18446744073709551615 0 a\n",
                                          "99999999999999999999 0 a\n"};
    struct store *s = backend_files();
    uint64_t epoch;
    size_t i;

    OK(lease_take(s->leases, "job", "a", LONG, &epoch, &test_err));
    for (i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        test_write_file(test_path("store/leases/job"), bytes_str(damaged[i]));
        IS(QUIRE_DAMAGED,
           lease_take(s->leases, "job", "a", LONG, &epoch, &test_err));
        HAS(test_err.what, "leases/job");
    }
    test_write_file(test_path("store/leases/job"), bytes_str("7 0 a\n"));
    OK(lease_take(s->leases, "job", "b", LONG, &epoch, &test_err));
    EQ(8, epoch);
    store_free(s);
}

TEST(files_lease_epoch_never_falls_whichever_call_fails)
{
    uint64_t highest = 0, epoch;
    bool struck = true;
    long n;

    for (n = 1; struck; n++) {
        struct store *s = backend_files();
        quire_status st;

        fault_arm(n, EIO, false);
        st = lease_take(s->leases, "job", "a", LONG, &epoch, &test_err);
        struck = fault_disarm();
        if (!st) {
            YES(epoch > highest);
            highest = epoch;
        }
        store_free(s);
    }
    YES(n > 5);
    NO(test_litter(test_path("store")));
}
