/* tau.c - reads one session of a tau-bench file as a recording. */
#include <stdlib.h>

#include "core/effect/cassette/record.h"

/* Call ids repeat within a session, so a result belongs to the next unanswered call of the message
 * right before. */
typedef struct reading {
  ck_cassette *cassette;
  ck_json_iterator calls; /* calls without an answer so far */
  int64_t answered;
} reading;

static ck_status wrong_element(size_t position, const char *what, ck_error *err) {
  return ck_error_set(err, CK_E_PARSE, "element %zu of traj: %s", position, what);
}

static ck_status read_system(ck_cassette *self, ck_bytes element, size_t position, ck_error *err) {
  ck_bytes content = ck_json_get(element, "content");
  if (position != 0)
    return wrong_element(position, "a system message behind the first element", err);
  if (ck_json_type_of(content) != CK_JSON_STRING)
    return wrong_element(position, "\"content\" must be a string", err);
  self->prompt = ck_json_dup_string(content);
  return self->prompt ? CK_OK : ck_error_no_memory(err);
}

static ck_status read_content(ck_value **out, ck_bytes element, size_t position, ck_error *err) {
  ck_bytes content = ck_json_get(element, "content");
  return content.len ? ck_value_copy(out, content, err)
                     : wrong_element(position, "it has no \"content\"", err);
}

static ck_status read_result(ck_record *out, reading *at, ck_bytes element, ck_error *err) {
  if (!ck_json_next(&at->calls))
    return wrong_element(out->position, "a result that answers no call", err);
  ck_bytes function = ck_json_get(at->calls.value, "function"),
           arguments = ck_json_get(function, "arguments");
  if (ck_json_type_of(ck_json_get(function, "name")) != CK_JSON_STRING || !arguments.len) {
    return wrong_element(out->position, "the call that it answers has no name or no arguments",
                         err);
  }
  out->name = ck_json_dup_string(ck_json_get(function, "name"));
  if (!out->name) return ck_error_no_memory(err);
  if (!ck_json_is_text(ck_json_get(element, "name"), out->name)) {
    return wrong_element(out->position, "its name is not that of the call it answers", err);
  }
  out->index = at->answered++;
  ck_status status = ck_value_copy(&out->arguments, arguments, err);
  return status ? status : read_content(&out->value, element, out->position, err);
}

static ck_status read_turn(ck_record *out, reading *at, ck_bytes element, ck_error *err) {
  ck_bytes role = ck_json_get(element, "role");
  if (ck_json_is_text(role, "tool")) {
    out->kind = CK_EFFECT_TOOL;
    return read_result(out, at, element, err);
  }
  at->calls = ck_json_iterate((ck_bytes){0});
  at->answered = 0;
  if (ck_json_is_text(role, "user")) {
    out->kind = CK_EFFECT_ASK;
    return read_content(&out->value, element, out->position, err);
  }
  if (!ck_json_is_text(role, "assistant")) {
    return wrong_element(out->position, "\"role\" must be system, user, assistant or tool", err);
  }
  out->kind = CK_EFFECT_MODEL;
  ck_status status = ck_value_copy(&out->value, element, err);
  ck_bytes calls = ck_json_get(element, "tool_calls");
  if (ck_json_type_of(calls) == CK_JSON_ARRAY) at->calls = ck_json_iterate(calls);
  return status;
}

static ck_status read_element(reading *at, ck_bytes element, size_t position, ck_error *err) {
  if (ck_json_is_text(ck_json_get(element, "role"), "system"))
    return read_system(at->cassette, element, position, err);
  ck_record record = {.position = position, .cost_micros = -1};
  ck_status status = read_turn(&record, at, element, err);
  if (!status) status = ck_cassette_add(at->cassette, "main", &record, err);
  ck_record_clear(&record);
  return status;
}

static ck_status read_session(ck_cassette *self, ck_bytes session, size_t index, ck_error *err) {
  ck_bytes elements = ck_json_get(session, "traj");
  if (ck_json_type_of(elements) != CK_JSON_ARRAY) {
    return ck_error_set(err, CK_E_PARSE, "session #%zu has no array \"traj\"", index);
  }
  reading at = {.cassette = self};
  ck_json_iterator it = ck_json_iterate(elements);
  for (size_t position = 0; ck_json_next(&it); position++) {
    ck_status status = read_element(&at, it.value, position, err);
    if (status) {
      ck_error_prefix(err, "session #%zu", index);
      return status;
    }
  }
  return CK_OK;
}

ck_status ck_cassette_read_tau(ck_cassette *self, ck_bytes text, size_t index, ck_error *err) {
  self->position_name = "element";
  ck_status status = ck_json_check(text, err);
  if (status) return status;
  ck_json_iterator it = ck_json_iterate(text);
  size_t count = 0;
  while (ck_json_next(&it)) {
    if (count++ == index) return read_session(self, it.value, index, err);
  }
  return ck_error_set(err, CK_E_USAGE,
                      "session #%zu is out of range: the file holds %zu session%s, from #0", index,
                      count, count == 1 ? "" : "s");
}
