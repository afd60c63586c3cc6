/* rehearsal.h - what a resume would do: all of it but the acquisition, so that nothing is
 * written. */
#ifndef CK_RUNTIME_EXECUTION_REHEARSAL_H
#define CK_RUNTIME_EXECUTION_REHEARSAL_H

#include "core/runtime/budget/dimension.h"
#include "core/runtime/session/session.h"

/* X(enumerator, name): what becomes of an effect behind the checkpoint, when the flow asks for it
 * as it did. */
/* clang-format off */
#define CK_REHEARSED_TABLE(X) \
  X(CK_REHEARSED_REPLAY, "replay")     /* its outcome is there */ \
  X(CK_REHEARSED_ANEW, "run anew")     /* its outcome is there, but the attempt has risen */ \
  X(CK_REHEARSED_AGAIN, "run again")   /* it was begun and may be repeated */ \
  X(CK_REHEARSED_PROBE, "probe")       /* it was begun: a probe is asked whether it happened */ \
  X(CK_REHEARSED_DOUBT, "in doubt")    /* it was begun, and may not be repeated */ \
  X(CK_REHEARSED_QUESTION, "wait")     /* a person was asked, and has not answered */
/* clang-format on */
typedef enum {
#define X(name, text) name,
  CK_REHEARSED_TABLE(X)
#undef X
      CK_REHEARSED_COUNT
} ck_rehearsed;
const char *ck_rehearsed_name(ck_rehearsed what);

/* Borrowed for the call. */
typedef struct ck_rehearsed_effect {
  ck_rehearsed what;
  const char *key, *name; /* name: of the tool; NULL */
  ck_effect_kind kind;
  ck_effect_class class;
  int64_t cost_micros;    /* of the recorded outcome; 0: none, or not known */
  int64_t reserve_micros; /* the most it may cost, as its intent says; 0: free, or not known */
} ck_rehearsed_effect;
typedef void (*ck_rehearsal_visit)(void *to, const ck_rehearsed_effect *effect);

typedef struct ck_rehearsal {
  uint32_t attempt;
  bool failing; /* the session is failing, or would be marked so, unless the resume is a retry */
  ck_resume_rules rules; /* none is left to its default; refusal is NULL */
  struct {
    int64_t spent, limit; /* as they count after the rules; limit -1: none */
  } constraints[CK_DIMENSION_COUNT];
} ck_rehearsal;
/* Answers as ck_session_resume would, but that secret references need not be filled, and neither an
 * owner nor deaths in a row stand against it. */
CK_CHECKED ck_status ck_session_rehearse(ck_rehearsal *out, ck_runtime *runtime, const char *id,
                                         const ck_resume_options *options, ck_rehearsal_visit visit,
                                         void *to, ck_error *err);
/* "continue"; of a rehearsal's rules. NULL: there is no rule for it. */
const char *ck_rehearsal_rule(const ck_rehearsal *self, ck_dimension dimension);

#endif
