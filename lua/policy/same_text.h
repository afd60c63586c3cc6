/* same_text.h - whether the policies that a session was started with are those of today. */
#ifndef CK_LUA_POLICY_SAME_TEXT_H
#define CK_LUA_POLICY_SAME_TEXT_H

#include "core/base/buffer.h"

/* Compares two descriptions made by ck_policy_describe: the same names, versions, agents, texts and
 * options in the same order. Two texts of a shipped policy that differ in comments and line breaks
 * alone count as the same, so that a newer ckrun resumes what an older one started. */
bool ck_policies_equal(ck_bytes then, ck_bytes now);
/* The same of the digests of two texts, JSON strings. */
bool ck_policy_is_same_text(ck_bytes then, ck_bytes now);
/* One entry of them. */
bool ck_policy_is_same(ck_bytes then, ck_bytes now);
/* Of two entries, whether their options are the same as far as it can be told: of what is masked
 * under another key, or was recorded without one by an earlier version, what is left is compared,
 * and so it is in a store without a key. */
bool ck_policy_has_same_options(ck_bytes then, ck_bytes now);
/* They were recorded under two keys of the store. */
bool ck_policy_is_of_other_key(ck_bytes then, ck_bytes now);
/* Something of the entry's options is masked, and it cannot be told whether that changed. */
bool ck_policy_hides_options(ck_bytes entry);

#endif
