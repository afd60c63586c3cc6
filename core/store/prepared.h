/* prepared.h - the part of a commit that needs no store: what a batch's events are digested and
 * packed to. The thread that made them can do so beside the one that commits for all sessions. */
#ifndef CK_STORE_PREPARED_H
#define CK_STORE_PREPARED_H

#include "core/model/event.h"
#include "core/store/rows.h"
#include "core/store/format/compress.h"

typedef struct ck_prepared_event {
  ck_digest digest; /* of chain.h */
  bool tried;       /* whether it was packed; false: whoever commits it does so */
  ck_bytes packed;  /* no bytes: it would not become smaller */
} ck_prepared_event;

/* What a thread does it with. Zero-initialise; one thread at a time. */
typedef struct ck_preparer {
  ck_compress compress;
} ck_preparer;
void ck_preparer_clear(ck_preparer *self);

/* Of `count` events, in their order; one block, for free(). NULL: there is no memory for it, and
 * whoever commits them does all of this. Nothing of it depends on the store or its key. */
ck_prepared_event *ck_prepare_events(ck_preparer *self, ck_event *const *events, size_t count);

/* Within the store. The event's row as it is stored plain, without its check. Borrows. */
ck_event_row ck_prepared_row(const ck_event *event);

#endif
