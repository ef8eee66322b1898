/* schema.c - see schema.h
 *
 * Every CREATE TABLE of quire.db, in the order of the steps. Full-text tables
 * are created per tenant by the modules that own them.
 *
 * Totals (used, n) are columns that each change updates: a sum over rows would
 * cost more with every artifact. Built-in sessions have negative ids, so that
 * the first session of a fresh home is number 1: "user" of tenant t is 1 - 2t,
 * "temp" is -2t. There are no triggers.
 */
#include "catalog/schema.h"

#include "base/err.h"
#include "store/sql.h"
#include "store/sqlite_ddl.h"

static const char blob_schema[] =
    "CREATE TABLE blob("
    " id INTEGER PRIMARY KEY,"
    " sha256 BLOB NOT NULL UNIQUE," /* 32 bytes                          */
    " size INTEGER NOT NULL,"       /* of the content                    */
    " stored INTEGER NOT NULL,"     /* bytes of the body or of the file  */
    " codec INTEGER NOT NULL,"      /* 0 plain, 1 gzip                   */
    " in_file INTEGER NOT NULL,"    /* 1: blobs/aa/bb/…                  */
    " seen INTEGER NOT NULL);"      /* last put or found, Unix seconds   */
    "CREATE TABLE body("
    " id INTEGER PRIMARY KEY REFERENCES blob(id) ON DELETE CASCADE,"
    " bytes BLOB NOT NULL);";

static const char list_schema[] =
    "CREATE TABLE session_list(dir TEXT PRIMARY KEY,"
    " records BLOB NOT NULL)" DDL_CLUSTERED ";";

static const char artifact_schema[] =
    "CREATE TABLE tenant("
    " id " DDL_SERIAL_KEY ","
    " name TEXT NOT NULL,"
    " token BLOB UNIQUE," /* SHA-256 of the token; NULL: no token         */
    " disabled INTEGER NOT NULL DEFAULT 0,"
    " created INTEGER NOT NULL," /* microseconds, here and everywhere     */
    " used INTEGER NOT NULL DEFAULT 0," /* bytes of living artifacts      */
    " n INTEGER NOT NULL DEFAULT 0);"   /* how many                       */
    "INSERT INTO tenant(name, created) VALUES('default', 0);" /* number 1 */
    "CREATE TABLE session("
    " id " DDL_SERIAL_KEY ","
    " tenant INTEGER NOT NULL REFERENCES tenant(id) ON DELETE CASCADE,"
    " key TEXT NOT NULL," /* its own id, 'user' or 'temp'                 */
    " created INTEGER NOT NULL,"
    " used INTEGER NOT NULL DEFAULT 0,"
    " n INTEGER NOT NULL DEFAULT 0,"
    " UNIQUE(tenant, key));"
    "CREATE TABLE artifact("
    " id " DDL_SERIAL_KEY ","
    " tenant INTEGER NOT NULL REFERENCES tenant(id) ON DELETE CASCADE,"
    " session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,"
    " path TEXT NOT NULL,"
    " version INTEGER NOT NULL," /* the current one                       */
    " sha256 BLOB NOT NULL,"
    " size INTEGER NOT NULL,"
    " mime TEXT NOT NULL,"
    " purpose TEXT NOT NULL,"
    " source TEXT NOT NULL,"
    " agent TEXT NOT NULL,"
    " tags TEXT NOT NULL," /* JSON                                        */
    " meta TEXT NOT NULL," /* JSON                                        */
    " created INTEGER NOT NULL,"
    " updated INTEGER NOT NULL,"
    " deleted INTEGER NOT NULL DEFAULT 0);" /* 0: it is living            */
    "CREATE UNIQUE INDEX artifact_path ON artifact(session, path)"
    " WHERE deleted = 0;"
    "CREATE INDEX artifact_session ON artifact(session, updated, id);"
    "CREATE INDEX artifact_tenant ON artifact(tenant, updated, id);"
    "CREATE INDEX artifact_away ON artifact(deleted) WHERE deleted <> 0;";

static const char version_before[] =
    "CREATE TABLE artifact_version("
    " artifact INTEGER NOT NULL REFERENCES artifact(id) ON DELETE CASCADE,"
    " version INTEGER NOT NULL,"
    " sha256 BLOB NOT NULL,"
    " size INTEGER NOT NULL,"
    " mime TEXT NOT NULL,"
    " created INTEGER NOT NULL,"
    " PRIMARY KEY(artifact, version))" DDL_CLUSTERED ";";

static const char settings_schema[] = "CREATE TABLE setting("
                                      " key TEXT PRIMARY KEY,"
                                      " value TEXT NOT NULL)" DDL_CLUSTERED ";";

/* Files of the home to be removed, with size and time as recorded then. */
static const char removal_schema[] =
    "CREATE TABLE removal("
    " name TEXT PRIMARY KEY,"
    " size INTEGER NOT NULL,"
    " modified INTEGER NOT NULL)" /* nanoseconds */
    DDL_CLUSTERED ";";

static const char memory_schema[] =
    "CREATE TABLE memory("
    " id " DDL_SERIAL_KEY ","
    " tenant INTEGER NOT NULL REFERENCES tenant(id) ON DELETE CASCADE,"
    " session INTEGER REFERENCES session(id) ON DELETE SET NULL,"
    " artifact INTEGER REFERENCES artifact(id) ON DELETE SET NULL,"
    " type TEXT NOT NULL,"
    " created INTEGER NOT NULL,"
    " updated INTEGER NOT NULL,"
    " valid_from INTEGER NOT NULL,"
    " valid_to INTEGER NOT NULL DEFAULT 0," /* 0: it is valid             */
    " title TEXT NOT NULL,"
    " tags TEXT NOT NULL," /* JSON                                        */
    " source TEXT NOT NULL,"
    " content TEXT NOT NULL);"
    "CREATE INDEX memory_valid ON memory(tenant, updated, id)"
    " WHERE valid_to = 0;"
    "CREATE INDEX memory_all ON memory(tenant, updated, id);"
    "CREATE INDEX memory_session ON memory(session)"
    " WHERE session IS NOT NULL;"
    "CREATE INDEX memory_artifact ON memory(artifact)"
    " WHERE artifact IS NOT NULL;"
    "CREATE TABLE relation("
    " id " DDL_SERIAL_KEY ","
    " tenant INTEGER NOT NULL REFERENCES tenant(id) ON DELETE CASCADE,"
    " source INTEGER NOT NULL REFERENCES memory(id) ON DELETE CASCADE,"
    " target INTEGER NOT NULL REFERENCES memory(id) ON DELETE CASCADE,"
    " kind TEXT NOT NULL,"
    " created INTEGER NOT NULL,"
    " UNIQUE(source, target, kind)," /* both are of the one tenant        */
    " CHECK(source <> target));"
    "CREATE INDEX relation_target ON relation(target);"
    "CREATE INDEX relation_tenant ON relation(tenant);";

static const char scratchpad_schema[] =
    "CREATE TABLE pad("
    " id " DDL_SERIAL_KEY ","
    " tenant INTEGER NOT NULL REFERENCES tenant(id) ON DELETE CASCADE,"
    " name TEXT NOT NULL," /* of the agent; '': all of them              */
    " used INTEGER NOT NULL DEFAULT 0," /* bytes of its blocks            */
    " updated INTEGER NOT NULL,"        /* microseconds                   */
    " UNIQUE(tenant, name));";

static const char block_before[] =
    "CREATE TABLE pad_block("
    " id " DDL_SERIAL_KEY ","
    " pad INTEGER NOT NULL REFERENCES pad(id) ON DELETE CASCADE,"
    " text TEXT NOT NULL);"
    "CREATE INDEX pad_block_pad ON pad_block(pad);";

/* A table of its own, so that reading changes no index of artifacts. */
static const char read_count_before[] =
    "CREATE TABLE artifact_access("
    " artifact INTEGER PRIMARY KEY REFERENCES artifact(id) ON DELETE CASCADE,"
    " n INTEGER NOT NULL,"
    " last INTEGER NOT NULL);";

/* Totals per session file, with the state of the file when it was counted.
 * Derived from the files. */
static const char session_usage_before[] =
    "CREATE TABLE tally("
    " session INTEGER PRIMARY KEY REFERENCES session(id) ON DELETE CASCADE,"
    " name TEXT NOT NULL," /* of the file, below the tenant's root          */
    " title TEXT NOT NULL,"
    " state TEXT NOT NULL,"  /* 'active', 'archived'                        */
    " parent TEXT NOT NULL," /* an id or a path, as the header has it       */
    " inode INTEGER NOT NULL,"
    " size INTEGER NOT NULL,"
    " modified INTEGER NOT NULL," /* nanoseconds                            */
    " changed INTEGER NOT NULL,"
    " damaged INTEGER NOT NULL," /* 1: a line in it is not JSON              */
    " scanned INTEGER NOT NULL," /* whole lines up to here were counted     */
    " tail BLOB NOT NULL,"       /* the bytes before that                   */
    " entries INTEGER NOT NULL,"
    " messages INTEGER NOT NULL,"
    " input INTEGER NOT NULL," /* tokens                                    */
    " output INTEGER NOT NULL,"
    " cache_read INTEGER NOT NULL,"
    " cache_write INTEGER NOT NULL,"
    " total INTEGER NOT NULL,"
    " cost INTEGER NOT NULL);"; /* billionths of a dollar                   */

static const char ref_index_schema[] =
    "CREATE TABLE source("
    " id INTEGER PRIMARY KEY,"
    " label TEXT NOT NULL UNIQUE,"
    " inode INTEGER NOT NULL,"
    " size INTEGER NOT NULL,"     /* so much of it was read             */
    " modified INTEGER NOT NULL," /* nanoseconds                        */
    " changed INTEGER NOT NULL,"
    " tail BLOB NOT NULL,"      /* the bytes before its end           */
    " whole INTEGER NOT NULL);" /* it was read in one go            */
    "CREATE TABLE mentioned("   /* apart: most looks need the others  */
    " source INTEGER PRIMARY KEY REFERENCES source(id) ON DELETE CASCADE,"
    " keys BLOB NOT NULL);"
    "CREATE TABLE held("
    " bucket INTEGER PRIMARY KEY,"
    " counts BLOB NOT NULL);"
    "CREATE TABLE doomed("
    " sha256 BLOB PRIMARY KEY,"
    " since INTEGER NOT NULL)" DDL_CLUSTERED ";"
    "CREATE TABLE loose("
    " key INTEGER PRIMARY KEY,"
    " since INTEGER NOT NULL);"
    "CREATE TABLE pin("
    " sha256 BLOB PRIMARY KEY,"
    " created INTEGER NOT NULL)" DDL_CLUSTERED ";"
    "CREATE TABLE root("
    " path TEXT PRIMARY KEY,"
    " is_dir INTEGER NOT NULL,"
    " created INTEGER NOT NULL)" DDL_CLUSTERED ";"
    "CREATE TABLE collection("
    " number INTEGER PRIMARY KEY," /* which: see enum ref_index_number      */
    " value INTEGER NOT NULL);";

static const char baseline_schema[] =
    "CREATE TABLE copy("
    " session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,"
    " path TEXT NOT NULL,"
    " inode INTEGER NOT NULL,"
    " size INTEGER NOT NULL,"
    " modified INTEGER NOT NULL," /* nanoseconds, both                    */
    " changed INTEGER NOT NULL,"  /* 0: look at the content again          */
    " sha256 BLOB NOT NULL,"
    " PRIMARY KEY(session, path))" DDL_CLUSTERED ";";

static const char run_log_schema[] =
    "CREATE TABLE run("
    " id " DDL_SERIAL_KEY ","
    " tenant INTEGER NOT NULL REFERENCES tenant(id) ON DELETE CASCADE,"
    " session TEXT NOT NULL," /* its own id                              */
    " command TEXT NOT NULL," /* JSON: an array of words                 */
    " unconfined INTEGER NOT NULL,"
    " started INTEGER NOT NULL," /* microseconds                          */
    " duration INTEGER,"         /* the same; NULL: not recorded          */
    " exit INTEGER,"             /* -1: a signal ended it                 */
    " signal INTEGER,"
    " out_bytes INTEGER,"
    " err_bytes INTEGER,"
    " hit TEXT," /* limits it met, and layers that held: JSON arrays   */
    " confined TEXT);";

static const char idempotency_schema[] =
    "CREATE TABLE claim("
    " tenant INTEGER NOT NULL REFERENCES tenant(id) ON DELETE CASCADE,"
    " key TEXT NOT NULL,"
    " request BLOB NOT NULL,"    /* SHA-256 of the request             */
    " created INTEGER NOT NULL," /* microseconds                       */
    " status INTEGER,"           /* of the response; NULL: none yet    */
    " answer BLOB,"
    " PRIMARY KEY(tenant, key))" DDL_CLUSTERED ";"
    "CREATE INDEX claim_created ON claim(created);";

/* Of versions with full-text tables in the catalogue: artifacts whose row there was
 * stale or missing. */
static const char fulltext_due_schema[] =
    "CREATE TABLE artifact_due("
    " tenant INTEGER NOT NULL REFERENCES tenant(id) ON DELETE CASCADE,"
    " artifact INTEGER NOT NULL," /* may be purged since */
    " sha256 BLOB,"
    " session INTEGER,"
    " path TEXT,"
    " purpose TEXT,"
    " tags TEXT,"
    " mime TEXT,"
    " PRIMARY KEY(tenant, artifact))" DDL_CLUSTERED ";";

static const char audit_log_schema[] =
    "CREATE TABLE journal("
    " id " DDL_SERIAL_KEY ","
    " at INTEGER NOT NULL,"     /* microseconds                         */
    " actor TEXT NOT NULL,"     /* the admin token or user id           */
    " action TEXT NOT NULL,"    /* tenant.add, tenant.rotate, …         */
    " tenant INTEGER NOT NULL," /* may be removed since; 0: the home    */
    " name TEXT NOT NULL,"      /* of the tenant, or the setting        */
    " before TEXT,"             /* JSON                                 */
    " after TEXT);";

static const char folder_schema[] =
    "CREATE TABLE folder("
    " id " DDL_SERIAL_KEY ","
    " tenant INTEGER NOT NULL REFERENCES tenant(id) ON DELETE CASCADE,"
    " name TEXT NOT NULL,"
    " created INTEGER NOT NULL," /* microseconds */
    " updated INTEGER NOT NULL," /* when it got its name */
    " UNIQUE(tenant, name));";

static const char filed_before[] =
    "CREATE TABLE filed("
    " session INTEGER PRIMARY KEY REFERENCES session(id) ON DELETE CASCADE,"
    " folder INTEGER NOT NULL REFERENCES folder(id) ON DELETE CASCADE);"
    "CREATE INDEX filed_folder ON filed(folder);";

static const char blob_tenant_schema[] =
    "CREATE TABLE blob_tenant("
    " sha256 BLOB NOT NULL REFERENCES blob(sha256) ON DELETE CASCADE,"
    " tenant INTEGER NOT NULL REFERENCES tenant(id) ON DELETE CASCADE,"
    " PRIMARY KEY(sha256, tenant))" DDL_CLUSTERED ";"
    "INSERT INTO blob_tenant(sha256, tenant) SELECT DISTINCT v.sha256, a.tenant"
    " FROM artifact_version v JOIN artifact a ON a.id = v.artifact"
    " JOIN blob b ON b.sha256 = v.sha256 WHERE a.tenant <> 1;";

/* What the search index reads (catalog/change_log.h). */
static const char change_log_schema[] =
    "CREATE TABLE change_log("
    " tenant INTEGER NOT NULL REFERENCES tenant(id) ON DELETE CASCADE,"
    " seq INTEGER NOT NULL,"
    " kind INTEGER NOT NULL," /* enum change_kind */
    " item INTEGER NOT NULL," /* its id; the row may be gone since */
    " at INTEGER NOT NULL,"   /* microseconds */
    " PRIMARY KEY(tenant, seq))" DDL_CLUSTERED ";";

/* See import_ledger.h. The state is apart: it is large, and rarely read. */
static const char import_schema[] =
    "CREATE TABLE import_file("
    " tenant INTEGER NOT NULL REFERENCES tenant(id) ON DELETE CASCADE,"
    " path TEXT NOT NULL," /* of the agent's file                         */
    " agent TEXT NOT NULL,"
    " session TEXT NOT NULL," /* its id in this home                      */
    " main INTEGER NOT NULL," /* 0: the file only belongs to the session  */
    " cwd TEXT NOT NULL,"
    " title TEXT NOT NULL,"
    " inode INTEGER NOT NULL," /* the file, as it was imported            */
    " size INTEGER NOT NULL,"
    " modified INTEGER NOT NULL," /* nanoseconds                          */
    " mark BLOB NOT NULL,"        /* of its content, by the importer      */
    " version INTEGER NOT NULL,"  /* of the converter                     */
    " settled INTEGER NOT NULL,"  /* bytes of the session file that stay  */
    " written INTEGER NOT NULL,"  /* all its bytes; -1: being written     */
    " entries INTEGER NOT NULL,"
    " settled_entries INTEGER NOT NULL,"
    " problems INTEGER NOT NULL,"
    " imported INTEGER NOT NULL,"
    " PRIMARY KEY(tenant, path))" DDL_CLUSTERED ";"
    "CREATE INDEX import_file_session ON import_file(tenant, session);"
    "CREATE TABLE import_state("
    " tenant INTEGER NOT NULL,"
    " path TEXT NOT NULL,"
    " state BLOB NOT NULL," /* of the converter                           */
    " PRIMARY KEY(tenant, path),"
    " FOREIGN KEY(tenant, path) REFERENCES import_file(tenant, path)"
    " ON DELETE CASCADE);"
    "CREATE TABLE import_part(" /* the original, as blobs                 */
    " tenant INTEGER NOT NULL,"
    " path TEXT NOT NULL,"
    " at INTEGER NOT NULL," /* offset in the file                         */
    " size INTEGER NOT NULL,"
    " sha256 BLOB NOT NULL,"
    " PRIMARY KEY(tenant, path, at),"
    " FOREIGN KEY(tenant, path) REFERENCES import_file(tenant, path)"
    " ON DELETE CASCADE)" DDL_CLUSTERED ";";

static const char token_schema[] =
    "CREATE TABLE access_token(" /* besides the one in `tenant`            */
    " id " DDL_SERIAL_KEY ","
    " tenant INTEGER NOT NULL REFERENCES tenant(id) ON DELETE CASCADE,"
    " token BLOB NOT NULL UNIQUE," /* SHA-256 of the token                 */
    " label TEXT NOT NULL,"
    " flags INTEGER NOT NULL," /* QUIRE_TOKEN_READ_ONLY, …                 */
    " created INTEGER NOT NULL,"
    " expires INTEGER NOT NULL);" /* 0: never                              */
    "CREATE INDEX access_token_tenant ON access_token(tenant, id);";

static const char activity_schema[] =
    "CREATE TABLE activity(" /* of a session, by hour; derived              */
    " tenant INTEGER NOT NULL REFERENCES tenant(id) ON DELETE CASCADE,"
    " session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,"
    " inode INTEGER NOT NULL," /* of the file when it was counted           */
    " size INTEGER NOT NULL,"
    " modified INTEGER NOT NULL," /* nanoseconds                            */
    " changed INTEGER NOT NULL,"
    " data BLOB NOT NULL," /* JSON                                          */
    " PRIMARY KEY(tenant, session));"
    "CREATE INDEX activity_session ON activity(session);";

/* Which session has the usage of a model's answer: files of agents repeat answers. */
static const char answer_schema[] =
    "CREATE TABLE import_answer("
    " tenant INTEGER NOT NULL REFERENCES tenant(id) ON DELETE CASCADE,"
    " answer INTEGER NOT NULL,"  /* hash of its ids                          */
    " session INTEGER NOT NULL," /* hash of the session's id                 */
    " PRIMARY KEY(tenant, answer))" DDL_CLUSTERED ";";

static const char continuation_schema[] =
    "CREATE TABLE continuation(" /* of an imported session                  */
    " tenant INTEGER NOT NULL REFERENCES tenant(id) ON DELETE CASCADE,"
    " session TEXT NOT NULL,"     /* the imported one                       */
    " child TEXT NOT NULL,"       /* where its appends go                   */
    " imported INTEGER NOT NULL," /* of import_file, when it was made       */
    " PRIMARY KEY(tenant, session))" DDL_CLUSTERED ";";

static const char exported_schema[] =
    "CREATE TABLE exported(" /* placed for an agent, see import_ledger.h    */
    " tenant INTEGER NOT NULL REFERENCES tenant(id) ON DELETE CASCADE,"
    " agent TEXT NOT NULL,"
    " id TEXT NOT NULL,"      /* of the session there                   */
    " session TEXT NOT NULL," /* here                                   */
    " path TEXT NOT NULL,"    /* of its file, as it was placed          */
    " inode INTEGER NOT NULL,"
    " size INTEGER NOT NULL,"
    " modified INTEGER NOT NULL," /* nanoseconds                            */
    " exported INTEGER NOT NULL," /* microseconds                           */
    " PRIMARY KEY(tenant, agent, id))" DDL_CLUSTERED ";";

/* Beside the tables that they extend, so that an older file can still be read. */
static const char agent_before[] =
    "CREATE TABLE memory_link(" /* stays when the artifact is purged       */
    " memory INTEGER PRIMARY KEY REFERENCES memory(id) ON DELETE CASCADE,"
    " artifact INTEGER NOT NULL);"
    "INSERT INTO memory_link(memory, artifact) SELECT id, artifact"
    " FROM memory WHERE artifact IS NOT NULL;"
    "CREATE TABLE folder_place(" /* without a row: position 0               */
    " folder INTEGER PRIMARY KEY REFERENCES folder(id) ON DELETE CASCADE,"
    " position INTEGER NOT NULL);"
    "CREATE TABLE session_agent("
    " session INTEGER PRIMARY KEY REFERENCES session(id) ON DELETE CASCADE,"
    " agent TEXT NOT NULL,"
    " definition TEXT);"; /* JSON, as a client sent it                      */

/* See session_keep.h and trash.h. */
static const char keeping_schema[] =
    "CREATE TABLE session_keep("
    " session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,"
    " tenant INTEGER NOT NULL,"
    " pinned INTEGER NOT NULL," /* microseconds; 0: not pinned              */
    " held INTEGER NOT NULL,"   /* likewise                                 */
    " holder TEXT NOT NULL,"    /* who holds it, as the audit log names him */
    " reason TEXT NOT NULL,"
    " PRIMARY KEY(session, tenant))" DDL_CLUSTERED ";"
    "CREATE TABLE trash("
    " id " DDL_SERIAL_KEY "," /* its directory is trash/<id>               */
    " tenant INTEGER NOT NULL REFERENCES tenant(id) ON DELETE CASCADE,"
    " key TEXT NOT NULL,"  /* the id of the session                         */
    " session INTEGER,"    /* its row, in the trash too; NULL: none          */
    " folder INTEGER,"     /* that it was in; NULL: none                    */
    " name TEXT NOT NULL," /* where its file was, below the home           */
    " title TEXT NOT NULL,"
    " removed INTEGER NOT NULL," /* microseconds                           */
    " bytes INTEGER NOT NULL,"   /* of its files                           */
    " state INTEGER NOT NULL);"  /* enum trash_state                       */
    "CREATE INDEX trash_key ON trash(tenant, key);"
    "CREATE INDEX trash_moving ON trash(name) WHERE state <> 2;";

/* See api/sync/home.h. The first is derived. */
static const char sync_schema[] =
    "CREATE TABLE sync_file("
    " tenant INTEGER NOT NULL REFERENCES tenant(id) ON DELETE CASCADE,"
    " name TEXT NOT NULL," /* below the tenant's root                       */
    " inode INTEGER NOT NULL,"
    " size INTEGER NOT NULL,"
    " modified INTEGER NOT NULL," /* nanoseconds */
    " changed INTEGER NOT NULL,"
    " data BLOB NOT NULL," /* what was read of it                           */
    " PRIMARY KEY(tenant, name))" DDL_CLUSTERED ";"
    "CREATE TABLE memory_uid(" /* of entries of other homes                 */
    " memory INTEGER NOT NULL REFERENCES memory(id) ON DELETE CASCADE,"
    " tenant INTEGER NOT NULL,"
    " uid BLOB NOT NULL," /* 16 bytes */
    " PRIMARY KEY(memory, tenant))" DDL_CLUSTERED ";"
    "CREATE TABLE sync_local(" /* what is not sent                          */
    " tenant INTEGER NOT NULL REFERENCES tenant(id) ON DELETE CASCADE,"
    " kind TEXT NOT NULL," /* 'session', 'project', 'folder'                */
    " value TEXT NOT NULL,"
    " PRIMARY KEY(tenant, kind, value))" DDL_CLUSTERED ";";

/* Tables below artifacts, sessions, folders and entries have the tenant, so that every
 * statement can name it. It stands last in the key: deleting the row above looks for
 * the others. The columns of the key come first, because the integrity check of
 * SQLite before 3.41 misreads other orders. */
#define TENANT_COLUMN " tenant INTEGER NOT NULL,"

#define VERSION_TABLE                                                       \
    "CREATE TABLE artifact_version("                                        \
    " artifact INTEGER NOT NULL REFERENCES artifact(id) ON DELETE CASCADE," \
    " version INTEGER NOT NULL," TENANT_COLUMN " sha256 BLOB NOT NULL,"     \
    " size INTEGER NOT NULL,"                                               \
    " mime TEXT NOT NULL,"                                                  \
    " created INTEGER NOT NULL,"                                            \
    " PRIMARY KEY(artifact, version, tenant))" DDL_CLUSTERED ";"
#define ACCESS_TABLE                                                                      \
    "CREATE TABLE artifact_access("                                                       \
    " artifact INTEGER NOT NULL REFERENCES artifact(id) ON DELETE CASCADE," TENANT_COLUMN \
    " n INTEGER NOT NULL,"                                                                \
    " last INTEGER NOT NULL,"                                                             \
    " PRIMARY KEY(artifact, tenant))" DDL_CLUSTERED ";"
#define TALLY_TABLE                                                                     \
    "CREATE TABLE tally("                                                               \
    " session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE," TENANT_COLUMN \
    " name TEXT NOT NULL," /* of the file, below the tenant's root */                   \
    " title TEXT NOT NULL,"                                                             \
    " state TEXT NOT NULL,"  /* 'active', 'archived' */                                 \
    " parent TEXT NOT NULL," /* an id or a path, as the header has it */                \
    " inode INTEGER NOT NULL,"                                                          \
    " size INTEGER NOT NULL,"                                                           \
    " modified INTEGER NOT NULL," /* nanoseconds */                                     \
    " changed INTEGER NOT NULL,"                                                        \
    " damaged INTEGER NOT NULL," /* 1: a line in it is not JSON */                      \
    " scanned INTEGER NOT NULL," /* whole lines up to here were counted */              \
    " tail BLOB NOT NULL,"       /* the bytes before that */                            \
    " entries INTEGER NOT NULL,"                                                        \
    " messages INTEGER NOT NULL,"                                                       \
    " input INTEGER NOT NULL," /* tokens */                                             \
    " output INTEGER NOT NULL,"                                                         \
    " cache_read INTEGER NOT NULL,"                                                     \
    " cache_write INTEGER NOT NULL,"                                                    \
    " total INTEGER NOT NULL,"                                                          \
    " cost INTEGER NOT NULL," /* billionths of a dollar */                              \
    " PRIMARY KEY(session, tenant))" DDL_CLUSTERED ";"
#define FILED_TABLE                                                                     \
    "CREATE TABLE filed("                                                               \
    " session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE," TENANT_COLUMN \
    " folder INTEGER NOT NULL REFERENCES folder(id) ON DELETE CASCADE,"                 \
    " PRIMARY KEY(session, tenant))" DDL_CLUSTERED ";"
#define FILED_INDEX "CREATE INDEX filed_folder ON filed(folder);"
#define PLACE_TABLE /* without a row: position 0 */                                   \
    "CREATE TABLE folder_place("                                                      \
    " folder INTEGER NOT NULL REFERENCES folder(id) ON DELETE CASCADE," TENANT_COLUMN \
    " position INTEGER NOT NULL,"                                                     \
    " PRIMARY KEY(folder, tenant))" DDL_CLUSTERED ";"
#define AGENT_TABLE                                                                     \
    "CREATE TABLE session_agent("                                                       \
    " session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE," TENANT_COLUMN \
    " agent TEXT NOT NULL,"                                                             \
    " definition TEXT," /* JSON, as a client sent it */                                 \
    " PRIMARY KEY(session, tenant))" DDL_CLUSTERED ";"
#define LINK_TABLE /* stays when the artifact is purged */                            \
    "CREATE TABLE memory_link("                                                       \
    " memory INTEGER NOT NULL REFERENCES memory(id) ON DELETE CASCADE," TENANT_COLUMN \
    " artifact INTEGER NOT NULL,"                                                     \
    " PRIMARY KEY(memory, tenant))" DDL_CLUSTERED ";"
#define BLOCK_TABLE                                               \
    "CREATE TABLE pad_block("                                     \
    " id " DDL_SERIAL_KEY ","                                     \
    " pad INTEGER NOT NULL REFERENCES pad(id) ON DELETE CASCADE," \
    " text TEXT NOT NULL,"                                        \
    " tenant INTEGER NOT NULL);"
#define BLOCK_INDEX "CREATE INDEX pad_block_pad ON pad_block(pad);"

/* The columns of each table, and where its tenant is. */
#define VERSION_NAMES \
    "v.artifact, v.version, o.tenant, v.sha256, v.size, v.mime, v.created"
#define VERSION_FROM "artifact_version v JOIN artifact o ON o.id = v.artifact"
#define ACCESS_NAMES "x.artifact, o.tenant, x.n, x.last"
#define ACCESS_FROM  "artifact_access x JOIN artifact o ON o.id = x.artifact"
#define TALLY_NAMES                                                             \
    "t.session, o.tenant, t.name, t.title, t.state, t.parent, t.inode, t.size," \
    " t.modified, t.changed, t.damaged, t.scanned, t.tail, t.entries,"          \
    " t.messages, t.input, t.output, t.cache_read, t.cache_write, t.total,"     \
    " t.cost"
#define TALLY_FROM  "tally t JOIN session o ON o.id = t.session"
#define FILED_NAMES "f.session, o.tenant, f.folder"
#define FILED_FROM  "filed f JOIN session o ON o.id = f.session"
#define PLACE_NAMES "p.folder, o.tenant, p.position"
#define PLACE_FROM  "folder_place p JOIN folder o ON o.id = p.folder"
#define AGENT_NAMES "g.session, o.tenant, g.agent, g.definition"
#define AGENT_FROM  "session_agent g JOIN session o ON o.id = g.session"
#define LINK_NAMES  "l.memory, o.tenant, l.artifact"
#define LINK_FROM   "memory_link l JOIN memory o ON o.id = l.memory"
#define BLOCK_NAMES "b.id, b.pad, b.text, o.tenant"
#define BLOCK_FROM  "pad_block b JOIN pad o ON o.id = b.pad"

/* Give a table of an older file the column. Not by renaming: that parses the whole
 * schema, and quotes the name in its text. */
#define WITH_TENANT(table, create, names, from)                \
    "CREATE TABLE new_rows AS SELECT " names " FROM " from ";" \
    "DROP TABLE " table ";" create "INSERT INTO " table        \
    " SELECT * FROM new_rows ORDER BY 1, 2; DROP TABLE new_rows;"

static const char tenant_key_schema[] = WITH_TENANT("artifact_version",
                                                    VERSION_TABLE,
                                                    VERSION_NAMES, VERSION_FROM)
    WITH_TENANT("artifact_access", ACCESS_TABLE, ACCESS_NAMES, ACCESS_FROM)
        WITH_TENANT("tally", TALLY_TABLE, TALLY_NAMES, TALLY_FROM)
            WITH_TENANT("filed", FILED_TABLE FILED_INDEX, FILED_NAMES,
                        FILED_FROM);
static const char tenant_key_schema_too[] = WITH_TENANT("folder_place",
                                                        PLACE_TABLE,
                                                        PLACE_NAMES, PLACE_FROM)
    WITH_TENANT("session_agent", AGENT_TABLE, AGENT_NAMES, AGENT_FROM)
        WITH_TENANT("memory_link", LINK_TABLE, LINK_NAMES, LINK_FROM)
            WITH_TENANT("pad_block", BLOCK_TABLE BLOCK_INDEX, BLOCK_NAMES,
                        BLOCK_FROM);

/* An older file that may only be read: the same columns by views, and no rows of
 * tables that queries on artifacts name. */
#define VIEW(table, names, from) \
    DDL_TEMP_VIEW(table, "SELECT " names " FROM main." from)

static const struct {
    enum schema_step step; /* that created the table */
    const char *sql;
} tenant_views[] = {
    {SCHEMA_ARTIFACTS, VIEW("artifact_version", VERSION_NAMES, VERSION_FROM)},
    {SCHEMA_SCRATCHPADS, VIEW("pad_block", BLOCK_NAMES, BLOCK_FROM)},
    {SCHEMA_READ_COUNTS, VIEW("artifact_access", ACCESS_NAMES, ACCESS_FROM)},
    {SCHEMA_SESSION_USAGE, VIEW("tally", TALLY_NAMES, TALLY_FROM)},
    {SCHEMA_FOLDERS, VIEW("filed", FILED_NAMES, FILED_FROM)},
    {SCHEMA_AGENTS, VIEW("folder_place", PLACE_NAMES, PLACE_FROM)},
    {SCHEMA_AGENTS, VIEW("session_agent", AGENT_NAMES, AGENT_FROM)},
    {SCHEMA_AGENTS, VIEW("memory_link", LINK_NAMES, LINK_FROM)},
};

static quire_status create_tenant_views(struct db *db, int64_t version,
                                        quire_error *err)
{
    static const char no_keeps[] =
        DDL_TEMP_VIEW("session_keep", "SELECT 0 AS session, 0 AS held"
                                      " FROM main.blob WHERE 0 = 1");
    static const char no_trash[] =
        DDL_TEMP_VIEW("trash", "SELECT '' AS name, 0 AS state FROM main.blob"
                               " WHERE 0 = 1");
    quire_status st = db_exec(db, no_keeps, err);
    size_t i;

    if (!st)
        st = db_exec(db, no_trash, err);
    for (i = 0; i < sizeof tenant_views / sizeof *tenant_views && !st; i++)
        if ((int64_t)tenant_views[i].step <= version &&
            version < SCHEMA_TENANT_KEYS)
            st = db_exec(db, tenant_views[i].sql, err);
    return st;
}

/* What each step creates, and of the tables that the last one replaces: as they were,
 * for a file that has taken some of the steps, and as they are, for a new one. */
static const struct {
    const char *tables, *before, *now;
    const char *too; /* the rest of `before`: a string has 4,095 bytes */
} steps[SCHEMA_STEPS] = {
    {.tables = blob_schema},
    {.tables = list_schema},
    {artifact_schema, version_before, VERSION_TABLE, NULL},
    {.tables = settings_schema},
    {.tables = removal_schema},
    {.tables = memory_schema},
    {scratchpad_schema, block_before, BLOCK_TABLE BLOCK_INDEX, NULL},
    {NULL, read_count_before, ACCESS_TABLE, NULL},
    {NULL, session_usage_before, TALLY_TABLE, NULL},
    {.tables = ref_index_schema},
    {.tables = baseline_schema},
    {.tables = run_log_schema},
    {.tables = idempotency_schema},
    {.before = fulltext_due_schema},
    {.tables = audit_log_schema},
    {folder_schema, filed_before, FILED_TABLE FILED_INDEX, NULL},
    {.tables = blob_tenant_schema},
    {NULL, agent_before, LINK_TABLE PLACE_TABLE AGENT_TABLE, NULL},
    {.before = tenant_key_schema, .too = tenant_key_schema_too},
    {change_log_schema, "DROP TABLE artifact_due", NULL, NULL},
    {.tables = import_schema},
    {.tables = "ALTER TABLE import_part ADD COLUMN form INTEGER NOT NULL"
               " DEFAULT 0"},
    {.tables = token_schema},
    {.tables = activity_schema},
    {.tables = answer_schema},
    {.tables = continuation_schema},
    {.tables = keeping_schema},
    {.tables = exported_schema},
    {.tables = sync_schema},
};

/* Take step `i`, of a file that will have all of them. */
static quire_status take_step(struct db *db, int64_t i, bool fresh,
                              quire_error *err)
{
    const char *more = fresh ? steps[i].now : steps[i].before;
    quire_status st = steps[i].tables ? db_exec(db, steps[i].tables, err)
                                      : QUIRE_OK;

    if (!st && more)
        st = db_exec(db, more, err);
    if (!st && !fresh && steps[i].too)
        st = db_exec(db, steps[i].too, err);
    if (!st && !fresh && i + 1 == SCHEMA_CHANGE_LOG)
        st = db_sqlite_drop_fulltext(db, err);
    return st;
}

quire_status schema_create(struct db *db, int n, quire_error *err)
{
    quire_status st = QUIRE_OK;
    int i;

    for (i = 0; i < n && i < SCHEMA_STEPS && !st; i++)
        st = take_step(db, i, n >= SCHEMA_STEPS, err);
    return st;
}

quire_status schema_create_ref_index(struct db *db, quire_error *err)
{
    return db_exec(db, ref_index_schema, err);
}

/* Inside a write transaction. The version is read again: another process may
 * have taken the steps since. */
static quire_status take_steps(struct db *db, quire_error *err)
{
    int64_t version;
    quire_status st = db_schema_version(db, &version, err);
    bool fresh = version == 0;

    for (; !st && version < SCHEMA_STEPS; version++)
        st = take_step(db, version, fresh, err);
    return st ? st : db_set_schema_version(db, SCHEMA_STEPS, err);
}

/* A hostile file may carry our application id. A view in the place of a table
 * could run without end, a trigger could change anything: we create neither. */
static quire_status check_tables(struct db *db, quire_error *err)
{
    bool ours;
    quire_status st = db_has_only_tables(db, "blob", "body", &ours, err);

    if (st || ours)
        return st;
    return err_fail(err, QUIRE_DAMAGED,
                    HINT_SHELL "move it away, or name another home with --home",
                    "quire.db does not have Quire's tables");
}

quire_status schema_prepare(struct db *db, bool read_only, int *steps_taken,
                            quire_error *err)
{
    int64_t version;
    quire_status st = db_schema_version(db, &version, err);

    *steps_taken = 0;
    if (st)
        return st;
    *steps_taken = version > SCHEMA_STEPS || !read_only ? SCHEMA_STEPS
                                                        : (int)version;
    if (version == SCHEMA_STEPS)
        return check_tables(db, err);
    if (version > SCHEMA_STEPS)
        return err_fail(err, QUIRE_INVALID, "use that version, or a newer one",
                        "quire.db was written by a newer Quire (format %lld, "
                        "this one knows %d)",
                        (long long)version, (int)SCHEMA_STEPS);
    if (read_only)
        return version == 0 ? QUIRE_NOT_FOUND
                            : create_tenant_views(db, version, err);
    st = db_begin(db, DB_DURABLE, DB_ALL_TENANTS, err);
    return st ? st : sql_end(db, take_steps(db, err), err);
}
