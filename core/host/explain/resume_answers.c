/* resume_answers.c - tells what each policy answered about a resume. */
#include "core/host/explain/resume_answers.h"

#include <stdlib.h>

#include "core/host/explain/words.h"

ck_bytes ck_resume_answers_of(const ck_event *event) {
  bool about = event->kind == CK_EVENT_SESSION_RESUMED || event->kind == CK_EVENT_RESUME_REFUSED;
  ck_bytes list = about ? ck_json_get(ck_value_bytes(event->body), "answers") : (ck_bytes){0};
  return ck_json_type_of(list) == CK_JSON_ARRAY ? list : (ck_bytes){0};
}

bool ck_resume_answers_any(ck_bytes answers) {
  bool any = false;
  for (ck_json_iterator it = ck_json_iterate(answers); ck_json_next(&it);)
    any |= !ck_json_is_text(ck_json_get(it.value, "answer"), "no opinion");
  return any;
}

static void append_name(ck_buffer *out, ck_bytes name) {
  if (name.len > 2) ck_buffer_append(out, name.data + 1, name.len - 2);
}

/* "budget reset, time continue". */
static void append_rules(ck_buffer *out, ck_bytes rules) {
  const char *before = "";
  for (ck_json_iterator it = ck_json_iterate(rules); ck_json_next(&it); before = ", ") {
    ck_buffer_append_text(out, before);
    append_name(out, it.name);
    ck_buffer_append_char(out, ' ');
    ck_json_read_string(out, it.value);
  }
}

static void append_one(ck_buffer *out, ck_bytes one) {
  ck_bytes rules = ck_json_get(one, "rules"), answer = ck_json_get(one, "answer");
  bool alone = ck_json_is_text(answer, "rules");
  ck_json_read_string(out, ck_json_get(one, "policy"));
  ck_buffer_append_text(out, ": ");
  if (!alone) ck_json_read_string(out, answer);
  if (!alone && rules.len) ck_buffer_append_text(out, ", ");
  append_rules(out, rules);
}

void ck_resume_answers_append(ck_buffer *out, ck_bytes answers) {
  const char *before = "";
  for (ck_json_iterator it = ck_json_iterate(answers); ck_json_next(&it); before = "; ") {
    ck_buffer_append_text(out, before);
    append_one(out, it.value);
  }
}

void ck_resume_answers_append_sentences(ck_buffer *out, ck_bytes answers) {
  for (ck_json_iterator it = ck_json_iterate(answers); ck_json_next(&it);) {
    ck_buffer_append_text(out, "policy ");
    append_one(out, it.value);
    ck_buffer_append(out, "", 1);
  }
}

static void put_rules(ck_document *document, struct cJSON *row, ck_bytes rules) {
  if (rules.len == 0) return;
  struct cJSON *at = ck_document_put_object(document, row, "rules");
  for (ck_json_iterator it = ck_json_iterate(rules); ck_json_next(&it);) {
    char *name = ck_json_dup_string(it.name);
    document->failed |= !name;
    if (name) ck_document_put_string(document, at, name, it.value);
    free(name);
  }
}

void ck_resume_answers_put(ck_document *document, ck_bytes answers) {
  struct cJSON *list = ck_document_put_array(document, NULL, "answers");
  for (ck_json_iterator it = ck_json_iterate(answers); ck_json_next(&it);) {
    struct cJSON *row = ck_document_put_object(document, list, NULL);
    ck_document_put_string(document, row, "policy", ck_json_get(it.value, "policy"));
    ck_document_put_string(document, row, "answer", ck_json_get(it.value, "answer"));
    put_rules(document, row, ck_json_get(it.value, "rules"));
  }
}
