/* Damage of every kind: found, named, never returned as content, mended. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/buf.h"
#include "blob/priv.h"
#include "support/store.h"

static quire_status remember(void *ctx, const quire_problem *p,
                             quire_error *err)
{
    (void)err;
    buf_addf(ctx, "%s;", p->kind);
    return QUIRE_OK;
}

static quire_status swallow(void *ctx, quire_bytes bytes, quire_error *err)
{
    (void)ctx;
    (void)bytes;
    (void)err;
    return QUIRE_OK;
}

/* What check says of the whole store. */
static const char *check(struct fix *f)
{
    static char said[256];
    struct buf kinds = BUF_INIT(200);
    quire_check_hooks hooks = {.size = sizeof hooks,
                               .problem = remember,
                               .ctx = &kinds};

    OK(blob_check(blob_view_all(f->blobs), NULL, &hooks, &test_err));
    snprintf(said, sizeof said, "%s", buf_text(&kinds));
    buf_release(&kinds);
    return said;
}

/* Replace a blob's file, and see that every way of reading notices. */
static void harm(struct fix *f, const quire_digest *d, quire_bytes content,
                 quire_bytes bad, const char *kind)
{
    char file[700], expect[64];
    quire_blob_info info;
    quire_bytes out;

    snprintf(file, sizeof file, "%s", fix_file(f, d));
    test_write_file(file, bad);
    IS(QUIRE_DAMAGED, blob_get(blob_view_all(f->blobs), d, &out, &test_err));
    HAS(test_err.what, digest_short(d).s);
    HAS(test_err.what, "file");
    HAS(test_err.next, "put it again");
    IS(QUIRE_DAMAGED, blob_read(blob_view_all(f->blobs), d, 0, UINT64_MAX,
                                swallow, NULL, &test_err));
    snprintf(expect, sizeof expect, "%s;", kind);
    SAME_TEXT(expect, check(f));
    SAME(bad, test_read_file(file)); /* looking changes nothing */

    /* Putting it again mends it: at once where the ends show the damage,
     * when asked to look closely otherwise. */
    OK(blob_put(blob_view_all(f->blobs), content, QUIRE_PUT_VERIFY, &info,
                &test_err));
    EQ(0, info.existed);
    OK(blob_get(blob_view_all(f->blobs), d, &out, &test_err));
    SAME(content, out);
    SAME_TEXT("", check(f));
    EQ(1, test_count_files(f->dir));
}

static void file_damage(quire_layout layout, size_t len)
{
    char *content = test_alloc(len);
    quire_bytes good, bytes = bytes_of(content, len);
    uint8_t *bad;
    quire_digest d;
    struct fix f;
    bool raw = layout == QUIRE_LAYOUT_FLAT;

    test_noise(1, content, len); /* too dense for a row */
    fix_open(&f, layout, true);
    d = fix_put(&f, bytes);
    good = test_read_file(fix_file(&f, &d));
    bad = test_alloc(good.len + 100);
    memcpy(bad, good.data, good.len);

    harm(&f, &d, bytes, bytes_of(bad, good.len / 2), raw ? "content" : "cut");
    harm(&f, &d, bytes, bytes_of(bad, good.len - 1), raw ? "content" : "cut");
    harm(&f, &d, bytes, bytes_of(bad, 0),
         raw                             ? "content"
         : layout == QUIRE_LAYOUT_PACKED ? "cut"
                                         : "not_gzip");
    /* A loose file records its size in its last bytes, here zeros. */
    harm(&f, &d, bytes, bytes_of(bad, good.len + 100),
         raw                            ? "content"
         : layout == QUIRE_LAYOUT_LOOSE ? "too_long"
                                        : "trailing");
    bad[good.len / 2] ^= 0x10;
    harm(&f, &d, bytes, bytes_of(bad, good.len), raw ? "content" : "checksum");
    test_noise(9, bad, good.len);
    harm(&f, &d, bytes, bytes_of(bad, good.len), raw ? "content" : "not_gzip");
    fix_close(&f);
    test_forget_dir();
}

TEST(a_damaged_file_is_found_named_and_mended_in_every_layout)
{
    file_damage(QUIRE_LAYOUT_LOOSE, 100000);
    file_damage(QUIRE_LAYOUT_FLAT, 100000);
    file_damage(QUIRE_LAYOUT_PACKED, 100000);
    file_damage(QUIRE_LAYOUT_LOOSE, 2000000);
    file_damage(QUIRE_LAYOUT_FLAT, 2000000);
    file_damage(QUIRE_LAYOUT_PACKED, 2000000);
}

/* A good gzip file of other content, under this name. */
TEST(content_of_another_name_is_not_taken_for_this_one)
{
    static const quire_layout layouts[] = {QUIRE_LAYOUT_LOOSE,
                                           QUIRE_LAYOUT_PACKED};
    size_t len = 100000, i;
    char *content = test_alloc(len), *other = test_alloc(len);

    test_noise(1, content, len);
    test_noise(2, other, len);
    for (i = 0; i < 2; i++) {
        quire_digest d, d2;
        quire_bytes file;
        struct fix f;

        fix_open(&f, layouts[i], true);
        d2 = fix_put(&f, bytes_of(other, len));
        file = test_read_file(fix_file(&f, &d2));
        fix_close(&f);
        test_forget_dir();

        fix_open(&f, layouts[i], true);
        d = fix_put(&f, bytes_of(content, len));
        harm(&f, &d, bytes_of(content, len), file, "content");
        fix_close(&f);
        test_forget_dir();
    }
}

TEST(a_cut_copy_is_mended_by_an_ordinary_put)
{
    static const quire_layout layouts[] = {QUIRE_LAYOUT_LOOSE,
                                           QUIRE_LAYOUT_FLAT,
                                           QUIRE_LAYOUT_PACKED};
    size_t len = 90000, i;
    char *content = test_alloc(len);

    test_noise(3, content, len);
    for (i = 0; i < 3; i++) {
        quire_blob_info info;
        quire_digest d;
        quire_bytes out;
        struct fix f;

        fix_open(&f, layouts[i], true);
        d = fix_put(&f, bytes_of(content, len));
        YES(truncate(fix_file(&f, &d), 1000) == 0);
        OK(blob_put(blob_view_all(f.blobs), bytes_of(content, len), 0, &info,
                    &test_err));
        EQ(0, info.existed);
        OK(blob_get(blob_view_all(f.blobs), &d, &out, &test_err));
        SAME(bytes_of(content, len), out);
        fix_close(&f);
        test_forget_dir();
    }
}

TEST(a_lost_file_is_missing_and_a_put_brings_it_back)
{
    char *content = test_alloc(90000);
    quire_blob_info info;
    quire_digest d;
    quire_bytes out;
    struct fix f;

    test_noise(4, content, 90000);
    fix_open(&f, QUIRE_LAYOUT_PACKED, true);
    d = fix_put(&f, bytes_of(content, 90000));
    unlink(fix_file(&f, &d));
    IS(QUIRE_DAMAGED, blob_get(blob_view_all(f.blobs), &d, &out, &test_err));
    HAS(test_err.what, "has lost its file");
    SAME_TEXT("missing;", check(&f));
    OK(blob_put(blob_view_all(f.blobs), bytes_of(content, 90000), 0, &info,
                &test_err));
    EQ(0, info.existed);
    SAME_TEXT("", check(&f));
    fix_close(&f);
}

/* Rows, harmed through the database itself. */
static void harm_row(struct fix *f, const quire_digest *d, quire_bytes content,
                     const char *sql, const char *kind)
{
    char expect[64];
    quire_blob_info info;
    quire_bytes out;

    OK(db_exec(f->db, sql, &test_err));
    IS(QUIRE_DAMAGED, blob_get(blob_view_all(f->blobs), d, &out, &test_err));
    HAS(test_err.what, digest_short(d).s);
    snprintf(expect, sizeof expect, "%s;", kind);
    SAME_TEXT(expect, check(f));
    memset(&test_err, 0, sizeof test_err);
    OK(blob_put(blob_view_all(f->blobs), content, QUIRE_PUT_VERIFY, &info,
                &test_err));
    SAME_TEXT("", test_err.what); /* success leaves the error alone */
    EQ(0, info.existed);
    SAME_TEXT("", check(f));
    OK(blob_get(blob_view_all(f->blobs), d, &out, &test_err));
    SAME(content, out);
}

TEST(a_damaged_row_is_found_named_and_mended)
{
    char *content = test_alloc(5000);
    quire_bytes bytes = bytes_of(content, 5000), tiny = bytes_str("plain");
    quire_digest d;
    struct fix f;

    test_prose(5, content, 5000);
    fix_open(&f, QUIRE_LAYOUT_PACKED, true);
    d = fix_put(&f, bytes);
    harm_row(&f, &d, bytes, "UPDATE body SET bytes = substr(bytes, 1, 100)",
             "cut");
    harm_row(&f, &d, bytes, "DELETE FROM body", "cut");
    harm_row(&f, &d, bytes, "UPDATE body SET bytes = zeroblob(length(bytes))",
             "not_gzip");
    harm_row(&f, &d, bytes, "UPDATE blob SET size = 4999", "too_long");
    harm_row(&f, &d, bytes, "UPDATE blob SET size = 5001", "too_short");
    harm_row(&f, &d, bytes, "UPDATE blob SET codec = 0", "too_short");
    harm_row(&f, &d, bytes, "UPDATE blob SET codec = 7", "row");
    harm_row(&f, &d, bytes, "UPDATE blob SET size = 3000000000", "row");
    harm_row(&f, &d, bytes, "UPDATE blob SET size = -1", "row");
    harm_row(&f, &d, bytes, "UPDATE blob SET stored = -5", "row");
    harm_row(&f, &d, bytes, "UPDATE blob SET in_file = 2", "row");
    fix_close(&f);
    test_forget_dir();

    fix_open(&f, QUIRE_LAYOUT_PACKED, true);
    d = fix_put(&f, tiny);
    harm_row(&f, &d, tiny, "UPDATE body SET bytes = X'706c61696f'", "content");
    fix_close(&f);
}

/* The promise that matters most, for every bit of a store. */
TEST(no_flipped_bit_of_any_stored_file_is_returned_as_content)
{
    static const quire_layout layouts[] = {QUIRE_LAYOUT_LOOSE,
                                           QUIRE_LAYOUT_FLAT};
    char *content = test_alloc(700);
    size_t i, bit;

    test_prose(6, content, 700);
    for (i = 0; i < 2; i++) {
        quire_digest d;
        quire_bytes good, out;
        uint8_t *bad;
        struct fix f;

        fix_open(&f, layouts[i], true);
        d = fix_put(&f, bytes_of(content, 700));
        good = test_read_file(fix_file(&f, &d));
        bad = test_alloc(good.len);
        for (bit = 0; bit < good.len * 8; bit++) {
            memcpy(bad, good.data, good.len);
            bad[bit / 8] ^= (uint8_t)(1 << bit % 8);
            test_write_file(fix_file(&f, &d), bytes_of(bad, good.len));
            if (blob_get(blob_view_all(f.blobs), &d, &out, &test_err) ==
                QUIRE_OK)
                SAME(bytes_of(content, 700), out);
        }
        fix_close(&f);
        test_forget_dir();
    }
}

TEST(a_file_that_a_crash_left_without_its_row_is_found_and_adopted)
{
    char *content = test_alloc(90000);
    quire_blob_info info;
    quire_digest d;
    quire_bytes out;
    struct fix f;

    test_noise(7, content, 90000);
    fix_open(&f, QUIRE_LAYOUT_PACKED, true);
    fix_put(&f, bytes_str("a row that is there"));
    d = fix_put(&f, bytes_of(content, 90000));
    OK(db_exec(f.db, "DELETE FROM blob WHERE in_file", &test_err));
    OK(blob_get(blob_view_all(f.blobs), &d, &out, &test_err));
    SAME(bytes_of(content, 90000), out);
    SAME_TEXT("", check(&f));
    OK(blob_put(blob_view_all(f.blobs), bytes_of(content, 90000), 0, &info,
                &test_err));
    EQ(1, info.existed);
    OK(blob_stat(blob_view_all(f.blobs), &d, &info, &test_err));
    EQ(90000, info.size);
    fix_close(&f);
}

TEST(a_row_without_a_digest_is_told_and_passed_over)
{
    struct fix f;

    fix_open(&f, QUIRE_LAYOUT_PACKED, true);
    fix_put(&f, bytes_str("one"));
    OK(db_exec(f.db,
               "INSERT INTO blob VALUES(99, X'05', 1, 1, 0, 0, 0),"
               "(98, X'', 1, 1, 0, 0, 0), (97, 'text', 1, 1, 0, 0, 0)",
               &test_err));
    SAME_TEXT("row;", check(&f));
    fix_close(&f);
}

TEST(files_that_no_row_knows_are_the_trace_of_a_lost_database)
{
    char *content = test_alloc(90000);
    struct fix f;

    test_noise(8, content, 90000);
    fix_open(&f, QUIRE_LAYOUT_PACKED, true);
    fix_put(&f, bytes_of(content, 90000));
    SAME_TEXT("", check(&f));
    OK(db_exec(f.db, "DELETE FROM blob", &test_err));
    SAME_TEXT("row;", check(&f));
    fix_close(&f);
}

/* Flip a bit in the middle of a stored blob, in its file or its row. */
static void flip(struct fix *f, const quire_digest *d)
{
    quire_bytes file;
    uint8_t *bad;

    if (f->layout == QUIRE_LAYOUT_PACKED) {
        OK(db_exec(f->db,
                   "UPDATE body SET bytes = CAST(replace(CAST(bytes AS TEXT),"
                   " 'q', 'r') AS BLOB)",
                   &test_err));
        return;
    }
    file = test_read_file(fix_file(f, d));
    bad = test_alloc(file.len);
    memcpy(bad, file.data, file.len);
    bad[file.len / 2] ^= 1;
    test_write_file(fix_file(f, d), bytes_of(bad, file.len));
}

TEST(content_that_its_owner_gives_up_replaces_a_damaged_copy)
{
    static const quire_layout layouts[] = {QUIRE_LAYOUT_LOOSE,
                                           QUIRE_LAYOUT_FLAT,
                                           QUIRE_LAYOUT_PACKED};
    quire_bytes text = bytes_str("only this copy, quite whole"), out;
    size_t i;

    for (i = 0; i < 3; i++) {
        struct fix f;
        quire_blob_info info;
        quire_digest d;

        fix_open(&f, layouts[i], true);
        d = fix_put(&f, text);
        flip(&f, &d);
        trust_clear(f.blobs); /* as another process would */
        OK(blob_put(blob_view_all(f.blobs), text, QUIRE_PUT_MOVE, &info,
                    &test_err));
        EQ(0, info.existed);
        OK(blob_get(blob_view_all(f.blobs), &d, &out, &test_err));
        SAME(text, out);
        OK(blob_put(blob_view_all(f.blobs), text, QUIRE_PUT_MOVE, &info,
                    &test_err));
        EQ(1, info.existed);
        fix_close(&f);
        test_forget_dir();
    }
}

TEST(damage_that_a_read_found_is_mended_by_an_ordinary_put)
{
    static const quire_layout layouts[] = {QUIRE_LAYOUT_LOOSE,
                                           QUIRE_LAYOUT_FLAT,
                                           QUIRE_LAYOUT_PACKED};
    quire_bytes text = bytes_str("read first, then put, quite whole"), out;
    size_t i;

    for (i = 0; i < 3; i++) {
        quire_blob_info info;
        quire_digest d;
        struct fix f;

        fix_open(&f, layouts[i], true);
        d = fix_put(&f, text);
        flip(&f, &d);
        IS(QUIRE_DAMAGED,
           blob_get(blob_view_all(f.blobs), &d, &out, &test_err));
        OK(blob_put(blob_view_all(f.blobs), text, 0, &info, &test_err));
        EQ(0, info.existed);
        OK(blob_get(blob_view_all(f.blobs), &d, &out, &test_err));
        SAME(text, out);
        fix_close(&f);
        test_forget_dir();
    }
}

TEST(a_copy_written_by_a_transaction_that_was_rolled_back_is_not_trusted)
{
    quire_bytes text = bytes_str("rolled back, quite whole"), out;
    quire_blob_info info;
    quire_digest d;
    struct fix f;

    fix_open(&f, QUIRE_LAYOUT_PACKED, true);
    d = fix_put(&f, text);
    flip(&f, &d);
    trust_clear(f.blobs);
    OK(blobs_begin(f.blobs, DB_ALL_TENANTS, &test_err));
    OK(blob_put(blob_view_all(f.blobs), text, QUIRE_PUT_MOVE, &info,
                &test_err));
    blobs_rollback(f.blobs);
    OK(blob_put(blob_view_all(f.blobs), text, QUIRE_PUT_MOVE, &info,
                &test_err));
    OK(blob_get(blob_view_all(f.blobs), &d, &out, &test_err));
    SAME(text, out);
    fix_close(&f);
}

TEST(a_put_notices_a_file_that_does_not_begin_as_gzip)
{
    static const quire_layout layouts[] = {QUIRE_LAYOUT_LOOSE,
                                           QUIRE_LAYOUT_PACKED};
    char *content = test_alloc(90000);
    size_t i;

    test_noise(11, content, 90000);
    for (i = 0; i < 2; i++) {
        quire_blob_info info;
        quire_bytes file;
        quire_digest d;
        uint8_t *bad;
        struct fix f;

        fix_open(&f, layouts[i], true);
        d = fix_put(&f, bytes_of(content, 90000));
        file = test_read_file(fix_file(&f, &d));
        bad = test_alloc(file.len);
        memcpy(bad, file.data, file.len);
        memset(bad, 0, 512);
        test_write_file(fix_file(&f, &d), bytes_of(bad, file.len));
        OK(blob_put(blob_view_all(f.blobs), bytes_of(content, 90000), 0, &info,
                    &test_err));
        EQ(0, info.existed);
        SAME_TEXT("", check(&f));
        fix_close(&f);
        test_forget_dir();
    }
}

/* A file of 4 MiB or more does not record its exact size. */
TEST(a_file_is_not_unpacked_further_than_the_size_that_is_expected)
{
    size_t len = (size_t)5 << 20;
    char *content = test_alloc(len);
    quire_bytes text = bytes_str("fifteen bytes.."), file, out;
    quire_blob_info info;
    quire_digest big, d;
    struct fix f;

    test_noise(12, content, len);
    fix_open(&f, QUIRE_LAYOUT_LOOSE, true);
    big = fix_put(&f, bytes_of(content, len));
    OK(blob_stat_within(blob_view_all(f.blobs), &big, 15, &info, &test_err));
    YES(info.size == UINT64_MAX);
    OK(blob_stat_within(blob_view_all(f.blobs), &big, len, &info, &test_err));
    EQ(len, info.size);
    OK(blob_stat_within(blob_view_all(f.blobs), &big, 2 * len, &info,
                        &test_err));
    EQ(len, info.size);

    file = test_read_file(fix_file(&f, &big));
    d = fix_put(&f, text);
    test_write_file(fix_file(&f, &d), file);
    OK(blob_put(blob_view_all(f.blobs), text, QUIRE_PUT_VERIFY, &info,
                &test_err));
    EQ(0, info.existed);
    OK(blob_get(blob_view_all(f.blobs), &d, &out, &test_err));
    SAME(text, out);
    fix_close(&f);
}
