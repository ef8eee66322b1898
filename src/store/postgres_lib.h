/*
 * postgres_lib.h - libpq, loaded when the first connection is opened
 *
 * A home on a disk never loads it: it costs some milliseconds of start-up.
 */
#ifndef STORE_POSTGRES_LIB_H
#define STORE_POSTGRES_LIB_H

/* Debian has the headers in a directory of their own. */
#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#else
#include <postgresql/libpq-fe.h>
#endif

#include "quire.h"

/* The calls that the driver makes, by their names without PQ. */
/* clang-format off */
#define LIBPQ_CALLS(X)                                                         \
    X(connectdbParams)                                                         \
    X(conninfoParse)                                                           \
    X(conninfoFree)                                                            \
    X(freemem)                                                                 \
    X(finish) X(status) X(errorMessage) X(socket) X(setnonblocking)            \
        X(setNoticeProcessor) X(exec) X(enterPipelineMode) X(exitPipelineMode) \
            X(pipelineSync) X(sendPrepare) X(sendQueryPrepared)                \
                X(sendQueryParams) X(flush) X(consumeInput) X(isBusy)          \
                    X(getResult) X(clear) X(resultStatus) X(resultErrorField)  \
                        X(cmdStatus) X(cmdTuples) X(transactionStatus)         \
                            X(ntuples) X(nfields) X(ftype) X(getvalue)         \
                                X(getlength) X(getisnull)

/* clang-format on */
#define LIBPQ_MEMBER(name) __typeof__(PQ##name) *name;

struct libpq {
    LIBPQ_CALLS(LIBPQ_MEMBER)
};

/* *out is valid until the process ends.
 *
 * QUIRE_NOT_FOUND  libpq is not installed */
quire_status libpq_load(const struct libpq **out, quire_error *err);

#endif
