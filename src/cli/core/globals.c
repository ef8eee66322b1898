/*
 * globals.c - the options of every command
 */
#include "cli/core/cli.h"

const struct opt cli_globals[] = {
    {.name = "home",
     .kind = OPT_PATH,
     .value = "DIR",
     .env = "QUIRE_HOME",
     .help = "use the store in DIR; a command that writes creates DIR, but not "
             "the directories above it"},
    {.name = "kind",
     .kind = OPT_CHOICE,
     .value = "native|omp|jp",
     .env = "QUIRE_KIND",
     .help = "which program's home it is; detected unless given"},
    {.name = "tenant",
     .kind = OPT_TEXT,
     .value = "NAME",
     .env = "QUIRE_TENANT",
     .help = "the tenant whose data to use; `default` unless given"},
    {.name = "session",
     .kind = OPT_TEXT,
     .value = "S",
     .env = "QUIRE_SESSION",
     .help = "the session to use: an id, the beginning of one, a path, or "
             "`last`; the last one of this directory unless given"},
    {.name = "json", .kind = OPT_FLAG, .help = "print one JSON object a line"},
    {.name = "wait",
     .kind = OPT_TIME,
     .value = "DUR",
     .help = "how long to wait for another writer, such as 500ms or 2m; 5s "
             "unless given"},
    {.name = "color",
     .kind = OPT_CHOICE,
     .value = "auto|always|never",
     .help = "colour: on a terminal, always, never"},
    {.name = "quiet",
     .letter = 'q',
     .kind = OPT_FLAG,
     .help = "print results and errors only"},
    {.name = "no-progress", .kind = OPT_FLAG, .help = "do not show progress"},
    {.name = "no-pager",
     .kind = OPT_FLAG,
     .help = "do not page output longer than the screen"},
    {.name = "trace",
     .kind = OPT_FLAG,
     .help = "log calls to files and database on standard error"},
    {.name = "help", .letter = 'h', .kind = OPT_FLAG, .help = "show help"},
    {.name = "version", .kind = OPT_FLAG, .help = "print the version"},
    {0},
};
