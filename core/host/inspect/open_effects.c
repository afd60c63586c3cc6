/* open_effects.c - lists the effects of a session that need a person: questions, and effects in
 * doubt. */
#include "core/host/inspect/open_effects.h"

#include "core/host/inspect/questions.h"
#include "core/host/inspect/turn_retry.h"
#include "core/host/print/document.h"
#include "core/host/print/table.h"
#include "core/model/dropped_answer.h"
#include "core/runtime/history/resolve.h"
#include "core/runtime/ledger/ledger_body.h"

static const ck_column questions[] = {{"EFFECT", false}, {"QUESTION", false}, {NULL, false}};
/* Where one asks for leave. */
static const ck_column leave[] = {
    {"EFFECT", false}, {"QUESTION", false}, {"CLASS", false}, {"REQUEST", false}, {NULL, false}};
static const ck_column doubts[] = {
    {"EFFECT", false}, {"KIND", false}, {"CLASS", false}, {"REQUEST", false}, {NULL, false}};
/* Where another action was carried out in the place of one of them. */
static const ck_column displaced[] = {{"EFFECT", false},  {"KIND", false},    {"CLASS", false},
                                      {"REQUEST", false}, {"INSTEAD", false}, {"OUTCOME", false},
                                      {NULL, false}};

typedef struct listing {
  const ck_remote_command *remote;
  ck_output *output;
  ck_open_effects which;
  ck_table table;
  size_t count;
  bool displaces; /* of one of them at least */
  bool leaves;    /* one of them at least asks whether an effect may begin */
  ck_status status;
  ck_error *err;
} listing;

static ck_status put_value(ck_document *document, const char *name, ck_bytes json, ck_error *err) {
  ck_value *value = NULL;
  ck_status status = json.len ? ck_value_copy(&value, json, err) : CK_OK;
  if (status == CK_OK) ck_document_put_value(document, NULL, name, value);
  ck_value_free(value);
  return status;
}

static ck_status print_question(ck_document *document, const ck_open_effect *effect,
                                ck_error *err) {
  ck_bytes request = effect->request;
  ck_questions_put_dropped(document, NULL, effect->dropped);
  ck_status status = put_value(document, "question", ck_json_get(request, "question"), err);
  if (status == CK_OK)
    status = put_value(document, "options", ck_json_get(request, "options"), err);
  return status == CK_OK ? put_value(document, "asked_about", ck_json_get(request, "effect"), err)
                         : status;
}

static ck_status print_instead(ck_document *document, const ck_open_effect *effect, ck_error *err) {
  ck_outcome *outcome;
  ck_status status = put_value(document, "instead", effect->displaced, err);
  if (status == CK_OK && !effect->outcome) return CK_OK;
  if (status == CK_OK) status = ck_ledger_read_outcome(&outcome, effect->outcome, 0, err);
  if (status != CK_OK) return status;
  ck_document_put_text(document, NULL, "outcome", ck_outcome_status_name(outcome->status));
  ck_document_put_value(document, NULL, "result", outcome->result);
  ck_document_put_text(document, NULL, "error", outcome->error);
  ck_outcome_free(outcome);
  return status;
}

static ck_status print_doubt(ck_document *document, const listing *self,
                             const ck_open_effect *effect) {
  ck_error *err = self->err;
  ck_document_put_text(document, NULL, "kind", effect->kind);
  ck_document_put_text(document, NULL, "class", effect->class);
  ck_status status = put_value(document, "request", effect->request, err);
  if (status == CK_OK && ck_turn_retry_is_of(effect->key))
    status = ck_turn_retry_tell(document, self->remote, effect->key, err);
  return status == CK_OK ? print_instead(document, effect, err) : status;
}

/* "ok seen". */
static ck_status put_outcome(ck_table *table, const ck_value *body, ck_error *err) {
  ck_outcome *outcome;
  ck_buffer text = {0};
  ck_status status = ck_ledger_read_outcome(&outcome, body, 0, err);
  if (status != CK_OK) return status;
  ck_bytes result = outcome->result ? ck_value_bytes(outcome->result) : (ck_bytes){0};
  ck_buffer_append_format(&text, "%s ", ck_outcome_status_name(outcome->status));
  if (outcome->error)
    ck_buffer_append_text(&text, outcome->error);
  else if (!ck_json_read_string(&text, result))
    ck_buffer_append_bytes(&text, result);
  status = ck_buffer_check(&text, err);
  ck_table_put_text(table, ck_buffer_bytes(&text));
  ck_buffer_clear(&text);
  ck_outcome_free(outcome);
  return status;
}

static ck_status put_doubt(listing *self, const ck_open_effect *effect) {
  ck_status status = CK_OK;
  if (ck_turn_retry_is_of(effect->key))
    status = ck_turn_retry_tell(NULL, self->remote, effect->key, self->err);
  if (status != CK_OK) return status;
  ck_table_put_word(&self->table, effect->kind);
  ck_table_put_word(&self->table, effect->class);
  ck_table_put_text(&self->table, effect->request);
  if (!self->displaces) return CK_OK;
  ck_table_put_text(&self->table, effect->displaced);
  if (effect->outcome)
    status = put_outcome(&self->table, effect->outcome, self->err);
  else
    ck_table_put_word(&self->table, NULL);
  return status;
}

/* "Send it? (yes, no)". */
static void put_question(ck_table *table, const ck_open_effect *effect) {
  ck_bytes request = effect->request;
  ck_buffer text = {0};
  ck_bytes question = ck_json_get(request, "question");
  if (!ck_json_read_string(&text, question)) ck_buffer_append_bytes(&text, question);
  const char *before = " (";
  for (ck_json_iterator it = ck_json_iterate(ck_json_get(request, "options")); ck_json_next(&it);
       before = ", ") {
    ck_buffer_append_text(&text, before);
    ck_json_read_string(&text, it.value);
  }
  if (before[0] == ',') ck_buffer_append_char(&text, ')');
  if (effect->dropped.len) ck_buffer_append_text(&text, "; ");
  ck_dropped_answer_append(&text, effect->dropped, question);
  if (text.failed) table->text.failed = true;
  ck_table_put_text(table, ck_buffer_bytes(&text));
  ck_buffer_clear(&text);
}

/* What would begin, as it may be shown. */
static void put_asked_about(listing *self, ck_bytes request) {
  ck_bytes effect = ck_json_get(request, "effect");
  ck_buffer class = {0};
  if (!self->leaves) return;
  ck_json_read_string(&class, ck_json_get(effect, "class"));
  if (class.failed) self->table.text.failed = true;
  ck_table_put_text(&self->table, ck_buffer_bytes(&class));
  ck_table_put_text(&self->table, ck_json_get(effect, "request"));
  ck_buffer_clear(&class);
}

static void find_leave(void *to, const ck_open_effect *effect) {
  *(bool *)to |= ck_json_get(effect->request, "effect").len > 0;
}

static void find_displaced(void *to, const ck_open_effect *effect) {
  *(bool *)to |= effect->displaced.len > 0;
}

static void visit(void *to, const ck_open_effect *effect) {
  listing *self = to;
  bool asks = self->which == CK_OPEN_QUESTIONS;
  self->count++;
  if (self->status != CK_OK) return;
  if (self->output->json) {
    ck_document document;
    ck_document_init(&document, self->output);
    ck_document_put_text(&document, NULL, "effect", effect->key);
    self->status =
        asks ? print_question(&document, effect, self->err) : print_doubt(&document, self, effect);
    if (self->status == CK_OK) self->status = ck_document_print(&document, self->err);
    ck_document_clear(&document);
    return;
  }
  ck_table_put_text(&self->table, ck_bytes_text(effect->key));
  if (asks) {
    put_question(&self->table, effect);
    put_asked_about(self, effect->request);
  } else {
    self->status = put_doubt(self, effect);
  }
}

ck_status ck_open_effects_print(size_t *count, const ck_remote_command *remote,
                                ck_open_effects which, ck_error *err) {
  listing self = {.remote = remote, .output = remote->host->output, .which = which, .err = err};
  bool asks = which == CK_OPEN_QUESTIONS;
  ck_status status =
      asks ? ck_session_list_questions(remote->runtime, remote->id, find_leave, &self.leaves, err)
           : ck_session_list_doubts(remote->runtime, remote->id, find_displaced, &self.displaces,
                                    err);
  ck_table_init(&self.table, self.output,
                self.leaves      ? leave
                : asks           ? questions
                : self.displaces ? displaced
                                 : doubts);
  if (status == CK_OK)
    status = asks ? ck_session_list_questions(remote->runtime, remote->id, visit, &self, err)
                  : ck_session_list_doubts(remote->runtime, remote->id, visit, &self, err);
  if (status == CK_OK) status = self.status;
  if (status == CK_OK && self.count) status = ck_table_print(&self.table, err);
  ck_table_clear(&self.table);
  *count = self.count;
  return status;
}
