/* otlp_effect.h - the span of one effect: a model's call, a tool's, or any other. */
#ifndef CK_RUNTIME_PORTABLE_OTLP_EFFECT_H
#define CK_RUNTIME_PORTABLE_OTLP_EFFECT_H

#include "core/model/event.h"
#include "core/runtime/portable/otlp_span.h"

/* What was asked for, and what came of it. */
typedef struct ck_otlp_effect {
  const char *session; /* its id */
  ck_bytes intent;     /* body; no bytes: none is recorded, as of tools that are flows' own */
  ck_bytes outcome;    /* body; no bytes: none is recorded */
  ck_bytes call_id;    /* of a tool without an intent, and its arguments: as the model called it */
  ck_bytes arguments;
  ck_bytes given;  /* an array of messages that the model was not given before; no bytes: unknown */
  int64_t earlier; /* how many messages it was given before */
  bool left;       /* a resume or a rewind left it behind */
} ck_otlp_effect;

/* Puts name, kind, failure and attributes; ids and times are the caller's. */
CK_CHECKED ck_status ck_otlp_effect_put(ck_otlp_span *to, const ck_otlp_effect *effect,
                                        ck_redactor *redactor, ck_error *err);

#endif
