/* simulation_redact.h - what the policies of a profile would take out of recorded sessions: of the
 * content of their events, and of the keys of their latest checkpoints. */
#ifndef CK_HOST_SIMULATE_SIMULATION_REDACT_H
#define CK_HOST_SIMULATE_SIMULATION_REDACT_H

#include "core/host/print/document.h"
#include "core/model/profile.h"
#include "core/runtime/session/policy.h"
#include "core/store/store.h"

enum { CK_SIMULATED_SAMPLES = 3, CK_SIMULATED_SAMPLE_CHARS = 40 };

/* What one policy does by one rule to one kind of item. All owned. */
typedef struct ck_simulated_mask {
  char *policy; /* its own name */
  const char *rule;
  char *where; /* "memory.card", or the kind of the event: "outcome" */
  int64_t count, sessions;
  const void *last;                    /* the session that was counted last */
  char *samples[CK_SIMULATED_SAMPLES]; /* what stands around placeholders, cut; different ones */
} ck_simulated_mask;

/* Sums over sessions; zero-initialise. */
typedef struct ck_simulated_masks {
  ck_simulated_mask *list; /* in the order of their first occurrence */
  size_t count;
  int64_t items, failures;
  int64_t otherwise; /* items of which some policy takes out what was left when it was recorded */
  int64_t hidden;    /* items that were masked whole then: nobody can be asked */
  ck_error failure;  /* the first of a policy */
} ck_simulated_masks;
/* Shows all content of the session to the policies of the profile, as it is stored: what was masked
 * when it was recorded stays; the texts that its runs executed and the store keeps; and the options
 * of the profile's policies, as a run asks about them. A policy that fails is counted, and its item
 * left out. */
CK_CHECKED ck_status ck_simulate_redact(ck_simulated_masks *out, ck_store *store,
                                        const char *session_id, const ck_profile *profile,
                                        ck_error *err);
void ck_simulated_masks_clear(ck_simulated_masks *self);

/* The members `items`, `as_recorded`, `otherwise`, `unknown`, `masked`, `failures`. */
void ck_simulated_masks_put(ck_document *document, struct cJSON *at,
                            const ck_simulated_masks *masks);
/* A row each: PROFILE, policy, rule, where, count, sessions, a sample; then a notice for each
 * profile: how many items are as recorded, and otherwise. */
CK_CHECKED ck_status ck_simulated_masks_print(ck_output *output, const char *const *names,
                                              const ck_simulated_masks *const *masks, size_t count,
                                              ck_error *err);

#endif
