/* libpq.h - libpq, loaded when the first store of PostgreSQL is named: linked, it would take much
 * of a short program's time. For the files of this folder only. */
#ifndef CK_STORE_POSTGRES_LIBPQ_H
#define CK_STORE_POSTGRES_LIBPQ_H

#include <libpq-fe.h>
#include <stdbool.h>

#include "core/base/error.h"

/* X(name): a function of libpq, without its prefix. */
#define CK_LIBPQ_TABLE(X) \
  X(conninfoParse)        \
  X(conninfoFree)         \
  X(connectdbParams)      \
  X(finish)               \
  X(status)               \
  X(errorMessage)         \
  X(db)                   \
  X(serverVersion)        \
  X(parameterStatus)      \
  X(setNoticeReceiver)    \
  X(pingParams)           \
  X(sendQuery)            \
  X(sendPrepare)          \
  X(sendQueryPrepared)    \
  X(sendQueryParams)      \
  X(enterPipelineMode)    \
  X(exitPipelineMode)     \
  X(pipelineSync)         \
  X(isBusy)               \
  X(getResult)            \
  X(resultStatus)         \
  X(resultErrorField)     \
  X(cmdStatus)            \
  X(ntuples)              \
  X(getisnull)            \
  X(getlength)            \
  X(getvalue)             \
  X(clear)                \
  X(freemem)              \
  X(socket)               \
  X(consumeInput)         \
  X(notifies)

typedef struct ck_libpq {
#define X(name) __typeof__(&PQ##name) name;
  CK_LIBPQ_TABLE(X)
#undef X
} ck_libpq;

/* Loads the library once; it stays loaded. Any thread. CK_E_UNSUPPORTED names what is missing and
 * how to install it. */
CK_CHECKED ck_status ck_libpq_load(const ck_libpq **out, ck_error *err);

#endif
