/* otlp_export.c - goes over all events, and writes a span where an effect ends. */
#include "core/runtime/portable/otlp_export.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/model/effect.h"
#include "core/runtime/ledger/ledger_body.h"
#include "core/runtime/portable/message.h"
#include "core/runtime/portable/otlp_effect.h"
#include "core/runtime/session/tail/abandoned.h"

enum { CALLS_MAX = 64 }; /* of an answer, that are told apart */

/* An agent in a scope, or a scope where none takes part. */
typedef struct talk {
  char *scope, *agent;
  char id[CK_OTLP_ID_SIZE];
  int64_t begin, end;
  ck_buffer given;  /* messages that no call was given yet, behind each other with commas */
  int64_t fresh;    /* how many those are */
  int64_t earlier;  /* and how many were given */
  ck_value *said;   /* the last message of the model; NULL */
  uint64_t matched; /* its calls that a tool is known of */
} talk;

/* Begun, without an outcome so far. */
typedef struct begun {
  char *key;
  ck_value *intent;
  size_t talk;
  int64_t seq, at;
  ck_buffer given;
  int64_t earlier;
  bool left;
} begun;

typedef struct writing {
  const ck_head *head;
  ck_redactor *redactor;
  char trace[CK_OTLP_TRACE_SIZE], root[CK_OTLP_ID_SIZE];
  int64_t begin, end; /* of the session */
  ck_abandoned abandoned;
  talk *talks;
  size_t talk_count, talk_cap;
  begun *open;
  size_t open_count, open_cap;
  ck_buffer *out;
  bool any; /* a span was written */
  ck_status status;
  ck_error *err;
} writing;

/* ---- agents ---- */

static bool is_same(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

static ck_status add_talk(writing *self, const ck_event *event) {
  talk *list = ck_array_grow(self->talks, self->talk_count, &self->talk_cap, sizeof *list);
  if (!list) return ck_error_no_memory(self->err);
  self->talks = list;
  talk *of = &list[self->talk_count++];
  *of = (talk){.begin = ck_otlp_time(event->at_ms, event->seq)};
  ck_otlp_span_id(of->id, self->head->session.id, event->seq, "agent");
  ck_status status = ck_text_replace(&of->scope, event->scope, self->err);
  return status == CK_OK ? ck_text_replace(&of->agent, event->agent, self->err) : status;
}

static ck_status find_talk(size_t *out, writing *self, const ck_event *event) {
  for (*out = 0; *out < self->talk_count; ++*out) {
    const talk *at = &self->talks[*out];
    if (is_same(at->scope, event->scope) && is_same(at->agent, event->agent)) return CK_OK;
  }
  return add_talk(self, event);
}

/* The agent that is at work in a scope: the last one that did something. NULL: none. */
static const talk *find_agent(const writing *self, const char *scope, size_t len) {
  const talk *found = NULL;
  for (size_t i = 0; i < self->talk_count; i++) {
    const talk *at = &self->talks[i];
    bool here = strlen(at->scope) == len && memcmp(at->scope, scope, len) == 0;
    if (at->agent && here && (!found || at->end > found->end)) found = at;
  }
  return found;
}

/* The span around: of the scope's agent, else of the nearest one outside of it. */
static const char *parent_of(const writing *self, const talk *of, bool within) {
  const talk *found = NULL;
  if (within && of->agent) return of->id;
  for (size_t len = strlen(of->scope); len && !found;) {
    if (within) found = find_agent(self, of->scope, len);
    within = true;
    do len--;
    while (len && of->scope[len] != '.');
  }
  return found ? found->id : self->root;
}

static void add_message(talk *to, ck_bytes message) {
  if (to->given.len) ck_buffer_append_char(&to->given, ',');
  ck_buffer_append_bytes(&to->given, message);
  to->fresh++;
}

/* What the model said is known of its own span. */
static ck_status take_message(writing *self, size_t at, const ck_event *event) {
  talk *of = &self->talks[at];
  ck_bytes message = ck_json_get(ck_value_bytes(event->body), "message");
  if (ck_json_type_of(message) != CK_JSON_OBJECT) return CK_OK;
  if (ck_abandoned_has_record(&self->abandoned, event)) return CK_OK;
  bool answers = event->kind == CK_EVENT_OUTCOME && ck_message_is(message, "assistant");
  if (!answers) add_message(of, message);
  if (!ck_message_is(message, "assistant")) return ck_buffer_check(&of->given, self->err);
  of->earlier += answers;
  of->matched = 0;
  ck_value_free(of->said);
  of->said = NULL;
  return ck_value_copy(&of->said, message, self->err);
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

static void clear_begun(begun *self) {
  free(self->key);
  ck_value_free(self->intent);
  ck_buffer_clear(&self->given);
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
                           .given = ck_buffer_bytes(&of.given),
                           .earlier = of.earlier,
                           .left = of.left};
  ck_otlp_span span = {.begin = of.at,
                       .end = outcome ? ck_otlp_time(outcome->at_ms, outcome->seq) : self->end};
  memcpy(span.parent, parent_of(self, &self->talks[of.talk], true), sizeof span.parent);
  ck_status status = was_called(&effect) ? write_effect(self, &effect, &span, of.seq) : CK_OK;
  clear_begun(&of);
  return status;
}

/* A model's call takes what was said since the one before; one that was left behind takes nothing
 * from those that count, and one that brings messages of its own has these. */
static void give(writing *self, begun *to) {
  talk *from = &self->talks[to->talk];
  ck_bytes body = ck_value_bytes(to->intent), kind = ck_json_get(body, "kind");
  if (to->left || ck_ledger_was_denied(body) ||
      !ck_json_is_text(kind, ck_effect_kind_name(CK_EFFECT_MODEL)))
    return;
  ck_bytes own = ck_json_get(ck_json_get(body, "request"), "messages");
  if (own.len) {
    ck_buffer_append_bytes(&to->given, own);
    return;
  }
  ck_buffer_append_char(&to->given, '[');
  ck_buffer_append_bytes(&to->given, ck_buffer_bytes(&from->given));
  ck_buffer_append_char(&to->given, ']');
  ck_buffer_reset(&from->given);
  to->earlier = from->earlier;
  from->earlier += from->fresh;
  from->fresh = 0;
}

static void match(talk *of, ck_bytes intent) {
  int64_t index = -1;
  ck_json_read_int(&index, ck_json_get(ck_json_get(intent, "request"), "index"));
  if (index >= 0 && index < CALLS_MAX) of->matched |= UINT64_C(1) << index;
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
  match(&self->talks[at], ck_value_bytes(event->body));
  give(self, of);
  return ck_buffer_check(&of->given, self->err);
}

/* A flow's own tool has no intent: it is the first call of its name of which nothing is known. */
static ck_status find_call(ck_otlp_effect *to, talk *of, ck_error *err) {
  ck_message_calls calls = {0};
  ck_bytes name = ck_json_get(to->outcome, "name");
  if (!of->said || !name.len) return CK_OK;
  ck_message_calls_read(&calls, ck_value_bytes(of->said));
  ck_status status = calls.failed ? ck_error_no_memory(err) : CK_OK;
  for (size_t i = 0; i < calls.count && i < CALLS_MAX; i++) {
    if (of->matched >> i & 1 || !ck_bytes_equal(calls.list[i].name, name)) continue;
    of->matched |= UINT64_C(1) << i;
    to->call_id = calls.list[i].id;
    to->arguments = calls.list[i].arguments;
    break;
  }
  ck_message_calls_clear(&calls);
  return status;
}

/* As of imported sessions, and of tools that are a flow's own. */
static ck_status write_sudden(writing *self, size_t at, const ck_event *event) {
  ck_otlp_effect effect = {.session = self->head->session.id,
                           .outcome = ck_value_bytes(event->body),
                           .left = ck_abandoned_has_record(&self->abandoned, event)};
  talk *of = &self->talks[at];
  begun asked = {.intent = event->body, .talk = at, .left = effect.left};
  int64_t when = ck_otlp_time(event->at_ms, event->seq);
  ck_otlp_span span = {.begin = when, .end = when};
  ck_status status = find_call(&effect, of, self->err);
  give(self, &asked);
  effect.given = ck_buffer_bytes(&asked.given), effect.earlier = asked.earlier;
  memcpy(span.parent, parent_of(self, of, true), sizeof span.parent);
  if (status == CK_OK) status = ck_buffer_check(&asked.given, self->err);
  if (status == CK_OK) status = write_effect(self, &effect, &span, event->seq);
  ck_buffer_clear(&asked.given);
  return status;
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
  self->status = find_talk(&at, self, event);
  if (self->status != CK_OK) return false;
  if (self->talks[at].end < when) self->talks[at].end = when;
  if (event->kind == CK_EVENT_MESSAGE) self->status = take_message(self, at, event);
  if (event->kind == CK_EVENT_INTENT) self->status = take_intent(self, at, event);
  if (event->kind == CK_EVENT_OUTCOME) self->status = take_outcome(self, at, event);
  return self->status == CK_OK;
}

/* ---- the document ---- */

static ck_status write_agent(writing *self, const talk *of) {
  ck_otlp_span span = {.begin = of->begin, .end = of->end};
  memcpy(span.id, of->id, sizeof span.id);
  memcpy(span.parent, parent_of(self, of, false), sizeof span.parent);
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
  for (size_t i = 0; status == CK_OK && i < self->talk_count; i++)
    if (self->talks[i].agent) status = write_agent(self, &self->talks[i]);
  return status == CK_OK ? write_root(self) : status;
}

static void clear(writing *self) {
  for (size_t i = 0; i < self->talk_count; i++) {
    free(self->talks[i].scope);
    free(self->talks[i].agent);
    ck_buffer_clear(&self->talks[i].given);
    ck_value_free(self->talks[i].said);
  }
  for (size_t i = 0; i < self->open_count; i++) clear_begun(&self->open[i]);
  free(self->talks);
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
