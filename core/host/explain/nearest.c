/* nearest.c - refuses to explain an event that policies decided nothing about. */
#include "core/host/explain/nearest.h"

#include <inttypes.h>

typedef struct neighbours {
  int64_t of, before, behind;
  ck_event_kind kind; /* of the event itself; 0: there is none */
} neighbours;

static bool look_around(void *to, const ck_event *event) {
  neighbours *self = to;
  if (event->seq == self->of) self->kind = event->kind;
  if (event->kind != CK_EVENT_BOUNDARY) return true;
  if (event->seq < self->of) self->before = event->seq;
  if (event->seq > self->of) self->behind = event->seq;
  return self->behind == 0;
}

ck_status ck_nearest_refuse(const ck_inspection *of, int64_t seq, ck_error *err) {
  const ck_head *head = &of->head;
  neighbours around = {.of = seq};
  ck_event_query query = {.session = head->session.no};
  ck_status status = ck_store_read_events(of->store, &query, look_around, &around, err);
  if (status != CK_OK) return status;
  if (!around.kind)
    return ck_error_set(err, CK_E_NOT_FOUND,
                        "session %s has no event %" PRId64 ": its last boundary is event %" PRId64,
                        head->session.id, seq, around.before);
  const char *name = ck_event_kind_name(around.kind);
  ck_buffer near = {0};
  if (around.before) ck_buffer_append_format(&near, " before it: %" PRId64, around.before);
  if (around.behind)
    ck_buffer_append_format(&near, "%s behind it: %" PRId64, near.len ? "," : "", around.behind);
  status = ck_error_set(err, CK_E_NOT_FOUND,
                        "event %" PRId64 " of session %s is no boundary (%s): policies are asked "
                        "about checkpoints at boundaries%s%s",
                        seq, head->session.id, name ? name : "of a later version",
                        near.len ? "; the nearest" : "", near.data ? near.data : "");
  ck_buffer_clear(&near);
  return status;
}
