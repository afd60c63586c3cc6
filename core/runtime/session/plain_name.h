/* plain_name.h - a name that is written as it is, for others find things by it: refused where a
 * policy would mask it. */
#ifndef CK_RUNTIME_SESSION_PLAIN_NAME_H
#define CK_RUNTIME_SESSION_PLAIN_NAME_H

#include "core/runtime/session/policy.h"

/* The policies are asked about it as the input of a session, {"input": {WHAT: NAME}}. One that
 * takes that away whatever the name is says nothing of the name, nor does one that fails: nothing
 * that it is asked about later is written. `what`: a word; `remedy`: what to do instead.
 * `policies` may be NULL. CK_E_REFUSED, CK_E_NO_MEMORY. */
CK_CHECKED ck_status ck_plain_name_check(const ck_policy_engine *policies, const char *what,
                                         const char *name, const char *remedy, ck_error *err);

#endif
