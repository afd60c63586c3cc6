/* word_samples.h - subjects for hooks with the words that a policy's options have. */
#ifndef CK_LUA_POLICY_TOOL_WORD_SAMPLES_H
#define CK_LUA_POLICY_TOOL_WORD_SAMPLES_H

#include "lua/policy/load.h"

/* Appends a subject of the hook, as ck_policy_subject_read takes it, with a NUL behind it, for each
 * of the first words among the options: texts, texts in lists, names of tables. A word is the name
 * of a tool, of an agent, of a node, of a key, and a text that is said, whatever it is meant for.
 */
enum { WORD_SAMPLES_MAX = 8 };
CK_CHECKED ck_status ck_word_samples_make(ck_buffer *out, policy_hook hook, loaded_policy *policy,
                                          ck_error *err);

#endif
