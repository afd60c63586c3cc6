/* scope_events.h - reads the events of a view that conversations are made of, and folds them, a
 * page at a time: what is held is a page, however long the transcript. */
#ifndef CK_RUNTIME_SESSION_SCOPE_EVENTS_H
#define CK_RUNTIME_SESSION_SCOPE_EVENTS_H

#include "core/model/stretches.h"
#include "core/runtime/session/scope.h"

/* Sees each event of a scope once it is folded; `rewind` is the body of one that rewinds, else
 * NULL. */
typedef struct ck_scope_fold_watch {
  void (*see)(void *to, const ck_scope *scope, int64_t seq, const ck_value *rewind);
  void *to;
} ck_scope_fold_watch;

typedef struct ck_scope_folding {
  ck_store *store;
  int64_t session;
  const ck_view *view;
  int64_t until;
  const ck_stretches *within; /* no event lies elsewhere; NULL: that is not known */
  /* The scope that an event is folded into; NULL in *out: it counts in none. */
  CK_CHECKED ck_status (*find)(ck_scope **out, void *to, const ck_event *event, ck_error *err);
  void *to;
  const ck_scope_fold_watch *watch; /* NULL: nobody */
  const ck_packer *packer;          /* of what gets long on the way; NULL: nothing is packed */
} ck_scope_folding;
/* For a replay, folds the outcome that it refers to. */
CK_CHECKED ck_status ck_scope_events_fold(const ck_scope_folding *folding, ck_error *err);

/* ck_scope_fold, watched; `watch` NULL: not. */
CK_CHECKED ck_status ck_scope_fold_watched(ck_scope *self, ck_store *store, int64_t session,
                                           const ck_view *view, int64_t until,
                                           const ck_scope_fold_watch *watch, ck_error *err);

#endif
