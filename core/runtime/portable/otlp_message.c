/* otlp_message.c - takes a message apart, in whichever way it is spelt, and writes its parts. */
#include "core/runtime/portable/otlp_message.h"

#include "core/model/media.h"
#include "core/runtime/portable/message.h"

static void begin_part(ck_json_writer *w, const char *type) {
  ck_json_begin(w, '{');
  ck_json_member_text(w, "type", type);
}

/* ---- what is said ---- */

static void write_text(ck_json_writer *w, const char *type, ck_bytes content) {
  begin_part(w, type);
  ck_json_member_raw(w, "content", content);
  ck_json_end(w, '}');
}

static void write_file(ck_json_writer *w, const ck_media *media) {
  char digest[CK_DIGEST_HEX_SIZE];
  begin_part(w, media->url.len ? "uri" : "file");
  ck_json_member_text(w, "modality", media->is_file ? "document" : "image");
  if (media->type.len) ck_json_member_raw(w, "mime_type", media->type);
  if (media->url.len) ck_json_member_raw(w, "uri", media->url);
  ck_digest_hex(digest, &media->digest);
  if (media->kept) ck_json_member_text(w, "file_id", digest);
  ck_json_end(w, '}');
}

static void write_block(ck_json_writer *w, ck_bytes block) {
  ck_media media;
  ck_bytes text = ck_json_get(block, "text"), thinking = ck_json_get(block, "thinking");
  if (ck_media_read(&media, block))
    write_file(w, &media);
  else if (ck_json_type_of(text) == CK_JSON_STRING)
    write_text(w, "text", text);
  else if (ck_json_type_of(thinking) == CK_JSON_STRING)
    write_text(w, "reasoning", thinking);
}

static void write_content(ck_json_writer *w, ck_bytes content) {
  if (ck_json_type_of(content) == CK_JSON_STRING && !ck_json_is_text(content, ""))
    write_text(w, "text", content);
  if (ck_json_type_of(content) != CK_JSON_ARRAY) return;
  for (ck_json_iterator it = ck_json_iterate(content); ck_json_next(&it);) write_block(w, it.value);
}

/* ---- calls and results ---- */

/* As the object that the text is; a text that is none stays one. */
static ck_status write_arguments(ck_json_writer *w, ck_bytes arguments, ck_error *err) {
  ck_buffer text = {0};
  ck_error ignored = {0};
  bool object = ck_json_read_string(&text, arguments) &&
                ck_json_check(ck_buffer_bytes(&text), &ignored) == CK_OK &&
                ck_json_type_of(ck_buffer_bytes(&text)) == CK_JSON_OBJECT;
  ck_status status = ck_buffer_check(&text, err);
  ck_json_member_raw(w, "arguments", object ? ck_buffer_bytes(&text) : arguments);
  ck_buffer_clear(&text);
  return status;
}

static ck_status write_calls(ck_json_writer *w, ck_bytes message, ck_error *err) {
  ck_message_calls calls = {0};
  ck_status status = CK_OK;
  ck_message_calls_read(&calls, message);
  if (calls.failed) status = ck_error_no_memory(err);
  for (size_t i = 0; status == CK_OK && i < calls.count; i++) {
    begin_part(w, "tool_call");
    ck_json_member_raw(w, "id", calls.list[i].id);
    ck_json_member_raw(w, "name", calls.list[i].name);
    status = write_arguments(w, calls.list[i].arguments, err);
    ck_json_end(w, '}');
  }
  ck_message_calls_clear(&calls);
  return status;
}

static void write_result(ck_json_writer *w, ck_bytes message) {
  const char *ignored;
  begin_part(w, "tool_call_response");
  ck_json_member_raw(w, "id", ck_message_answers(&ignored, message));
  ck_json_member_raw(w, "response", ck_json_get(message, "content"));
  ck_json_end(w, '}');
}

/* ---- a message ---- */

ck_status ck_otlp_message_write(ck_json_writer *w, ck_bytes message, const char *finish_reason,
                                ck_error *err) {
  ck_status status = CK_OK;
  bool result = ck_message_is_result(message);
  ck_json_begin(w, '{');
  if (ck_message_is_prompt(message))
    ck_json_member_text(w, "role", "system");
  else
    ck_json_member_raw(w, "role", ck_json_get(message, "role"));
  ck_json_name(w, "parts");
  ck_json_begin(w, '[');
  if (result)
    write_result(w, message);
  else
    write_content(w, ck_json_get(message, "content"));
  ck_bytes refusal = ck_json_get(message, "refusal");
  if (ck_json_type_of(refusal) == CK_JSON_STRING) write_text(w, "refusal", refusal);
  if (!result) status = write_calls(w, message, err);
  ck_json_end(w, ']');
  if (finish_reason) ck_json_member_text(w, "finish_reason", finish_reason);
  ck_json_end(w, '}');
  return status;
}

const char *ck_otlp_message_provider(ck_bytes message) {
  if (ck_json_type_of(message) != CK_JSON_OBJECT) return NULL;
  if (ck_json_get(message, "gemini").len) return "gcp.gemini";
  bool blocks = ck_json_type_of(ck_json_get(message, "content")) == CK_JSON_ARRAY;
  return blocks && !ck_json_get(message, "responses").len ? "anthropic" : "openai";
}
