/* scrub_left.h - the names that hold a secret and stay as they are: of what, and where. */
#ifndef CK_RUNTIME_HISTORY_SCRUB_LEFT_H
#define CK_RUNTIME_HISTORY_SCRUB_LEFT_H

#include "core/base/digest.h"
#include "core/base/id.h"
#include "core/store/scrub.h"

/* One name in one session; in each of its events it is counted again. */
typedef struct ck_scrub_left {
  const char *what;         /* "id", "agent", …: as ck_scrub_item names it; static */
  char session[CK_ID_SIZE]; /* "": of none, such as a fact */
  int64_t seq;              /* of the first event or checkpoint; 0: of none */
  int64_t count;
  ck_digest name;
} ck_scrub_left;

/* Zero-initialise. */
typedef struct ck_scrub_left_list {
  ck_scrub_left *list;
  size_t count, cap;
} ck_scrub_left_list;
void ck_scrub_left_clear(ck_scrub_left_list *self);

/* *added: how many more are left by it; 0: it was met before, by the walk of another session.
 * `session`: its id, "": none. */
CK_CHECKED ck_status ck_scrub_left_add(int64_t *added, ck_scrub_left_list *self,
                                       const ck_scrub_item *item, const char *session,
                                       ck_error *err);

#endif
