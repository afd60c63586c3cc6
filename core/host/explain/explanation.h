/* explanation.h - why there is a checkpoint at a boundary, or none: in words and as JSON. */
#ifndef CK_HOST_EXPLAIN_EXPLANATION_H
#define CK_HOST_EXPLAIN_EXPLANATION_H

#include "core/host/explain/pruned_list.h"
#include "core/host/explain/rerun.h"
#include "core/host/explain/said.h"
#include "core/host/print/document.h"
#include "core/model/checkpoint.h"

/* One BOUNDARY event and what is known about it. Borrows all of it. */
typedef struct ck_explanation {
  const char *session; /* its id */
  const ck_event *event;
  ck_bytes policies;     /* the run's list, JSON; no bytes: not known */
  ck_boundary_kind kind; /* 0: of a later version */
  ck_bytes checkpoint;   /* its id as a JSON string; no bytes: none was taken */
  bool pruned;
  ck_pruned_fate fate; /* `seq`: of the event that tells so */
  bool always;         /* kinds that policies have no say in */
  bool requested;      /* another command asked for it */
  bool abandoned;      /* a resume or a rewind has left it behind */
  ck_said_list said;
  const char *failure;              /* what a policy failed of; NULL: none did, or not known */
  const ck_rerun *rerun;            /* NULL: no other policy is asked */
  const ck_simulated_decision *now; /* its answer here; NULL: none */
} ck_explanation;

/* Fills what follows from the event, its policies, and the rerun (NULL: none). */
void ck_explanation_read(ck_explanation *out, const ck_event *event, ck_bytes policies,
                         const ck_rerun *rerun);

/* Short, for a row: "tools: node a; no: quiet". Neither redacted nor escaped, as the ones below. */
void ck_explanation_append_why(ck_buffer *out, const ck_explanation *self);
/* The same of the other policy's answer. */
void ck_explanation_append_now(ck_buffer *out, const ck_explanation *self);
/* Whole sentences, each behind the one before, with a NUL at its end. */
void ck_explanation_append_sentences(ck_buffer *out, const ck_explanation *self);
/* The members of one object. */
void ck_explanation_put(ck_document *document, const ck_explanation *self);

#endif
