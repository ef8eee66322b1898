/* A program with functions of its own that are called as some of ours are
 * inside. The archive keeps those to itself, so both sides call their own. */
#include <quire.h>

#include <stdio.h>
#include <stdlib.h>

void buf_add(void);
void arena_alloc(void);
void json_get(void);
void blob_put(void);
void blobs_new(void);
void err_set(void);
void hash_bytes(void);
void layout_name(void);
void fs_open_dir(void);
void store_files_open(void);
void db_sqlite_open(void);
void packer_new(void);

static void mine(void)
{
    fputs("the library has called a function of the program\n", stderr);
    abort();
}

void buf_add(void)
{
    mine();
}
void arena_alloc(void)
{
    mine();
}
void json_get(void)
{
    mine();
}
void blob_put(void)
{
    mine();
}
void blobs_new(void)
{
    mine();
}
void err_set(void)
{
    mine();
}
void hash_bytes(void)
{
    mine();
}
void layout_name(void)
{
    mine();
}
void fs_open_dir(void)
{
    mine();
}
void store_files_open(void)
{
    mine();
}
void db_sqlite_open(void)
{
    mine();
}
void packer_new(void)
{
    mine();
}

int main(int argc, char **argv)
{
    static char content[100000];
    quire_options options = QUIRE_OPTIONS_INIT;
    quire_bytes bytes = {content, sizeof content};
    quire_blob_info info;
    quire_error err = {QUIRE_OK, "", "", QUIRE_CODE_NONE, QUIRE_FOR_ALL};
    quire *q = NULL;

    if (argc != 2)
        return 2;
    options.home = argv[1];
    if (quire_open(&options, &q, &err) ||
        quire_blob_put(q, bytes, 0, &info, &err) ||
        quire_blob_get(q, &info.digest, &bytes, &err)) {
        fprintf(stderr, "%s (%s)\n", err.what, err.next);
        return 1;
    }
    quire_close(q);
    puts("it works");
    return 0;
}
