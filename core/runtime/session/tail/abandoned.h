/* abandoned.h - which events of a session were left behind when it was resumed or rewound.
 *
 * A resume goes on from a checkpoint, and each scope from its own cut, which can lie before it.
 * Left behind are the events of timelines that the live one's view does not show, and in the view
 * what a scope did behind its cut: the scope does it again, and that counts. Facts about the
 * session itself (its endings, boundaries, edits, ...) belong to no scope's work: of these the view
 * alone tells. */
#ifndef CK_RUNTIME_SESSION_TAIL_ABANDONED_H
#define CK_RUNTIME_SESSION_TAIL_ABANDONED_H

#include "core/runtime/session/tail/cuts.h"

typedef struct ck_abandoned {
  const ck_view *view;
  ck_cuts cuts;
} ck_abandoned;
void ck_abandoned_clear(ck_abandoned *self);

/* Borrows `view`, which must outlive it; NULL: every timeline counts. Resumes behind seq `until`
 * are not looked at; 0: all are. */
CK_CHECKED ck_status ck_abandoned_read(ck_abandoned *out, ck_store *store, int64_t session,
                                       const ck_view *view, int64_t until, ck_error *err);

/* Takes about log2(resumes) comparisons. */
bool ck_abandoned_has(const ck_abandoned *self, const ck_event *event);
/* What is said of a session at rest, whether it may be resumed, is no branch's: the resume that an
 * answer allows does not leave the answer behind. */
bool ck_abandoned_is_of_session(ck_event_kind kind);
/* The same for a list of what happened: an effect behind its scope's cut was begun and paid for all
 * the same, and a replay that stands for its outcome does not do it again. */
bool ck_abandoned_has_record(const ck_abandoned *self, const ck_event *event);

#endif
