/* answers.h - what each policy answered to one hook, as it is kept in the event that the question
 * belongs to (ck_event.decision): numbers alone, no text of anybody's. What is told of it besides
 * is in the event's body.
 *
 * Bytes of one hook's answers; an event can have those of several hooks behind one another:
 *
 *   version       1 byte: 1
 *   hook, count   1 byte: number of the hook * 16 + how many different answers were given, 0 to 8
 *   time          varint: microseconds that the question took
 *   count times, by ascending number of the answer:
 *     answer, size  1 byte: number of the answer * 16 + bytes of the mask, 1 to 8
 *     mask          bit i (from the lowest bit of the first byte): policy i gave this answer; no
 *                   zero byte at the end
 *
 * Policy i is the one at that place of the list `policies` in what is kept of the event's run
 * (about, core/runtime/session/opening): the policies of the profile, those of the run, those of
 * agents. One without a bit in any mask was not asked: it has no such hook, or belongs to another
 * agent. Of a list of more than 64 the others leave no mark. With up to 32 policies that is 24
 * bytes at most for four different answers within 16 ms; the usual boundary has 6 to 9. */
#ifndef CK_MODEL_ANSWERS_H
#define CK_MODEL_ANSWERS_H

#include "core/base/buffer.h"
#include "core/base/json.h"

/* X(enumerator, number on disk, name, the names of its answers from 0 to CK_ANSWER_FAILED - 1).
 * The numbers, also those of the answers, never change. */
/* clang-format off */
#define CK_HOOK_TABLE(X) \
  X(CK_HOOK_CHECKPOINT, 1, "checkpoint", "no", "yes", "yes, waited for") \
  /* a policy can drop some and keep others */ \
  X(CK_HOOK_PRUNE, 2, "prune", "no opinion", "drop", "keep") \
  /* in the order of ck_redact_verdict; a policy gives several where an event has several items */ \
  X(CK_HOOK_REDACT, 3, "redact", "left", "drop", "mask", "ref", "texts") \
  /* a policy gives several where several events are asked about, as of prune */ \
  X(CK_HOOK_TAIL, 5, "tail", "in", "out") \
  /* in the order of ck_failure_word */ \
  X(CK_HOOK_ON_FAILURE, 6, "on_failure", "no opinion", "pause", "retry", "fail", \
    "fallback") \
  /* in the order of ck_doubt_word */ \
  X(CK_HOOK_IN_DOUBT, 7, "in_doubt", "no opinion", "stop", "rerun", "tell") \
  /* in the order of ck_leave_word */ \
  X(CK_HOOK_PERMIT, 8, "permit", "allow", "ask", "deny")
/* clang-format on */

typedef enum {
#define X(name, number, ...) name = number,
  CK_HOOK_TABLE(X)
#undef X
} ck_hook;

/* The numbers of the answers' names in the table above. */
enum { CK_ANSWER_NO = 0, CK_ANSWER_YES = 1, CK_ANSWER_SYNC = 2 };
enum { CK_ANSWER_NO_OPINION = 0, CK_ANSWER_DROP = 1, CK_ANSWER_KEEP = 2 };
enum { CK_ANSWER_LEFT = 0, CK_ANSWER_ALLOW = 0 };
enum { CK_ANSWER_IN = 0, CK_ANSWER_OUT = 1 };
/* Of every hook: it raised, overran, or its answer had no known shape. */
enum { CK_ANSWER_FAILED = 7, CK_ANSWER_COUNT = 8, CK_ANSWERS_POLICIES = 64 };

typedef struct ck_answers {
  ck_hook hook; /* a number outside the table: of a later version */
  int64_t took_us;
  uint64_t policies[CK_ANSWER_COUNT]; /* by answer: bit i is policy i */
} ck_answers;

/* NULL outside the table. */
const char *ck_hook_name(ck_hook hook);
/* NULL for an answer that this version does not know; CK_ANSWER_FAILED is "failed". */
const char *ck_answer_name(ck_hook hook, int answer);

/* Nothing for a policy from CK_ANSWERS_POLICIES on. */
void ck_answers_put(ck_answers *self, size_t policy, int answer);
/* Adds the answers and the time of `other`, of the same hook. */
void ck_answers_add(ck_answers *self, const ck_answers *other);
/* The member `name`: [i, …] of those in `mask`; none for an empty one. */
void ck_answers_write_places(ck_json_writer *w, const char *name, uint64_t mask);

enum { CK_ANSWERS_SIZE = 2 + 10 + CK_ANSWER_COUNT * 9 };
/* Writes into `out` and borrows it. A time below zero is written as 0. */
ck_bytes ck_answers_encode(char out[CK_ANSWERS_SIZE], const ck_answers *self);
/* Reads the answers to one hook and advances `*from` behind them. CK_E_EMPTY: there are no (more)
 * bytes; CK_E_NEWER: of a version after this one, what follows cannot be told; CK_E_CORRUPT: they
 * are not what ck_answers_encode writes. `*out` is zero then. */
CK_CHECKED ck_status ck_answers_decode(ck_answers *out, ck_bytes *from, ck_error *err);

#endif
