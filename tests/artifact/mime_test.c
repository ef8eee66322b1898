#include "artifact/mime.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "support/test.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A literal with its NULs, without the last. */
#define LIT(text) bytes_of((text), sizeof(text) - 1)

static void named(const char *path, const char *type)
{
    const char *got = mime_by_name(bytes_str(path));

    SAME_TEXT(type, got ? got : "(none)");
}

/* Whatever holds of the content must hold of a copy that ends where it is
 * said to, so that a sanitizer sees a byte too many. */
static void sniffed(quire_bytes content, const char *type)
{
    char *copy = malloc(content.len ? content.len : 1);

    if (content.len)
        memcpy(copy, content.data, content.len);
    SAME_TEXT(type, mime_by_content(bytes_of(copy, content.len)));
    free(copy);
}

static void sniffed_text(const char *content, const char *type)
{
    sniffed(bytes_str(content), type);
}

/* `len` bytes: `head`, then the same byte over and over. */
static quire_bytes padded(quire_bytes head, int byte, size_t len)
{
    char *text = test_alloc(len);

    memset(text, byte, len);
    memcpy(text, head.data, head.len);
    return bytes_of(text, len);
}

/* ---- by name ------------------------------------------------------------- */

TEST(mime_knows_common_endings)
{
    named("a.txt", "text/plain");
    named("a.md", "text/markdown");
    named("a.html", "text/plain");
    named("a.csv", "text/csv");
    named("a.json", "application/json");
    named("a.yml", "application/yaml");
    named("a.toml", "application/toml");
    named("a.c", "text/x-c");
    named("a.hpp", "text/x-c++");
    named("a.py", "text/x-python");
    named("a.mjs", "text/javascript");
    named("a.ts", "text/x-typescript");
    named("a.sh", "text/x-shellscript");
    named("a.svg", "text/plain");
    named("a.jpeg", "image/jpeg");
    named("a.pdf", "application/pdf");
    named("a.7z", "application/x-7z-compressed");
    named("a.zst", "application/zstd");
    named("a.bin", "application/octet-stream");
    named("a.sqlite", "application/vnd.sqlite3");
    named("a.docx", "application/vnd.openxmlformats-officedocument."
                    "wordprocessingml.document");
}

/* Were the tables out of order, a search by halves would miss some. */
TEST(mime_finds_every_row_of_its_tables)
{
    static const char *const paths[] =
        {"a.7z",          "a.aac",        "a.adoc",        "a.apk",
         "a.asm",         "a.avi",        "a.avif",        "a.awk",
         "a.bash",        "a.bat",        "a.bib",         "a.bin",
         "a.bmp",         "a.bz2",        "a.c",           "a.cc",
         "a.cfg",         "a.cjs",        "a.class",       "a.clj",
         "a.cljs",        "a.cmake",      "a.cmd",         "a.conf",
         "a.cpp",         "a.cs",         "a.css",         "a.csv",
         "a.cts",         "a.cxx",        "a.dart",        "a.db",
         "a.deb",         "a.diff",       "a.dll",         "a.dmg",
         "a.doc",         "a.docx",       "a.el",          "a.eml",
         "a.eps",         "a.epub",       "a.erl",         "a.ex",
         "a.exe",         "a.exs",        "a.fish",        "a.flac",
         "a.fs",          "a.geojson",    "a.gif",         "a.go",
         "a.gql",         "a.gradle",     "a.graphql",     "a.groovy",
         "a.gz",          "a.h",          "a.heic",        "a.hh",
         "a.hpp",         "a.hs",         "a.htm",         "a.html",
         "a.ico",         "a.ics",        "a.ini",         "a.ipynb",
         "a.iso",         "a.jar",        "a.java",        "a.jl",
         "a.jpeg",        "a.jpg",        "a.js",          "a.json",
         "a.json5",       "a.jsonc",      "a.jsonl",       "a.jsx",
         "a.ksh",         "a.kt",         "a.kts",         "a.less",
         "a.lisp",        "a.log",        "a.lua",         "a.m4a",
         "a.m4v",         "a.markdown",   "a.md",          "a.mid",
         "a.mjs",         "a.mk",         "a.mkd",         "a.mkv",
         "a.ml",          "a.mli",        "a.mov",         "a.mp3",
         "a.mp4",         "a.mpeg",       "a.mpg",         "a.mts",
         "a.ndjson",      "a.nix",        "a.odp",         "a.ods",
         "a.odt",         "a.oga",        "a.ogg",         "a.ogv",
         "a.opus",        "a.org",        "a.otf",         "a.parquet",
         "a.patch",       "a.pdf",        "a.php",         "a.pl",
         "a.pm",          "a.png",        "a.po",          "a.ppt",
         "a.pptx",        "a.properties", "a.proto",       "a.ps",
         "a.ps1",         "a.psd",        "a.py",          "a.pyc",
         "a.pyi",         "a.r",          "a.rar",         "a.rb",
         "a.rpm",         "a.rs",         "a.rst",         "a.rtf",
         "a.s",           "a.sass",       "a.scala",       "a.scm",
         "a.scss",        "a.sh",         "a.so",          "a.sql",
         "a.sqlite",      "a.sqlite3",    "a.srt",         "a.svelte",
         "a.svg",         "a.swift",      "a.tar",         "a.tex",
         "a.text",        "a.tf",         "a.tgz",         "a.tif",
         "a.tiff",        "a.toml",       "a.ts",          "a.tsv",
         "a.tsx",         "a.ttf",        "a.txt",         "a.vcf",
         "a.vim",         "a.vtt",        "a.vue",         "a.wasm",
         "a.wav",         "a.webm",       "a.webmanifest", "a.webp",
         "a.woff",        "a.woff2",      "a.xhtml",       "a.xls",
         "a.xlsx",        "a.xml",        "a.xsd",         "a.xsl",
         "a.xz",          "a.yaml",       "a.yml",         "a.zig",
         "a.zip",         "a.zsh",        "a.zst",         "authors",
         "brewfile",      "changelog",    "changes",       "codeowners",
         "containerfile", "contributors", "copying",       "dockerfile",
         "gemfile",       "gnumakefile",  "history",       "install",
         "jenkinsfile",   "justfile",     "licence",       "license",
         "makefile",      "news",         "notice",        "podfile",
         "procfile",      "rakefile",     "readme",        "todo",
         "vagrantfile",   "version"};
    size_t i;

    for (i = 0; i < COUNT(paths); i++) {
        const char *type = mime_by_name(bytes_str(paths[i]));

        SAME_TEXT(paths[i], type ? paths[i] : "(none)");
        YES(type && mime_is_valid(bytes_str(type)));
    }
}

TEST(mime_by_name_ignores_case)
{
    named("A.TXT", "text/plain");
    named("photo.JpG", "image/jpeg");
    named("MAKEFILE", "text/x-makefile");
}

TEST(mime_by_name_looks_at_the_last_ending_of_the_last_part)
{
    named("a/b.d/c.png", "image/png");
    named("a.tar.gz", "application/gzip");
    named("types.d.ts", "text/x-typescript");
    named("a.txt/b", "(none)");
    named("a.png.bak", "(none)");
    named("a..md", "text/markdown");
}

TEST(mime_knows_files_without_an_ending)
{
    named("Makefile", "text/x-makefile");
    named("src/Dockerfile", "text/x-dockerfile");
    named("README", "text/plain");
    named("LICENSE", "text/plain");
    named("Gemfile", "text/x-ruby");
    named("a/todo", "text/plain");
}

TEST(mime_by_name_does_not_guess)
{
    named("", "(none)");
    named("a", "(none)");
    named("a.", "(none)");
    named(".", "(none)");
    named("a/", "(none)");
    named("txt", "(none)");
    named("md/png", "(none)");
    named("a.makefile", "(none)");
    named("a.unheard-of", "(none)");
    named("a.txtx", "(none)");
    named("a.tx", "(none)");
    named("a. txt", "(none)");
    named("a.txt ", "(none)");
    named("a.an-ending-that-is-longer-than-any-there-is", "(none)");
    EQ(0, mime_by_name(bytes_of(NULL, 0)) != NULL);
    EQ(0, mime_by_name(LIT("a.txt\0")) != NULL);
    EQ(0, mime_by_name(LIT("a.\0")) != NULL);
}

/* ---- by content ---------------------------------------------------------- */

TEST(mime_knows_binary_content_by_its_marks)
{
    sniffed(LIT("\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), "image/png");
    sniffed(LIT("\xff\xd8\xff\xe0"), "image/jpeg");
    sniffed(LIT("GIF89a\1\0\1\0"), "image/gif");
    sniffed(LIT("RIFF\x24\0\0\0WEBPVP8 "), "image/webp");
    sniffed(LIT("RIFF\x24\0\0\0WAVEfmt "), "audio/wav");
    sniffed(LIT("\0\0\0\x1c\x66typavif\0"), "image/avif");
    sniffed(LIT("\0\0\0\x18\x66typheic\0"), "image/heic");
    sniffed(LIT("\0\0\0\x14\x66typqt  \0"), "video/quicktime");
    sniffed(LIT("\0\0\0\x18\x66typisom\0"), "video/mp4");
    sniffed(LIT("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"), "application/pdf");
    sniffed(LIT("PK\3\4\x14\0"), "application/zip");
    sniffed(LIT("\x1f\x8b\x08\0"), "application/gzip");
    sniffed(LIT("BZh91AY&SY"), "application/x-bzip2");
    sniffed(LIT("\xfd\x37zXZ\0"), "application/x-xz");
    sniffed(LIT("\x28\xb5\x2f\xfd"), "application/zstd");
    sniffed(LIT("7z\xbc\xaf\x27\x1c\0\4"), "application/x-7z-compressed");
    sniffed(LIT("SQLite format 3\0\x10"), "application/vnd.sqlite3");
    sniffed(LIT("\x7f\x45LF\2\1\1"), "application/x-elf");
    sniffed(LIT("\0asm\1\0\0\0"), "application/wasm");
    sniffed(LIT("OggS\0\2"), "audio/ogg");
    sniffed(LIT("ID3\3\0\0"), "audio/mpeg");
    sniffed(LIT("wOF2\0\1\0\0"), "font/woff2");
}

TEST(mime_knows_an_archive_by_what_stands_behind_its_first_name)
{
    char tar[512] = "a.txt";

    memcpy(tar + 257, "ustar\00000", 8);
    sniffed(bytes_of(tar, sizeof tar), "application/x-tar");
    sniffed(bytes_of(tar, 263), "application/x-tar");
    sniffed(bytes_of(tar, 262), "application/octet-stream");
    memcpy(tar + 257, "ustar  ", 8);
    sniffed(bytes_of(tar, sizeof tar), "application/x-tar");
}

TEST(mime_takes_no_word_for_a_mark)
{
    sniffed_text("BMW and others", "text/plain");
    sniffed_text("MZ is a mark", "text/plain");
    sniffed_text("ID3 tags", "text/plain");
    sniffed_text("RIFF is a format", "text/plain");
    sniffed_text("the ftyp box", "text/plain");
    sniffed_text("PK", "text/plain");
    sniffed_text("BZh", "text/plain");
    sniffed_text("OggS", "text/plain");
    sniffed(LIT("BM\x36\0\0\0\0\0"), "image/bmp");
    sniffed(LIT("MZ\x90\0\3\0"),
            "application/vnd.microsoft.portable-executable");
}

TEST(mime_takes_utf8_for_text)
{
    sniffed_text("", "text/plain");
    sniffed(bytes_of(NULL, 0), "text/plain");
    sniffed_text("a", "text/plain");
    sniffed_text("plain\r\n\ttext\f\n", "text/plain");
    sniffed_text("caf\xc3\xa9 \xf0\x9f\x98\x80", "text/plain");
    sniffed_text("\xef\xbb\xbfwith a mark", "text/plain");
    sniffed_text("\x1b[31mred\x1b[0m", "text/plain");
}

TEST(mime_allows_for_a_character_that_is_cut_off)
{
    sniffed_text("caf\xc3", "text/plain");
    sniffed_text("5 \xe2\x82", "text/plain");
    sniffed_text("5 \xe2", "text/plain");
    sniffed_text("\xf0\x9f\x98", "text/plain");
    sniffed_text("{\"a\": \"\xf0\x9f", "application/json");
    /* these begin no character, or are not at the end */
    sniffed_text("caf\x80", "application/octet-stream");
    sniffed_text("caf\xff", "application/octet-stream");
    sniffed_text("caf\xc0", "application/octet-stream");
    sniffed_text("a\xe0\x80", "application/octet-stream");
    sniffed_text("a\xed\xa0", "application/octet-stream");
    sniffed_text("caf\xc3 ", "application/octet-stream");
    sniffed_text("\xe9t\xe9", "application/octet-stream");
}

TEST(mime_takes_no_nul_and_few_controls_for_text)
{
    sniffed(LIT("a\0b"), "application/octet-stream");
    sniffed(padded(LIT("a\0"), 'x', 4096), "application/octet-stream");
    sniffed(LIT("\1\2\3"), "application/octet-stream");
    sniffed(padded(LIT("\7\7"), 'x', 64), "text/plain");
    sniffed(padded(LIT("\7\7"), 'x', 63), "application/octet-stream");
    sniffed(padded(LIT("\7\x7f\1"), 'x', 64), "application/octet-stream");
}

TEST(mime_knows_utf16_by_its_mark)
{
    sniffed(LIT("\xff\xfeh\0i\0"), "text/plain");
    sniffed(LIT("\xfe\xff\0h\0i"), "text/plain");
    sniffed(LIT("h\0i\0"), "application/octet-stream");
}

TEST(mime_knows_json_by_its_beginning)
{
    sniffed_text("{\"a\": 1}", "application/json");
    sniffed_text(" \r\n\t{\n  \"a\": [", "application/json");
    sniffed_text("[{\"a\":1},", "application/json");
    sniffed_text("[\n  \"a\",", "application/json");
    sniffed_text("{\"a\":1}\n{\"a\":2}\n", "application/json");
    sniffed_text("\xef\xbb\xbf{\"a\":1}", "application/json");
    /* or by all of it */
    sniffed_text("{}", "application/json");
    sniffed_text("[]\n", "application/json");
    sniffed_text("[1, 2, 3]", "application/json");
    sniffed_text("[[1], [null]]", "application/json");
}

TEST(mime_takes_no_bracket_for_json)
{
    sniffed_text("{", "text/plain");
    sniffed_text("[", "text/plain");
    sniffed_text("[1] a footnote", "text/plain");
    sniffed_text("[section]\nkey = 1", "text/plain");
    sniffed_text("[text](https://example.org)", "text/plain");
    sniffed_text("[[a wiki]]", "text/plain");
    sniffed_text("[ ] to do", "text/plain");
    sniffed_text("{% if a %}", "text/plain");
    sniffed_text("{ return 0; }", "text/plain");
    sniffed_text("\"a string\"", "text/plain");
    sniffed_text("12", "text/plain");
}

TEST(mime_knows_markup_by_its_beginning)
{
    sniffed_text("<!DOCTYPE html>\n<html>", "text/plain");
    sniffed_text("\n <!doctype HTML", "text/plain");
    sniffed_text("<html lang=\"en\">", "text/plain");
    sniffed_text("<HTML>", "text/plain");
    sniffed_text("<?xml version=\"1.0\"?><a/>", "application/xml");
    sniffed_text("<?xml version=\"1.0\"?>\n<!-- a -->\n<svg ", "text/plain");
    sniffed_text("<svg xmlns=\"\">", "text/plain");
    sniffed_text("<p>a</p>", "text/plain");
    sniffed_text("<!doctype", "text/plain");
    sniffed_text("a <html>", "text/plain");
}

TEST(mime_looks_for_a_picture_in_xml_near_its_beginning_only)
{
    quire_bytes xml = padded(LIT("<?xml?>"), ' ', 600);
    char *text = test_alloc(604);

    memcpy(text, xml.data, xml.len);
    memcpy(text + 508, "<svg", 4);
    sniffed(bytes_of(text, 600), "text/plain");
    memcpy(text + 508, " <svg", 5);
    sniffed(bytes_of(text, 600), "application/xml");
}

TEST(mime_knows_a_script_by_its_first_line)
{
    sniffed_text("#!/bin/sh", "text/x-shellscript");
    sniffed_text("#!/bin/sh\necho", "text/x-shellscript");
    sniffed_text("#! /bin/bash -eu\r\n", "text/x-shellscript");
    sniffed_text("#!/usr/bin/env bash\n", "text/x-shellscript");
    sniffed_text("#!/usr/bin/env -S zsh -f\n", "text/x-shellscript");
    sniffed_text("#!/usr/bin/env python3\n", "text/x-python");
    sniffed_text("#!env ruby\n", "text/x-ruby");
    sniffed_text("#!/usr/bin/node\n", "text/javascript");
    sniffed_text("#!/usr/bin/tclsh\n", "text/plain");
    sniffed_text("#!/usr/bin/env\nsh", "text/plain");
    sniffed_text("#!/bin/\n", "text/plain");
    sniffed_text("#!\nsh", "text/plain");
    sniffed_text("#!", "text/plain");
    sniffed_text(" #!/bin/sh", "text/plain");
}

TEST(mime_always_has_an_answer)
{
    uint64_t seed;

    for (seed = 1; seed <= 2000; seed++) {
        char noise[64];
        size_t len = seed % sizeof noise;
        const char *type;

        test_noise(seed, noise, len);
        type = mime_by_content(bytes_of(noise, len));
        YES(mime_is_valid(bytes_str(type)));
    }
}

/* ---- types themselves ---------------------------------------------------- */

TEST(mime_type_is_printable_with_a_slash)
{
    YES(mime_is_valid(LIT("a/b")));
    YES(mime_is_valid(LIT("text/plain")));
    YES(mime_is_valid(LIT("text/plain; charset=utf-8")));
    YES(mime_is_valid(LIT("x~y/!#$&'*+.^_`|{}")));
    NO(mime_is_valid(LIT("")));
    NO(mime_is_valid(bytes_of(NULL, 0)));
    NO(mime_is_valid(LIT("/")));
    NO(mime_is_valid(LIT("a/")));
    NO(mime_is_valid(LIT("text")));
    NO(mime_is_valid(LIT("text/pl\xc3\xa4in")));
    NO(mime_is_valid(LIT("text/plain\x7f")));
    NO(mime_is_valid(LIT("text/plain\t")));
    NO(mime_is_valid(LIT("text/plain\0")));
    NO(mime_is_valid(LIT("text/plain\r\nSet-Cookie: a=b")));
}

TEST(mime_type_has_up_to_127_bytes)
{
    YES(mime_is_valid(padded(LIT("a/"), 'x', 127)));
    NO(mime_is_valid(padded(LIT("a/"), 'x', 128)));
}

TEST(mime_tells_types_worth_indexing)
{
    static const char *const yes[] = {
        "text/plain",
        "text/x-whatever",
        "TEXT/HTML",
        "text/plain; charset=utf-8",
        "text/csv;header=present",
        "application/json",
        "Application/JSON ; a=b",
        "application/ld+json",
        "application/vnd.a+JSON",
        "application/atom+xml; type=feed",
        "image/svg+xml",
        "application/xml",
        "application/javascript",
        "application/x-sh",
        "application/yaml",
        "application/x-yaml",
        "application/openapi+yaml",
        "application/toml",
        "application/sql",
        "application/x-ndjson",
        "application/jsonl",
        "message/rfc822",
    };
    static const char *const no[] = {
        "",
        "text",
        "application/octet-stream",
        "application/pdf",
        "image/png",
        "image/png; name=text/plain",
        "application/zip",
        "application/epub+zip",
        "application/jsonx",
        "application/x-json+",
        "audio/mpeg",
        " text/plain",
    };
    size_t i;

    for (i = 0; i < COUNT(yes); i++) {
        if (!mime_is_text(yes[i]))
            SAME_TEXT(yes[i], "(text)");
    }
    for (i = 0; i < COUNT(no); i++) {
        if (mime_is_text(no[i]))
            SAME_TEXT(no[i], "(no text)");
    }
}

TEST(mime_tells_that_source_code_is_worth_indexing)
{
    static const char *const sources[] = {"a.c",     "a.rs",       "a.py",
                                          "a.js",    "a.ts",       "a.sh",
                                          "a.sql",   "a.yml",      "a.toml",
                                          "a.json",  "a.jsonl",    "a.ndjson",
                                          "a.html",  "a.svg",      "a.tex",
                                          "a.ipynb", "Dockerfile", "a.xhtml"};
    size_t i;

    for (i = 0; i < COUNT(sources); i++)
        YES(mime_is_text(mime_by_name(bytes_str(sources[i]))));
}
