/* marks.c - finds the active marks in the positions of the open scopes. */
#include "core/host/inspect/marks.h"

#include <stdlib.h>
#include <string.h>

#include "core/runtime/ledger/replay_range.h"

typedef struct ck_mark {
  char *scope, *agent, *goal, *started; /* agent: NULL for the flow's own scope */
} ck_mark;

void ck_marks_clear(ck_marks *self) {
  for (size_t i = 0; i < self->count; i++) {
    free(self->list[i].scope);
    free(self->list[i].agent);
    free(self->list[i].goal);
    free(self->list[i].started);
  }
  free(self->list);
  *self = (ck_marks){0};
}

static char *take_text(ck_bytes value) {
  return ck_json_type_of(value) == CK_JSON_STRING ? ck_json_dup_string(value) : NULL;
}

typedef struct adding {
  ck_marks *to;
  ck_status status;
  ck_error *err;
} adding;

static ck_status add_mark(ck_marks *self, const char *scope, ck_bytes record, ck_bytes mark,
                          ck_error *err) {
  ck_mark *list = reallocarray(self->list, self->count + 1, sizeof *list);
  if (!list) return ck_error_no_memory(err);
  self->list = list;
  ck_mark *added = &list[self->count++];
  *added = (ck_mark){.scope = strdup(scope),
                     .agent = take_text(ck_json_get(record, "agent")),
                     .goal = take_text(ck_json_get(mark, "goal")),
                     .started = take_text(ck_json_get(mark, "startedAt"))};
  return added->scope ? CK_OK : ck_error_no_memory(err);
}

static void see_position(void *to, const char *scope, ck_bytes position) {
  adding *self = to;
  ck_bytes mark = ck_json_get(ck_json_get(position, "at"), "mark");
  bool done = false;
  ck_json_read_bool(&done, ck_json_get(position, "done"));
  if (self->status == CK_OK && !done && ck_json_type_of(mark) == CK_JSON_OBJECT)
    self->status = add_mark(self->to, scope, position, mark, self->err);
}

ck_status ck_marks_read(ck_marks *out, ck_store *store, const ck_head *head, ck_error *err) {
  ck_state *state;
  ck_error unreadable = CK_ERROR_INIT;
  *out = (ck_marks){0};
  if (!head->has_checkpoint || !ck_session_status_resumable(head->session.status)) return CK_OK;
  if (ck_store_get_state(&state, store, head->session.no, head->checkpoint.seq, &unreadable) !=
      CK_OK)
    return CK_OK;
  adding to = {.to = out, .err = err};
  ck_status status = ck_replay_range_visit_positions(state, see_position, &to, err);
  ck_state_free(state);
  return status == CK_OK ? to.status : status;
}

void ck_marks_put(ck_document *document, const ck_marks *self) {
  struct cJSON *list = ck_document_put_array(document, NULL, "marks");
  for (size_t i = 0; i < self->count; i++) {
    struct cJSON *at = ck_document_put_object(document, list, NULL);
    ck_document_put_text(document, at, "scope", self->list[i].scope);
    ck_document_put_text(document, at, "agent", self->list[i].agent);
    ck_document_put_text(document, at, "goal", self->list[i].goal);
    ck_document_put_text(document, at, "started", self->list[i].started);
  }
}

void ck_marks_put_rows(ck_table *table, const ck_marks *self) {
  for (size_t i = 0; i < self->count; i++) {
    const ck_mark *mark = &self->list[i];
    ck_buffer text = {0};
    ck_buffer_append_format(&text, "%s (since %s, scope %s)", mark->goal ? mark->goal : "",
                            mark->started ? mark->started : "?", mark->scope);
    ck_table_put_word(table, "mark");
    ck_table_put_text(table, ck_buffer_bytes(&text));
    ck_buffer_clear(&text);
  }
}
