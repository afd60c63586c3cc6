/* dropped_answer.c - writes down, and tells, that an answer does not count. */
#include "core/model/dropped_answer.h"

#include "core/base/person.h"

ck_status ck_dropped_answer_write(ck_value **out, ck_bytes question, ck_bytes answer, ck_bytes by,
                                  ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  ck_json_member_raw(&w, "question", question);
  ck_json_member_raw(&w, "answer", answer);
  if (by.len) ck_json_member_raw(&w, "by", by);
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &buffer, err);
  ck_buffer_clear(&buffer);
  return status;
}

ck_bytes ck_dropped_answer_of(const ck_value *self) {
  return self ? ck_value_bytes(self) : (ck_bytes){0};
}

void ck_dropped_answer_append(ck_buffer *out, ck_bytes dropped, ck_bytes question) {
  ck_bytes by = ck_json_get(dropped, "by"), then = ck_json_get(dropped, "question");
  if (!dropped.len) return;
  ck_buffer_append_text(out, "the answer ");
  ck_json_read_string(out, ck_json_get(dropped, "answer"));
  if (by.len) ck_buffer_append_text(out, ", of ");
  if (by.len) ck_person_append(out, by);
  ck_buffer_append_text(out, by.len ? ", does not count: " : " does not count: ");
  ck_buffer_append_text(out, "it was given to \"");
  ck_json_read_string(out, then);
  ck_buffer_append_text(out, "\"");
  if (ck_bytes_equal(then, question)) ck_buffer_append_text(out, " about another request");
}
