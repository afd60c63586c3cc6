/* answer.c - reads a provider's answer: JSON, a stream of events, or an error in place of
 * either. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/base/json_mend.h"
#include "core/effect/http/retry.h"
#include "core/effect/model/halves.h"
#include "core/effect/model/run.h"

enum {
  REFUSAL_MAX = 1 << 16, /* bytes read of an error's body */
  MODEL_NAME_MAX = 256   /* of a model's name, as JSON */
};

/* All was sent; a server that has no finish_reason says it by this alone. */
static void end_by_mark(ck_model_reply *reply, const ck_model_format *format) {
  if (reply->ended || !ck_model_reply_is_begun(reply) || !format->may_end(reply)) return;
  reply->ended = reply->marked = true;
}

/* In an answer or an event of any of the APIs; the first counts. */
static void take_model(ck_model_reply *to, ck_bytes data) {
  static const char *const within[] = {NULL, "message", "response"};
  for (size_t i = 0; !to->model.len && i < sizeof within / sizeof *within; i++) {
    ck_bytes holder = within[i] ? ck_json_get(data, within[i]) : data,
             name = ck_json_get(holder, "model");
    if (!name.len) name = ck_json_get(holder, "modelVersion");
    if (name.len <= MODEL_NAME_MAX) ck_json_read_string(&to->model, name);
  }
}

/* What was paid for is not refused for half a character, or NUL: `*mended` (the caller's, to be
 * cleared) has it in `*text`'s place then. */
static ck_status check_json(ck_bytes *text, ck_buffer *mended, ck_error *err) {
  ck_status status = ck_json_check(*text, err);
  if (status != CK_E_PARSE || !ck_json_mend_escapes(mended, *text)) return status;
  if (mended->failed) return ck_error_no_memory(err);
  if (ck_json_check(ck_buffer_bytes(mended), NULL) != CK_OK) return status;
  *text = ck_buffer_bytes(mended);
  return CK_OK;
}

static ck_status take_checked(ck_model_answer *self, ck_bytes data, ck_error *err) {
  if (ck_json_type_of(data) != CK_JSON_OBJECT)
    return ck_error_set(err, CK_E_PARSE, "an event of the stream is no object");
  take_model(&self->reply, data);
  ck_status status = self->format->take(&self->reply, data, err);
  return !status && self->reply.fault.len > 0
             ? ck_error_set(err, CK_E_FAILED, "the stream has an error")
             : status;
}

static ck_status take_json(ck_model_answer *self, ck_bytes data, ck_error *err) {
  ck_buffer mended = {0};
  ck_status status = check_json(&data, &mended, err);
  if (status)
    ck_error_prefix(err, "an event of the stream is no JSON");
  else
    status = take_checked(self, data, err);
  ck_buffer_clear(&mended);
  return status;
}

/* One whose last character may be finished by the next one waits for that. */
static ck_status take_or_wait(ck_model_answer *self, ck_bytes data, ck_error *err) {
  if (!ck_halves_is_open(data)) return take_json(self, data, err);
  ck_buffer_append_bytes(&self->open, data);
  return ck_buffer_check(&self->open, err);
}

/* `data`: the next event; no bytes: there is none. */
static ck_status end_wait(ck_model_answer *self, ck_bytes data, ck_error *err) {
  ck_buffer before = self->open, joined = {0};
  self->open = (ck_buffer){0};
  if (data.len && ck_halves_join(&before, &joined, data)) data = ck_buffer_bytes(&joined);
  ck_status status = ck_buffer_check(&joined, err);
  if (!status) status = take_json(self, ck_buffer_bytes(&before), err);
  if (!status && data.len) status = take_or_wait(self, data, err);
  ck_buffer_clear(&joined);
  ck_buffer_clear(&before);
  return status;
}

static ck_status take_event(void *to, ck_bytes event, ck_bytes data, ck_error *err) {
  ck_model_answer *self = to;
  (void)event; /* the data names the event, too */
  if (self->format->end_mark && ck_bytes_equal(data, ck_bytes_text(self->format->end_mark))) {
    ck_status status = self->open.len ? end_wait(self, (ck_bytes){0}, err) : CK_OK;
    end_by_mark(&self->reply, self->format);
    return status;
  }
  ck_model_take_usage(&self->reply, self->format, data);
  return self->open.len ? end_wait(self, data, err) : take_or_wait(self, data, err);
}

void ck_model_answer_init(ck_model_answer *self, const ck_model_format *format,
                          int64_t now_wall_ms) {
  *self = (ck_model_answer){
      .format = format, .retry_after_ms = -1, .should_retry = -1, .now_wall_ms = now_wall_ms};
  self->sse = (ck_sse){.take = take_event, .to = self};
}

void ck_model_answer_clear(ck_model_answer *self) {
  ck_buffer_clear(&self->body);
  ck_sse_clear(&self->sse);
  ck_buffer_clear(&self->open);
  ck_model_reply_clear(&self->reply);
}

static bool is_name(ck_bytes name, const char *wanted) {
  return name.len == strlen(wanted) && strncasecmp(name.data, wanted, name.len) == 0;
}

static void take_type(ck_model_answer *self, ck_bytes value) {
  size_t len = 0;
  while (len < value.len && value.data[len] != ';' && value.data[len] != ' ') len++;
  snprintf(self->type_text, sizeof self->type_text, "%.*s",
           (int)(len < sizeof self->type_text ? len : sizeof self->type_text - 1), value.data);
  ck_bytes type = {value.data, len};
  self->type = is_name(type, "application/json")    ? CK_MODEL_BODY_JSON
               : is_name(type, "text/event-stream") ? CK_MODEL_BODY_EVENTS
                                                    : CK_MODEL_BODY_OTHER;
}

/* The more exact retry-after-ms counts, whatever the order of the headers. */
void ck_model_answer_header(ck_model_answer *self, ck_bytes name, ck_bytes value) {
  if (is_name(name, "content-type"))
    take_type(self, value);
  else if (is_name(name, "retry-after-ms"))
    self->retry_after_ms = ck_retry_after_ms(value);
  else if (is_name(name, "retry-after") && self->retry_after_ms < 0)
    self->retry_after_ms = ck_retry_after(value, self->now_wall_ms);
  else if (is_name(name, "x-should-retry"))
    self->should_retry = ck_bytes_equal(value, ck_bytes_text("true"));
}

static bool is_success(int code) { return code >= 200 && code < 300; }

bool ck_model_answer_data(ck_model_answer *self, int code, ck_bytes chunk) {
  if (is_success(code) && self->type == CK_MODEL_BODY_EVENTS)
    return ck_sse_feed(&self->sse, chunk, &self->broken) == CK_OK;
  bool kept = is_success(code) && self->type == CK_MODEL_BODY_JSON;
  size_t room = kept ? SIZE_MAX : REFUSAL_MAX - self->body.len;
  ck_buffer_append(&self->body, chunk.data, chunk.len < room ? chunk.len : room);
  return !self->body.failed;
}

/* ---- result ---- */

/* An answer that another attempt would not change is not requested again: each attempt costs
 * money. */
static void judge_transport(ck_model_fault *out, const ck_http_end *end) {
  bool passing = end->ending == CK_HTTP_UNREACHED || end->ending == CK_HTTP_BROKEN ||
                 end->ending == CK_HTTP_LATE;
  ck_status status = end->ending == CK_HTTP_UNUSABLE ? CK_E_REQUEST : CK_E_UNAVAILABLE;
  ck_model_fault_set(out, status, passing, "%s", end->text);
}

/* A stream that has no end of its own, and came whole with the usage of all of it. */
static void end_by_usage(ck_model_answer *self) {
  ck_model_reply *reply = &self->reply;
  if (reply->final && !reply->unreadable && reply->fault.len == 0) end_by_mark(reply, self->format);
}

static ck_status read_stream(ck_model_answer *self, ck_model_fault *fault, ck_error *err) {
  if (self->reply.ended) return self->format->finish(&self->reply, err);
  ck_model_fault_set(fault, CK_E_UNAVAILABLE, true, "the stream ended before the message did");
  return CK_OK;
}

static ck_status read_body(ck_model_answer *self, ck_error *err) {
  ck_bytes body = ck_buffer_bytes(&self->body);
  ck_buffer mended = {0};
  ck_status status = check_json(&body, &mended, err);
  if (status == CK_E_PARSE) ck_error_prefix(err, "the answer is no JSON");
  if (!status && ck_json_type_of(body) != CK_JSON_OBJECT)
    status = ck_error_set(err, CK_E_PARSE, "the answer is no object");
  if (!status) take_model(&self->reply, body);
  if (!status) status = self->format->read(&self->reply, body, err);
  ck_buffer_clear(&mended);
  return status;
}

/* The reply's message, or the fault in it. */
static ck_status read_answer(ck_value **out, ck_model_fault *fault, ck_model_answer *self,
                             ck_error *err) {
  if (self->type == CK_MODEL_BODY_OTHER) {
    ck_model_fault_set(
        fault, CK_E_UNAVAILABLE, false,
        "it answers with content type '%s' where JSON is expected: is base_url right?",
        self->type_text);
    return CK_OK;
  }
  ck_status status =
      self->type == CK_MODEL_BODY_EVENTS ? read_stream(self, fault, err) : read_body(self, err);
  if (!status) status = ck_buffer_check(&self->reply.refusal, err);
  if (!status && self->reply.message.len > 0)
    status = ck_value_new(out, ck_buffer_bytes(&self->reply.message), err);
  return status;
}

/* A stream that has announced its end is complete, whatever then becomes of the connection: it was
 * paid for. */
static bool is_whole(const ck_model_answer *self) {
  return self->type == CK_MODEL_BODY_EVENTS && self->reply.ended && self->reply.fault.len == 0 &&
         !self->broken.status;
}

/* The provider has told what all of it costs. */
static bool is_stated(const ck_model_answer *self) {
  const ck_model_reply *reply = &self->reply;
  bool whole = self->type != CK_MODEL_BODY_EVENTS || reply->final;
  return reply->usage.known && whole && !reply->unreadable;
}

/* It was sent, and nothing tells what it costs. An error in the place of an answer costs nothing,
 * unless it says otherwise; one that comes when the message has begun may. */
static bool is_lost(const ck_model_answer *self, const ck_http_end *end) {
  const ck_model_reply *reply = &self->reply;
  bool begun = ck_model_reply_is_begun(reply);
  bool refused = end->code >= 300 || (reply->fault.len > 0 && !begun);
  bool stranger = end->ending == CK_HTTP_ANSWERED &&
                  self->type == CK_MODEL_BODY_OTHER; /* no provider of models */
  return end->sent && !is_stated(self) && ((!refused && !stranger) || reply->unreadable);
}

/* A body that is shorter than was announced (RFC 9112, 8: incomplete), or that nothing ended. No
 * beginning of a JSON object is one: where the object is there, so is the answer, and it was paid
 * for. */
static ck_status read_short(ck_value **out, ck_model_fault *fault, ck_model_answer *self,
                            const ck_http_end *end, ck_error *err) {
  bool is_short = end->ending == CK_HTTP_BROKEN || end->ending == CK_HTTP_LATE;
  ck_error half = CK_ERROR_INIT;
  if (!is_short || self->type != CK_MODEL_BODY_JSON) return CK_OK;
  ck_status status = read_answer(out, fault, self, &half);
  return status == CK_E_NO_MEMORY ? ck_error_no_memory(err) : CK_OK;
}

/* The message, or the fault of an answer that was accepted. */
static ck_status judge(ck_value **out, ck_model_fault *fault, ck_model_answer *self,
                       const ck_http_end *end, ck_error *err) {
  ck_error *broken = &self->broken;
  bool answered = end->ending == CK_HTTP_ANSWERED, refused = end->ending == CK_HTTP_REFUSED;
  if (answered && self->type == CK_MODEL_BODY_EVENTS && self->format->end_mark) end_by_usage(self);
  if (answered || is_whole(self))
    broken->status = read_answer(out, fault, self, broken);
  else if (read_short(out, fault, self, end, broken))
    return ck_error_no_memory(err);
  if (broken->status == CK_E_NO_MEMORY) return ck_error_no_memory(err);
  if (*out && !answered) snprintf(self->early, sizeof self->early, "%s", end->text);
  if (self->reply.fault.len > 0)
    ck_model_fault_read(fault, 0, ck_buffer_bytes(&self->reply.fault));
  else if (broken->status)
    ck_model_fault_set(fault, CK_E_UNAVAILABLE, true, "%s", broken->text);
  else if (!answered && !refused && !*out)
    judge_transport(fault, end);
  return CK_OK;
}

ck_status ck_model_answer_end(ck_value **out, ck_model_fault *fault, ck_model_answer *self,
                              const ck_http_end *end, ck_error *err) {
  ck_bytes body = ck_buffer_bytes(&self->body);
  ck_status status = CK_OK;
  *out = NULL;
  *fault = (ck_model_fault){0};
  if (end->ending == CK_HTTP_NO_MEMORY || self->broken.status == CK_E_NO_MEMORY ||
      self->body.failed)
    return ck_error_no_memory(err);
  if (self->open.len && !self->broken.status) /* a failure is the stream's */
    (void)!end_wait(self, (ck_bytes){0}, &self->broken);
  if (self->broken.status == CK_E_NO_MEMORY) return ck_error_no_memory(err);
  ck_model_take_usage(&self->reply, self->format, body);
  if (end->code >= 300 && self->retry_after_ms < 0)
    self->retry_after_ms = ck_model_fault_wait(body);
  if (end->code >= 300)
    ck_model_fault_read(fault, end->code, body);
  else
    status = judge(out, fault, self, end, err);
  if (self->reply.fault.len > 0 && self->retry_after_ms < 0)
    self->retry_after_ms = ck_model_fault_wait(ck_buffer_bytes(&self->reply.fault));
  fault->lost = *out ? !is_stated(self) : is_lost(self, end);
  return status;
}
