/* own_policies.h - the policies of a stored session, asked about what people and other processes
 * give to it: what they type is masked as what its runs write.
 *
 * They are those that the session was last accepted under, whatever the caller's profile says: of
 * its profile's file, where it and its policies' files are as they were, else of what the store
 * kept of its last run. Nothing but `redact` is asked. */
#ifndef CK_HOST_SESSION_OWN_POLICIES_H
#define CK_HOST_SESSION_OWN_POLICIES_H

#include "core/model/profile.h"
#include "core/model/script.h"
#include "core/redact/redact.h"
#include "core/runtime/session/policy.h"
#include "core/store/store.h"

typedef struct ck_own_policies ck_own_policies;

/* NULL in *out: none of its policies masks anything, or it has none. CK_E_REFUSED: there are such
 * that cannot be asked, and why: nothing may be taken. */
CK_CHECKED ck_status ck_own_policies_open(ck_own_policies **out, ck_store *store,
                                          const ck_head *head, ck_error *err);
/* The same of a profile, for what belongs to no session; NULL: it masks nothing. `store` may be
 * NULL for ck_own_policies_redacting alone. */
CK_CHECKED ck_status ck_own_policies_open_profile(ck_own_policies **out, ck_store *store,
                                                  const char *name, ck_error *err);
/* Makes the redactor ask them of state and events; NULL: it asks nobody any more. Borrowed. */
void ck_own_policies_hook(ck_own_policies *self, ck_redactor *redactor);
void ck_own_policies_free(ck_own_policies *self);
/* For ck_runtime.redacting; NULL of NULL. Places in its answers are those of the list of the last
 * run. */
const ck_policy_engine *ck_own_policies_redacting(const ck_own_policies *self);

/* `text` as they would have it in the member `name` of an event of that kind, into `*out`,
 * malloc'd; `key`: the member of that name, of an effect; NULL: none. `self` NULL: as it is.
 * `redactor`: whose rules come first. */
typedef struct ck_given_text {
  ck_event_kind kind;
  const char *name, *key, *text;
} ck_given_text;
CK_CHECKED ck_status ck_own_policies_clean(char **out, ck_own_policies *self, ck_redactor *redactor,
                                           const ck_given_text *given, ck_error *err);
/* The same of a whole body, into `*out`; who took something out of it is appended to `who` as
 * members of a JSON array: {policy, (agent), rule}. */
CK_CHECKED ck_status ck_own_policies_try(ck_value **out, ck_json_writer *who, ck_own_policies *self,
                                         ck_redactor *redactor, const ck_event *given,
                                         ck_error *err);

#endif
