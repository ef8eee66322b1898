/*
 * embed_web.c - turn the viewer's files into a C source: embed_web DIR FILE...
 *
 * Runs while Quire is built. Each file is compressed by gzip, as it is served. All
 * files share one name, the first 16 digits of the SHA-256 of their names and
 * contents: /assets/<name>/app.js never changes, and can be cached for ever. The page
 * itself, index.html, has @ASSETS@ where that prefix belongs.
 *
 * Indentation is left out, and in scripts lines that are only a comment; all lines
 * stay, so that places in errors are those of the source. A file with a line that may
 * begin or end a longer template literal is embedded as it is. A style sheet is joined
 * with those that it imports, and its comments and needless blanks are left out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nettle/sha2.h>
#include <zlib.h>

#define MARK "@ASSETS@"

struct text {
    unsigned char *data;
    size_t len;
};

static void die(const char *what, const char *name)
{
    fprintf(stderr, "embed_web: %s %s\n", what, name);
    exit(1);
}

static void *allocate(size_t n)
{
    void *p = malloc(n + 1);

    if (!p)
        die("out of memory for", "a file");
    return p;
}

static struct text read_file(const char *dir, const char *name)
{
    char path[4096];
    struct text t = {NULL, 0};
    FILE *f;
    long size;

    snprintf(path, sizeof path, "%s/%s", dir, name);
    f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0)
        die("cannot read", path);
    rewind(f);
    t.data = allocate((size_t)size);
    t.len = fread(t.data, 1, (size_t)size, f);
    if (t.len != (size_t)size || fclose(f))
        die("cannot read", path);
    t.data[t.len] = '\0';
    return t;
}

/* A style sheet with those that it imports, by lines such as @import "app.css"; */
static struct text join_imports(const char *dir, struct text t)
{
    static const char begin[] = "@import \"", end[] = "\";";
    char *at, *stop;

    while ((at = strstr((char *)t.data, begin))) {
        struct text other, out;
        size_t before = (size_t)(at - (char *)t.data), rest;

        stop = strstr(at, end);
        if (!stop)
            die("finds no end of", at);
        *stop = '\0';
        other = read_file(dir, at + strlen(begin));
        rest = t.len - (size_t)(stop + strlen(end) - (char *)t.data);
        out = (struct text){allocate(before + other.len + rest), 0};
        memcpy(out.data, t.data, before);
        memcpy(out.data + before, other.data, other.len);
        memcpy(out.data + before + other.len, stop + strlen(end), rest);
        out.len = before + other.len + rest;
        out.data[out.len] = '\0';
        free(other.data);
        free(t.data);
        t = out;
    }
    return t;
}

static int ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);

    return n >= m && !strcmp(name + n - m, end);
}

/* A file, with what it imports. */
static struct text read_whole(const char *dir, const char *name)
{
    struct text t = read_file(dir, name);

    return ends_with(name, ".css") ? join_imports(dir, t) : t;
}

/* Replace every MARK. */
static struct text put_prefix(struct text t, const char *prefix)
{
    size_t len = strlen(prefix), mark = strlen(MARK);
    struct text out = {allocate(t.len * (len / mark + 2)), 0};
    const char *at = (const char *)t.data, *next;

    while ((next = strstr(at, MARK))) {
        memcpy(out.data + out.len, at, (size_t)(next - at));
        out.len += (size_t)(next - at);
        memcpy(out.data + out.len, prefix, len);
        out.len += len;
        at = next + mark;
    }
    memcpy(out.data + out.len, at, strlen(at));
    out.len += strlen(at);
    free(t.data);
    return out;
}

/* ---- what is not sent --------------------------------------------------- */

/* Whether each line has an even number of backticks. */
static int has_whole_literals(struct text t)
{
    size_t i, n = 0;

    for (i = 0; i < t.len; i++) {
        n += t.data[i] == '`';
        if (t.data[i] == '\n' && n % 2)
            return 0;
    }
    return n % 2 == 0;
}

/* Drop comments of a style sheet, and blanks that separate nothing, in place. Its
 * strings have none of these. */
static void shorten_styles(struct text *t)
{
    size_t i = 0, n = 0;

    while (i < t->len) {
        const char *end;
        unsigned char c = t->data[i], last = n ? t->data[n - 1] : '{';

        if (c == '/' && t->data[i + 1] == '*') {
            end = strstr((const char *)t->data + i, "*/");
            if (!end)
                die("finds no end of", "a comment");
            i = (size_t)(end + 2 - (const char *)t->data);
            continue;
        }
        if (c == '\n')
            c = ' ';
        if (strchr("{};,", c) && last == ' ')
            n--;
        if (c != ' ' || !strchr("{};, ", last))
            t->data[n++] = c;
        i++;
    }
    t->len = n;
    t->data[n] = '\0';
}

/* Drop indentation and comments of a script, in place. */
static void shorten(struct text *t)
{
    size_t i = 0, n = 0;

    while (i < t->len) {
        while (t->data[i] == ' ')
            i++;
        if (t->data[i] == '/' && t->data[i + 1] == '/')
            while (i < t->len && t->data[i] != '\n')
                i++;
        while (i < t->len && t->data[i] != '\n')
            t->data[n++] = t->data[i++];
        if (i < t->len)
            t->data[n++] = t->data[i++];
    }
    t->len = n;
    t->data[n] = '\0';
}

static struct text pack(struct text t)
{
    z_stream z = {.next_in = t.data, .avail_in = (uInt)t.len};
    struct text out;

    if (deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK)
        die("cannot compress", "a file");
    out.len = deflateBound(&z, t.len);
    out.data = allocate(out.len);
    z.next_out = out.data;
    z.avail_out = (uInt)out.len;
    if (deflate(&z, Z_FINISH) != Z_STREAM_END)
        die("cannot compress", "a file");
    out.len = z.total_out;
    deflateEnd(&z);
    return out;
}

static const char *type_of(const char *name)
{
    static const char *const types[][2] = {
        {".html", "text/html; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".svg", "image/svg+xml"},
    };
    const char *dot = strrchr(name, '.');
    size_t i;

    for (i = 0; dot && i < sizeof types / sizeof *types; i++)
        if (!strcmp(dot, types[i][0]))
            return types[i][1];
    die("no media type is known for", name);
    return NULL;
}

static void write_bytes(int n, struct text t)
{
    size_t i;

    printf("static const unsigned char file_%d[] = {", n);
    for (i = 0; i < t.len; i++)
        printf("%s%u,", i % 24 ? "" : "\n", t.data[i]);
    printf("\n};\n\n");
}

static void digest_text(struct sha256_ctx *sha, const void *data, size_t len)
{
    sha256_update(sha, len, data);
}

static void name_all(const char *dir, char *const *names, int n, char hex[17])
{
    unsigned char digest[SHA256_DIGEST_SIZE];
    struct sha256_ctx sha;
    int i;

    sha256_init(&sha);
    for (i = 0; i < n; i++) {
        struct text t = read_whole(dir, names[i]);

        digest_text(&sha, names[i], strlen(names[i]) + 1);
        digest_text(&sha, &t.len, sizeof t.len);
        digest_text(&sha, t.data, t.len);
        free(t.data);
    }
    sha256_digest(&sha, sizeof digest, digest);
    for (i = 0; i < 8; i++)
        snprintf(hex + i * 2, 3, "%02x", digest[i]);
}

int main(int argc, char **argv)
{
    const char *dir = argc > 2 ? argv[1] : "";
    char **names = argv + 2, hex[17], prefix[64];
    int n = argc - 2, i;

    if (n < 1)
        die("usage: embed_web", "DIR FILE...");
    name_all(dir, names, n, hex);
    snprintf(prefix, sizeof prefix, "/assets/%s", hex);
    printf("/* Made by tools/embed_web.c. */\n"
           "#include \"server/web_assets.h\"\n\n"
           "const char web_assets_name[] = \"%s\";\n\n",
           hex);
    for (i = 0; i < n; i++) {
        struct text t = read_whole(dir, names[i]), packed;

        if (!strcmp(names[i], "index.html"))
            t = put_prefix(t, prefix);
        if (ends_with(names[i], ".css"))
            shorten_styles(&t);
        else if (ends_with(names[i], ".js") && has_whole_literals(t))
            shorten(&t);
        packed = pack(t);
        write_bytes(i, packed);
        free(t.data);
        free(packed.data);
    }
    printf("const struct web_asset web_assets[] = {\n");
    for (i = 0; i < n; i++)
        printf("    {\"%s\", \"%s\", file_%d, sizeof file_%d},\n", names[i],
               type_of(names[i]), i, i);
    printf("    {0},\n};\n");
    return fflush(stdout) || ferror(stdout);
}
