/* anthropic_stream.c - assembles a streamed message, block by block. */
#include <string.h>

#include "core/effect/model/anthropic.h"

/* X(type of a delta, its member, the block's member that it is appended to). */
static const struct {
  const char *type, *from, *to;
} deltas[] = {
    {"text_delta", "text", "\"text\""},
    {"thinking_delta", "thinking", "\"thinking\""},
    {"signature_delta", "signature", "\"signature\""},
};

static ck_status take_start(ck_model_reply *out, ck_bytes data, ck_error *err) {
  static const char *const except[] = {"content", "usage", "stop_reason", "stop_sequence", NULL};
  ck_bytes message = ck_json_get(data, "message");
  if (!ck_json_is_text(ck_json_get(message, "role"), "assistant"))
    return ck_error_set(err, CK_E_PARSE, "the stream begins with no message of the assistant");
  ck_model_fields_put_all(&out->fields, message, except);
  return CK_OK;
}

static ck_status find_block(ck_model_part **out, ck_model_reply *reply, ck_bytes data,
                            ck_error *err) {
  int64_t index;
  *out = NULL;
  if (!ck_json_read_int(&index, ck_json_get(data, "index")))
    return ck_error_set(err, CK_E_PARSE, "an event of the stream has no index");
  return ck_model_reply_part(out, reply, index, err);
}

static ck_status take_block(ck_model_reply *out, ck_bytes data, ck_error *err) {
  ck_model_part *part;
  ck_status status = find_block(&part, out, data, err);
  if (status) return status;
  if (ck_json_type_of(ck_json_get(data, "content_block")) != CK_JSON_OBJECT ||
      part->fields.count > 0)
    return ck_error_set(err, CK_E_PARSE, "a block of the stream does not begin as it must");
  ck_model_fields_put_all(&part->fields, ck_json_get(data, "content_block"), NULL);
  return CK_OK;
}

static void add_citation(ck_model_fields *to, ck_bytes citation) {
  ck_buffer list = {0};
  ck_buffer_append_char(&list, '[');
  ck_buffer_append_bytes(&list, citation);
  ck_buffer_append_char(&list, ']');
  ck_model_fields_join(to, ck_bytes_text("\"citations\""), ck_buffer_bytes(&list));
  to->failed |= list.failed;
  ck_buffer_clear(&list);
}

static bool is_known(ck_bytes type) {
  bool known =
      ck_json_is_text(type, "input_json_delta") || ck_json_is_text(type, "citations_delta");
  for (size_t i = 0; i < sizeof deltas / sizeof *deltas; i++)
    known |= ck_json_is_text(type, deltas[i].type);
  return known;
}

/* Of a kind that is not known: its texts are parts of the block's of the same names, as they are of
 * those that are. */
static void join_texts(ck_model_fields *to, ck_bytes delta) {
  for (ck_json_iterator it = ck_json_iterate(delta); it.object && ck_json_next(&it);)
    if (!ck_json_is_text(it.name, "type") && ck_json_type_of(it.value) == CK_JSON_STRING)
      ck_model_fields_join(to, it.name, it.value);
}

static ck_status take_delta(ck_model_reply *out, ck_bytes data, ck_error *err) {
  ck_model_part *part;
  ck_bytes delta = ck_json_get(data, "delta"), type = ck_json_get(delta, "type");
  ck_status status = find_block(&part, out, data, err);
  if (status) return status;
  if (part->fields.count == 0)
    return ck_error_set(err, CK_E_PARSE, "the stream adds to a block that it has not begun");
  if (ck_json_is_text(type, "input_json_delta"))
    ck_json_read_string(&part->input, ck_json_get(delta, "partial_json"));
  else if (ck_json_is_text(type, "citations_delta"))
    add_citation(&part->fields, ck_json_get(delta, "citation"));
  if (!is_known(type)) join_texts(&part->fields, delta);
  for (size_t i = 0; i < sizeof deltas / sizeof *deltas; i++) {
    ck_bytes text = ck_json_get(delta, deltas[i].from);
    bool fits = ck_json_is_text(type, deltas[i].type) && ck_json_type_of(text) == CK_JSON_STRING;
    if (fits) ck_model_fields_join(&part->fields, ck_bytes_text(deltas[i].to), text);
  }
  return CK_OK;
}

static ck_status take_end(ck_model_reply *out, ck_bytes data) {
  ck_bytes delta = ck_json_get(data, "delta"), reason = ck_json_get(delta, "stop_reason");
  ck_model_fields_put_all(&out->fields, delta, NULL);
  if (ck_json_type_of(reason) != CK_JSON_STRING) return CK_OK;
  out->ended = true; /* all blocks have ended before it */
  ck_anthropic_take_end(out, delta);
  return CK_OK;
}

ck_status ck_anthropic_take(ck_model_reply *out, ck_bytes data, ck_error *err) {
  ck_bytes type = ck_json_get(data, "type");
  if (ck_anthropic_take_fault(out, data)) return ck_buffer_check(&out->fault, err);
  if (ck_json_is_text(type, "message_start")) return take_start(out, data, err);
  if (ck_json_is_text(type, "content_block_start")) return take_block(out, data, err);
  if (ck_json_is_text(type, "content_block_delta")) return take_delta(out, data, err);
  if (ck_json_is_text(type, "message_delta")) return take_end(out, data);
  if (ck_json_is_text(type, "message_stop")) out->ended = true;
  return CK_OK;
}

/* The API itself refuses a text block without text. */
static bool is_empty_text(const ck_model_part *part) {
  const ck_model_field *type = ck_model_fields_get(&part->fields, "type"),
                       *text = ck_model_fields_get(&part->fields, "text");
  return type && text && ck_bytes_equal(ck_buffer_bytes(&type->value), ck_bytes_text("text")) &&
         text->value.len == 0;
}

static void write_block(ck_json_writer *w, const ck_model_part *part) {
  ck_bytes input = ck_buffer_bytes(&part->input);
  ck_json_begin(w, '{');
  ck_model_fields_write(w, &part->fields, input.len > 0 ? "input" : NULL);
  if (input.len > 0) ck_model_put_object(w, "input", input);
  ck_json_end(w, '}');
  w->out->failed |= part->input.failed;
}

ck_status ck_anthropic_finish(ck_model_reply *out, ck_error *err) {
  ck_json_writer w = {.out = &out->message};
  if (!ck_model_fields_get(&out->fields, "role"))
    return ck_error_set(err, CK_E_PARSE, "the stream ended without a message");
  ck_json_begin(&w, '{');
  ck_model_fields_write(&w, &out->fields, NULL);
  ck_json_name(&w, "content");
  ck_json_begin(&w, '[');
  for (size_t i = 0; i < out->part_count; i++) {
    if (!is_empty_text(&out->parts[i])) write_block(&w, &out->parts[i]);
  }
  ck_json_end(&w, ']');
  ck_json_end(&w, '}');
  return ck_buffer_check(&out->message, err);
}
