/* recent_effects.h - the last effects of a session, as they went. */
#ifndef CK_HOST_INSPECT_RECENT_EFFECTS_H
#define CK_HOST_INSPECT_RECENT_EFFECTS_H

#include "core/host/print/document.h"
#include "core/host/print/table.h"
#include "core/store/store.h"

enum { CK_RECENT_EFFECTS_MAX = 20 };

/* Texts owned; NULL where absent. */
typedef struct ck_recent_effect {
  char *key, *at, *kind, *name, *agent, *error; /* at: its node and lap, or its turn: "pay#1" */
  char *retried_by; /* the policy that has it tried again; NULL: it does not wait, or not known */
  /* "ok", "error", "unknown", … of its outcome; "replayed"; of one without an outcome "again" (it
   * was begun, or asked, once more since, and what came of it stands there), "resolved" (by a
   * person or a policy), "left" (the session is over), "open" */
  const char *status;
  int64_t seq;                /* of its intent; of one whose intent was not read, of its outcome */
  int64_t begun_ms, ended_ms; /* 0: not known, not yet */
  int64_t cost_micros;        /* -1: nobody knows */
  bool begun;                 /* its intent was read */
  bool refuses;               /* its model refuses to answer: `error` has its words */
  int64_t retries_ms;         /* when a policy has it tried again, wall time; 0: it does not wait */
  int64_t next_try;           /* which try that is, from 2 */
} ck_recent_effect;

/* Zero-initialise. */
typedef struct ck_recent_effects {
  ck_recent_effect list[CK_RECENT_EFFECTS_MAX]; /* oldest first */
  size_t count;
} ck_recent_effects;

/* Those of the live timeline; no more than the session's last events are read, however long it
 * is. `uncalled`: up to that seq there are none, see ck_runs; 0: that is not known. `runs`: a
 * process has it, so an effect may wait to be tried again. */
CK_CHECKED ck_status ck_recent_effects_read(ck_recent_effects *out, ck_store *store,
                                            const ck_head *head, int64_t uncalled, bool runs,
                                            ck_error *err);
void ck_recent_effects_clear(ck_recent_effects *self);
/* Adds "last_effects": [{seq, effect, at?, kind, name?, agent?, status, begun?, duration_ms?,
 * cost_usd?, error?, refuses?, retries_at?, next_try?, retried_by?}, …]. */
void ck_recent_effects_put(ck_document *document, const ck_recent_effects *self);
/* A row "refuses" for each that does. */
void ck_recent_effects_put_refusals(ck_table *table, const ck_recent_effects *self);
/* A row "retry" for each that waits. */
void ck_recent_effects_put_waits(ck_table *table, const ck_recent_effects *self);
/* Of one that waits: "tried again at 2026-01-31 23:59:59 (try 2 of 3), by policy "patient"". */
void ck_recent_effect_append_wait(ck_buffer *out, const ck_recent_effect *self);

#endif
