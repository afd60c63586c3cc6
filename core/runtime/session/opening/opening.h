/* opening.h - a run's first transaction: its timeline, its first events, the session's row or its
 * acquisition. Within the runtime. */
#ifndef CK_RUNTIME_SESSION_OPENING_OPENING_H
#define CK_RUNTIME_SESSION_OPENING_OPENING_H

#include "core/model/event.h"
#include "core/runtime/session/opening/edit.h"
#include "core/store/store.h"

typedef struct ck_session ck_session;

/* The timeline that the run writes; its first event is the next. */
void ck_session_set_timeline(ck_session *self, const ck_timeline *timeline);
/* The view of the live timeline among those before it, which need not be open. */
CK_CHECKED ck_status ck_session_make_view(ck_session *self, const ck_timeline *before, size_t count,
                                          ck_error *err);

/* What the transaction holds: the first event, then one for each edit. All borrowed. */
typedef struct ck_session_opening {
  ck_event_kind kind;
  ck_value *body;
  int64_t at_ms;
  const ck_state_edits *edits; /* NULL: none */
  ck_restarts restarts;
  const ck_session_update *update; /* NULL: the status is `running` */
  const ck_value *about;           /* of the run; NULL */
  const struct ck_blob *blobs;     /* kept for the session */
  size_t blob_count;
} ck_session_opening;
/* The settings of a run as its first event may hold them: what is secret is masked. NULL in *out:
 * nothing. */
CK_CHECKED ck_status ck_session_clean_settings(ck_value **out, ck_session *self,
                                               const ck_value *settings, ck_error *err);
/* Makes the session's row. Takes `record`, also on failure. */
CK_CHECKED ck_status ck_session_create(ck_session *self, ck_session_record *record,
                                       const ck_session_opening *opening, ck_error *err);
/* Acquires the session at rest. */
CK_CHECKED ck_status ck_session_acquire(ck_session *self, const ck_head *head,
                                        const ck_session_opening *opening, ck_error *err);
/* The acquired session takes over the head's record, as that of this run. */
void ck_session_adopt_record(ck_session *self, ck_head *head, const ck_restarts *restarts);

/* The same two for a session that only gathers events: all that are pending, `checkpoint`, and the
 * status, in one transaction. `record` (borrowed) NULL: the head's session is acquired. */
CK_CHECKED ck_status ck_session_write_gathered(ck_session *self, const ck_head *head,
                                               const ck_session_record *record,
                                               const ck_checkpoint *checkpoint,
                                               const ck_session_update *update, ck_error *err);

/* For reading only: the session's events can be read, nothing can be written. */
void ck_session_set_number(ck_session *self, int64_t number);

#endif
