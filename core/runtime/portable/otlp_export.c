/* otlp_export.c - goes over all events, and writes a span where an effect ends. */
#include "core/runtime/portable/otlp_export.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/json.h"
#include "core/model/effect.h"
#include "core/runtime/ledger/ledger_body.h"
#include "core/runtime/portable/message.h"
#include "core/runtime/portable/otlp_effect.h"
#include "core/runtime/portable/otlp_talk.h"
#include "core/runtime/session/tail/abandoned.h"

/* Begun, without an outcome so far. */
typedef struct begun {
  char *key;
  ck_value *intent;
  size_t talk;
  int64_t seq, at;
  ck_otlp_given given;
  bool left;
} begun;

typedef struct writing {
  const ck_head *head;
  ck_redactor *redactor;
  char trace[CK_OTLP_TRACE_SIZE], root[CK_OTLP_ID_SIZE];
  int64_t begin, end; /* of the session */
  ck_abandoned abandoned;
  ck_otlp_talks talks;
  begun *open;
  size_t open_count, open_cap;
  ck_buffer *out;
  bool any; /* a span was written */
  ck_status status;
  ck_error *err;
} writing;

static void place_within(ck_otlp_span *span, const writing *self, const ck_otlp_talk *of,
                         bool within) {
  const char *around = ck_otlp_talks_around(&self->talks, of, within);
  memcpy(span->parent, around ? around : self->root, sizeof span->parent);
}

/* ---- effects ---- */

static ck_status write_span(writing *self, const ck_otlp_span *span) {
  if (self->any) ck_buffer_append_text(self->out, ",\n");
  self->any = true;
  return ck_otlp_span_write(self->out, span, self->trace, self->redactor, self->err);
}

/* `seq` names the span: that of the intent, else of the outcome. */
static ck_status write_effect(writing *self, const ck_otlp_effect *effect, ck_otlp_span *span,
                              int64_t seq) {
  ck_otlp_span_id(span->id, self->head->session.id, seq, "effect");
  ck_otlp_span_put_int(span, "ckrun.event.seq", seq);
  ck_status status = ck_otlp_effect_put(span, effect, self->redactor, self->err);
  if (status == CK_OK) status = write_span(self, span);
  ck_otlp_span_clear(span);
  return status;
}

/* What was said that no call of a model was given: a span without length for each message. The
 * results of tools have spans of their own. */
static ck_status write_unheard(writing *self, const ck_otlp_given *given, const ck_otlp_talk *of) {
  ck_status status = CK_OK;
  ck_json_iterator seqs = ck_json_iterate(ck_buffer_bytes(&given->seqs)),
                   times = ck_json_iterate(ck_buffer_bytes(&given->times)),
                   it = ck_json_iterate(ck_buffer_bytes(&given->messages));
  while (status == CK_OK && ck_json_next(&it) && ck_json_next(&seqs) && ck_json_next(&times)) {
    int64_t seq = 0, at_ms = 0;
    if (ck_message_is_result(it.value)) continue;
    ck_json_read_int(&seq, seqs.value);
    ck_json_read_int(&at_ms, times.value);
    ck_otlp_span span = {.begin = ck_otlp_time(at_ms, seq), .end = ck_otlp_time(at_ms, seq)};
    ck_otlp_span_id(span.id, self->head->session.id, seq, "message");
    place_within(&span, self, of, true);
    status = ck_otlp_effect_put_message(&span, it.value, seq, self->redactor, self->err);
    if (status == CK_OK) status = write_span(self, &span);
    ck_otlp_span_clear(&span);
  }
  return status;
}

static void clear_begun(begun *self) {
  free(self->key);
  ck_value_free(self->intent);
  ck_otlp_given_clear(&self->given);
}

/* A recording had no answer any more: nothing was called. */
static bool was_called(const ck_otlp_effect *effect) {
  ck_bytes status = ck_json_get(effect->outcome, "status");
  return !ck_json_is_text(status, ck_outcome_status_name(CK_OUTCOME_ENDED));
}

static ck_status close(writing *self, size_t index, const ck_event *outcome) {
  begun of = self->open[index];
  self->open[index] = self->open[--self->open_count];
  ck_otlp_effect effect = {.session = self->head->session.id,
                           .intent = ck_value_bytes(of.intent),
                           .outcome = outcome ? ck_value_bytes(outcome->body) : (ck_bytes){0},
                           .given = &of.given,
                           .outcome_seq = outcome ? outcome->seq : 0,
                           .left = of.left};
  ck_otlp_span span = {.begin = of.at,
                       .end = outcome ? ck_otlp_time(outcome->at_ms, outcome->seq) : self->end};
  place_within(&span, self, &self->talks.list[of.talk], true);
  ck_status status = was_called(&effect)
                         ? write_effect(self, &effect, &span, of.seq)
                         : write_unheard(self, &of.given, &self->talks.list[of.talk]);
  clear_begun(&of);
  return status;
}

/* A model's call takes what was said since the one before; one that was left behind takes nothing
 * from those that count, and one that brings messages of its own has these. */
static void give(writing *self, begun *to) {
  ck_bytes body = ck_value_bytes(to->intent), kind = ck_json_get(body, "kind");
  if (to->left || ck_ledger_was_denied(body) ||
      !ck_json_is_text(kind, ck_effect_kind_name(CK_EFFECT_MODEL)))
    return;
  ck_bytes own = ck_json_get(ck_json_get(body, "request"), "messages");
  if (own.len) {
    ck_buffer_append_bytes(&to->given.messages, own);
    return;
  }
  ck_otlp_talk_give(&to->given, &self->talks.list[to->talk]);
}

static ck_status open(writing *self, size_t at, const ck_event *event) {
  begun *list = ck_array_grow(self->open, self->open_count, &self->open_cap, sizeof *list);
  if (!list) return ck_error_no_memory(self->err);
  self->open = list;
  begun *of = &list[self->open_count++];
  *of = (begun){.intent = ck_value_share(event->body),
                .talk = at,
                .seq = event->seq,
                .at = ck_otlp_time(event->at_ms, event->seq),
                .left = ck_abandoned_has_record(&self->abandoned, event)};
  of->key = ck_json_dup_string(ck_json_get(ck_value_bytes(event->body), "key"));
  if (!of->key) return ck_error_no_memory(self->err);
  ck_otlp_talk_match(&self->talks.list[at], ck_value_bytes(event->body));
  give(self, of);
  return ck_otlp_given_check(&of->given, self->err);
}

/* As of imported sessions, and of tools that are a flow's own. */
static ck_status write_sudden(writing *self, size_t at, const ck_event *event) {
  ck_otlp_effect effect = {.session = self->head->session.id,
                           .outcome = ck_value_bytes(event->body),
                           .outcome_seq = event->seq,
                           .left = ck_abandoned_has_record(&self->abandoned, event)};
  ck_otlp_talk *of = &self->talks.list[at];
  begun asked = {.intent = event->body, .talk = at, .left = effect.left};
  effect.given = &asked.given;
  int64_t when = ck_otlp_time(event->at_ms, event->seq);
  ck_otlp_span span = {.begin = when, .end = when};
  ck_status status = ck_otlp_talk_find_call(&effect, of, self->err);
  give(self, &asked);
  place_within(&span, self, of, true);
  if (status == CK_OK) status = ck_otlp_given_check(&asked.given, self->err);
  if (status == CK_OK) status = write_effect(self, &effect, &span, event->seq);
  ck_otlp_given_clear(&asked.given);
  return status;
}

/* A message of another branch is told nobody. */
static ck_status take_message(writing *self, size_t at, const ck_event *event) {
  if (ck_abandoned_has_record(&self->abandoned, event)) return CK_OK;
  return ck_otlp_talk_take(&self->talks.list[at], event, self->err);
}

/* An outcome is that of the last intent before it with its key. */
static ck_status take_outcome(writing *self, size_t at, const ck_event *event) {
  ck_status status = CK_OK;
  ck_bytes key = ck_json_get(ck_value_bytes(event->body), "key");
  size_t i = self->open_count;
  while (i > 0 && !ck_json_is_text(key, self->open[i - 1].key)) i--;
  status = i ? close(self, i - 1, event) : write_sudden(self, at, event);
  return status == CK_OK ? take_message(self, at, event) : status;
}

/* One that was begun again has ended, however it did. */
static ck_status take_intent(writing *self, size_t at, const ck_event *event) {
  ck_status status = CK_OK;
  ck_bytes key = ck_json_get(ck_value_bytes(event->body), "key");
  for (size_t i = 0; status == CK_OK && i < self->open_count;)
    if (ck_json_is_text(key, self->open[i].key))
      status = close(self, i, NULL);
    else
      i++;
  return status == CK_OK ? open(self, at, event) : status;
}

/* An agent is at work where it says or does something: a boundary beside it names it as well. */
static bool visit(void *to, const ck_event *event) {
  static const uint64_t acts =
      1ull << CK_EVENT_MESSAGE | 1ull << CK_EVENT_INTENT | 1ull << CK_EVENT_OUTCOME;
  writing *self = to;
  size_t at;
  int64_t when = ck_otlp_time(event->at_ms, event->seq);
  if (!self->begin) self->begin = when;
  self->end = when > self->end ? when : self->end;
  if (!(acts >> event->kind & 1)) return true;
  self->status = ck_otlp_talks_find(&at, &self->talks, self->head->session.id, event, self->err);
  if (self->status != CK_OK) return false;
  if (self->talks.list[at].end < when) self->talks.list[at].end = when;
  if (event->kind == CK_EVENT_MESSAGE) self->status = take_message(self, at, event);
  if (event->kind == CK_EVENT_INTENT) self->status = take_intent(self, at, event);
  if (event->kind == CK_EVENT_OUTCOME) self->status = take_outcome(self, at, event);
  return self->status == CK_OK;
}

/* ---- the document ---- */

static ck_status write_agent(writing *self, const ck_otlp_talk *of) {
  ck_otlp_span span = {.begin = of->begin, .end = of->end};
  memcpy(span.id, of->id, sizeof span.id);
  place_within(&span, self, of, false);
  ck_buffer_append_text(&span.name, "invoke_agent ");
  ck_buffer_append_text(&span.name, of->agent);
  ck_otlp_span_put_text(&span, "gen_ai.operation.name", "invoke_agent");
  ck_otlp_span_put_text(&span, "gen_ai.agent.name", of->agent);
  ck_otlp_span_put_text(&span, "gen_ai.conversation.id", self->head->session.id);
  ck_otlp_span_put_text(&span, "ckrun.scope", of->scope);
  ck_status status = write_span(self, &span);
  ck_otlp_span_clear(&span);
  return status;
}

/* What no call came for any more, and the agent. */
static ck_status write_rest(writing *self, ck_otlp_talk *of) {
  ck_otlp_given given = {0};
  ck_otlp_talk_give(&given, of);
  ck_status status = ck_otlp_given_check(&given, self->err);
  if (status == CK_OK) status = write_unheard(self, &given, of);
  ck_otlp_given_clear(&given);
  return status == CK_OK && of->agent ? write_agent(self, of) : status;
}

/* What an imported session's source says of the whole: its calls do not tell it. */
static void put_totals(ck_otlp_span *to, const ck_session_record *session) {
  int64_t cost = -1, input = 0, output = 0;
  if (!session->input) return;
  ck_bytes from = ck_json_get(ck_value_bytes(session->input), "import");
  if (ck_json_read_int(&cost, ck_json_get(from, "cost")) && cost >= 0)
    ck_otlp_span_put_money(to, "ckrun.session.cost", cost);
  if (ck_json_read_int(&input, ck_json_get(from, "input_tokens")))
    ck_otlp_span_put_int(to, "ckrun.session.input_tokens", input);
  if (ck_json_read_int(&output, ck_json_get(from, "output_tokens")))
    ck_otlp_span_put_int(to, "ckrun.session.output_tokens", output);
}

static ck_status write_root(writing *self) {
  const ck_session_record *session = &self->head->session;
  ck_otlp_span span = {.begin = self->begin, .end = self->end};
  ck_buffer reason = {0};
  memcpy(span.id, self->root, sizeof span.id);
  const char *flow = ck_session_flow_name(session);
  ck_buffer_append_text(&span.name, "invoke_workflow");
  if (flow) ck_buffer_append_format(&span.name, " %s", flow);
  ck_otlp_span_put_text(&span, "gen_ai.workflow.name", flow);
  ck_otlp_span_put_text(&span, "gen_ai.operation.name", "invoke_workflow");
  ck_otlp_span_put_text(&span, "gen_ai.conversation.id", session->id);
  ck_otlp_span_put_text(&span, "ckrun.status", ck_session_status_name(session->status));
  ck_otlp_span_put_text(&span, "ckrun.profile", session->profile);
  put_totals(&span, session);
  span.failed = session->status == CK_SESSION_FAILED;
  if (session->reason) ck_json_append_string(&reason, ck_bytes_text(session->reason));
  span.error = ck_buffer_bytes(&reason);
  if (span.failed)
    ck_otlp_span_put_text(&span, "error.type", session->failure ? session->failure : "failed");
  ck_status status = ck_buffer_check(&reason, self->err);
  if (status == CK_OK) status = write_span(self, &span);
  ck_otlp_span_clear(&span);
  ck_buffer_clear(&reason);
  return status;
}

static ck_status write_ends(writing *self) {
  ck_status status = CK_OK;
  while (status == CK_OK && self->open_count) status = close(self, 0, NULL);
  for (size_t i = 0; status == CK_OK && i < self->talks.count; i++) {
    status = write_rest(self, &self->talks.list[i]);
  }
  return status == CK_OK ? write_root(self) : status;
}

static void clear(writing *self) {
  for (size_t i = 0; i < self->open_count; i++) clear_begun(&self->open[i]);
  ck_otlp_talks_clear(&self->talks);
  free(self->open);
  ck_abandoned_clear(&self->abandoned);
}

static ck_status read(writing *self, ck_store *store) {
  const ck_head *head = self->head;
  ck_view view = {0};
  ck_event_query all = {.session = head->session.no};
  ck_status status =
      ck_view_make(&view, head->timelines, head->timeline_count, head->session.timeline, self->err);
  if (status == CK_OK)
    status = ck_abandoned_read(&self->abandoned, store, all.session, &view, 0, self->err);
  if (status == CK_OK) status = ck_store_read_events(store, &all, visit, self, self->err);
  if (status == CK_OK) status = self->status;
  if (status == CK_OK) status = write_ends(self);
  ck_view_clear(&view);
  return status;
}

ck_status ck_otlp_export(ck_buffer *out, ck_store *store, const ck_head *head,
                         ck_redactor *redactor, ck_error *err) {
  static const char opening[] =
      "{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\","
      "\"value\":{\"stringValue\":\"ckrun\"}}]},\"scopeSpans\":[{\"scope\":{\"name\":\"ckrun\"},"
      "\"spans\":[\n";
  writing self = {.head = head, .redactor = redactor, .out = out, .err = err};
  ck_otlp_trace_id(self.trace, head->session.id);
  ck_otlp_span_id(self.root, head->session.id, 0, "session");
  ck_buffer_append_text(out, opening);
  ck_status status = read(&self, store);
  ck_buffer_append_text(out, "\n]}]}]}\n");
  clear(&self);
  return status == CK_OK ? ck_buffer_check(out, err) : status;
}
