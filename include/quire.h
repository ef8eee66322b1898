/*
 * quire.h - the storage engine for agent sessions
 *
 * This header is the whole public interface of libquire. Every comment says
 * what a call does, who owns what, how it can fail, and what is durable when
 * it returns.
 *
 * Threads. A `quire` handle is used by one thread at a time. Another thread
 * opens another handle, on the same store if it likes; so does another
 * process. A handle belongs to the process that opened it: after fork() the
 * child neither uses nor closes it. There is nothing to initialise. Threads
 * that put artifacts into the same store at once share a commit, and wait for
 * another process as long as the first of them would.
 *
 * Memory. Bytes a call returns are on loan until the next call with the same
 * handle, unless its comment says otherwise. Bytes a call takes are copied.
 *
 * The library prints nothing, never exits and installs no signal handlers.
 */
#ifndef QUIRE_H
#define QUIRE_H

#include "quire/types.h"
#include "quire/store.h"
#include "quire/transaction.h"
#include "quire/config.h"
#include "quire/blob.h"
#include "quire/session.h"
#include "quire/session_files.h"
#include "quire/session_rows.h"
#include "quire/folder.h"
#include "quire/output.h"
#include "quire/artifact.h"
#include "quire/workspace.h"
#include "quire/run.h"
#include "quire/idempotency.h"
#include "quire/gc.h"
#include "quire/tenant.h"
#include "quire/check.h"
#include "quire/stats.h"
#include "quire/memory.h"
#include "quire/history.h"
#include "quire/scratchpad.h"
#include "quire/slash.h"
#include "quire/jp.h"

#endif
