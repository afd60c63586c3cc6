/* answer.h - reads the answer of a hook, strictly: an unknown shape is an error and never a guess.
 *
 * All functions read the value at `index` and raise for a malformed one: "field: … expected, got
 * …". */
#ifndef CK_LUA_POLICY_ANSWER_H
#define CK_LUA_POLICY_ANSWER_H

#include "core/runtime/session/policy.h"
#include "lua/vm/vm.h"

enum { CK_ANSWER_REASON_MAX = 256 }; /* bytes */
/* Of a question to a person, or of what is said against an effect or a resume: bytes, roughly; what
 * is longer is cut, and says so. */
enum { CK_ANSWER_WORDS_MAX = 1000 };

/* nil, false; true; "reason"; { reason =, durability = "sync" | "async" }. Async unless it says
 * otherwise. */
typedef struct ck_answer_checkpoint {
  bool take, sync;
  /* UTF-8 without control characters, anchored by the value; NULL: none given */
  const char *reason;
  size_t reason_len;
} ck_answer_checkpoint;
void ck_answer_read_checkpoint(ck_answer_checkpoint *out, lua_State *L, int index);

/* Answers of on_failure, in the order of ck_failure_answer; of in_doubt, of ck_doubt_word. */
extern const char *const ck_answer_failure_words[], *const ck_answer_doubt_words[];
/* One of `words` (ended by NULL): its index; nil: -1. `field` names it in errors. */
int ck_answer_read_word(lua_State *L, int index, const char *field, const char *const *words);
/* nil; a word of ck_answer_failure_words, as ck_answer_read_word; { "retry", wait_ms = … }. */
int ck_answer_read_failure(int64_t *wait_ms, lua_State *L, int index);
/* true, false; nil: `otherwise`. */
bool ck_answer_read_truth(lua_State *L, int index, bool otherwise);

/* nil; { budget | time | rounds | tokens | tool_calls = "continue" | "reset" | "refuse" };
 * ck.refuse "why"; ck.ask "question". Changes only the dimensions that are named, and none that is
 * refused already. The text of a refusal (DENY), else of a question (ASK), goes to `text`, emptied
 * before. */
ck_leave_word ck_answer_read_rules(ck_resume_rules *out, ck_buffer *text, lua_State *L, int index);

/* Of whom a plan is read, and what about. */
typedef struct ck_plan_reading {
  const ck_history *history;
  const ck_checkpoint_info *const *by_id; /* its checkpoints, sorted by id */
  size_t place;                           /* of the policy */
} ck_plan_reading;
/* nil; { drop = {id, …}, keep = {id, …} }, ids of the history. Sets flags, clears none. Gives bits:
 * 1 << CK_ANSWER_DROP when it drops any, 1 << CK_ANSWER_KEEP when it keeps any; else 1 <<
 * CK_ANSWER_NO_OPINION. */
int ck_answer_read_plan(ck_prune_plan *out, const ck_plan_reading *of, lua_State *L, int index);
/* As qsort wants it, over pointers to ck_checkpoint_info. */
int ck_answer_compare_ids(const void *left, const void *right);

/* nil; ck.drop; ck.mask; ck.ref "env:NAME", whose text goes to `out`, emptied before; or `value`
 * (JSON) with other texts in it, which goes there whole. */
ck_redact_verdict ck_answer_read_redaction(ck_buffer *out, lua_State *L, int index, ck_bytes value);
/* answer_texts.c: appends `value` with the texts of the answer at `index`, which is like it but for
 * them; false when they are the same. Raises for another shape, and for more than
 * CK_SANDBOX_TEXT_MAX bytes more than `value` has, and a placeholder for each text. */
bool ck_answer_read_texts(ck_buffer *out, lua_State *L, int index, ck_bytes value);

/* nil; "allow"; ck.deny "why"; ck.ask "question"; of all but nil the text goes to `text`, emptied
 * before. */
ck_leave_word ck_answer_read_permit(ck_buffer *text, lua_State *L, int index);

/* nil: NULL; a table: its JSON, owned by the caller of ck_vm_call. */
void ck_answer_read_document(ck_value **out, lua_State *L, int index);

#endif
