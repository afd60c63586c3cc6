/* run.h - one model call from its request to its outcome, through all its attempts. For the files
 * of this folder only. */
#ifndef CK_EFFECT_MODEL_RUN_H
#define CK_EFFECT_MODEL_RUN_H

#include "core/effect/http/http.h"
#include "core/effect/timer.h"
#include "core/effect/model/private.h"

typedef struct ck_model_driver {
  ck_effect_driver driver;
  ck_model_options options;
  ck_http *http; /* NULL before the first call */
  ck_effect_run *runs;
  bool told_cache; /* that cached tokens have no price */
} ck_model_driver;

/* The answer to one attempt. */
typedef struct ck_model_answer {
  const ck_model_format *format;
  enum { CK_MODEL_BODY_OTHER, CK_MODEL_BODY_JSON, CK_MODEL_BODY_EVENTS } type;
  char type_text[64];
  int64_t retry_after_ms; /* -1: none was given */
  int should_retry;       /* -1: none was given */
  int64_t now_wall_ms;
  ck_buffer body; /* of an answer that is no stream of events */
  ck_sse sse;
  ck_buffer open; /* the last event, while a text of it ends with half a character */
  ck_model_reply reply;
  ck_error broken; /* the fault of a stream that was refused */
  char early[128]; /* it is whole, and the connection then ended as it must not: how; "" */
} ck_model_answer;
void ck_model_answer_init(ck_model_answer *self, const ck_model_format *format,
                          int64_t now_wall_ms);
void ck_model_answer_clear(ck_model_answer *self);
/* As ck_http_options has them. */
void ck_model_answer_header(ck_model_answer *self, ck_bytes name, ck_bytes value);
bool ck_model_answer_data(ck_model_answer *self, int code, ck_bytes chunk);
/* The result of an attempt: `*out` is the message, or NULL with the reason in the fault; an error
 * status only when memory is missing. */
CK_CHECKED ck_status ck_model_answer_end(ck_value **out, ck_model_fault *fault,
                                         ck_model_answer *self, const ck_http_end *end,
                                         ck_error *err);

/* Adds to the outcome of an answer that was taken what people should know of it. */
void ck_model_run_note(ck_outcome *out, const ck_effect_run *self);

struct ck_effect_run {
  ck_model_driver *driver;
  const ck_profile_model *model;
  const ck_model_format *format;
  ck_effect_sink *sink;
  ck_buffer url, body;
  char key[CK_DIGEST_HEX_SIZE]; /* Idempotency-Key */
  int64_t deadline_ms;          /* monotonic; 0: none */
  bool waits;                   /* for its next attempt */
  int attempts;                 /* begun so far, those of earlier runs that were lost among them */
  int earlier;                  /* of these */
  int64_t asked, output_max;    /* tokens of the answer: asked for; sent in its place; 0 */
  bool fitted;                  /* output_max is what a limit leaves */
  int64_t reserve_tokens;       /* of an attempt whose figures are lost; 0 or less: not known */
  int64_t reserve_micros;       /* of one attempt; -1: it has no price */
  bool lost;                    /* the last attempt: it may have cost its reserve */
  ck_error why;                 /* the last attempt failed */
  ck_http_request *request;     /* NULL between attempts */
  ck_timer *timer;
  ck_model_answer answer;
  ck_usage spent;                 /* cost of failed attempts */
  bool kept;                      /* that of the last one was given to the sink */
  ck_usage told;                  /* by a lost attempt, of its tokens, before it was lost */
  ck_loop_task task;              /* delivers a cancelled one */
  ck_outcome *spare;              /* delivered when there is no memory for the true outcome */
  ck_effect_run *next, *previous; /* of the driver */
};

CK_CHECKED ck_status ck_model_run_new(ck_effect_run **out, ck_model_driver *driver,
                                      const ck_effect *effect, ck_effect_sink *sink, ck_error *err);
/* Delivers nothing. */
void ck_model_run_free(ck_effect_run *self);
/* The first attempt. */
CK_CHECKED ck_status ck_model_run_begin(ck_effect_run *self, ck_error *err);
void ck_model_run_cancel(ck_effect_run *self);
/* True between two attempts. */
bool ck_model_run_waits(const ck_effect_run *self);

/* Posts one attempt of at most `total_ms`; the credentials are read for it and wiped. `ended` gets
 * the run. */
CK_CHECKED ck_status ck_model_run_post(ck_effect_run *self,
                                       void (*ended)(void *to, const ck_http_end *end),
                                       int64_t total_ms, ck_error *err);

#endif
