/* hidden.h - finds what the redact hooks of a profile hide of what its permit hooks decide by and
 * ask a person. */
#ifndef CK_HOST_PREFLIGHT_HIDDEN_H
#define CK_HOST_PREFLIGHT_HIDDEN_H

#include "core/runtime/session/policy.h"

/* Tries calls of tools whose names, arguments and values stand in the files of the policies, and
 * texts as personal data look. Appends a sentence with a NUL behind it for each pair of policies:
 * which arguments are masked in a question, and in a call that permit then answers otherwise.
 * `described`: the engine's list, as ck_policy_describe makes it. What only a value that is not
 * tried shows is not found. */
CK_CHECKED ck_status ck_hidden_find(ck_buffer *out, const ck_policy_engine *policies,
                                    const ck_value *described, ck_error *err);

#endif
