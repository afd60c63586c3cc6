/* blocks.c - turns messages with tool calls into messages of content blocks, and back. */
#include "core/runtime/portable/blocks.h"

#include "core/model/media.h"
#include "core/runtime/portable/message.h"

/* ---- writing ---- */

static void write_text(ck_json_writer *w, ck_bytes text) {
  ck_json_begin(w, '{');
  ck_json_member_text(w, "type", "text");
  ck_json_member_raw(w, "text", text);
  ck_json_end(w, '}');
}

/* The arguments are a string that holds an object. */
static ck_status write_input(ck_json_writer *w, ck_bytes arguments, ck_error *err) {
  ck_buffer json = {0};
  ck_error ignored = CK_ERROR_INIT;
  ck_json_read_string(&json, arguments);
  bool is = !json.failed && ck_json_check(ck_buffer_bytes(&json), &ignored) == CK_OK &&
            ck_json_type_of(ck_buffer_bytes(&json)) == CK_JSON_OBJECT;
  ck_json_member_raw(w, "input", is ? ck_buffer_bytes(&json) : ck_bytes_text("{}"));
  ck_status status = ck_buffer_check(&json, err);
  ck_buffer_clear(&json);
  return status;
}

static ck_status write_calls(ck_json_writer *w, ck_bytes message, ck_error *err) {
  ck_message_calls calls = {0};
  ck_message_calls_read(&calls, message);
  ck_status status = calls.failed ? ck_error_no_memory(err) : CK_OK;
  for (size_t i = 0; status == CK_OK && i < calls.count; i++) {
    ck_json_begin(w, '{');
    ck_json_member_text(w, "type", "tool_use");
    ck_json_member_raw(w, "id", calls.list[i].id);
    ck_json_member_raw(w, "name", calls.list[i].name);
    status = write_input(w, calls.list[i].arguments, err);
    ck_json_end(w, '}');
  }
  ck_message_calls_clear(&calls);
  return status;
}

static void write_result(ck_json_writer *w, ck_bytes message) {
  ck_json_begin(w, '{');
  ck_json_member_text(w, "type", "tool_result");
  ck_json_member_raw(w, "tool_use_id", ck_json_get(message, "tool_call_id"));
  ck_json_member_raw(w, "content", ck_json_get(message, "content"));
  ck_json_end(w, '}');
}

static void begin(ck_json_writer *w, ck_bytes role) {
  ck_json_begin(w, '{');
  ck_json_member_raw(w, "role", role);
  ck_json_name(w, "content");
  ck_json_begin(w, '[');
}

static void end(ck_json_writer *w) {
  ck_json_end(w, ']');
  ck_json_end(w, '}');
}

static ck_status write_message(ck_json_writer *w, ck_bytes message, ck_error *err) {
  ck_bytes content = ck_json_get(message, "content");
  begin(w, ck_json_get(message, "role"));
  if (ck_json_type_of(content) == CK_JSON_STRING && content.len > 2) write_text(w, content);
  if (ck_media_is_content(content))
    for (ck_json_iterator it = ck_json_iterate(content); ck_json_next(&it);)
      ck_json_put_raw(w, it.value);
  ck_status status = write_calls(w, message, err);
  end(w);
  return status;
}

/* The results of one turn's calls are one message. */
ck_status ck_blocks_write(ck_json_writer *w, ck_bytes history, ck_error *err) {
  ck_status status = CK_OK;
  bool results = false;
  ck_json_begin(w, '[');
  ck_json_iterator it = ck_json_iterate(history);
  while (status == CK_OK && ck_json_next(&it)) {
    bool is = ck_message_is(it.value, "tool");
    if (results && !is) end(w);
    if (is && !results) begin(w, ck_bytes_text("\"user\""));
    results = is;
    if (is)
      write_result(w, it.value);
    else
      status = write_message(w, it.value, err);
  }
  if (results) end(w);
  ck_json_end(w, ']');
  return status;
}

/* ---- reading ---- */

static bool is_result(ck_bytes block) {
  return ck_json_is_text(ck_json_get(block, "type"), "tool_result");
}

static ck_status read_result(ck_json_writer *w, ck_bytes block, size_t at, size_t index,
                             ck_error *err) {
  ck_bytes id = ck_json_get(block, "tool_use_id");
  ck_buffer text = {0};
  if (ck_json_type_of(id) != CK_JSON_STRING)
    return ck_error_set(err, CK_E_PARSE,
                        "missing required field: messages[%zu].content[%zu].tool_use_id", at,
                        index);
  ck_bytes content = ck_json_get(block, "content");
  ck_message_append_text(&text, content);
  ck_json_begin(w, '{');
  ck_json_member_text(w, "role", "tool");
  ck_json_member_raw(w, "tool_call_id", id);
  if (ck_media_is_content(content))
    ck_json_member_raw(w, "content", content);
  else
    ck_json_member_string(w, "content", ck_buffer_bytes(&text));
  ck_json_end(w, '}');
  ck_status status = ck_buffer_check(&text, err);
  ck_buffer_clear(&text);
  return status;
}

static ck_status read_results(size_t *others, ck_json_writer *w, ck_bytes content, size_t at,
                              ck_error *err) {
  ck_status status = CK_OK;
  ck_json_iterator it = ck_json_iterate(content);
  *others = 0;
  for (size_t i = 0; status == CK_OK && ck_json_next(&it); i++) {
    if (is_result(it.value))
      status = read_result(w, it.value, at, i, err);
    else
      ++*others;
  }
  return status;
}

/* What a user says beside the results comes behind them. */
static void read_others(ck_json_writer *w, ck_bytes role, ck_bytes content) {
  ck_json_iterator it = ck_json_iterate(content);
  begin(w, role);
  while (ck_json_next(&it))
    if (!is_result(it.value)) ck_json_put_raw(w, it.value);
  end(w);
}

static ck_status read_message(ck_json_writer *w, ck_bytes message, size_t at, ck_error *err) {
  ck_bytes content = ck_json_get(message, "content");
  size_t others;
  if (!ck_message_is(message, "user") || ck_json_type_of(content) != CK_JSON_ARRAY) {
    ck_json_put_raw(w, message);
    return CK_OK;
  }
  ck_status status = read_results(&others, w, content, at, err);
  if (status == CK_OK && others) read_others(w, ck_json_get(message, "role"), content);
  return status;
}

ck_status ck_blocks_read(ck_json_writer *w, ck_bytes messages, ck_error *err) {
  ck_status status = CK_OK;
  ck_json_begin(w, '[');
  ck_json_iterator it = ck_json_iterate(messages);
  for (size_t at = 0; status == CK_OK && ck_json_next(&it); at++)
    status = read_message(w, it.value, at, err);
  ck_json_end(w, ']');
  return status;
}
