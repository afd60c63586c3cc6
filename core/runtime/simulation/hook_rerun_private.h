/* hook_rerun_private.h - what the hooks that are asked again share. */
#ifndef CK_RUNTIME_SIMULATION_HOOK_RERUN_PRIVATE_H
#define CK_RUNTIME_SIMULATION_HOOK_RERUN_PRIVATE_H

#include "core/runtime/session/checkpoint_list.h"
#include "core/runtime/simulation/begun_effects.h"
#include "core/runtime/simulation/hook_rerun.h"
#include "core/runtime/simulation/permit_texts.h"

/* Names of fields, "effect.request"; ends with NULL. More than fit are not added. */
enum { CK_UNKNOWN_MAX = 24 };
typedef struct ck_unknown {
  const char *list[CK_UNKNOWN_MAX + 1];
  size_t count;
} ck_unknown;
void ck_unknown_add(ck_unknown *self, const char *field);

typedef struct ck_asking {
  ck_hook_rerun *out;
  ck_store *store;
  ck_head head;
  ck_rerun_hook hook;
  const ck_rerun_source *source;
  ck_policy_engine engine;
  int64_t opened_for; /* timeline whose run's engine it is; 0: none is open */
  ck_begun_effects effects;
  ck_permit_texts texts; /* of permit */
  int64_t *asked;        /* timelines whose events have answers to the hook, ascending */
  size_t asked_count, asked_cap;
  ck_event **later; /* places that are asked about once all is read. Owned */
  size_t later_count, later_cap;
  const char *looked_at;
  ck_status status;
  ck_error *err;
} ck_asking;

/* The run of the timeline had policies with the hook. */
bool ck_asking_was_asked(const ck_asking *self, int64_t timeline);
/* NULL: there is none of that number. */
const ck_timeline *ck_asking_timeline(const ck_asking *self, int64_t no);
/* An engine for the run of the timeline, the same as for the question before. */
CK_CHECKED ck_status ck_asking_open(ck_asking *self, int64_t timeline);
/* The next answers are of a run of their own. */
void ck_asking_close(ck_asking *self);
/* A new place, the last of the list. `about` may be NULL. */
CK_CHECKED ck_status ck_asking_add(ck_rerun_place **out, ck_asking *self, int64_t seq,
                                   const char *about);
/* From here on the engine tells whether a policy looks at these. */
void ck_asking_watch(ck_asking *self, const ck_unknown *unknown);
/* What was asked since: its failure is counted, and without an answer when a policy has looked at
 * what is unknown. Ends the watch. `status`: the hook's. */
CK_CHECKED ck_status ck_asking_settle(ck_asking *self, ck_rerun_place *place, ck_status status,
                                      const ck_error *failure);

void ck_rerun_said_clear(ck_rerun_said *self);
/* The recorded answers to a hook; hook 0: none. */
void ck_rerun_read_answers(ck_answers *out, const ck_event *event, ck_hook hook);
/* The word that answers make, a copy: that of the first who has one, of permit the strictest; that
 * of a failure is the closed one. NULL: no memory. */
char *ck_rerun_word(const ck_answers *answers);

/* Each looks at the next event, in the order of their seqs. */
void ck_rerun_permit_take(ck_asking *self, const ck_event *event);
void ck_rerun_in_doubt_take(ck_asking *self, const ck_event *event);
void ck_rerun_on_failure_take(ck_asking *self, const ck_event *event);
void ck_rerun_resume_take(ck_asking *self, const ck_event *event);
void ck_rerun_tail_take(ck_asking *self, const ck_event *event);
/* Of all places, in the order of their seqs. */
CK_CHECKED ck_status ck_rerun_prune_ask(ck_asking *self);

/* The word of a resume that nobody refuses or asks about. */
#define CK_RERUN_GOES_ON "go on"

#endif
