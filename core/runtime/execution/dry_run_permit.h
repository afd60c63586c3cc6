/* dry_run_permit.h - whether an effect would begin, as a resume would decide it: the policies, and
 * the people whom they have asked. Within the room. */
#ifndef CK_RUNTIME_EXECUTION_DRY_RUN_PERMIT_H
#define CK_RUNTIME_EXECUTION_DRY_RUN_PERMIT_H

#include "core/runtime/execution/dry_run.h"
#include "core/runtime/execution/permit_question.h"

/* What is said of one effect, for as long as it is shown. Zero-initialise. */
typedef struct ck_permit_rehearsal {
  ck_leave leave;
  ck_permit_question question; /* that would be put */
  ck_value *dropped;
  char key[CK_STATE_KEY_MAX], *name, *asked_by, *by;
} ck_permit_rehearsal;
void ck_permit_rehearsal_clear(ck_permit_rehearsal *self);

/* The entry is a question whether an effect may begin. */
bool ck_dry_run_is_permit(const ck_ledger_entry *entry);
/* Of an effect that would begin anew: what becomes of it. */
void ck_dry_run_permit(ck_permit_rehearsal *made, ck_dry_run_effect *out, ck_session *session,
                       const ck_ledger_entry *entry);
/* Of a question whose effect was never begun. False: what becomes of that is told by its own
 * entry, or is no news. */
bool ck_dry_run_permit_question(ck_permit_rehearsal *made, ck_dry_run_effect *out,
                                ck_session *session, const ck_ledger_entry *question);
/* The sources that are not trusted of a recorded effect `from`, an object with `untrusted` and
 * `request`. What was untrusted when it was asked for, and what is at the checkpoint. Where memory
 * is short, it is left out: the policies then say less than they would. Owned; NULL: none. */
ck_value *ck_dry_run_find_untrusted(ck_session *session, const char *scope, ck_effect_kind kind,
                                    ck_bytes from);

#endif
