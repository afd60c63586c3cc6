/* taken_answers.h - what people said to a session at rest, and the run that went on by it. */
#ifndef CK_HOST_INSPECT_TAKEN_ANSWERS_H
#define CK_HOST_INSPECT_TAKEN_ANSWERS_H

#include "core/host/inspect/inspect.h"

/* A resume goes on from its checkpoint, and so leaves behind what was said at rest. */
typedef struct ck_taken_answer {
  ck_event *event;  /* a resolution, or a resume_approval with an answer. Owned */
  int64_t timeline; /* of the run that took it; 0: none has yet */
  bool dropped;     /* that run asked otherwise, and it did not count */
} ck_taken_answer;

/* Zero-initialise. Of several answers to one question the last. */
typedef struct ck_taken_answers {
  ck_taken_answer *list;
  size_t count, cap;
} ck_taken_answers;
void ck_taken_answers_clear(ck_taken_answers *self);

CK_CHECKED ck_status ck_taken_answers_read(ck_taken_answers *out, const ck_inspection *of,
                                           ck_error *err);
/* "; by the answer allow to main/a#1/exec/1/permit, of ann on desk, ckrun answer" for each that the
 * run took which begins with the event, "; the answer allow to … did not count" for each that it
 * did not; nothing for other events. */
void ck_taken_answers_append(ck_buffer *out, const ck_taken_answers *self, const ck_event *event);

#endif
