/* recorded_prunes.h - what a store tells of the prunes of a recorded session: the rules of each
 * run, which prunes were a run's own, and what stays whatever is pruned. */
#ifndef CK_RUNTIME_SIMULATION_RECORDED_PRUNES_H
#define CK_RUNTIME_SIMULATION_RECORDED_PRUNES_H

#include "core/runtime/simulation/recording.h"

/* NULL: there is none of that number. */
const ck_timeline *ck_recorded_timeline(const ck_head *head, int64_t no);
/* The rules of the run of a timeline. */
CK_CHECKED ck_status ck_recorded_prune_rules(ck_prune_rules *out, ck_store *store,
                                             const ck_head *head, int64_t timeline, ck_error *err);
/* Some policy was asked, as the event of a prune has it: else a person chose, or
 * single_checkpoint. */
bool ck_recorded_prune_was_asked(const ck_event *event);
/* The policies that were asked are those of the run, and not those of `ckrun sessions prune`. */
bool ck_recorded_prune_is_own(const ck_event *event);
/* A person goes back, or undoes that, in a timeline that no run has. */
bool ck_recorded_is_edit(const ck_event *event);
/* Fills what the recording's events do not tell. */
CK_CHECKED ck_status ck_recorded_prunes_read(ck_recording *self, ck_store *store,
                                             const ck_head *head, ck_error *err);

#endif
