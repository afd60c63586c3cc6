/* scrub_left.c - gathers names that a scrub cannot change. */
#include "core/runtime/history/scrub_left.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"

void ck_scrub_left_clear(ck_scrub_left_list *self) {
  free(self->list);
  *self = (ck_scrub_left_list){0};
}

/* What ckrun itself goes by in the bodies of events is one kind of name. */
static const char *what_of(const ck_scrub_item *item) {
  return item->place == CK_SCRUB_NAME ? item->name : "event";
}

/* Of events it is not known which of their members it is. */
static ck_digest name_of(const ck_scrub_item *item) {
  return item->place == CK_SCRUB_NAME ? ck_digest_of(item->bytes) : (ck_digest){{0}};
}

static ck_scrub_left *find(const ck_scrub_left_list *self, const char *what, const char *session,
                           const ck_digest *name) {
  for (size_t i = 0; i < self->count; i++) {
    ck_scrub_left *at = &self->list[i];
    if (strcmp(at->what, what) == 0 && strcmp(at->session, session) == 0 &&
        ck_digest_equal(&at->name, name))
      return at;
  }
  return NULL;
}

ck_status ck_scrub_left_add(int64_t *added, ck_scrub_left_list *self, const ck_scrub_item *item,
                            const char *session, ck_error *err) {
  const char *what = what_of(item);
  ck_digest name = name_of(item);
  ck_scrub_left *at = find(self, what, session, &name);
  *added = at && !*session ? 0 : 1;
  if (at) {
    at->count += *added;
    return CK_OK;
  }
  ck_scrub_left *list = ck_array_grow(self->list, self->count, &self->cap, sizeof *list);
  if (!list) return ck_error_no_memory(err);
  self->list = list;
  at = &list[self->count++];
  *at = (ck_scrub_left){.what = what, .seq = item->seq, .count = 1, .name = name};
  memcpy(at->session, session, strlen(session) + 1);
  return CK_OK;
}
