/* jsonrpc.c - messages of JSON-RPC 2.0. */
#include "core/effect/jsonrpc/jsonrpc.h"

static bool is_id(ck_bytes id) {
  ck_json_type type = ck_json_type_of(id);
  return type == CK_JSON_NUMBER || type == CK_JSON_STRING;
}

static bool is_params(ck_bytes params) {
  ck_json_type type = ck_json_type_of(params);
  return type == CK_JSON_NONE || type == CK_JSON_NULL || type == CK_JSON_OBJECT ||
         type == CK_JSON_ARRAY;
}

bool ck_rpc_read(ck_rpc_message *out, ck_bytes object) {
  *out = (ck_rpc_message){0};
  if (ck_json_type_of(object) != CK_JSON_OBJECT) return false;
  ck_bytes version = ck_json_get(object, "jsonrpc");
  if (version.len && !ck_json_is_text(version, "2.0")) return false;
  out->id = ck_json_get(object, "id");
  out->method = ck_json_get(object, "method");
  out->params = ck_json_get(object, "params");
  out->result = ck_json_get(object, "result");
  out->error = ck_json_get(object, "error");
  if (ck_json_type_of(out->error) == CK_JSON_NULL) out->error = (ck_bytes){0};
  if (out->error.len && ck_json_type_of(out->result) == CK_JSON_NULL) out->result = (ck_bytes){0};
  if (out->method.len) {
    out->kind = out->id.len ? CK_RPC_REQUEST : CK_RPC_NOTIFICATION;
    return ck_json_type_of(out->method) == CK_JSON_STRING && is_params(out->params) &&
           (!out->id.len || is_id(out->id));
  }
  out->kind = CK_RPC_ANSWER;
  bool one = (out->result.len > 0) != (out->error.len > 0);
  return one && (!out->error.len || ck_json_type_of(out->error) == CK_JSON_OBJECT) &&
         (is_id(out->id) || (out->error.len && ck_json_type_of(out->id) == CK_JSON_NULL));
}

/* Line breaks between the tokens of JSON are mere space, and strings contain none. */
static void end_line(ck_buffer *out, size_t from) {
  for (size_t i = from; !out->failed && i < out->len; i++) {
    if (out->data[i] == '\n' || out->data[i] == '\r') out->data[i] = ' ';
  }
  ck_buffer_append_char(out, '\n');
}

static ck_json_writer begin(ck_buffer *out) {
  ck_json_writer w = {.out = out};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "jsonrpc", "2.0");
  return w;
}

static void end(ck_json_writer *w, size_t from) {
  ck_json_end(w, '}');
  end_line(w->out, from);
}

void ck_rpc_write_request(ck_buffer *out, int64_t id, const char *method, ck_bytes params) {
  size_t from = out->len;
  ck_json_writer w = begin(out);
  ck_json_member_int(&w, "id", id);
  ck_json_member_text(&w, "method", method);
  if (params.len) ck_json_member_raw(&w, "params", params);
  end(&w, from);
}

void ck_rpc_write_notification(ck_buffer *out, const char *method, ck_bytes params) {
  size_t from = out->len;
  ck_json_writer w = begin(out);
  ck_json_member_text(&w, "method", method);
  if (params.len) ck_json_member_raw(&w, "params", params);
  end(&w, from);
}

void ck_rpc_write_result(ck_buffer *out, ck_bytes id, ck_bytes result) {
  size_t from = out->len;
  ck_json_writer w = begin(out);
  ck_json_member_raw(&w, "id", id);
  ck_json_member_raw(&w, "result", result);
  end(&w, from);
}

void ck_rpc_write_error(ck_buffer *out, ck_bytes id, int code, const char *message) {
  ck_rpc_write_error_data(out, id, code, message, (ck_bytes){0});
}

void ck_rpc_write_error_data(ck_buffer *out, ck_bytes id, int code, const char *message,
                             ck_bytes data) {
  size_t from = out->len;
  ck_json_writer w = begin(out);
  ck_json_member_raw(&w, "id", id);
  ck_json_name(&w, "error");
  ck_json_begin(&w, '{');
  ck_json_member_int(&w, "code", code);
  ck_json_member_text(&w, "message", message);
  if (data.len) ck_json_member_raw(&w, "data", data);
  ck_json_end(&w, '}');
  end(&w, from);
}
