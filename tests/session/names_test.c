#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/utf8.h"
#include "session/names.h"
#include "support/test.h"

/* ---- ids ---------------------------------------------------------------- */

/* Gives bytes that count up. */
static int count_up(void *ctx, void *buf, size_t len)
{
    uint8_t *next = ctx, *at = buf;

    while (len--)
        *at++ = (*next)++;
    return 1;
}

static int nothing(void *ctx, void *buf, size_t len)
{
    (void)ctx;
    (void)buf;
    (void)len;
    return 0;
}

/* The first *ctx ids are taken. */
static bool first_ones(void *ctx, quire_bytes id)
{
    int *left = ctx;

    EQ(8, id.len);
    return (*left)-- > 0;
}

TEST(an_entry_id_is_eight_hex_digits_nobody_has)
{
    uint8_t next = 0xab;
    const struct rand_source r = {count_up, &next};
    char id[NAMES_ID_SIZE];
    int left = 2;

    OK(names_entry_id(&r, NULL, NULL, id, &test_err));
    SAME_TEXT("abacadae", id);
    next = 0;
    OK(names_entry_id(&r, first_ones, &left, id, &test_err));
    SAME_TEXT("08090a0b", id);
}

TEST(an_entry_id_is_long_after_a_hundred_that_are_taken)
{
    uint8_t next = 0;
    const struct rand_source r = {count_up, &next};
    char id[NAMES_ID_SIZE];
    int left = 99;

    OK(names_entry_id(&r, first_ones, &left, id, &test_err));
    EQ(8, strlen(id));
    left = 100;
    OK(names_entry_id(&r, first_ones, &left, id, &test_err));
    EQ(32, strlen(id));
    EQ(0, left);
}

TEST(no_randomness_no_id)
{
    const struct rand_source r = {nothing, NULL};
    char id[NAMES_ID_SIZE];

    IS(QUIRE_IO, names_entry_id(&r, NULL, NULL, id, &test_err));
    IS(QUIRE_IO, names_session_id(&r, 0, false, id, &test_err));
    IS(QUIRE_IO, names_session_id(&r, 0, true, id, &test_err));
}

static int all_ones(void *ctx, void *buf, size_t len)
{
    (void)ctx;
    memset(buf, 0xff, len);
    return 1;
}

TEST(a_session_id_has_the_time_in_front)
{
    uint8_t next = 1;
    const struct rand_source r = {count_up, &next}, ones = {all_ones, NULL};
    char id[NAMES_ID_SIZE];

    /* One millisecond into 2015: 1 << 22, and 22 random bits. */
    OK(names_session_id(&r, 1420070400001000, false, id, &test_err));
    SAME_TEXT("0000000000410203", id);
    OK(names_session_id(&ones, 1420070400000999, false, id, &test_err));
    SAME_TEXT("00000000003fffff", id);
    OK(names_session_id(&ones, 1771237230000000, false, id, &test_err));
    EQ(16, strlen(id));
    EQ(1771237230000 - 1420070400000, (int64_t)(strtoull(id, NULL, 16) >> 22));
    /* A clock that is wrong costs the order, nothing else. */
    OK(names_session_id(&ones, -5, false, id, &test_err));
    SAME_TEXT("00000000003fffff", id);
    OK(names_session_id(&ones, INT64_MAX, false, id, &test_err));
    EQ(16, strlen(id));
}

TEST(a_session_id_may_be_a_uuid_of_version_seven)
{
    uint8_t next = 0xf1;
    const struct rand_source r = {count_up, &next}, ones = {all_ones, NULL};
    char id[NAMES_ID_SIZE];

    /* RFC 9562, appendix A.6 has this time. */
    OK(names_session_id(&r, 1645557742000000, true, id, &test_err));
    SAME_TEXT("017f22e2-79b0-71f2-b3f4-f5f6f7f8f9fa", id);
    OK(names_session_id(&ones, 0, true, id, &test_err));
    SAME_TEXT("00000000-0000-7fff-bfff-ffffffffffff", id);
}

/* ---- files -------------------------------------------------------------- */

static bool matches(const char *id, const char *file, const char *wanted)
{
    return names_match(bytes_str(id), bytes_str(file), bytes_str(wanted));
}

TEST(a_file_is_named_by_time_and_id)
{
    struct buf b = BUF_INIT(1000);

    names_file(1771237230000000, "1f9d2a6b9c0d1234", false, &b);
    SAME(bytes_str("2026-02-16T10-20-30-000Z_1f9d2a6b9c0d1234.jsonl"),
         buf_bytes(&b));
    SAME(bytes_str("1f9d2a6b9c0d1234"), names_id_in_file(buf_bytes(&b)));
    buf_release(&b);
}

TEST(the_id_in_a_name_follows_the_last_underscore)
{
    static const char *const pairs[][2] = {
        {"x_y_z.jsonl", "z"},
        {"/a_b/c_d.jsonl", "d"},
        {"/a_b/cd.jsonl", "cd"},
        {"x_y.jsonl.jsonl", "y.jsonl"},
        {"x_.jsonl", ""},
        {".jsonl", ""},
        {"x_y.json", "y.json"},
        {"", ""},
        {"_", ""},
        {"jsonl", "jsonl"},
        {"dir_/", ""},
    };
    size_t i;

    for (i = 0; i < sizeof pairs / sizeof *pairs; i++)
        SAME(bytes_str(pairs[i][1]), names_id_in_file(bytes_str(pairs[i][0])));
    EQ(0, names_id_in_file(bytes_of(NULL, 0)).len);
}

TEST(a_session_is_found_by_a_beginning_of_what_it_is_called)
{
    const char *file = "/s/2026-02-16T10-20-30-000Z_1f9d2a6b.jsonl";

    YES(matches("abc123", file, "ab"));
    YES(matches("abc123", file, "ABC123"));
    YES(matches("ABC123", file, "abc"));
    YES(matches("abc123", file, "1F9D"));
    YES(matches("abc123", file, "1f9d2a6b"));
    YES(matches("abc123", file, "2026-02-16t10"));
    YES(matches("abc123", file, "2026-02-16T10-20-30-000Z_1f9d2a6b.jsonl"));
    NO(matches("abc123", file, "abc1234"));
    NO(matches("abc123", file, "bc"));
    NO(matches("abc123", file, "f9d"));
    NO(matches("abc123", file, "/s/2026"));
    NO(matches("abc123", file, "1f9d2a6b.jsonl"));
    NO(matches("abc123", file, ""));
    NO(matches("", "", "a"));
    NO(matches("[", "[", "{"));
}

/* ---- directories -------------------------------------------------------- */

static const char *dir(const char *cwd, bool omp)
{
    static struct buf b = BUF_INIT(100000);

    buf_clear(&b);
    names_dir(cwd, omp, "/home/ada", "/tmp", &b);
    return buf_text(&b);
}

TEST(a_directory_is_named_by_its_path)
{
    SAME_TEXT("--srv-pi--", dir("/srv/pi", false));
    SAME_TEXT("--home-ada-x--", dir("/home/ada/x", false));
    SAME_TEXT("----", dir("/", false));
    SAME_TEXT("--a-b-c- d.e--", dir("/a\\b:c/ d.e", false));
    SAME_TEXT("--srv-\xc3\xa4--", dir("/srv/\xc3\xa4", false));
    SAME_TEXT("--srv-pi--", dir("/srv/pi/", false));
}

TEST(directories_in_home_and_tmp_have_short_names_for_omp)
{
    SAME_TEXT("-", dir("/home/ada", true));
    SAME_TEXT("-x-y", dir("/home/ada/x/y", true));
    SAME_TEXT("-.hidden", dir("/home/ada/.hidden", true));
    SAME_TEXT("--home-adam--", dir("/home/adam", true));
    SAME_TEXT("--home-ada-..hidden--", dir("/home/ada/..hidden", true));
    SAME_TEXT("-tmp", dir("/tmp", true));
    SAME_TEXT("-tmp-a-b", dir("/tmp/a:b", true));
    SAME_TEXT("--tmpfs--", dir("/tmpfs", true));
    SAME_TEXT("--srv--", dir("/srv", true));
    SAME_TEXT("----", dir("/", true));
}

TEST(odd_homes_are_borne)
{
    struct buf b = BUF_INIT(1000);

    names_dir("/root/x", true, "/root/", NULL, &b);
    SAME_TEXT("-x", buf_text(&b));
    buf_clear(&b);
    names_dir("/root/x", true, NULL, NULL, &b);
    SAME_TEXT("--root-x--", buf_text(&b));
    buf_clear(&b);
    names_dir("/root/x", true, "", "", &b);
    SAME_TEXT("--root-x--", buf_text(&b));
    buf_clear(&b);
    names_dir("/root/x", true, "/", "/tmp", &b);
    SAME_TEXT("-root-x", buf_text(&b));
    buf_clear(&b);
    names_dir("/", true, "/", "/tmp", &b);
    SAME_TEXT("-", buf_text(&b));
    buf_release(&b);
}

TEST(no_control_character_gets_into_a_name)
{
    int c;

    for (c = 1; c < 256; c++) {
        char path[] = "/a?b";
        const char *name, *at;

        path[2] = (char)c;
        for (name = at = dir(path, false); *at; at++)
            NO((unsigned char)*at < 0x20 || *at == 0x7f || strchr("/\\:", *at));
        EQ(strlen(path) + 3, strlen(name));
    }
    SAME_TEXT("--a-b--", dir("/a\xc2\x85"
                             "b",
                             false));
    SAME_TEXT("--a\xc2\xa0--", dir("/a\xc2\xa0", false));
    SAME_TEXT("--a\xc2--", dir("/a\xc2", false));
}

static const char *long_path(size_t n, const char *fill)
{
    char *path = test_alloc(n * strlen(fill) + 2), *at = path;

    *at++ = '/';
    while (n--)
        at = stpcpy(at, fill);
    return path;
}

TEST(a_name_too_long_for_a_file_system_is_shortened_the_same_every_time)
{
    const char *name;
    char kept[300];

    EQ(255, strlen(dir(long_path(251, "x"), false)));
    NO(strchr(dir(long_path(251, "x"), false), '0'));
    name = strcpy(kept, dir(long_path(252, "x"), false));
    EQ(255, strlen(name));
    YES(!strncmp(name, "--xxx", 5));
    SAME_TEXT("--", name + 253);
    EQ('-', name[255 - 2 - 16 - 1]);
    EQ(16, strspn(name + 255 - 2 - 16, "0123456789abcdef"));
    SAME_TEXT(name, dir(long_path(252, "x"), false));
    NO(!strcmp(name, dir(long_path(253, "x"), false)));
    /* of home, without the two dashes behind */
    name = dir(long_path(5000, "home/ada/"), true);
    EQ(255, strlen(name));
    EQ('h', name[1]);
    EQ(16, strspn(name + 255 - 16, "0123456789abcdef"));
}

TEST(a_shortened_name_splits_no_character)
{
    size_t n;

    for (n = 60; n < 140; n++) {
        const char *name = dir(long_path(n, "\xf0\x9f\x98\x80"), false);

        YES(utf8_check(bytes_str(name)));
        YES(strlen(name) <= 255 && strlen(name) >= 240);
    }
}

/* ---- terminals, crumbs -------------------------------------------------- */

static const char *set_name, *set_value, *set_too;

static const char *fake_env(const char *name)
{
    if (set_name && !strcmp(name, set_name))
        return set_value;
    return set_too && !strcmp(name, set_too) ? "outer" : NULL;
}

static const char *terminal(const char *name, const char *value)
{
    static char out[300];
    int fd = open("/dev/null", O_RDONLY);
    bool yes;

    set_name = name;
    set_value = value;
    yes = names_terminal(out, sizeof out, fd, fake_env);
    close(fd);
    return yes ? out : NULL;
}

TEST(a_terminal_is_known_by_its_device)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY), slave;
    char out[64], want[64];

    if (master < 0 || grantpt(master) || unlockpt(master))
        SKIP("this machine has no terminals");
    slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    if (slave < 0)
        SKIP("this machine has no terminals");
    snprintf(want, sizeof want, "pts-%s", ptsname(master) + 9);
    set_name = NULL;
    YES(names_terminal(out, sizeof out, slave, fake_env));
    SAME_TEXT(want, out);
    NO(names_terminal(out, 4, slave, fake_env));
    NO(names_terminal(out, 0, slave, NULL));
    close(slave);
    close(master);
}

TEST(a_terminal_is_known_by_what_the_environment_says)
{
    SAME_TEXT("tmux-%3", terminal("TMUX_PANE", "%3"));
    SAME_TEXT("kitty-1", terminal("KITTY_WINDOW_ID", "1"));
    SAME_TEXT("wezterm-0", terminal("WEZTERM_PANE", "0"));
    SAME_TEXT("apple-w0t0p0:9F-", terminal("TERM_SESSION_ID", "w0t0p0:9F-"));
    SAME_TEXT("wt-a-b", terminal("WT_SESSION", "a-b"));
    SAME_TEXT("zellij-7", terminal("ZELLIJ_PANE_ID", "7"));
    set_too = "KITTY_WINDOW_ID";
    SAME_TEXT("tmux-%3", terminal("TMUX_PANE", "%3"));
    SAME_TEXT("kitty-outer", terminal("TMUX_PANE", ""));
    set_too = NULL;
    YES(!terminal(NULL, NULL));
    YES(!terminal("TMUX_PANE", ""));
}

TEST(a_terminal_cannot_name_a_file_elsewhere)
{
    char vast[400];

    SAME_TEXT("tmux-..-..-etc-passwd",
              terminal("TMUX_PANE", "../../etc/passwd"));
    SAME_TEXT("tmux--n--x", terminal("TMUX_PANE", "\nn\r x"));
    SAME_TEXT("tmux-a--", terminal("TMUX_PANE", "a\xc3\xa4"));
    memset(vast, 'x', sizeof vast);
    vast[sizeof vast - 1] = '\0';
    YES(!terminal("TMUX_PANE", vast));
    vast[250] = '\0';
    EQ(255, strlen(terminal("TMUX_PANE", vast)));
}

static bool reads(const char *text, struct breadcrumb *c)
{
    return names_read_breadcrumb(bytes_str(text), c);
}

TEST(a_breadcrumb_is_two_lines)
{
    struct buf b = BUF_INIT(1000);
    struct breadcrumb c;

    YES(names_breadcrumb("/srv/pi", "/s/x.jsonl", &b));
    SAME_TEXT("/srv/pi\n/s/x.jsonl\n", buf_text(&b));
    YES(names_read_breadcrumb(buf_bytes(&b), &c));
    SAME(bytes_str("/srv/pi"), c.cwd);
    SAME(bytes_str("/s/x.jsonl"), c.path);
    NO(c.fresh);
    buf_clear(&b);
    NO(names_breadcrumb("/a\nb", "/s", &b));
    NO(names_breadcrumb("/a", "/s\r", &b));
    NO(names_breadcrumb("", "/s", &b));
    NO(names_breadcrumb("/a", "", &b));
    EQ(0, b.len);
    buf_release(&b);
}

TEST(a_breadcrumb_with_more_lines_is_read_too)
{
    struct breadcrumb c;

    YES(reads("/a\n/b\nfresh\ncwdstat 1 2\n", &c));
    YES(c.fresh);
    YES(reads("/a\n/b\ncwdstat 1 2\nfresh", &c));
    YES(c.fresh);
    YES(reads("/a\r\n/b c \r\nfreshly\r\n", &c));
    SAME(bytes_str("/a"), c.cwd);
    SAME(bytes_str("/b c "), c.path);
    NO(c.fresh);
    YES(reads("\n\n/a\n\n/b", &c));
    SAME(bytes_str("/b"), c.path);
    YES(reads("fresh\nfresh\n", &c));
    NO(c.fresh);
}

TEST(what_has_no_two_lines_is_no_breadcrumb)
{
    struct breadcrumb c;

    NO(reads("", &c));
    NO(reads("\n\r\n\n", &c));
    NO(reads("/a", &c));
    NO(reads("/a\n", &c));
    NO(reads("/a\n\r\n", &c));
    NO(names_read_breadcrumb(bytes_of("/a\n/b\0c\n", 8), &c));
    NO(names_read_breadcrumb(bytes_of("/a\0\n/b\n", 7), &c));
    NO(names_read_breadcrumb(bytes_of(NULL, 0), &c));
}
