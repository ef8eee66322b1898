/* Compressed logs: gzip_file.h, and what is in the file. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/fs.h"
#include "store/gzip_file.h"
#include "support/test.h"

#define CEILING ((size_t)1 << 28)

static int open_file(const char *name)
{
    int fd = open(test_path(name), O_RDWR | O_APPEND | O_CREAT, 0600);

    YES(fd >= 0);
    return fd;
}

static uint64_t bytes_in(int fd)
{
    struct stat st;

    YES(fstat(fd, &st) == 0);
    return (uint64_t)st.st_size;
}

static uint64_t rng = 88172645463325252u;

static uint64_t draw(uint64_t below)
{
    rng ^= rng << 13;
    rng ^= rng >> 7;
    rng ^= rng << 17;
    return rng % below;
}

/* Lines that compress like sessions do, or noise. */
static void add_text(struct buf *b, size_t n, bool noise)
{
    size_t from = b->len;

    while (b->len - from < n)
        if (noise)
            buf_add_char(b, (char)draw(256));
        else
            buf_addf(b, "{\"type\":\"message\",\"id\":\"%08x\",\"n\":%u}\n",
                     (unsigned)draw(1u << 31), (unsigned)draw(1000));
    b->len = from + n;
}

/* A second reader sees `text`, whole and in a piece from the middle. */
static void holds(int fd, const struct buf *text)
{
    struct gzip_file f;
    char *all = malloc(text->len + 1);
    size_t from = text->len / 3, n = text->len / 2;
    uint64_t size = bytes_in(fd);

    YES(all != NULL);
    EQ(0, gzip_file_size(fd, &size));
    EQ(text->len, size);
    gzip_file_init(&f, fd);
    EQ(text->len, gzip_file_read(&f, 0, all, text->len + 1));
    SAME(buf_bytes(text), bytes_of(all, text->len));
    EQ(n, gzip_file_read(&f, from, all, n));
    SAME(bytes_sub(buf_bytes(text), from, from + n), bytes_of(all, n));
    EQ(0, gzip_file_read(&f, text->len + 5, all, n));
    gzip_file_release(&f);
    free(all);
}

TEST(a_compressed_log_is_what_a_model_in_memory_is)
{
    struct buf text = BUF_INIT(CEILING), piece = BUF_INIT(CEILING);
    int round, fd = open_file("log"), patch = open(test_path("log"), O_RDWR);
    struct gzip_file w, r;
    char seen[700];

    gzip_file_init(&w, fd);
    gzip_file_init(&r, fd); /* a reader that stays */
    for (round = 0; round < 300; round++) {
        unsigned what = (unsigned)draw(10);

        if (what < 6 || text.len == 0) {
            buf_clear(&piece);
            add_text(&piece, 1 + draw(what == 0 ? 400000 : 3000), what == 1);
            EQ(0, gzip_file_append(&w, buf_bytes(&piece)));
            buf_add(&text, piece.data, piece.len);
        } else if (what < 8) {
            text.len = draw(text.len) + 1;
            EQ(0, gzip_file_cut(&w, text.len));
        } else if (what == 8) {
            text.data[0] ^= 1;
            EQ(0, gzip_file_patch(&w, patch, 0, bytes_of(text.data, 1)));
        } else {
            size_t at = draw(text.len), n = text.len - at;

            n = n < sizeof seen ? n : sizeof seen;
            EQ(n, gzip_file_read(&r, at, seen, n));
            SAME(bytes_sub(buf_bytes(&text), at, at + n), bytes_of(seen, n));
        }
        if (round % 20 == 0)
            holds(fd, &text);
    }
    holds(fd, &text);
    gzip_file_release(&w);
    gzip_file_release(&r);
    close(fd);
    close(patch);
    buf_release(&text);
    buf_release(&piece);
}

/* A file of three appends; *ends are the sizes of the file after each. */
static void make(int fd, struct buf *text, uint64_t ends[3])
{
    struct gzip_file w;
    size_t from;
    int i;

    gzip_file_init(&w, fd);
    for (i = 0; i < 3; i++) {
        from = text->len;
        add_text(text, i == 1 ? 300000 : 900, false);
        EQ(0,
           gzip_file_append(&w, bytes_sub(buf_bytes(text), from, text->len)));
        ends[i] = bytes_in(fd);
    }
    gzip_file_release(&w);
}

TEST(a_log_that_was_torn_anywhere_has_its_whole_blocks_and_can_grow)
{
    struct buf text = BUF_INIT(CEILING);
    int fd = open_file("log"), copy;
    uint64_t ends[3], at;
    char *all, *back;

    make(fd, &text, ends);
    all = malloc(ends[2]);
    back = malloc(text.len + 8);
    YES(all && back);
    EQ((ssize_t)ends[2], fs_read_at(fd, all, ends[2], 0));
    for (at = ends[0]; at < ends[2]; at += 1 + draw(40)) {
        struct gzip_file f;
        ssize_t n, grown;

        unlink(test_path("copy"));
        copy = open_file("copy");
        EQ(0, fs_write_all(copy, bytes_of(all, at)));
        gzip_file_init(&f, copy);
        n = gzip_file_read(&f, 0, back, text.len);
        YES(n >= 900 && (size_t)n <= text.len);
        SAME(bytes_of(text.data, (size_t)n), bytes_of(back, (size_t)n));
        EQ(0, gzip_file_append(&f, bytes_str("more\n")));
        grown = gzip_file_read(&f, 0, back, text.len + 8);
        EQ(n + 5, grown);
        SAME(bytes_str("more\n"), bytes_of(back + n, 5));
        gzip_file_release(&f);
        close(copy);
    }
    free(all);
    free(back);
    close(fd);
    buf_release(&text);
}

TEST(a_changed_byte_is_damage_and_never_other_content)
{
    struct buf text = BUF_INIT(CEILING);
    int fd = open_file("log"), w = open(test_path("log"), O_RDWR);
    uint64_t ends[3], at;
    char *back, was, other;

    make(fd, &text, ends);
    back = malloc(text.len + 8);
    YES(back != NULL);
    for (at = 0; at < ends[2]; at += 1 + draw(60)) {
        struct gzip_file f;
        ssize_t n;

        EQ(1, fs_read_at(fd, &was, 1, (off_t)at));
        other = (char)(was ^ (1 << draw(8)));
        EQ(1, pwrite(w, &other, 1, (off_t)at));
        gzip_file_init(&f, fd);
        errno = 0;
        n = gzip_file_read(&f, 0, back, text.len + 8);
        if (n < 0)
            EQ(EBADMSG, errno);
        else /* of an end mark, say */
            SAME(bytes_of(text.data, (size_t)n), bytes_of(back, (size_t)n));
        gzip_file_release(&f);
        EQ(1, pwrite(w, &was, 1, (off_t)at));
    }
    free(back);
    close(fd);
    close(w);
    buf_release(&text);
}

TEST(a_damaged_log_is_not_appended_to)
{
    struct buf text = BUF_INIT(CEILING);
    int fd = open_file("log"), w = open(test_path("log"), O_RDWR);
    struct gzip_file f;
    uint64_t ends[3], size;

    make(fd, &text, ends);
    EQ(1, pwrite(w, "x", 1, (off_t)ends[0] - GZIP_END_MARK + 1));
    size = bytes_in(fd);
    gzip_file_init(&f, fd);
    errno = 0;
    EQ(-1, gzip_file_append(&f, bytes_str("more\n")));
    EQ(EBADMSG, errno);
    EQ(size, bytes_in(fd));
    gzip_file_release(&f);
    close(fd);
    close(w);
    buf_release(&text);
}

TEST(another_program_s_gzip_file_is_not_taken_for_a_log)
{
    static const char gzip[] =
        "\x1f\x8b\x08\0\0\0\0\0\0\3\xcb\x48\xcd\xc9\xc9\xe7\2\0\x20\x30\x3a\x36"
        "\6\0\0\0";
    int fd = open_file("log");
    size_t n;
    uint64_t size;

    for (n = 1; n < sizeof gzip; n++) {
        EQ(0, ftruncate(fd, 0));
        EQ(0, fs_write_all(fd, bytes_of(gzip, n)));
        size = n;
        EQ(-1, gzip_file_size(fd, &size));
        EQ(EBADMSG, errno);
        EQ(n, size);
    }
    close(fd);
}

TEST(zcat_reads_a_compressed_log)
{
    struct buf text = BUF_INIT(CEILING);
    int fd = open_file("log.gz");
    char command[600], *back;
    uint64_t ends[3];
    FILE *zcat;

    make(fd, &text, ends);
    snprintf(command, sizeof command, "gzip -dc '%s'", test_path("log.gz"));
    zcat = popen(command, "r");
    back = malloc(text.len + 8);
    YES(zcat && back);
    EQ(text.len, fread(back, 1, text.len + 8, zcat));
    SAME(buf_bytes(&text), bytes_of(back, text.len));
    EQ(0, pclose(zcat));
    free(back);
    close(fd);
    buf_release(&text);
}

TEST(a_cut_where_an_append_began_leaves_the_bytes_before)
{
    struct buf text = BUF_INIT(CEILING);
    int fd = open_file("log");
    char was[8192], now[8192];
    struct gzip_file f;
    uint64_t ends[3];

    make(fd, &text, ends);
    EQ(sizeof was, fs_read_at(fd, was, sizeof was, 0));
    gzip_file_init(&f, fd);
    EQ(0, gzip_file_cut(&f, 300900));
    gzip_file_release(&f);
    EQ(ends[1], bytes_in(fd));
    EQ(sizeof now, fs_read_at(fd, now, sizeof now, 0));
    SAME(bytes_of(was, sizeof was), bytes_of(now, sizeof now));
    text.len = 300900;
    holds(fd, &text);
    close(fd);
    buf_release(&text);
}
