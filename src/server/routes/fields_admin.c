/* fields_admin.c - fields of operations: tenants, settings, maintenance, statistics */
#include "server/routes/fields.h"

const struct field fields_tenant_new[] = {
    FIELD("name", FIELD_TEXT, FIELD_NEEDED, "name of the tenant"),
    END,
};

const struct field fields_tenant_change[] = {
    FIELD("disabled", FIELD_FLAG, FIELD_NEEDED, "true: its token is refused"),
    END,
};

const struct field fields_tenant_end[] = {
    FIELD("all", FIELD_FLAG, QUERY, "remove it with its data"),
    END,
};

const struct field fields_token_new[] = {
    FIELD("label", FIELD_TEXT, FIELD_NEEDED, "its name, such as `laptop`"),
    FIELD("read_only", FIELD_FLAG, 0, "it may only read"),
    FIELD("local", FIELD_FLAG, 0, "it is valid only on the server's machine"),
    FIELD("expires_at", FIELD_NUMBER, 0,
          "valid until then, in seconds; default: for ever"),
    END,
};

const struct field fields_audit_page[] = {
    LIMIT(50, 200),
    FIELD("before_id", FIELD_NUMBER, QUERY | FIELD_FROM_1,
          "entries before this one: next_before_id"),
    END,
};

const struct field fields_collection[] = {
    FIELD("dry_run", FIELD_FLAG, 0, "remove nothing, report the same"),
    FIELD("yes", FIELD_FLAG, 0, "remove even more than half of the blobs"),
    FIELD("full", FIELD_FLAG, 0,
          "read every file again, and ignore the reference index"),
    END,
};

const struct field fields_check_of[] = {
    FIELD("depth", FIELD_TEXT, QUERY,
          "quick (default): of blobs only presence and size; usual: their "
          "content too; full: also every index and counter",
          .type = "quick/usual/full"),
    FIELD("seconds", FIELD_NUMBER, QUERY, "it ends after so many",
          .otherwise = 20, .max = 300),
    END,
};

const struct field fields_setting_change[] = {
    FIELD("key", FIELD_TEXT, FIELD_NEEDED, "its name, like quota.tenant"),
    FIELD("value", FIELD_TEXT, FIELD_NEEDED | FIELD_NULL,
          "its value, sizes also like 10M; null: the default"),
    END,
};

const struct field fields_usage_of[] = {
    FIELD("by", FIELD_TEXT, QUERY,
          "what rows are for, like day,model; default: day", .type = "text*"),
    FIELD("from", FIELD_NUMBER, QUERY, "from this time on, in seconds"),
    FIELD("to", FIELD_NUMBER, QUERY, "before this time"),
    FIELD("zone", FIELD_NUMBER, QUERY,
          "minutes that the time zone of days is east of UTC", .max = 1440),
    FIELD("west", FIELD_FLAG, QUERY, "zone is west of UTC"),
    FIELD("project", FIELD_TEXT, QUERY, "sessions of this directory"),
    FIELD("agent", FIELD_TEXT, QUERY, "sessions imported from this agent"),
    FIELD("model", FIELD_TEXT, QUERY, "answers of this model"),
    END,
};
