/*
 * mime.c - media type by name, or by content
 *
 * A name shows more than the bytes do: Markdown, Python and a list of names are
 * all plain text by their bytes. So the name is tried first, and its table is
 * long; the content is tried when the name is unknown, and its tables are
 * short.
 *
 * Content is inspected in this order:
 *
 *     (1) magic that no text begins with: \x89PNG, SQLite format 3\0, GIF89a
 *     (2) is it text? Then its first word may show its kind
 *     (3) magic of two letters, which many texts begin with: BM, MZ
 *
 * Where a guess may be wrong it is text/plain rather than something finer:
 * plain text never surprises, and JSON that does not parse does. HTML and SVG
 * are never guessed: a browser runs the scripts in them.
 *
 * A registered type is spelled as registered; source code, for which hardly any
 * is, is text/x-<language>. ".ts" is TypeScript here, not a video: these are
 * the files of programs.
 */
#include "artifact/mime.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/bytes.h"
#include "base/json.h"
#include "base/utf8.h"

#define PLAIN  "text/plain"
#define OCTETS "application/octet-stream"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- by name ------------------------------------------------------------- */

struct named {
    const char *name; /* lower case; a table of them is sorted by it */
    const char *type;
};

/* The longest name in the tables. */
#define NAME_MAX_BYTES 16

#define OOXML(kind) "application/vnd.openxmlformats-officedocument." kind

/* Suffixes with several meanings, .key or .dat, are left to the content. */
static const struct named endings[] = {
    {"7z", "application/x-7z-compressed"},
    {"aac", "audio/aac"},
    {"adoc", "text/asciidoc"},
    {"apk", "application/vnd.android.package-archive"},
    {"asm", "text/x-asm"},
    {"avi", "video/x-msvideo"},
    {"avif", "image/avif"},
    {"awk", "text/x-awk"},
    {"bash", "text/x-shellscript"},
    {"bat", "text/x-batch"},
    {"bib", "text/x-bibtex"},
    {"bin", "application/octet-stream"},
    {"bmp", "image/bmp"},
    {"bz2", "application/x-bzip2"},
    {"c", "text/x-c"},
    {"cc", "text/x-c++"},
    {"cfg", "text/plain"},
    {"cjs", "text/javascript"},
    {"class", "application/java-vm"},
    {"clj", "text/x-clojure"},
    {"cljs", "text/x-clojure"},
    {"cmake", "text/x-cmake"},
    {"cmd", "text/x-batch"},
    {"conf", "text/plain"},
    {"cpp", "text/x-c++"},
    {"cs", "text/x-csharp"},
    {"css", "text/css"},
    {"csv", "text/csv"},
    {"cts", "text/x-typescript"},
    {"cxx", "text/x-c++"},
    {"dart", "text/x-dart"},
    {"db", "application/vnd.sqlite3"},
    {"deb", "application/vnd.debian.binary-package"},
    {"diff", "text/x-diff"},
    {"dll", "application/vnd.microsoft.portable-executable"},
    {"dmg", "application/x-apple-diskimage"},
    {"doc", "application/msword"},
    {"docx", OOXML("wordprocessingml.document")},
    {"el", "text/x-lisp"},
    {"eml", "message/rfc822"},
    {"eps", "application/postscript"},
    {"epub", "application/epub+zip"},
    {"erl", "text/x-erlang"},
    {"ex", "text/x-elixir"},
    {"exe", "application/vnd.microsoft.portable-executable"},
    {"exs", "text/x-elixir"},
    {"fish", "text/x-shellscript"},
    {"flac", "audio/flac"},
    {"fs", "text/x-fsharp"},
    {"geojson", "application/geo+json"},
    {"gif", "image/gif"},
    {"go", "text/x-go"},
    {"gql", "application/graphql"},
    {"gradle", "text/x-groovy"},
    {"graphql", "application/graphql"},
    {"groovy", "text/x-groovy"},
    {"gz", "application/gzip"},
    {"h", "text/x-c"},
    {"heic", "image/heic"},
    {"hh", "text/x-c++"},
    {"hpp", "text/x-c++"},
    {"hs", "text/x-haskell"},
    {"htm", PLAIN},
    {"html", PLAIN},
    {"ico", "image/vnd.microsoft.icon"},
    {"ics", "text/calendar"},
    {"ini", "text/plain"},
    {"ipynb", "application/x-ipynb+json"},
    {"iso", "application/x-iso9660-image"},
    {"jar", "application/java-archive"},
    {"java", "text/x-java"},
    {"jl", "text/x-julia"},
    {"jpeg", "image/jpeg"},
    {"jpg", "image/jpeg"},
    {"js", "text/javascript"},
    {"json", "application/json"},
    {"json5", "application/json5"},
    {"jsonc", "application/json"},
    {"jsonl", "application/jsonl"},
    {"jsx", "text/jsx"},
    {"ksh", "text/x-shellscript"},
    {"kt", "text/x-kotlin"},
    {"kts", "text/x-kotlin"},
    {"less", "text/x-less"},
    {"lisp", "text/x-lisp"},
    {"log", "text/plain"},
    {"lua", "text/x-lua"},
    {"m4a", "audio/mp4"},
    {"m4v", "video/mp4"},
    {"markdown", "text/markdown"},
    {"md", "text/markdown"},
    {"mid", "audio/midi"},
    {"mjs", "text/javascript"},
    {"mk", "text/x-makefile"},
    {"mkd", "text/markdown"},
    {"mkv", "video/matroska"},
    {"ml", "text/x-ocaml"},
    {"mli", "text/x-ocaml"},
    {"mov", "video/quicktime"},
    {"mp3", "audio/mpeg"},
    {"mp4", "video/mp4"},
    {"mpeg", "video/mpeg"},
    {"mpg", "video/mpeg"},
    {"mts", "text/x-typescript"},
    {"ndjson", "application/x-ndjson"},
    {"nix", "text/x-nix"},
    {"odp", "application/vnd.oasis.opendocument.presentation"},
    {"ods", "application/vnd.oasis.opendocument.spreadsheet"},
    {"odt", "application/vnd.oasis.opendocument.text"},
    {"oga", "audio/ogg"},
    {"ogg", "audio/ogg"},
    {"ogv", "video/ogg"},
    {"opus", "audio/ogg"},
    {"org", "text/x-org"},
    {"otf", "font/otf"},
    {"parquet", "application/vnd.apache.parquet"},
    {"patch", "text/x-diff"},
    {"pdf", "application/pdf"},
    {"php", "text/x-php"},
    {"pl", "text/x-perl"},
    {"pm", "text/x-perl"},
    {"png", "image/png"},
    {"po", "text/x-gettext"},
    {"ppt", "application/vnd.ms-powerpoint"},
    {"pptx", OOXML("presentationml.presentation")},
    {"properties", "text/plain"},
    {"proto", "text/x-protobuf"},
    {"ps", "application/postscript"},
    {"ps1", "text/x-powershell"},
    {"psd", "image/vnd.adobe.photoshop"},
    {"py", "text/x-python"},
    {"pyc", "application/x-python-code"},
    {"pyi", "text/x-python"},
    {"r", "text/x-r"},
    {"rar", "application/vnd.rar"},
    {"rb", "text/x-ruby"},
    {"rpm", "application/x-rpm"},
    {"rs", "text/x-rust"},
    {"rst", "text/x-rst"},
    {"rtf", "application/rtf"},
    {"s", "text/x-asm"},
    {"sass", "text/x-sass"},
    {"scala", "text/x-scala"},
    {"scm", "text/x-scheme"},
    {"scss", "text/x-scss"},
    {"sh", "text/x-shellscript"},
    {"so", "application/x-sharedlib"},
    {"sql", "application/sql"},
    {"sqlite", "application/vnd.sqlite3"},
    {"sqlite3", "application/vnd.sqlite3"},
    {"srt", "application/x-subrip"},
    {"svelte", "text/x-svelte"},
    {"svg", PLAIN},
    {"swift", "text/x-swift"},
    {"tar", "application/x-tar"},
    {"tex", "text/x-tex"},
    {"text", "text/plain"},
    {"tf", "text/x-hcl"},
    {"tgz", "application/gzip"},
    {"tif", "image/tiff"},
    {"tiff", "image/tiff"},
    {"toml", "application/toml"},
    {"ts", "text/x-typescript"},
    {"tsv", "text/tab-separated-values"},
    {"tsx", "text/tsx"},
    {"ttf", "font/ttf"},
    {"txt", "text/plain"},
    {"vcf", "text/vcard"},
    {"vim", "text/x-vim"},
    {"vtt", "text/vtt"},
    {"vue", "text/x-vue"},
    {"wasm", "application/wasm"},
    {"wav", "audio/wav"},
    {"webm", "video/webm"},
    {"webmanifest", "application/manifest+json"},
    {"webp", "image/webp"},
    {"woff", "font/woff"},
    {"woff2", "font/woff2"},
    {"xhtml", PLAIN},
    {"xls", "application/vnd.ms-excel"},
    {"xlsx", OOXML("spreadsheetml.sheet")},
    {"xml", "application/xml"},
    {"xsd", "application/xml"},
    {"xsl", "application/xml"},
    {"xz", "application/x-xz"},
    {"yaml", "application/yaml"},
    {"yml", "application/yaml"},
    {"zig", "text/x-zig"},
    {"zip", "application/zip"},
    {"zsh", "text/x-shellscript"},
    {"zst", "application/zstd"},
};

/* Files without a suffix. */
static const struct named names[] = {
    {"authors", "text/plain"},
    {"brewfile", "text/x-ruby"},
    {"changelog", "text/plain"},
    {"changes", "text/plain"},
    {"codeowners", "text/plain"},
    {"containerfile", "text/x-dockerfile"},
    {"contributors", "text/plain"},
    {"copying", "text/plain"},
    {"dockerfile", "text/x-dockerfile"},
    {"gemfile", "text/x-ruby"},
    {"gnumakefile", "text/x-makefile"},
    {"history", "text/plain"},
    {"install", "text/plain"},
    {"jenkinsfile", "text/x-groovy"},
    {"justfile", "text/plain"},
    {"licence", "text/plain"},
    {"license", "text/plain"},
    {"makefile", "text/x-makefile"},
    {"news", "text/plain"},
    {"notice", "text/plain"},
    {"podfile", "text/x-ruby"},
    {"procfile", "text/plain"},
    {"rakefile", "text/x-ruby"},
    {"readme", "text/plain"},
    {"todo", "text/plain"},
    {"vagrantfile", "text/x-ruby"},
    {"version", "text/plain"},
};

static int by_name(const void *key, const void *row)
{
    return strcmp(key, ((const struct named *)row)->name);
}

static const char *find_type(const struct named *table, size_t n,
                             quire_bytes name)
{
    char lower[NAME_MAX_BYTES + 1];
    const struct named *row;
    size_t i;

    if (name.len > NAME_MAX_BYTES)
        return NULL;
    for (i = 0; i < name.len; i++)
        lower[i] = ascii_lower(((const char *)name.data)[i]);
    lower[i] = '\0';
    row = bsearch(lower, table, n, sizeof *table, by_name);
    /* strcmp() stopped at a NUL; the name may go on behind it */
    return row && strlen(row->name) == name.len ? row->type : NULL;
}

const char *mime_by_name(quire_bytes path)
{
    const char *text = path.data;
    size_t base = path.len, dot;

    while (base > 0 && text[base - 1] != '/')
        base--;
    for (dot = path.len; dot > base && text[dot - 1] != '.';)
        dot--;
    if (dot == base)
        return find_type(names, COUNT(names), bytes_sub(path, base, path.len));
    return find_type(endings, COUNT(endings), bytes_sub(path, dot, path.len));
}

/* ---- by content ---------------------------------------------------------- */

struct magic {
    size_t at;
    const char *bytes; /* a '?' is any byte */
    size_t len;
    const char *type;
};

/* clang-format off */
#define MAGIC(at, bytes, type) {at, bytes, sizeof(bytes) - 1, type}
/* clang-format on */

/* The first match counts, so the finer is before the coarser. Where the magic
 * could be a word, the zeros that always follow belong to it. */
static const struct magic magics[] = {
    MAGIC(0, "\x89PNG\r\n\x1a\n", "image/png"),
    MAGIC(0, "\xff\xd8\xff", "image/jpeg"),
    MAGIC(0, "GIF87a", "image/gif"),
    MAGIC(0, "GIF89a", "image/gif"),
    MAGIC(0, "RIFF????WEBP", "image/webp"),
    MAGIC(0, "RIFF????WAVE", "audio/wav"),
    MAGIC(0, "RIFF????AVI ", "video/x-msvideo"),
    MAGIC(0, "II*\0", "image/tiff"),
    MAGIC(0, "MM\0*", "image/tiff"),
    MAGIC(0, "\0\0\1\0", "image/vnd.microsoft.icon"),
    MAGIC(0, "8BPS\0\1", "image/vnd.adobe.photoshop"),
    MAGIC(0, "\0???ftypavif", "image/avif"),
    MAGIC(0, "\0???ftyphei", "image/heic"),
    MAGIC(0, "\0???ftypmif1", "image/heif"),
    MAGIC(0, "\0???ftypM4A ", "audio/mp4"),
    MAGIC(0, "\0???ftypqt  ", "video/quicktime"),
    MAGIC(0, "\0???ftyp", "video/mp4"),
    MAGIC(0, "\x1a\x45\xdf\xa3", "video/matroska"),
    MAGIC(0, "OggS\0", "audio/ogg"),
    MAGIC(0, "fLaC\0", "audio/flac"),
    MAGIC(0, "ID3\2\0", "audio/mpeg"),
    MAGIC(0, "ID3\3\0", "audio/mpeg"),
    MAGIC(0, "ID3\4\0", "audio/mpeg"),
    MAGIC(0, "\xff\xfb", "audio/mpeg"),
    MAGIC(0, "\xff\xf3", "audio/mpeg"),
    MAGIC(0, "%PDF-", "application/pdf"),
    MAGIC(0, "%!PS-", "application/postscript"),
    MAGIC(0, "{\\rtf1", "application/rtf"),
    MAGIC(0, "PK\3\4", "application/zip"),
    MAGIC(0, "PK\5\6", "application/zip"),
    MAGIC(0, "\x1f\x8b\x08", "application/gzip"),
    MAGIC(0, "BZh?1AY&SY", "application/x-bzip2"),
    MAGIC(0, "\xfd\x37zXZ\0", "application/x-xz"),
    MAGIC(0, "\x28\xb5\x2f\xfd", "application/zstd"),
    MAGIC(0, "7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    MAGIC(0, "Rar!\x1a\7", "application/vnd.rar"),
    MAGIC(257, "ustar\0", "application/x-tar"),
    MAGIC(257, "ustar  \0", "application/x-tar"),
    MAGIC(0, "SQLite format 3\0", "application/vnd.sqlite3"),
    MAGIC(0, "PAR1\x15", "application/vnd.apache.parquet"),
    MAGIC(0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
    MAGIC(0, "\177ELF", "application/x-elf"),
    MAGIC(0, "\xcf\xfa\xed\xfe", "application/x-mach-binary"),
    MAGIC(0, "\0asm", "application/wasm"),
    MAGIC(0, "wOFF\0\1\0\0", "font/woff"),
    MAGIC(0, "wOFFOTTO", "font/woff"),
    MAGIC(0, "wOF2", "font/woff2"),
    MAGIC(0, "OTTO\0", "font/otf"),
    MAGIC(0, "\0\1\0\0\0", "font/ttf"),
    MAGIC(0, "\xff\xfe", PLAIN), /* UTF-16 by its byte order mark, which */
    MAGIC(0, "\xfe\xff", PLAIN), /* is_text() does not recognise */
};

static const struct magic weak_magics[] = {
    MAGIC(0, "BM", "image/bmp"),
    MAGIC(0, "MZ", "application/vnd.microsoft.portable-executable"),
};

static bool magic_fits(const struct magic *m, quire_bytes content)
{
    const char *text = content.data;
    size_t i;

    if (content.len < m->at + m->len)
        return false;
    for (i = 0; i < m->len; i++) {
        if (m->bytes[i] != '?' && m->bytes[i] != text[m->at + i])
            return false;
    }
    return true;
}

static const char *by_magic(const struct magic *table, size_t n,
                            quire_bytes content)
{
    size_t i;

    for (i = 0; i < n; i++) {
        if (magic_fits(&table[i], content))
            return table[i].type;
    }
    return NULL;
}

/* UTF-8, except for a last character of which only the first bytes are in the
 * sample. */
static bool is_utf8_sample(quire_bytes content)
{
    size_t bad = utf8_find_bad(content);
    quire_bytes rest = bytes_sub(content, bad, content.len);
    uint32_t cp;

    if (rest.len == 0)
        return true;
    return *(const unsigned char *)rest.data >= 0xc2 &&
           *(const unsigned char *)rest.data <= 0xf4 &&
           utf8_decode(rest, &cp, NULL) == rest.len;
}

/* One control character in 32 bytes is still text: logs contain bells. Layout
 * characters and terminal escapes do not count. */
static bool is_text(quire_bytes content)
{
    const unsigned char *c = content.data;
    size_t i, n_controls = 0;

    for (i = 0; i < content.len; i++) {
        if (c[i] == '\0')
            return false;
        if (c[i] == 0x7f || (c[i] < 0x20 && !strchr("\t\n\r\f\b\x1b", c[i])))
            n_controls++;
    }
    return n_controls <= content.len / 32 && is_utf8_sample(content);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static quire_bytes skip_space(quire_bytes text)
{
    const char *c = text.data;
    size_t i = 0;

    while (i < text.len && is_space(c[i]))
        i++;
    return bytes_sub(text, i, text.len);
}

/* The sample may be only the first bytes, so the beginning must suffice: {" and
 * [{ and [" begin no other common format. A bracket is not enough, as "[1] a
 * footnote" and "[section]" show; unless all of it is JSON. */
static bool looks_like_json(quire_bytes text)
{
    char first = text.len ? *(const char *)text.data : '\0', second;
    quire_bytes rest;

    if (first != '{' && first != '[')
        return false;
    rest = skip_space(bytes_sub(text, 1, text.len));
    second = rest.len ? *(const char *)rest.data : '\0';
    return second == '"' || (first == '[' && second == '{') ||
           json_check(text, 0, NULL);
}

/* Cut the next word off `line`; empty at its end. */
static quire_bytes next_word(quire_bytes *line)
{
    const char *c;
    size_t n = 0;
    quire_bytes word;

    *line = skip_space(*line);
    for (c = line->data; n < line->len && !is_space(c[n]);)
        n++;
    word = bytes_sub(*line, 0, n);
    *line = bytes_sub(*line, n, line->len);
    return word;
}

static bool ends_with(quire_bytes text, const char *lower)
{
    size_t n = strlen(lower);

    return text.len >= n &&
           ascii_is(bytes_sub(text, text.len - n, text.len), lower);
}

/* By the interpreter in the first line: "#!/bin/sh -e", or after env and its
 * options, "#!/usr/bin/env -S python3 -u". */
static const char *by_shebang(quire_bytes text)
{
    static const struct named tools[] = {
        {"ash", "text/x-shellscript"},  {"bash", "text/x-shellscript"},
        {"dash", "text/x-shellscript"}, {"fish", "text/x-shellscript"},
        {"ksh", "text/x-shellscript"},  {"node", "text/javascript"},
        {"perl", "text/x-perl"},        {"python", "text/x-python"},
        {"python3", "text/x-python"},   {"ruby", "text/x-ruby"},
        {"sh", "text/x-shellscript"},   {"zsh", "text/x-shellscript"},
    };
    const char *c = text.data, *type;
    size_t len = 2, base;
    quire_bytes line, word;

    while (len < text.len && c[len] != '\n' && c[len] != '\r')
        len++;
    line = bytes_sub(text, 2, len);
    word = next_word(&line);
    if (bytes_is(word, "env") || ends_with(word, "/env")) {
        do
            word = next_word(&line);
        while (word.len && *(const char *)word.data == '-');
    }
    for (base = word.len, c = word.data; base > 0 && c[base - 1] != '/';)
        base--;
    type = find_type(tools, COUNT(tools), bytes_sub(word, base, word.len));
    return type ? type : PLAIN;
}

/* An XML declaration does not identify the format; the root of SVG is near. */
static const char *by_xml_root(quire_bytes text)
{
    size_t near = text.len < 512 ? text.len : 512;

    return memmem(text.data, near, "<svg", 4) ? PLAIN : "application/xml";
}

static const char *by_first_word(quire_bytes text)
{
    if (bytes_starts(text, bytes_str("\xef\xbb\xbf")))
        text = bytes_sub(text, 3, text.len);
    if (bytes_starts(text, bytes_str("#!")))
        return by_shebang(text);
    text = skip_space(text);
    if (ascii_starts(text, "<!doctype html") || ascii_starts(text, "<html"))
        return PLAIN;
    if (bytes_starts(text, bytes_str("<?xml")))
        return by_xml_root(text);
    if (bytes_starts(text, bytes_str("<svg")))
        return PLAIN;
    return looks_like_json(text) ? "application/json" : PLAIN;
}

const char *mime_by_content(quire_bytes content)
{
    const char *type = by_magic(magics, COUNT(magics), content);

    if (type)
        return type;
    if (is_text(content))
        return by_first_word(content);
    type = by_magic(weak_magics, COUNT(weak_magics), content);
    return type ? type : OCTETS;
}

/* ---- types themselves ---------------------------------------------------- */

/* No stricter than this: "text/plain; charset=utf-8" is a type, and so is an
 * invented one. But it goes into a header, where a line break would begin
 * another header. */
bool mime_is_valid(quire_bytes type)
{
    const char *c = type.data;
    size_t i;

    if (type.len < 3 || type.len > MIME_MAX)
        return false;
    for (i = 0; i < type.len; i++) {
        if (c[i] < 0x20 || c[i] > 0x7e)
            return false;
    }
    return memchr(c, '/', type.len) != NULL;
}

bool mime_is_text(const char *type)
{
    /* Besides text/... and suffixes +json, +xml and +yaml. */
    static const char *const textual[] = {
        "application/ecmascript",   "application/graphql",
        "application/javascript",   "application/json",
        "application/json-seq",     "application/json5",
        "application/jsonl",        "application/jsonlines",
        "application/ndjson",       "application/sql",
        "application/toml",         "application/typescript",
        "application/x-csh",        "application/x-httpd-php",
        "application/x-javascript", "application/x-latex",
        "application/x-ndjson",     "application/x-perl",
        "application/x-python",     "application/x-ruby",
        "application/x-sh",         "application/x-shellscript",
        "application/x-sql",        "application/x-subrip",
        "application/x-tex",        "application/x-typescript",
        "application/x-yaml",       "application/xml",
        "application/xml-dtd",      "application/yaml",
        "message/rfc822",
    };
    quire_bytes t = bytes_of(type, strcspn(type, "; \t"));
    size_t i;

    if (ascii_starts(t, "text/") || ends_with(t, "+json") ||
        ends_with(t, "+xml") || ends_with(t, "+yaml"))
        return true;
    for (i = 0; i < COUNT(textual); i++) {
        if (ascii_is(t, textual[i]))
            return true;
    }
    return false;
}
