/* gemini_answer.c - reads answers of Gemini's generateContent, whole and streamed. */
#include "core/effect/model/gemini.h"

/* ---- usage ---- */

/* Figures are of all so far. What was thought is paid for as output; where a figure of the answer
 * lacks, the total tells it. */
void ck_gemini_state(ck_model_reply *to, ck_bytes usage, bool begins) {
  int64_t input = 0, tools = 0, cached = 0, output = 0, thoughts = 0, total = 0;
  (void)begins;
  bool asked = ck_model_read_tokens(to, &input, usage, "promptTokenCount"),
       said = ck_model_read_tokens(to, &output, usage, "candidatesTokenCount"),
       summed = ck_model_read_tokens(to, &total, usage, "totalTokenCount");
  (void)ck_model_read_tokens(to, &thoughts, usage, "thoughtsTokenCount");
  (void)ck_model_read_tokens(to, &tools, usage, "toolUsePromptTokenCount");
  (void)ck_json_read_int(&cached, ck_json_get(usage, "cachedContentTokenCount"));
  if (cached > input) cached = 0; /* of the prompt alone */
  output += thoughts;
  if (!said && summed && total > input + tools) output = total - input - tools;
  if (asked && (said || summed)) (void)ck_model_raise_usage(to, input + tools, cached, output);
}

/* ---- the message ---- */

static bool is_thought(ck_bytes part) {
  return ck_json_type_of(ck_json_get(part, "thought")) == CK_JSON_TRUE;
}

/* Arguments are an object there, and JSON in a string in the shape of chat completions. */
static void write_call(ck_json_writer *w, ck_bytes call) {
  ck_bytes args = ck_json_get(call, "args");
  ck_buffer text = {0};
  ck_json_append_string(&text, args.len ? args : ck_bytes_text("{}"));
  ck_model_put_call(w, ck_json_get(call, "id"), ck_json_get(call, "name"), ck_buffer_bytes(&text));
  w->out->failed |= text.failed;
  ck_buffer_clear(&text);
}

static void write_calls(ck_json_writer *w, ck_bytes parts) {
  bool begun = false;
  for (ck_json_iterator it = ck_json_iterate(parts); ck_json_next(&it);) {
    ck_bytes call = ck_json_get(it.value, "functionCall");
    if (ck_json_type_of(call) != CK_JSON_OBJECT) continue;
    if (!begun) {
      ck_json_name(w, "tool_calls");
      ck_json_begin(w, '[');
    }
    begun = true;
    write_call(w, call);
  }
  if (begun) ck_json_end(w, ']');
}

/* Of a candidate, what is not said elsewhere in the message. */
static const char *const said_elsewhere[] = {"content",      "parts",       "index",
                                             "finishReason", "avgLogprobs", "logprobsResult",
                                             "tokenCount",   NULL};

/* In the shape of chat completions, with the parts, and what else came, as they came: `others` is
 * an object, or the reply's fields. */
static ck_status write_message(ck_model_reply *out, ck_bytes parts, ck_bytes others,
                               ck_error *err) {
  ck_json_writer w = {.out = &out->message};
  ck_buffer text = {0};
  for (ck_json_iterator it = ck_json_iterate(parts); ck_json_next(&it);)
    if (!is_thought(it.value)) ck_json_read_string(&text, ck_json_get(it.value, "text"));
  ck_json_begin(&w, '{');
  ck_model_put_said(&w, &text);
  if (out->refused) ck_json_member_string(&w, "refusal", ck_buffer_bytes(&out->refusal));
  write_calls(&w, parts);
  ck_json_name(&w, "gemini");
  ck_json_begin(&w, '{');
  ck_json_member_raw(&w, "parts", parts);
  if (others.len > 0)
    ck_model_copy_members(&w, others, said_elsewhere);
  else
    ck_model_fields_write(&w, &out->fields, NULL);
  ck_json_end(&w, '}');
  ck_json_end(&w, '}');
  ck_buffer_clear(&text);
  return ck_buffer_check(&out->message, err);
}

/* ---- what stands in its place ---- */

/* {"error": {"code", "status", "message"}}, as the API has it; `reason` and `told` are JSON. */
static void put_fault(ck_model_reply *out, ck_bytes told, ck_bytes reason) {
  ck_json_writer w = {.out = &out->fault};
  ck_json_begin(&w, '{');
  ck_json_name(&w, "error");
  ck_json_begin(&w, '{');
  ck_json_member_int(&w, "code", 500);
  ck_json_member_raw(&w, "status", reason);
  if (ck_model_is_blank(told)) told = ck_bytes_text("\"the model made a call that is none\"");
  ck_json_member_raw(&w, "message", told);
  ck_json_end(&w, '}');
  ck_json_end(&w, '}');
}

/* An answer that the model made wrong may be right the next time. */
static bool is_botched(ck_bytes reason) {
  static const char *const reasons[] = {"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL",
                                        "MALFORMED_RESPONSE", "MISSING_THOUGHT_SIGNATURE"};
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
    if (ck_json_is_text(reason, reasons[i])) return true;
  return false;
}

static bool take_fault(ck_model_reply *out, ck_bytes answer, ck_bytes candidate) {
  ck_bytes reason = ck_json_get(candidate, "finishReason");
  if (ck_model_has_error(answer))
    ck_buffer_append_bytes(&out->fault, answer);
  else if (is_botched(reason))
    put_fault(out, ck_json_get(candidate, "finishMessage"), reason);
  return out->fault.len > 0 || out->fault.failed;
}

/* The prompt was blocked: there is no candidate, and this is the answer. */
static bool is_blocked(ck_bytes answer, ck_bytes candidate) {
  ck_bytes block = ck_json_get(ck_json_get(answer, "promptFeedback"), "blockReason");
  return candidate.len == 0 && ck_json_type_of(block) == CK_JSON_STRING;
}

static void take_block(ck_model_reply *out, ck_bytes answer) {
  ck_bytes feedback = ck_json_get(answer, "promptFeedback");
  ck_model_refuse(out, ck_json_get(feedback, "blockReason"),
                  ck_json_get(feedback, "blockReasonMessage"));
  ck_model_fields_put(&out->fields, ck_bytes_text("\"promptFeedback\""), feedback);
}

static void take_end(ck_model_reply *out, ck_bytes candidate) {
  ck_bytes reason = ck_json_get(candidate, "finishReason");
  ck_model_take_end(out, reason);
  if (out->refused) ck_model_refuse(out, reason, ck_json_get(candidate, "finishMessage"));
}

static ck_bytes first_candidate(ck_bytes answer) { return ck_model_first(answer, "candidates"); }

ck_status ck_gemini_read(ck_model_reply *out, ck_bytes body, ck_error *err) {
  ck_bytes candidate = first_candidate(body), reason = ck_json_get(candidate, "finishReason"),
           parts = ck_json_get(ck_json_get(candidate, "content"), "parts");
  if (take_fault(out, body, candidate)) return ck_buffer_check(&out->fault, err);
  if (is_blocked(body, candidate)) {
    take_block(out, body);
    return write_message(out, ck_bytes_text("[]"), (ck_bytes){0}, err);
  }
  if (ck_json_type_of(candidate) != CK_JSON_OBJECT ||
      (ck_json_type_of(parts) != CK_JSON_ARRAY && ck_json_type_of(reason) != CK_JSON_STRING))
    return ck_error_set(err, CK_E_PARSE, "the answer has no candidate with parts");
  take_end(out, candidate);
  return write_message(out, ck_json_type_of(parts) == CK_JSON_ARRAY ? parts : ck_bytes_text("[]"),
                       candidate, err);
}

/* ---- a stream ---- */

/* Nothing but a text, and whether it was thought: such parts are pieces of one. */
static bool is_plain(ck_bytes part) {
  for (ck_json_iterator it = ck_json_iterate(part); ck_json_next(&it);)
    if (!ck_json_is_text(it.name, "text") && !ck_json_is_text(it.name, "thought")) return false;
  return ck_json_type_of(ck_json_get(part, "text")) == CK_JSON_STRING;
}

static bool continues(ck_model_reply *reply, ck_bytes part) {
  if (reply->part_count == 0 || !is_plain(part)) return false;
  ck_model_fields *fields = &reply->parts[reply->part_count - 1].fields;
  const ck_model_field *text = ck_model_fields_get(fields, "text"),
                       *thought = ck_model_fields_get(fields, "thought");
  bool plain = text && text->text && fields->count == (size_t)(1 + (thought != NULL));
  bool thinks = thought && ck_json_type_of(ck_buffer_bytes(&thought->value)) == CK_JSON_TRUE;
  return plain && thinks == is_thought(part);
}

/* A signature stays with the part that it came with. */
static ck_status take_part(ck_model_reply *out, ck_bytes part, ck_error *err) {
  ck_model_part *to;
  bool joins = continues(out, part);
  if (ck_json_type_of(part) != CK_JSON_OBJECT)
    return ck_error_set(err, CK_E_PARSE, "a part of the stream is no object");
  if (is_plain(part) && ck_json_get(part, "text").len <= 2) return CK_OK;
  int64_t index = (int64_t)out->part_count - joins;
  ck_status status = ck_model_reply_part(&to, out, index, err);
  if (status != CK_OK) return status;
  for (ck_json_iterator it = ck_json_iterate(part); ck_json_next(&it);) {
    if (!joins)
      ck_model_fields_put(&to->fields, it.name, it.value);
    else if (ck_json_is_text(it.name, "text"))
      ck_model_fields_join(&to->fields, ck_bytes_text("\"text\""), it.value);
  }
  return CK_OK;
}

/* True: nothing else is in this event. */
static bool take_blocked(ck_model_reply *out, ck_bytes data, ck_bytes candidate) {
  if (!is_blocked(data, candidate)) return false;
  take_block(out, data);
  out->ended = true;
  out->final = ck_json_get(data, "usageMetadata").len > 0;
  return true;
}

ck_status ck_gemini_take(ck_model_reply *out, ck_bytes data, ck_error *err) {
  int64_t index = 0;
  ck_status status = CK_OK;
  ck_bytes candidate = first_candidate(data), reason = ck_json_get(candidate, "finishReason"),
           parts = ck_json_get(ck_json_get(candidate, "content"), "parts");
  if (take_fault(out, data, candidate)) return ck_buffer_check(&out->fault, err);
  if (take_blocked(out, data, candidate)) return CK_OK;
  (void)ck_json_read_int(&index, ck_json_get(candidate, "index"));
  if (candidate.len == 0 || index != 0) return CK_OK;
  ck_model_fields_put_all(&out->fields, candidate, said_elsewhere); /* the last: of all so far */
  ck_json_iterator it = ck_json_iterate(parts);
  while (status == CK_OK && ck_json_type_of(parts) == CK_JSON_ARRAY && ck_json_next(&it))
    status = take_part(out, it.value, err);
  out->ended = ck_json_type_of(reason) == CK_JSON_STRING;
  take_end(out, candidate);
  out->final = out->ended && ck_json_get(data, "usageMetadata").len > 0;
  return status;
}

/* Its end is its finishReason: nothing else tells it. */
ck_status ck_gemini_finish(ck_model_reply *out, ck_error *err) {
  ck_buffer parts = {0};
  ck_json_writer w = {.out = &parts};
  ck_json_begin(&w, '[');
  for (size_t i = 0; i < out->part_count; i++) {
    ck_json_begin(&w, '{');
    ck_model_fields_write(&w, &out->parts[i].fields, NULL);
    ck_json_end(&w, '}');
    parts.failed |= out->parts[i].fields.failed;
  }
  ck_json_end(&w, ']');
  ck_status status = ck_buffer_check(&parts, err);
  if (status == CK_OK) status = write_message(out, ck_buffer_bytes(&parts), (ck_bytes){0}, err);
  ck_buffer_clear(&parts);
  return status;
}
