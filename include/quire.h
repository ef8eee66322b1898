/*
 * quire.h - the storage engine for agent sessions: the whole public interface
 *
 * One header per topic; each can be included alone. quire/types.h explains how
 * to read the comments, which threads may call what, and the ownership of memory.
 */
#ifndef QUIRE_H
#define QUIRE_H

#include "quire/types.h"

/* a store: open, settings, transactions, tenants */
#include "quire/store.h"
#include "quire/config.h"
#include "quire/secrets.h"
#include "quire/transaction.h"
#include "quire/tenant.h"
#include "quire/idempotency.h"

/* what it stores */
#include "quire/blob.h"
#include "quire/session.h"
#include "quire/session_files.h"
#include "quire/session_rows.h"
#include "quire/keep.h"
#include "quire/usage.h"
#include "quire/view.h"
#include "quire/diff.h"
#include "quire/folder.h"
#include "quire/output.h"
#include "quire/artifact.h"
#include "quire/workspace.h"
#include "quire/run.h"
#include "quire/memory.h"
#include "quire/history.h"
#include "quire/scratchpad.h"
#include "quire/slash.h"
#include "quire/jp.h"
#include "quire/import.h"
#include "quire/export.h"

/* the whole home */
#include "quire/search.h"
#include "quire/gc.h"
#include "quire/check.h"
#include "quire/stats.h"
#include "quire/du.h"
#include "quire/retain.h"
#include "quire/purge.h"

/* other homes, other places */
#include "quire/sync.h"

#endif
