/* inspect.h - opens a store, and perhaps one session in it, for commands that only read. */
#ifndef CK_HOST_INSPECT_INSPECT_H
#define CK_HOST_INSPECT_INSPECT_H

#include "core/host/cli/command.h"
#include "core/host/session/resolve_session.h"
#include "core/host/session/store_location.h"

typedef struct ck_inspection {
  ck_store_location location;
  ck_store *store; /* NULL: the default store, which does not exist yet */
  ck_head head;    /* of the session, when one was opened */
  bool live;       /* its owner runs */
} ck_inspection;

/* CK_E_NOT_FOUND when the store was named and is not there. */
CK_CHECKED ck_status ck_inspection_open(ck_inspection *out, const ck_host *host, ck_error *err);
/* `id` as for ck_resolve_session; the whole id is then head.session.id. CK_E_NOT_FOUND also when
 * there is no store at all. */
CK_CHECKED ck_status ck_inspection_open_session(ck_inspection *out, const ck_host *host,
                                                const char *id, ck_error *err);
void ck_inspection_close(ck_inspection *self);

/* The names of all session statuses and event kinds, for options; end with NULL. */
extern const char *const ck_inspection_kinds[];

#endif
