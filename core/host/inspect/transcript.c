/* transcript.c - one event after the other: messages as quotes, calls as code, the rest as lines.
 */
#include "core/host/inspect/transcript.h"

#include "core/base/text.h"
#include "core/host/inspect/runs.h"
#include "core/host/print/format.h"
#include "core/host/print/markdown.h"
#include "core/host/session/fields.h"
#include "core/runtime/portable/message.h"
#include "core/runtime/session/tail/abandoned.h"
#include "core/runtime/session/tail/describe.h"

typedef struct writing {
  ck_buffer *out;
  ck_redactor *redactor;
  ck_abandoned abandoned;
  ck_buffer text, clean;
  ck_status status;
  ck_error *err;
} writing;

typedef void append_as(ck_buffer *out, ck_bytes text);

/* `self->text`, without secrets, in that form. */
static void put(writing *self, append_as *append) {
  ck_buffer_reset(&self->clean);
  if (self->status == CK_OK)
    self->status = ck_redactor_apply_text(&self->clean, self->redactor, CK_SINK_EXPORT,
                                          ck_buffer_bytes(&self->text), self->err);
  if (self->status == CK_OK) append(self->out, ck_buffer_bytes(&self->clean));
  ck_buffer_reset(&self->text);
}

static void put_plain(writing *self, ck_bytes text) {
  ck_buffer_append_bytes(&self->text, text);
  put(self, ck_markdown_append_plain);
}

/* A string decoded; of anything else, its JSON. */
static void put_value(writing *self, ck_bytes json, append_as *append) {
  if (!ck_json_read_string(&self->text, json)) ck_buffer_append_bytes(&self->text, json);
  put(self, append);
}

static void put_heading(writing *self, const char *level, const ck_event *event, ck_bytes role) {
  ck_buffer_append_format(self->out, "%s %lld ", level, (long long)event->seq);
  put_value(self, role, ck_markdown_append_plain);
  if (event->agent) {
    ck_buffer_append_text(self->out, " · ");
    put_plain(self, ck_bytes_text(event->agent));
  }
  int64_t cost = 0;
  if (ck_json_read_int(&cost, ck_json_get(ck_value_bytes(event->body), "cost")) && cost > 0) {
    ck_buffer_append_text(self->out, " · ");
    ck_format_money(self->out, cost);
  }
  ck_buffer_append_text(self->out, "\n\n");
}

static void put_calls(writing *self, ck_bytes message) {
  ck_message_calls calls = {0};
  ck_message_calls_read(&calls, message);
  for (size_t i = 0; i < calls.count; i++) {
    ck_buffer_append_text(self->out, "calls **");
    put_value(self, calls.list[i].name, ck_markdown_append_plain);
    ck_buffer_append_text(self->out, "**\n\n");
    put_value(self, calls.list[i].arguments, ck_markdown_append_code);
  }
  if (calls.failed && self->status == CK_OK) self->status = ck_error_no_memory(self->err);
  ck_message_calls_clear(&calls);
}

static void put_refusal(writing *self, ck_bytes words) {
  if (!words.len) return;
  ck_buffer_append_text(self->out, "refuses to answer:\n\n");
  ck_json_read_string(&self->text, words);
  put(self, ck_markdown_append_quote);
}

static void put_pause(writing *self, ck_bytes outcome) {
  bool goes_on = false;
  if (ck_json_read_bool(&goes_on, ck_json_get(outcome, "goes_on")) && goes_on)
    ck_buffer_append_text(self->out, "its provider paused this turn; it goes on below\n\n");
}

static void put_message(writing *self, const ck_event *event, ck_bytes message) {
  bool is_result = ck_message_is(message, "tool");
  ck_bytes name = ck_json_get(message, "name");
  if (!name.len) name = ck_json_get(message, "toolName");
  put_heading(self, is_result ? "###" : "##", event,
              is_result && name.len ? name : ck_json_get(message, "role"));
  ck_message_append_text(&self->text, ck_json_get(message, "content"));
  if (self->text.len) put(self, is_result ? ck_markdown_append_code : ck_markdown_append_quote);
  put_refusal(self, ck_json_get(ck_value_bytes(event->body), "refusal"));
  put_pause(self, ck_value_bytes(event->body));
  put_calls(self, message);
}

static void put_line(writing *self, const ck_event *event) {
  ck_buffer_append_format(self->out, "%lld **%s** ", (long long)event->seq,
                          ck_event_kind_name(event->kind));
  ck_describe_event(&self->text, event);
  put(self, ck_markdown_append_plain);
  ck_buffer_append_text(self->out, "\n\n");
}

static void put_checkpoint(writing *self, const ck_event *event, ck_bytes id) {
  ck_buffer_append_format(self->out, "%lld *checkpoint, ", (long long)event->seq);
  put_value(self, ck_json_get(ck_value_bytes(event->body), "kind"), ck_markdown_append_plain);
  ck_buffer_append_text(self->out, "* ");
  put_value(self, id, ck_markdown_append_plain);
  ck_buffer_append_text(self->out, "\n\n");
}

/* An intent is told by its outcome, a boundary without a checkpoint by nothing. */
static bool is_silent(ck_event_kind kind) {
  return kind == CK_EVENT_INTENT || kind == CK_EVENT_BOUNDARY || kind == CK_EVENT_REPLAY ||
         kind == CK_EVENT_SAVING;
}

static bool visit(void *to, const ck_event *event) {
  writing *self = to;
  if (ck_abandoned_has_record(&self->abandoned, event)) return true;
  ck_bytes body = ck_value_bytes(event->body);
  ck_bytes message = ck_json_get(body, "message"), checkpoint = ck_json_get(body, "checkpoint");
  bool is_message = event->kind == CK_EVENT_MESSAGE || event->kind == CK_EVENT_OUTCOME;
  if (is_message && ck_json_type_of(message) == CK_JSON_OBJECT)
    put_message(self, event, message);
  else if (event->kind == CK_EVENT_BOUNDARY && checkpoint.len)
    put_checkpoint(self, event, checkpoint);
  else if (!is_silent(event->kind))
    put_line(self, event);
  return self->status == CK_OK;
}

static void put_beginning(writing *self, const ck_head *head, const ck_totals *totals) {
  const ck_session_record *session = &head->session;
  ck_buffer_append_text(self->out, "# ");
  put_plain(self, ck_bytes_text(session->id));
  ck_buffer_append_format(self->out, "\n\n%s", ck_session_status_name(session->status));
  if (session->profile) {
    ck_buffer_append_text(self->out, " · profile ");
    put_plain(self, ck_bytes_text(session->profile));
  }
  if (session->flow) {
    ck_buffer_append_text(self->out, " · flow ");
    put_plain(self, ck_bytes_text(session->flow));
  }
  ck_buffer_append_text(self->out, " · begun ");
  ck_format_time(self->out, session->created_ms);
  ck_buffer_append_text(self->out, " UTC · ");
  ck_fields_format_cost(self->out, totals);
  ck_buffer_append_format(self->out, " · %lld + %lld tokens\n\n", (long long)totals->input_tokens,
                          (long long)totals->output_tokens);
}

static ck_status put_events(writing *self, const ck_inspection *inspection) {
  const ck_head *head = &inspection->head;
  ck_view view;
  ck_status status =
      ck_view_make(&view, head->timelines, head->timeline_count, head->session.timeline, self->err);
  ck_event_query query = {.session = head->session.no, .view = &view};
  if (status == CK_OK)
    status =
        ck_abandoned_read(&self->abandoned, inspection->store, query.session, &view, 0, self->err);
  if (status == CK_OK)
    status = ck_store_read_events(inspection->store, &query, visit, self, self->err);
  ck_abandoned_clear(&self->abandoned);
  ck_view_clear(&view);
  return status == CK_OK ? self->status : status;
}

ck_status ck_transcript_write(ck_buffer *out, const ck_inspection *inspection, ck_output *output,
                              ck_error *err) {
  writing self = {.out = out, .redactor = output->redactor, .err = err};
  ck_totals totals;
  ck_status status = ck_runs_read_totals(&totals, inspection->store, &inspection->head, err);
  if (status == CK_OK) {
    put_beginning(&self, &inspection->head, &totals);
    status = put_events(&self, inspection);
  }
  if (status == CK_OK) status = ck_buffer_check(out, err);
  ck_buffer_clear(&self.text);
  ck_buffer_clear(&self.clean);
  return status;
}
