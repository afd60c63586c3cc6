/* open_effects.c - lists the effects of a session that need a person: questions, and effects in
 * doubt. */
#include "core/host/inspect/open_effects.h"

#include "core/host/print/document.h"
#include "core/host/print/table.h"
#include "core/runtime/history/resolve.h"

static const ck_column questions[] = {{"EFFECT", false}, {"QUESTION", false}, {NULL, false}};
static const ck_column doubts[] = {
    {"EFFECT", false}, {"KIND", false}, {"CLASS", false}, {"REQUEST", false}, {NULL, false}};

typedef struct listing {
  ck_output *output;
  ck_open_effects which;
  ck_table table;
  size_t count;
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

static ck_status print_question(ck_document *document, ck_bytes request, ck_error *err) {
  ck_status status = put_value(document, "question", ck_json_get(request, "question"), err);
  return status == CK_OK ? put_value(document, "options", ck_json_get(request, "options"), err)
                         : status;
}

static ck_status print_doubt(ck_document *document, const char *kind, const char *class,
                             ck_bytes request, ck_error *err) {
  ck_document_put_text(document, NULL, "kind", kind);
  ck_document_put_text(document, NULL, "class", class);
  return put_value(document, "request", request, err);
}

/* "Send it? (yes, no)". */
static void put_question(ck_table *table, ck_bytes request) {
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
  if (text.failed) table->text.failed = true;
  ck_table_put_text(table, ck_buffer_bytes(&text));
  ck_buffer_clear(&text);
}

static void visit(void *to, const char *key, const char *kind, const char *class,
                  ck_bytes request) {
  listing *self = to;
  bool asks = self->which == CK_OPEN_QUESTIONS;
  self->count++;
  if (self->status != CK_OK) return;
  if (self->output->json) {
    ck_document document;
    ck_document_init(&document, self->output);
    ck_document_put_text(&document, NULL, "effect", key);
    self->status = asks ? print_question(&document, request, self->err)
                        : print_doubt(&document, kind, class, request, self->err);
    if (self->status == CK_OK) self->status = ck_document_print(&document, self->err);
    ck_document_clear(&document);
    return;
  }
  ck_table_put_text(&self->table, ck_bytes_text(key));
  if (asks) {
    put_question(&self->table, request);
    return;
  }
  ck_table_put_word(&self->table, kind);
  ck_table_put_word(&self->table, class);
  ck_table_put_text(&self->table, request);
}

ck_status ck_open_effects_print(size_t *count, const ck_remote_command *remote,
                                ck_open_effects which, ck_error *err) {
  listing self = {.output = remote->host->output, .which = which, .err = err};
  bool asks = which == CK_OPEN_QUESTIONS;
  ck_table_init(&self.table, self.output, asks ? questions : doubts);
  ck_status status = asks
                         ? ck_session_list_questions(remote->runtime, remote->id, visit, &self, err)
                         : ck_session_list_doubts(remote->runtime, remote->id, visit, &self, err);
  if (status == CK_OK) status = self.status;
  if (status == CK_OK && self.count) status = ck_table_print(&self.table, err);
  ck_table_clear(&self.table);
  *count = self.count;
  return status;
}
