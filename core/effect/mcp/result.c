/* result.c - requests for tools in the terms of MCP, and results in those of effects. */
#include <stdlib.h>

#include "core/base/utf8.h"
#include "core/effect/mcp/private.h"

static ck_status append_arguments(ck_json_writer *w, ck_bytes given, ck_error *err) {
  ck_buffer text = {0};
  ck_error ignored = CK_ERROR_INIT;
  if (ck_json_type_of(given) == CK_JSON_STRING) {
    ck_json_read_string(&text, given);
    ck_status status = ck_buffer_check(&text, err);
    if (status != CK_OK) return status;
    given = ck_buffer_bytes(&text);
    if (ck_json_check(given, &ignored) != CK_OK) given = (ck_bytes){"0", 1};
  }
  ck_json_type type = ck_json_type_of(given);
  bool none = type == CK_JSON_NONE || type == CK_JSON_NULL ||
              (type == CK_JSON_ARRAY && ck_json_count(given) == 0); /* Lua's {} */
  ck_json_member_raw(w, "arguments", none ? ck_bytes_text("{}") : given);
  ck_buffer_clear(&text);
  if (none || type == CK_JSON_OBJECT) return CK_OK;
  return ck_error_set(err, CK_E_TYPE, "the arguments are not a JSON object");
}

/* A probe gets everything that identifies the effect. */
static ck_status append_probe_arguments(ck_json_writer *w, const ck_effect *effect, ck_error *err) {
  ck_json_name(w, "arguments");
  ck_json_begin(w, '{');
  ck_json_member_text(w, "key", effect->key);
  ck_json_member_int(w, "attempt", effect->attempt);
  ck_json_member_raw(w, "name", ck_mcp_name_of(effect));
  ck_status status = append_arguments(w, ck_json_get(effect->request, "arguments"), err);
  ck_json_end(w, '}');
  return status;
}

ck_status ck_mcp_write_call(ck_buffer *out, const ck_effect_run *run, ck_error *err) {
  const ck_effect *effect = run->pending.effect;
  ck_json_writer w = {.out = out};
  ck_json_begin(&w, '{');
  if (run->probe)
    ck_json_member_text(&w, "name", run->probe);
  else
    ck_json_member_raw(&w, "name", ck_mcp_name_of(effect));
  ck_status status = run->probe
                         ? append_probe_arguments(&w, effect, err)
                         : append_arguments(&w, ck_json_get(effect->request, "arguments"), err);
  if (!run->probe && ck_mcp_server_is_modern(run->server)) ck_mcp_put_responses(&w, run);
  ck_json_name(&w, "_meta");
  ck_json_begin(&w, '{');
  ck_json_member_int(&w, "progressToken", run->token);
  ck_json_member_text(&w, "ckrun/effect_key", effect->key);
  ck_json_member_int(&w, "ckrun/attempt", effect->attempt);
  ck_mcp_put_client(&w, run->server);
  ck_json_end(&w, '}');
  ck_json_end(&w, '}');
  return status == CK_OK ? ck_buffer_check(out, err) : status;
}

/* ---- tools/call ---- */

/* The text of content that has nothing but text; false for other content. */
static bool read_texts(ck_buffer *out, ck_bytes content) {
  ck_json_iterator it = ck_json_iterate(content);
  for (size_t i = 0; ck_json_next(&it); i++) {
    if (i > 0) ck_buffer_append_char(out, '\n');
    if (!ck_json_is_text(ck_json_get(it.value, "type"), "text") ||
        !ck_json_read_string(out, ck_json_get(it.value, "text")))
      return false;
  }
  return true;
}

/* The length is bounded: a model must not read, nor its owner pay for, any amount of text. */
static void bound(ck_buffer *text) {
  if (text->len <= CK_MCP_TEXT_MAX) return;
  size_t kept = ck_utf8_cut(text->data, CK_MCP_TEXT_MAX), left = text->len - kept;
  text->len = kept;
  ck_buffer_append_format(text, "\n[%zu more bytes are left out: a tool tells at most %d]", left,
                          CK_MCP_TEXT_MAX);
}

/* Servers give structured content as text as well, for clients that do not know it. */
static bool is_said_in(ck_bytes text, ck_bytes structured) {
  ck_error ignored = CK_ERROR_INIT;
  return text.len && structured.len && ck_json_check(text, &ignored) == CK_OK &&
         ck_mcp_is_same(text, structured);
}

static bool is_said(ck_bytes content, ck_bytes structured) {
  ck_buffer text = {0};
  bool said = false;
  for (ck_json_iterator it = ck_json_iterate(content); !said && ck_json_next(&it);) {
    ck_buffer_reset(&text);
    said = ck_json_read_string(&text, ck_json_get(it.value, "text")) && !text.failed &&
           is_said_in(ck_buffer_bytes(&text), structured);
  }
  ck_buffer_clear(&text);
  return said;
}

/* Texts as one; or, with images, parts of a message; of anything else the list as it is. */
static void write_content(ck_json_writer *w, ck_bytes content, const ck_buffer *text) {
  if (text)
    ck_json_put_string(w, ck_buffer_bytes(text));
  else
    ck_json_put_raw(w, content);
}

static ck_status make_result(ck_value **out, ck_bytes content, ck_bytes structured, ck_error *err) {
  ck_buffer text = {0}, json = {0};
  ck_json_writer w = {.out = &json};
  bool is_text = read_texts(&text, content),
       twice = is_text && is_said_in(ck_buffer_bytes(&text), structured);
  bound(&text);
  if (ck_mcp_has_bytes(content)) {
    if (structured.len && is_said(content, structured)) structured = (ck_bytes){0};
    ck_mcp_write_parts(&w, content, structured);
  } else if (structured.len) {
    ck_json_begin(&w, '{');
    if (!twice) ck_json_name(&w, "content");
    if (!twice) write_content(&w, content, is_text ? &text : NULL);
    ck_json_member_raw(&w, "structuredContent", structured);
    ck_json_end(&w, '}');
  } else {
    write_content(&w, content, is_text ? &text : NULL);
  }
  ck_status status = ck_buffer_check(&text, err);
  if (status == CK_OK) status = ck_value_from(out, &json, err);
  ck_buffer_clear(&text);
  ck_buffer_clear(&json);
  return status;
}

/* The line of a tool's error that people see. */
static ck_status make_line(char **out, ck_bytes content, ck_error *err) {
  ck_buffer text = {0};
  ck_error line = CK_ERROR_INIT;
  read_texts(&text, content);
  ck_status status = ck_buffer_check(&text, err);
  ck_error_set(&line, CK_E_FAILED, "%s", text.len ? text.data : "the tool failed");
  ck_buffer_clear(&text);
  if (status != CK_OK) return status;
  ck_buffer_append_text(&text, line.text);
  *out = ck_buffer_take(&text);
  return *out ? CK_OK : ck_error_no_memory(err);
}

ck_status ck_mcp_read_result(ck_outcome **out, ck_bytes result, ck_error *err) {
  ck_bytes content = ck_json_get(result, "content"),
           structured = ck_json_get(result, "structuredContent");
  bool failed = false;
  char *line = NULL;
  ck_value *value = NULL;
  *out = NULL;
  if (ck_json_type_of(content) == CK_JSON_NONE && structured.len) content = ck_bytes_text("[]");
  if (ck_json_type_of(content) != CK_JSON_ARRAY)
    return ck_error_set(err, CK_E_PARSE, "its result has no 'content', a list");
  ck_json_read_bool(&failed, ck_json_get(result, "isError"));
  ck_status status = make_result(&value, content, structured, err);
  if (status == CK_OK && failed) status = make_line(&line, content, err);
  if (status == CK_OK)
    status = ck_outcome_new(out, failed ? CK_OUTCOME_ERROR : CK_OUTCOME_OK, value, line, err);
  ck_value_free(value);
  free(line);
  return status;
}

/* ---- a probe ---- */

/* {done, result?} as structured content, or as the text of the content. */
static ck_status make_probed(ck_outcome **out, ck_bytes answer, ck_error *err) {
  static const char unsaid[] = "\"done (its probe says so; what it gave is not known)\"";
  bool done = false;
  ck_value *value = NULL;
  ck_bytes given = ck_json_get(answer, "result");
  if (ck_json_type_of(answer) != CK_JSON_OBJECT ||
      !ck_json_read_bool(&done, ck_json_get(answer, "done"))) {
    return ck_outcome_new(out, CK_OUTCOME_UNKNOWN, NULL,
                          "its probe does not say whether it is done", err);
  }
  if (!done) return ck_outcome_new(out, CK_OUTCOME_ABSENT, NULL, NULL, err);
  ck_status status = ck_value_copy(
      &value, ck_json_type_of(given) == CK_JSON_NONE ? ck_bytes_text(unsaid) : given, err);
  if (status == CK_OK) status = ck_outcome_new(out, CK_OUTCOME_OK, value, NULL, err);
  ck_value_free(value);
  return status;
}

ck_status ck_mcp_read_probe(ck_outcome **out, ck_bytes result, ck_error *err) {
  ck_buffer text = {0};
  ck_error ignored = CK_ERROR_INIT;
  ck_outcome *plain = NULL;
  *out = NULL;
  ck_status status = ck_mcp_read_result(&plain, result, err);
  if (status != CK_OK) return status;
  ck_bytes answer = ck_json_get(result, "structuredContent");
  if (!answer.len && ck_json_read_string(&text, ck_value_bytes(plain->result)) && !text.failed &&
      ck_json_check(ck_buffer_bytes(&text), &ignored) == CK_OK)
    answer = ck_buffer_bytes(&text);
  status = plain->status == CK_OUTCOME_OK
               ? make_probed(out, answer, err)
               : ck_outcome_new(out, CK_OUTCOME_UNKNOWN, NULL, plain->error, err);
  ck_buffer_clear(&text);
  ck_outcome_free(plain);
  return status;
}

/* ---- tools/list ---- */

static ck_effect_class class_of(ck_bytes annotations) {
  bool truth = false;
  if (ck_json_read_bool(&truth, ck_json_get(annotations, "readOnlyHint")) && truth)
    return CK_EFFECT_PURE;
  if (ck_json_read_bool(&truth, ck_json_get(annotations, "idempotentHint")) && truth)
    return CK_EFFECT_IDEMPOTENT;
  return CK_EFFECT_ONCE;
}

/* Providers require "type":"object" in an object's schema. */
static void write_schema(ck_json_writer *w, ck_bytes schema) {
  bool typed = ck_json_is_text(ck_json_get(schema, "type"), "object"),
       untyped = ck_json_get(schema, "type").len == 0;
  bool object = ck_json_type_of(schema) == CK_JSON_OBJECT,
       some = object && ck_json_count(schema) > 0;
  ck_json_name(w, "parameters");
  if (object && typed) {
    ck_json_put_raw(w, schema);
    return;
  }
  ck_buffer_append_text(w->out, "{\"type\":\"object\"");
  if (some && untyped) ck_buffer_append_char(w->out, ',');
  ck_buffer_append_bytes(
      w->out, some && untyped ? (ck_bytes){schema.data + 1, schema.len - 1} : ck_bytes_text("}"));
  w->comma = true;
}

static void write_tool(ck_buffer *out, ck_bytes tool) {
  ck_json_writer w = {.out = out};
  ck_bytes description = ck_json_get(tool, "description"),
           schema = ck_json_get(tool, "inputSchema");
  if (out->len) ck_buffer_append_char(out, ',');
  ck_json_begin(&w, '{');
  ck_mcp_put_names(&w, ck_json_get(tool, "name"));
  if (ck_json_type_of(description) == CK_JSON_STRING)
    ck_json_member_raw(&w, "description", description);
  write_schema(&w, schema);
  ck_json_member_text(&w, "class",
                      ck_effect_class_name(class_of(ck_json_get(tool, "annotations"))));
  ck_json_end(&w, '}');
}

/* Tools that can only be called as tasks, or whose names cannot pass through a flow, are not
 * offered. */
static bool is_task(ck_bytes tool) {
  return ck_json_is_text(ck_json_get(ck_json_get(tool, "execution"), "taskSupport"), "required");
}

ck_status ck_mcp_read_page(ck_buffer *tools, ck_bytes *next, ck_bytes result, ck_error *err) {
  ck_bytes list = ck_json_get(result, "tools");
  *next = ck_json_get(result, "nextCursor");
  if (ck_json_type_of(*next) == CK_JSON_NULL) *next = (ck_bytes){0};
  if (ck_json_type_of(list) != CK_JSON_ARRAY)
    return ck_error_set(err, CK_E_PARSE, "its result has no 'tools', a list");
  if (next->len && ck_json_type_of(*next) != CK_JSON_STRING)
    return ck_error_set(err, CK_E_PARSE, "its 'nextCursor' is not a string");
  ck_json_iterator it = ck_json_iterate(list);
  while (ck_json_next(&it)) {
    ck_bytes name = ck_json_get(it.value, "name");
    if (ck_json_type_of(name) != CK_JSON_STRING || name.len <= 2)
      return ck_error_set(err, CK_E_PARSE, "it lists a tool without a name");
    if (!is_task(it.value) && ck_mcp_name_is_usable(name)) write_tool(tools, it.value);
  }
  return ck_buffer_check(tools, err);
}
