/* questions.c - reads and shows the questions of a session at rest. */
#include "core/host/inspect/questions.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/person.h"
#include "core/host/session/next_command.h"
#include "core/model/dropped_answer.h"
#include "core/runtime/history/resolve.h"
#include "core/runtime/session/opening/approval.h"

static void clear_one(ck_question_asked *self) {
  ck_value_free(self->request);
  ck_value_free(self->answer);
  ck_value_free(self->by);
  ck_value_free(self->dropped);
  free(self->key);
  free(self->command);
}

void ck_questions_clear(ck_questions *self) {
  for (size_t i = 0; i < self->count; i++) clear_one(&self->list[i]);
  free(self->list);
  *self = (ck_questions){0};
}

typedef struct reading {
  ck_questions *to;
  ck_status status;
  ck_error *err;
} reading;

static ck_status copy(ck_value **out, ck_bytes json, ck_error *err) {
  return json.len ? ck_value_copy(out, json, err) : CK_OK;
}

static ck_status fill(ck_question_asked *out, const ck_open_effect *effect, ck_error *err) {
  out->key = strdup(effect->key);
  if (!out->key) return ck_error_no_memory(err);
  ck_status status = copy(&out->request, effect->request, err);
  if (status == CK_OK) status = copy(&out->answer, effect->answer, err);
  if (status == CK_OK) status = copy(&out->dropped, effect->dropped, err);
  return status == CK_OK ? copy(&out->by, effect->by, err) : status;
}

static void take(void *to, const ck_open_effect *effect) {
  reading *self = to;
  ck_questions *all = self->to;
  if (self->status != CK_OK) return;
  if (strcmp(effect->key, CK_APPROVAL_KEY) == 0 && !effect->answer.len) return;
  ck_question_asked *grown = ck_array_grow(all->list, all->count, &all->cap, sizeof *grown);
  if (!grown) self->status = ck_error_no_memory(self->err);
  if (!grown) return;
  all->list = grown;
  grown[all->count] = (ck_question_asked){0};
  self->status = fill(&grown[all->count++], effect, self->err);
  all->waiting += !effect->answer.len;
}

static ck_bytes member(const ck_question_asked *self, const char *name) {
  return ck_json_get(ck_value_bytes(self->request), name);
}

/* One of the answers that can be given, where not all can. The only question needs no name. */
static ck_status write_command(ck_question_asked *self, const ck_host *host, const char *id,
                               bool only, ck_error *err) {
  ck_buffer words = {0}, command = {0};
  ck_json_iterator it = ck_json_iterate(member(self, "options"));
  char *first = ck_json_next(&it) ? ck_json_dup_string(it.value) : NULL;
  ck_buffer_append_format(&words, "answer %s", id);
  ck_next_command_append_option(&words, NULL, first ? first : "TEXT");
  if (!only) ck_next_command_append_option(&words, "--effect", self->key);
  ck_status status = ck_buffer_check(&words, err);
  if (status == CK_OK) ck_next_command_append(&command, host, words.data);
  if (status == CK_OK) status = ck_buffer_check(&command, err);
  if (status == CK_OK) self->command = ck_buffer_take(&command);
  ck_buffer_clear(&command);
  ck_buffer_clear(&words);
  free(first);
  return status;
}

ck_status ck_questions_read(ck_questions *out, const ck_host *host, const ck_inspection *of,
                            ck_error *err) {
  reading all = {.to = out, .err = err};
  ck_runtime runtime = {.store = of->store}; /* questions are only read */
  const char *id = of->head.session.id;
  *out = (ck_questions){0};
  ck_status status = ck_session_list_asked(&runtime, id, take, &all, err);
  if (status == CK_OK) status = all.status;
  for (size_t i = 0; i < out->count && status == CK_OK; i++)
    if (!out->list[i].answer)
      status = write_command(&out->list[i], host, id, out->waiting == 1, err);
  return status;
}

const char *ck_questions_command(const ck_questions *self) {
  for (size_t i = 0; i < self->count; i++)
    if (self->list[i].command) return self->list[i].command;
  return NULL;
}

/* ---- output ---- */

static void put_person(ck_document *document, struct cJSON *at, ck_bytes person) {
  ck_error failure = CK_ERROR_INIT;
  struct cJSON *by = ck_document_put_object(document, at, "by");
  if (ck_document_put_members(document, by, person, &failure) != CK_OK) document->failed = true;
}

void ck_questions_put_dropped(ck_document *document, struct cJSON *at, ck_bytes dropped) {
  ck_bytes by = ck_json_get(dropped, "by");
  if (!dropped.len) return;
  struct cJSON *of = ck_document_put_object(document, at, CK_DROPPED_ANSWER);
  ck_document_put_string(document, of, "question", ck_json_get(dropped, "question"));
  ck_document_put_string(document, of, "answer", ck_json_get(dropped, "answer"));
  if (by.len) put_person(document, of, by);
}

static void put_options(ck_document *document, struct cJSON *at, ck_bytes options) {
  struct cJSON *list = ck_document_put_array(document, at, "options");
  ck_json_iterator it = ck_json_iterate(options);
  while (ck_json_next(&it)) ck_document_put_string(document, list, NULL, it.value);
}

void ck_questions_put(ck_document *document, const ck_questions *self) {
  struct cJSON *list = ck_document_put_array(document, NULL, "questions");
  for (size_t i = 0; i < self->count; i++) {
    const ck_question_asked *one = &self->list[i];
    struct cJSON *at = ck_document_put_object(document, list, NULL);
    ck_document_put_text(document, at, "effect", one->key);
    ck_document_put_string(document, at, "question", member(one, "question"));
    ck_bytes options = member(one, "options");
    if (options.len) put_options(document, at, options);
    if (one->answer) ck_document_put_string(document, at, "answer", ck_value_bytes(one->answer));
    if (one->by) put_person(document, at, ck_value_bytes(one->by));
    ck_questions_put_dropped(document, at, ck_dropped_answer_of(one->dropped));
    ck_document_put_text(document, at, "command", one->command);
  }
}

/* "main/a#1/ask/1: Send it? Answered yes by ann on desk, not resumed yet". */
static void append(ck_buffer *out, const ck_question_asked *self) {
  ck_buffer_append_format(out, "%s: ", self->key);
  ck_json_read_string(out, member(self, "question"));
  if (self->dropped) ck_buffer_append_text(out, " (");
  ck_dropped_answer_append(out, ck_dropped_answer_of(self->dropped), member(self, "question"));
  if (self->dropped) ck_buffer_append_text(out, ")");
  if (!self->answer) {
    ck_buffer_append_format(out, " Waits: %s", self->command);
    return;
  }
  ck_buffer_append_text(out, " Answered ");
  ck_json_read_string(out, ck_value_bytes(self->answer));
  if (self->by) ck_buffer_append_text(out, " by ");
  if (self->by) ck_person_append(out, ck_value_bytes(self->by));
  ck_buffer_append_text(out, ", not resumed yet");
}

void ck_questions_put_rows(ck_table *table, const ck_questions *self) {
  for (size_t i = 0; i < self->count; i++) {
    ck_buffer text = {0};
    append(&text, &self->list[i]);
    ck_table_put_word(table, "asked");
    ck_table_put_text(table, ck_buffer_bytes(&text));
    table->text.failed |= text.failed;
    ck_buffer_clear(&text);
  }
}
