/* refusal.h - why a session that waits for a worker is not begun, as workers have said: for people.
 * Each worker's last word is kept until somebody has the session, or it is deleted. */
#ifndef CK_STORE_REFUSAL_H
#define CK_STORE_REFUSAL_H

#include "core/store/store.h"

enum { CK_REFUSAL_TEXT_MAX = 400, CK_REFUSAL_BY_MAX = 120, CK_REFUSALS_MAX = 4 };
/* Of the text that a backend keeps of a session. */
enum { CK_REFUSALS_SIZE = CK_REFUSALS_MAX * (CK_REFUSAL_TEXT_MAX + CK_REFUSAL_BY_MAX + 24) };

typedef struct ck_refusal {
  int64_t at_ms;              /* wall time */
  char by[CK_REFUSAL_BY_MAX]; /* which worker; one line */
  char text[CK_REFUSAL_TEXT_MAX];
} ck_refusal;
typedef struct ck_refusals {
  ck_refusal list[CK_REFUSALS_MAX]; /* the newest first */
  size_t count;
} ck_refusals;

/* In the place of what the same worker said before. Best effort, also through a handle that only
 * reads: it is no part of what the store holds. Nothing where somebody has the session. The text is
 * kept as it is: the caller has masked what may not be stored. */
void ck_store_put_refusal(ck_store *self, const char *session_id, const ck_refusal *what);
/* None: nobody has said anything, or the store keeps nothing of the kind. */
void ck_store_get_refusals(ck_refusals *out, ck_store *self, const char *session_id);

/* All of them, of a backend; NULL: it keeps none. One text for a session, without a NUL. */
typedef struct ck_refusal_functions {
  void (*put)(void *self, const char *session_id, const char *text);
  void (*get)(char out[CK_REFUSALS_SIZE], void *self, const char *session_id); /* "": none */
} ck_refusal_functions;

#endif
