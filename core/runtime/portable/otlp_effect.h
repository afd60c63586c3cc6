/* otlp_effect.h - the span of one effect: a model's call, a tool's, or any other. */
#ifndef CK_RUNTIME_PORTABLE_OTLP_EFFECT_H
#define CK_RUNTIME_PORTABLE_OTLP_EFFECT_H

#include "core/model/event.h"
#include "core/runtime/portable/otlp_span.h"

/* What a model's call was given: arrays in JSON of the messages that none was given before, and,
 * unless they are the call's own, of the seqs of their events and the times (0: not known) in
 * milliseconds. */
typedef struct ck_otlp_given {
  ck_buffer messages, seqs, times; /* no bytes: not known */
  int64_t earlier;                 /* how many messages it was given before */
} ck_otlp_given;
void ck_otlp_given_clear(ck_otlp_given *self);
CK_CHECKED ck_status ck_otlp_given_check(const ck_otlp_given *self, ck_error *err);

/* What was asked for, and what came of it. */
typedef struct ck_otlp_effect {
  const char *session; /* its id */
  ck_bytes intent;     /* body; no bytes: none is recorded, as of tools that are flows' own */
  ck_bytes outcome;    /* body; no bytes: none is recorded */
  ck_bytes call_id;    /* of a tool without an intent, and its arguments: as the model called it */
  ck_bytes arguments;
  const ck_otlp_given *given;
  int64_t outcome_seq; /* of the outcome's event; 0: none is recorded */
  bool left;           /* a resume or a rewind left it behind */
} ck_otlp_effect;

/* Puts name, kind, failure and attributes; ids and times are the caller's. */
CK_CHECKED ck_status ck_otlp_effect_put(ck_otlp_span *to, const ck_otlp_effect *effect,
                                        ck_redactor *redactor, ck_error *err);
/* The span of a message that no call of a model was given. */
CK_CHECKED ck_status ck_otlp_effect_put_message(ck_otlp_span *to, ck_bytes message, int64_t seq,
                                                ck_redactor *redactor, ck_error *err);

#endif
