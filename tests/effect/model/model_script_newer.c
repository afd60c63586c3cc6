/* model_script_newer.c - answers of a model as the responses API and Gemini give them, whole and
 * streamed. */
#include <stdio.h>

#include "tests/effect/model/model_script_private.h"

/* ---- responses ---- */

/* The `index`-th item: what was thought, what is said, then the calls. False: there is none. */
static bool put_item(model_answer_given *self, ck_json_writer *w, size_t index) {
  bool thinks = self->thinking.len > 0, says = self->text.len > 0;
  size_t call = index - thinks - says;
  char id[64];
  ck_json_iterator it = ck_json_iterate(self->calls);
  if (index >= (size_t)thinks + says)
    for (size_t i = 0; i <= call; i++)
      if (self->calls.len == 0 || !ck_json_next(&it)) return false;
  snprintf(id, sizeof id, "item_t%zu_%zu", self->turn, index);
  ck_json_begin(w, '{');
  ck_json_member_text(w, "id", id);
  if (index == 0 && thinks) {
    ck_json_member_text(w, "type", "reasoning");
    ck_json_name(w, "summary");
    ck_json_begin(w, '[');
    model_script_put_text(w, "summary_text", "text", ck_buffer_bytes(&self->thinking), NULL);
    ck_json_end(w, ']');
    ck_json_member_text(w, "encrypted_content", self->signature);
  } else if (index == thinks && says) {
    ck_json_member_text(w, "type", "message");
    ck_json_member_text(w, "status", "completed");
    ck_json_member_text(w, "role", "assistant");
    ck_json_name(w, "content");
    ck_json_begin(w, '[');
    model_script_put_text(w, "output_text", "text", ck_buffer_bytes(&self->text), NULL);
    ck_json_end(w, ']');
  } else {
    snprintf(id, sizeof id, "call_t%zu_%zu", self->turn, call);
    ck_json_member_text(w, "type", "function_call");
    ck_json_member_text(w, "status", "completed");
    ck_json_member_text(w, "call_id", id);
    ck_json_member_raw(w, "name", ck_json_get(it.value, "name"));
    ck_json_member_string(w, "arguments", ck_json_get(it.value, "arguments"));
  }
  ck_json_end(w, '}');
  return true;
}

/* With `usage` it has ended. */
static void put_response(model_answer_given *self, ck_json_writer *w, bool ended, bool items) {
  ck_json_begin(w, '{');
  ck_json_member_text(w, "id", "resp_1");
  ck_json_member_text(w, "object", "response");
  ck_json_member_text(w, "model", "responses-test");
  ck_json_member_text(w, "status", ended ? "completed" : "in_progress");
  ck_json_member_raw(w, "error", ck_bytes_text("null"));
  ck_json_member_raw(w, "incomplete_details", ck_bytes_text("null"));
  ck_json_name(w, "output");
  ck_json_begin(w, '[');
  for (size_t i = 0; items && put_item(self, w, i); i++) continue;
  ck_json_end(w, ']');
  ck_json_name(w, "usage");
  if (ended) {
    ck_json_begin(w, '{');
    ck_json_member_int(w, "input_tokens", self->input + self->cached);
    ck_json_name(w, "input_tokens_details");
    ck_json_begin(w, '{');
    ck_json_member_int(w, "cached_tokens", self->cached);
    ck_json_end(w, '}');
    ck_json_member_int(w, "output_tokens", self->output);
    ck_json_end(w, '}');
  } else {
    ck_json_put_text(w, NULL);
  }
  ck_json_end(w, '}');
}

void model_script_write_responses(model_answer_given *self) {
  ck_json_writer w = {.out = self->out};
  put_response(self, &w, true, true);
}

static void stream_response(model_answer_given *self, const char *type, bool ended) {
  ck_json_writer w;
  model_script_open_event(self, &w, type);
  ck_json_name(&w, "response");
  put_response(self, &w, ended, ended && self->turn % 2 == 0);
  model_script_close_event(self, &w);
}

static void stream_output_text(model_answer_given *self, ck_bytes piece, size_t index) {
  ck_json_writer w;
  model_script_open_event(self, &w, "response.output_text.delta");
  ck_json_member_int(&w, "output_index", (int64_t)index);
  ck_json_member_string(&w, "delta", piece);
  model_script_close_event(self, &w);
}

static bool stream_item(model_answer_given *self, const char *type, size_t index) {
  ck_json_writer w;
  size_t before = self->out->len;
  model_script_open_event(self, &w, type);
  ck_json_member_int(&w, "output_index", (int64_t)index);
  ck_json_name(&w, "item");
  if (!put_item(self, &w, index)) {
    self->out->len = before;
    return false;
  }
  model_script_close_event(self, &w);
  return true;
}

/* The last event repeats the items in every other turn: some servers do, some do not. */
void model_script_stream_responses(model_answer_given *self) {
  stream_response(self, "response.created", false);
  stream_response(self, "response.in_progress", false);
  for (size_t i = 0; stream_item(self, "response.output_item.added", i); i++) {
    if (i == (self->thinking.len > 0))
      model_script_split(self, ck_buffer_bytes(&self->text), stream_output_text, i);
    stream_item(self, "response.output_item.done", i);
  }
  stream_response(self, "response.completed", true);
}

/* ---- Gemini ---- */

static void put_gemini_usage(model_answer_given *self, ck_json_writer *w) {
  ck_json_name(w, "usageMetadata");
  ck_json_begin(w, '{');
  ck_json_member_int(w, "promptTokenCount", self->input + self->cached);
  ck_json_member_int(w, "cachedContentTokenCount", self->cached);
  ck_json_member_int(w, "candidatesTokenCount", self->output - 1);
  ck_json_member_int(w, "thoughtsTokenCount", 1);
  ck_json_end(w, '}');
}

static void put_part(ck_json_writer *w, ck_bytes text, bool thought) {
  ck_json_begin(w, '{');
  ck_json_member_string(w, "text", text);
  if (thought) ck_json_member_bool(w, "thought", true);
  ck_json_end(w, '}');
}

static void put_function_call(model_answer_given *self, ck_json_writer *w, ck_bytes call,
                              size_t index) {
  char id[64], signature[WIRE_SIGNATURE_SIZE];
  snprintf(id, sizeof id, "call_t%zu_%zu", self->turn, index);
  wire_sign(signature, ck_json_get(call, "arguments"));
  ck_json_begin(w, '{');
  ck_json_name(w, "functionCall");
  ck_json_begin(w, '{');
  ck_json_member_raw(w, "name", ck_json_get(call, "name"));
  ck_json_member_raw(w, "args", ck_json_get(call, "arguments"));
  ck_json_member_text(w, "id", id);
  ck_json_end(w, '}');
  if (index == 0) ck_json_member_text(w, "thoughtSignature", signature);
  ck_json_end(w, '}');
}

static void begin_candidate(ck_json_writer *w) {
  ck_json_member_text(w, "modelVersion", "gemini-test");
  ck_json_name(w, "candidates");
  ck_json_begin(w, '[');
  ck_json_begin(w, '{');
  ck_json_name(w, "content");
  ck_json_begin(w, '{');
  ck_json_member_text(w, "role", "model");
  ck_json_name(w, "parts");
  ck_json_begin(w, '[');
}

static void end_candidate(ck_json_writer *w, bool ends) {
  ck_json_end(w, ']');
  ck_json_end(w, '}');
  if (ends) ck_json_member_text(w, "finishReason", "STOP");
  ck_json_member_int(w, "index", 0);
  ck_json_end(w, '}');
  ck_json_end(w, ']');
}

void model_script_write_gemini(model_answer_given *self) {
  ck_json_writer w = {.out = self->out};
  size_t index = 0;
  ck_json_begin(&w, '{');
  begin_candidate(&w);
  if (self->thinking.len > 0) put_part(&w, ck_buffer_bytes(&self->thinking), true);
  if (self->text.len > 0) put_part(&w, ck_buffer_bytes(&self->text), false);
  for (ck_json_iterator it = ck_json_iterate(self->calls);
       self->calls.len > 0 && ck_json_next(&it);)
    put_function_call(self, &w, it.value, index++);
  end_candidate(&w, true);
  put_gemini_usage(self, &w);
  ck_json_end(&w, '}');
}

static void stream_part(model_answer_given *self, ck_bytes piece, size_t thought) {
  ck_json_writer w;
  model_script_open_event(self, &w, NULL);
  begin_candidate(&w);
  put_part(&w, piece, thought);
  end_candidate(&w, false);
  model_script_close_event(self, &w);
}

/* The last event has an empty text, as theirs has. */
void model_script_stream_gemini(model_answer_given *self) {
  ck_json_writer w;
  size_t index = 0;
  model_script_split(self, ck_buffer_bytes(&self->thinking), stream_part, 1);
  model_script_split(self, ck_buffer_bytes(&self->text), stream_part, 0);
  for (ck_json_iterator it = ck_json_iterate(self->calls);
       self->calls.len > 0 && ck_json_next(&it);) {
    model_script_open_event(self, &w, NULL);
    begin_candidate(&w);
    put_function_call(self, &w, it.value, index++);
    end_candidate(&w, false);
    model_script_close_event(self, &w);
  }
  model_script_open_event(self, &w, NULL);
  begin_candidate(&w);
  put_part(&w, (ck_bytes){"", 0}, false);
  end_candidate(&w, true);
  put_gemini_usage(self, &w);
  model_script_close_event(self, &w);
}
