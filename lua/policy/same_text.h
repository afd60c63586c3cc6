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

#endif
