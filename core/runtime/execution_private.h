/* execution_private.h - one strand under way: what execution.c and execution_effect.c share. */
#ifndef CK_RUNTIME_EXECUTION_PRIVATE_H
#define CK_RUNTIME_EXECUTION_PRIVATE_H

#include "core/runtime/execution.h"
#include "core/runtime/news.h"
#include "core/runtime/session_private.h"

/* What a strand waits for. */
typedef enum {
  CK_PHASE_READY,  /* nothing: resume it */
  CK_PHASE_INTENT, /* its intent to be committed */
  CK_PHASE_DRIVER, /* its driver to deliver */
  CK_PHASE_SAVE,   /* its checkpoint to be durable */
  CK_PHASE_ENDED
} ck_phase;

typedef struct ck_runner ck_runner;

/* The sink handed to drivers knows its runner. */
typedef struct ck_runner_sink {
  ck_effect_sink sink;
  ck_runner *runner;
} ck_runner_sink;

/* One strand and what stands between it and the outside. */
struct ck_runner {
  ck_execution *execution;
  const char *scope;
  ck_strand *strand;
  ck_phase phase;
  ck_flow_yield yield;
  ck_value *position;                 /* as yielded at the last boundary; NULL: at the top */
  char path[256];                     /* its "path" member */
  uint32_t ordinals[CK_EFFECT_KIND_COUNT], pauses;
  ck_state *used;                     /* keys asked for since the last boundary, and every path so far: each once */
  ck_state *paths;
  int64_t boundary_us;                /* monotonic time of the last boundary */
  ck_change *changes;                 /* written since the last boundary */
  size_t change_count;
  /* The effect under way. */
  ck_effect effect;
  char key[CK_STATE_KEY_MAX];
  char label[64];                     /* for people: a tool's name; "" */
  char digest[CK_REQUEST_DIGEST_SIZE];
  ck_value *request;                  /* as the ledger keeps it: redacted */
  const ck_effect_driver *driver;
  ck_runner_sink sink;
  ck_effect_run *run;
  bool probing, delivered;
  unsigned tries;
  uint64_t ticket;
  ck_outcome *outcome;                /* delivered by the driver, or to be handed to the strand */
};

struct ck_execution {
  ck_execution_options options;
  ck_session *session;
  ck_runner *runner;                  /* the main strand */
  char *pause_reason;
  ck_execution_counts counts;
  ck_news news;                       /* outcomes and checkpoints told once they are durable */
  bool ended;
  ck_execution_result result;
};

/* Ends the session; afterwards the execution has ended. */
CK_CHECKED ck_status ck_execution_finish(ck_execution *self, ck_session_status status, ck_status cause, const char *text,
                                         const ck_value *value, ck_error *err);
/* Tells whoever watches. */
void ck_execution_tell(const ck_execution *self, const ck_progress *progress);

/* Notes that `name` is used; false in *fresh when it was before. */
CK_CHECKED ck_status ck_runner_use(bool *fresh, ck_state *names, const char *name, ck_error *err);
/* The strand asked for an effect: replay it, or commit its intent, or stop. */
CK_CHECKED ck_status ck_runner_begin_effect(ck_runner *self, ck_error *err);
/* The intent is committed: start the driver. */
CK_CHECKED ck_status ck_runner_start_effect(ck_runner *self, ck_error *err);
/* The driver has delivered: record the outcome. */
CK_CHECKED ck_status ck_runner_complete_effect(ck_runner *self, ck_error *err);

#endif
