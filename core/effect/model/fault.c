/* fault.c - maps a provider's refusal to a status of the session. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/utf8.h"
#include "core/effect/http/retry.h"
#include "core/effect/model/private.h"

enum { MESSAGE_MAX = 300, LOOKED_AT = 4096 };

/* Names of errors that come without a status, in a stream or in place of an answer. */
static const struct {
  const char *type;
  int code;
} types[] = {
    {"overloaded_error", 529},        {"rate_limit_error", 429},    {"timeout_error", 504},
    {"authentication_error", 401},    {"permission_error", 403},    {"not_found_error", 404},
    {"billing_error", 402},           {"request_too_large", 413},   {"invalid_request_error", 400},
    {"insufficient_quota", 429},      {"rate_limit_exceeded", 429}, {"invalid_prompt", 400},
    {"context_length_exceeded", 400},
};

/* Phrases of both APIs, and of servers that imitate OpenAI's, for a conversation that is too
 * long. */
static const char *const too_long[] = {
    "context_length_exceeded", "maximum context length", "context window",     "context length",
    "context limit",           "context size",           "prompt is too long", "input is too long",
    "request_too_large",       "input token count",
};
/* Phrases for an account without money: a retry does not help, paying does. */
static const char *const unpaid[] = {"insufficient_quota", "credit balance", "billing_hard_limit",
                                     "billing_error"};

/* Of a prompt that a provider, or the filter before it, does not let through: Azure's error
 * "content_filter", OpenAI's "content_policy_violation", and what both say of it. */
static const char *const filtered[] = {"\"content_filter\"", "content_policy_violation",
                                       "ResponsibleAIPolicyViolation",
                                       "flagged as potentially violating"};

/* Of a key that is none, which Gemini answers as a bad request. */
static const char *const no_key[] = {"API_KEY_INVALID", "API key not valid"};

void ck_model_fault_set(ck_model_fault *out, ck_status status, bool passing, const char *format,
                        ...) {
  va_list args;
  va_start(args, format);
  out->status = status;
  out->passing = passing;
  int len = vsnprintf(out->text, sizeof out->text, format, args);
  va_end(args);
  if (len >= (int)sizeof out->text) out->text[ck_utf8_cut(out->text, sizeof out->text - 1)] = '\0';
}

static bool mentions(ck_bytes body, const char *const *texts, size_t count) {
  size_t len = body.len < LOOKED_AT ? body.len : LOOKED_AT;
  for (size_t i = 0; len > 0 && i < count; i++) {
    if (memmem(body.data, len, texts[i], strlen(texts[i]))) return true;
  }
  return false;
}
#define MENTIONS(body, texts) mentions(body, texts, sizeof texts / sizeof *texts)

static void append_decoded(ck_buffer *out, ck_bytes json) {
  if (!ck_json_read_string(out, json) && ck_json_type_of(json) == CK_JSON_NUMBER)
    ck_buffer_append_bytes(out, json);
}

/* "(type): message" of the error, or the body's beginning when the error's shape is unknown. */
static void append_message(ck_buffer *out, ck_bytes body) {
  bool is_json = ck_json_check(body, NULL) == CK_OK;
  ck_bytes error = is_json ? ck_json_get(body, "error") : (ck_bytes){NULL, 0};
  ck_bytes from = ck_json_type_of(error) == CK_JSON_OBJECT ? error : body;
  ck_bytes message = is_json ? ck_json_get(from, "message") : (ck_bytes){NULL, 0};
  ck_bytes type = is_json ? ck_json_get(from, "type") : message,
           code = is_json ? ck_json_get(from, "code") : message;
  if (ck_json_type_of(error) == CK_JSON_STRING) message = error;
  if (ck_json_type_of(code) == CK_JSON_STRING || type.len == 0) type = code;
  ck_bytes status = is_json ? ck_json_get(from, "status") : (ck_bytes){NULL, 0};
  if (ck_json_type_of(status) == CK_JSON_STRING) type = status;
  size_t start = out->len;
  ck_buffer_append_text(out, " (");
  append_decoded(out, type);
  if (out->len == start + 2)
    out->len = start;
  else
    ck_buffer_append_char(out, ')');
  ck_buffer_append_text(out, ": ");
  size_t text = out->len;
  append_decoded(out, message);
  if (out->len == text)
    ck_buffer_append(out, body.data, body.len < LOOKED_AT ? body.len : LOOKED_AT);
  if (out->failed || out->len <= text + MESSAGE_MAX) return;
  out->len = text + ck_utf8_cut(out->data + text, MESSAGE_MAX);
  ck_buffer_append_text(out, "…");
}

/* Google's: error.details has a RetryInfo with "retryDelay": "34.1s". */
int64_t ck_model_fault_wait(ck_bytes body) {
  double seconds = -1;
  if (ck_json_check(body, NULL) != CK_OK) return -1;
  ck_bytes details = ck_json_get(ck_json_get(body, "error"), "details");
  if (ck_json_type_of(details) != CK_JSON_ARRAY) return -1;
  for (ck_json_iterator it = ck_json_iterate(details); ck_json_next(&it);) {
    ck_bytes delay = ck_json_get(it.value, "retryDelay");
    bool told = ck_json_type_of(delay) == CK_JSON_STRING && delay.len > 3 &&
                delay.data[delay.len - 2] == 's';
    if (told && !ck_json_read_double(&seconds, (ck_bytes){delay.data + 1, delay.len - 3}))
      seconds = -1;
  }
  return seconds >= 0 && seconds < 1e9 ? (int64_t)(seconds * 1000) : -1;
}

static int code_of(ck_bytes body) {
  ck_bytes error = ck_json_get(body, "error");
  int64_t code;
  if (ck_json_read_int(&code, ck_json_get(error, "code")) && code >= 400 && code < 600)
    return (int)code;
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    if (ck_json_is_text(ck_json_get(error, "type"), types[i].type) ||
        ck_json_is_text(ck_json_get(error, "code"), types[i].type))
      return types[i].code;
  }
  return 500;
}

static ck_status class_of(int code, ck_bytes body) {
  bool is_request = code == 400 || code == 413 || code == 422;
  if (code == 401 || code == 403) return CK_E_CREDENTIALS;
  if (code == 400 && MENTIONS(body, no_key)) return CK_E_CREDENTIALS;
  if (code == 402 || ck_retry_is_passing(code)) return CK_E_UNAVAILABLE;
  if (is_request && MENTIONS(body, too_long)) return CK_E_CONTEXT;
  if (is_request && MENTIONS(body, filtered)) return CK_E_REFUSAL;
  if (is_request && MENTIONS(body, unpaid)) return CK_E_UNAVAILABLE;
  return CK_E_REQUEST;
}

void ck_model_fault_read(ck_model_fault *out, int code, ck_bytes body) {
  ck_buffer message = {0};
  ck_error ignored = CK_ERROR_INIT;
  if (body.len > 0) append_message(&message, body);
  bool in_answer = code == 0;
  if (in_answer) code = code_of(body);
  bool passing = ck_retry_is_passing(code) && !MENTIONS(body, unpaid);
  const char *text =
      ck_buffer_check(&message, &ignored) == CK_OK && message.data ? message.data : "";
  if (code >= 300 && code < 400)
    ck_model_fault_set(out, CK_E_REQUEST, false,
                       "it answers with a redirect (status %d), which is not followed: base_url "
                       "must be where it leads",
                       code);
  else
    ck_model_fault_set(out, class_of(code, body), passing, "%s %d%s",
                       in_answer ? "an error of class" : "status", code, text);
  ck_buffer_clear(&message);
}
