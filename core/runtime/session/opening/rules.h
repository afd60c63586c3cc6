/* rules.h - what the policies' rules do to each constraint when a session is resumed. Within the
 * runtime. */
#ifndef CK_RUNTIME_SESSION_OPENING_RULES_H
#define CK_RUNTIME_SESSION_OPENING_RULES_H

#include "core/base/json.h"
#include "core/runtime/session/policy.h"
#include "core/store/store.h"

typedef struct ck_session ck_session;

/* Asks the policies, and sets the bases as they say; by default time is reset and everything else
 * continues. CK_E_REFUSED: a rule refuses the resume; `records`: that is written down, as a hook's
 * failure is. */
CK_CHECKED ck_status ck_session_ask_rules(ck_session *self, const ck_head *head,
                                          const ck_checkpoint_info *from, bool records,
                                          ck_error *err);
/* "continue". */
const char *ck_rule_name(ck_rule rule);
/* Writes the member "rules". */
void ck_session_write_rules(const ck_session *self, ck_json_writer *w);

#endif
