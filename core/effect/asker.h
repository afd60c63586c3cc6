/* asker.h - the interface of an asker, which puts questions to a person and returns the answers. */
#ifndef CK_EFFECT_ASKER_H
#define CK_EFFECT_ASKER_H

#include "core/base/buffer.h"

/* Borrowed for the call of `answered`. */
typedef struct ck_answer {
  /* CK_OK; CK_E_WAITING: no answer, ask again later; CK_E_INTERRUPTED: cancelled; CK_E_NO_MEMORY */
  ck_status status;
  ck_bytes text; /* CK_OK: the person's text, valid UTF-8; with options: the selected one */
  size_t choice; /* the option's index, from 0; 0 without options */
} ck_answer;

/* Borrowed for the call of ask. Its texts are stored texts: the asker redacts and escapes what it
 * shows. */
typedef struct ck_question {
  const char *text; /* may have several lines */
  const char *from; /* the origin of the question, such as "main" or "agent coder"; NULL */
  /* NULL-terminated: one of these is the answer; NULL or empty: any text is */
  const char *const *options;
  void (*answered)(void *to, const ck_answer *answer);
  void *to;
} ck_question;

typedef struct ck_asking ck_asking; /* one open question; the asker's until `answered` was called */

/* Loop thread only. Several questions may be open: they are put one after the other, in the order
 * of the calls. */
typedef struct ck_asker {
  void *self;
  /* Calls question->answered exactly once, also after a cancel, never before it returns; after an
   * error status never. CK_E_WAITING: no person is present. */
  CK_CHECKED ck_status (*ask)(ck_asking **out, void *self, const ck_question *question,
                              ck_error *err);
  void (*cancel)(void *self, ck_asking *asking);
  /* The answer is not needed any more: `answered` is not called. `why` is shown to the person who
   * is being asked; NULL: nothing is. */
  void (*drop)(void *self, ck_asking *asking, const char *why);
  void (*free)(void *self); /* drops the open questions */
} ck_asker;

#endif
