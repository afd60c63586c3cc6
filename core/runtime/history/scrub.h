/* scrub.h - takes a secret out of all that is stored of sessions at rest, which nobody knew to be
 * one when it was written.
 *
 * What was found becomes a placeholder, as if it had been known: in events of all timelines, in
 * every state, in inputs, requests and facts; a kept text of a flow, profile or policy that holds
 * it goes as a whole. Sessions that were forked from each other share events, and are scrubbed
 * together. A resume takes what it finds: an effect whose recorded request was scrubbed is the same
 * when it is asked for with the placeholder; asked for with the secret itself it is another
 * request, and the session stops rather than doing it again. */
#ifndef CK_RUNTIME_HISTORY_SCRUB_H
#define CK_RUNTIME_HISTORY_SCRUB_H

#include "core/redact/expression.h"
#include "core/runtime/history/scrub_left.h"
#include "core/store/scrub.h"

typedef struct ck_scrub ck_scrub;

/* A session that cannot be scrubbed, and why. */
typedef void (*ck_scrub_refusal)(void *to, const char *session_id, const ck_error *why);
typedef struct ck_scrub_options {
  const char *session;       /* its id; NULL: all of the store */
  ck_redactor *redactor;     /* ck_redactor_new_scrubber; borrowed */
  ck_expression *expression; /* borrowed; NULL */
  const ck_value *rules;     /* what the event tells of the rules, a JSON array; borrowed */
  ck_scrub_refusal refuse;   /* of a store: those that are left out, with all related to them */
  void *to;
} ck_scrub_options;

/* Locks the sessions, those that are related to them too, and verifies them. CK_E_OWNED: one of
 * them is being run; CK_E_CORRUPT: one is damaged, which new digests would hide; CK_E_NOT_FOUND;
 * CK_E_UNSUPPORTED. With all sessions such are left out, and told to `refuse`. */
CK_CHECKED ck_status ck_scrub_open(ck_scrub **out, ck_store *store, const ck_scrub_options *options,
                                   ck_error *err);
void ck_scrub_close(ck_scrub *self);
/* The ids of the locked sessions; NULL past the end. */
const char *ck_scrub_session(const ck_scrub *self, size_t index);

/* What the expression matches anywhere becomes a known secret of the redactor. Reads only. */
CK_CHECKED ck_status ck_scrub_learn(ck_scrub *self, ck_error *err);
/* Scrubs what is locked, related sessions in one transaction. `dry_run`: only counts. Once; the
 * locks are released by it. */
CK_CHECKED ck_status ck_scrub_rows(ck_scrub *self, bool dry_run, ck_error *err);

typedef struct ck_scrub_counts {
  int64_t items[CK_SCRUB_PLACES]; /* that were changed; of names and files: that hold it and stay */
  int64_t files;                  /* that went */
  ck_scrub_report rows;
} ck_scrub_counts;
const ck_scrub_counts *ck_scrub_count(const ck_scrub *self);
/* Names that hold it and stay; borrowed. */
const ck_scrub_left_list *ck_scrub_get_left(const ck_scrub *self);

#endif
