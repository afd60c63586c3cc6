/* tail_said.c - collects who said what of each event that an agent's tail could have, and writes it
 * by what was said. */
#include "core/runtime/session/tail/tail_said.h"

#include <stdlib.h>

#include "core/base/array.h"

void ck_tail_said_clear(ck_tail_said *self) {
  free(self->list);
  *self = (ck_tail_said){.clock = self->clock};
}

void ck_tail_said_reset(ck_tail_said *self) {
  self->count = 0;
  self->all = (ck_answers){.hook = CK_HOOK_TAIL};
  self->failure = (ck_error){.status = CK_OK};
}

ck_status ck_tail_said_add(ck_tail_said *self, int64_t seq, const ck_answers *said, ck_error *err) {
  ck_tail_said_event *list = ck_array_grow(self->list, self->count, &self->cap, sizeof *list);
  if (!list) return ck_error_no_memory(err);
  self->list = list;
  list[self->count++] = (ck_tail_said_event){.seq = seq,
                                             .in = said->policies[CK_ANSWER_IN],
                                             .out = said->policies[CK_ANSWER_OUT],
                                             .failed = said->policies[CK_ANSWER_FAILED]};
  ck_answers_add(&self->all, said);
  return CK_OK;
}

/* ---- as JSON ---- */

static int by_seq(const void *left, const void *right) {
  const ck_tail_said_event *a = left, *b = right;
  return (a->seq > b->seq) - (a->seq < b->seq);
}

static bool same(const ck_tail_said_event *a, const ck_tail_said_event *b) {
  return a->in == b->in && a->out == b->out && a->failed == b->failed;
}

static bool is_first(const ck_tail_said_event *list, size_t at) {
  for (size_t i = 0; i < at; i++)
    if (same(&list[i], &list[at])) return false;
  return true;
}

/* All from place `at` on of whom the same was said as of that one. */
static void write_group(ck_json_writer *w, const ck_tail_said_event *list, size_t count,
                        size_t at) {
  ck_json_begin(w, '{');
  ck_json_name(w, "events");
  ck_json_begin(w, '[');
  for (size_t i = at; i < count; i++)
    if (same(&list[i], &list[at])) ck_json_put_int(w, list[i].seq);
  ck_json_end(w, ']');
  ck_answers_write_places(w, "in", list[at].in);
  ck_answers_write_places(w, "out", list[at].out);
  ck_answers_write_places(w, "failed", list[at].failed);
  ck_json_end(w, '}');
}

ck_status ck_tail_said_write(ck_value **out, ck_tail_said *self, const char *agent, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  *out = NULL;
  if (!self->count) return CK_OK;
  qsort(self->list, self->count, sizeof *self->list, by_seq);
  size_t more = self->count > CK_TAIL_SAID_MAX ? self->count - CK_TAIL_SAID_MAX : 0;
  const ck_tail_said_event *list = self->list + more;
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "agent", agent);
  ck_json_name(&w, "said");
  ck_json_begin(&w, '[');
  for (size_t i = 0; i < self->count - more; i++)
    if (is_first(list, i)) write_group(&w, list, self->count - more, i);
  ck_json_end(&w, ']');
  if (more) ck_json_member_int(&w, "more", (int64_t)more);
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &buffer, err);
  ck_buffer_clear(&buffer);
  return status;
}
