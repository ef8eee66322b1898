/*
 * replay.c - run a corpus through a fuzz target, without a fuzzer
 *
 * Linked with one X_fuzz.c. Each argument is an input, or a directory of them.
 * A target that finds something ends the program, so whoever reaches the last
 * line has passed; before each input its name goes to standard error only when
 * REPLAY_VERBOSE is set, for finding the one that did it.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int n_passed, n_failed;

static void complain(const char *path, const char *why)
{
    printf("%s: %s\n", path, why);
    n_failed++;
}

/* Into memory of exactly its size, so that a sanitizer sees the end. */
static void replay_file(const char *path, size_t size)
{
    FILE *f = fopen(path, "rb");
    uint8_t *data = malloc(size ? size : 1);

    if (getenv("REPLAY_VERBOSE"))
        fprintf(stderr, "%s\n", path);
    if (!f || !data || fread(data, 1, size, f) != size) {
        complain(path, "cannot be read");
    } else {
        LLVMFuzzerTestOneInput(data, size);
        n_passed++;
    }
    free(data);
    if (f)
        fclose(f);
}

static int visible(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

static void replay(const char *path);

/* In the order of names: the same run every time. */
static void replay_dir(const char *path)
{
    struct dirent **entries;
    int n = scandir(path, &entries, visible, alphasort), i;

    if (n <= 0)
        complain(path, n ? "cannot be listed" : "has no inputs");
    for (i = 0; i < n; i++) {
        size_t room = strlen(path) + strlen(entries[i]->d_name) + 2;
        char *inside = malloc(room);

        if (inside) {
            snprintf(inside, room, "%s/%s", path, entries[i]->d_name);
            replay(inside);
        } else {
            complain(path, "no memory");
        }
        free(inside);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
}

static void replay(const char *path)
{
    struct stat st;

    if (stat(path, &st))
        complain(path, "is not there");
    else if (S_ISDIR(st.st_mode))
        replay_dir(path);
    else
        replay_file(path, (size_t)st.st_size);
}

int main(int argc, char **argv)
{
    int i;

    if (argc < 2)
        complain("replay", "give inputs, or directories of them");
    for (i = 1; i < argc; i++)
        replay(argv[i]);
    printf("%d passed, %d failed\n", n_passed, n_failed);
    return n_failed > 0;
}
