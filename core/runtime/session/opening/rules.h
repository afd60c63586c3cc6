/* rules.h - what the policies' rules do to each constraint when a session is resumed. Within the
 * runtime. */
#ifndef CK_RUNTIME_SESSION_OPENING_RULES_H
#define CK_RUNTIME_SESSION_OPENING_RULES_H

#include "core/base/json.h"
#include "core/runtime/session/opening/edit.h"
#include "core/runtime/session/opening/resume.h"
#include "core/runtime/session/policy.h"
#include "core/store/store.h"

typedef struct ck_session ck_session;

/* What the policies are asked about. All borrowed. */
typedef struct ck_rules_question {
  const ck_head *head;
  const ck_checkpoint_info *from; /* seq 0: the first event */
  const ck_state_edits *edits;    /* that the resume makes */
  const ck_value *seen;           /* see ck_resume_options; NULL */
  const ck_resume_asker *asker;   /* NULL: nobody is there */
  bool records;                   /* a refusal is written down, as a hook's failure is */
  bool takes_denial;              /* so is one that a person's deny is, and uses it up */
  bool unchanged, changed;        /* since the last run, policies and flow; both false: not known */
  bool dry_run;                   /* a question is put to nobody: it becomes self->asked_before */
} ck_rules_question;

/* Asks the policies, and sets the bases as they say; by default time is reset and everything else
 * continues. CK_E_REFUSED: a rule refuses the resume, or a person. CK_E_WAITING: a person is to
 * allow it. CK_E_PENDING: one has answered just now, and the head is read anew. */
CK_CHECKED ck_status ck_session_ask_rules(ck_session *self, const ck_rules_question *question,
                                          ck_error *err);
/* What the reason of a refusal begins with when a person has denied the resume. */
#define CK_RESUME_DENIED "a person denied it: "
/* Why a resume is refused: what a policy says, or the rule for a dimension; "": it is not. */
void ck_resume_rules_refusal(char *out, size_t size, const ck_resume_rules *rules);
/* The rules with the usual ones where nobody said: time is reset, the others continue. */
ck_resume_rules ck_resume_rules_effective(const ck_resume_rules *rules);
/* "continue". */
const char *ck_rule_name(ck_rule rule);
/* Writes the member "rules"; where the policies were asked about a case with circumstances,
 * "seen", too. */
void ck_session_write_rules(const ck_session *self, ck_json_writer *w);

#endif
