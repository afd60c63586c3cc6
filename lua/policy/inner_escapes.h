/* inner_escapes.h - texts that hold JSON, as arguments of calls do, without the escapes of the
 * inner JSON that hide characters. */
#ifndef CK_LUA_POLICY_INNER_ESCAPES_H
#define CK_LUA_POLICY_INNER_ESCAPES_H

#include "core/model/value.h"

/* What a program reads out of {"to": "J\u00f6rg"} is "Jörg", so a policy that looks for "Jörg" in
 * the text that holds this JSON must see it. `*out` is `value` with such escapes decoded in all its
 * texts (not in names): \uXXXX, of whatever needs no escape, pairs for one character included, and
 * \/. NULL: there are none. Owned by the caller. The JSON inside stays the same document. */
CK_CHECKED ck_status ck_inner_escapes_decode(ck_value **out, const ck_value *value, ck_error *err);

#endif
