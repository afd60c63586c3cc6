/* scope_events.h - the events of one scope in the order of a view, on their way to be folded. */
#ifndef CK_RUNTIME_SESSION_SCOPE_EVENTS_H
#define CK_RUNTIME_SESSION_SCOPE_EVENTS_H

#include "core/runtime/session/scope.h"

/* The kinds of events that a fold reads: what a conversation is made of, and the returns that take
 * some of it back. Bits as in ck_event_query. */
enum { CK_SCOPE_RETURNS = 1ull << CK_EVENT_SESSION_RESUMED | 1ull << CK_EVENT_SESSION_REWOUND };
extern const uint64_t ck_scope_event_kinds;

/* Zero-initialise. */
typedef struct ck_scope_events {
  struct ck_scope_event *items; /* owned */
  size_t count, cap;
} ck_scope_events;

void ck_scope_events_clear(ck_scope_events *self);
/* Keeps an event of the scope; false: no memory. */
bool ck_scope_events_keep(ck_scope_events *self, const ck_event *event);
/* True for an event that takes back what scopes did behind their cuts; *cuts is an object of them
 * by scope, empty where it says none. */
bool ck_scope_is_return(ck_bytes *cuts, const ck_event *event);
/* The scope does again what lies behind `cut`: that counts there. */
void ck_scope_events_cut(ck_scope_events *self, int64_t cut);
/* Folds them; for a replay, the outcome that it refers to. */
CK_CHECKED ck_status ck_scope_events_fold(const ck_scope_events *self, ck_scope *to,
                                          ck_store *store, int64_t session, ck_error *err);

/* Sees each event of a scope once it is folded; `rewind` is the body of one that rewinds, else
 * NULL. */
typedef struct ck_scope_fold_watch {
  void (*see)(void *to, const ck_scope *scope, int64_t seq, const ck_value *rewind);
  void *to;
} ck_scope_fold_watch;
/* ck_scope_fold, watched; `watch` NULL: not. */
CK_CHECKED ck_status ck_scope_fold_watched(ck_scope *self, ck_store *store, int64_t session,
                                           const ck_view *view, int64_t until,
                                           const ck_scope_fold_watch *watch, ck_error *err);

#endif
