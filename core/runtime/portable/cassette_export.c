/* cassette_export.c - writes a session as a recording that a flow can be run from again. */
#include "core/runtime/portable/cassette_export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/runtime/ledger/ledger.h"
#include "core/runtime/session/scope.h"
#include "core/runtime/session/tail/abandoned.h"

/* An event of the view, or (of the whole session) an outcome with its request. */
typedef struct item {
  int64_t seq;
  ck_event_kind kind;
  char *scope;
  ck_value *body;
  ck_value *request; /* of an outcome; NULL: not known */
} item;

typedef struct items {
  item *list;
  size_t count, cap;
} items;

/* One scope's fold so far. */
typedef struct folded {
  ck_scope *scope;
  bool masked;    /* its conversation is not what was sent */
  ck_bytes calls; /* of its last assistant message; in that event's body */
  ck_buffer lines;
} folded;

typedef struct exporting {
  ck_store *store;
  const ck_head *head;
  ck_redactor *redactor;
  ck_ledger *ledger;
  items outcomes; /* by seq */
  items view;
  ck_abandoned abandoned; /* while the view is read */
  folded *scopes;
  size_t scope_count;
  ck_buffer prompt; /* JSON string; empty: none */
  ck_status status;
  ck_error *err;
} exporting;

/* ---- events ---- */

static void clear_items(items *self) {
  for (size_t i = 0; i < self->count; i++) {
    free(self->list[i].scope);
    ck_value_free(self->list[i].body);
    ck_value_free(self->list[i].request);
  }
  free(self->list);
}

static ck_status add_item(items *self, const ck_event *event, const ck_value *request,
                          ck_error *err) {
  item *grown = ck_array_grow(self->list, self->count, &self->cap, sizeof *grown);
  if (!grown) return ck_error_no_memory(err);
  self->list = grown;
  char *scope = strdup(event->scope);
  if (!scope) return ck_error_no_memory(err);
  self->list[self->count++] = (item){.seq = event->seq,
                                     .kind = event->kind,
                                     .scope = scope,
                                     .body = ck_value_share(event->body),
                                     .request = ck_value_share(request)};
  return CK_OK;
}

/* A line of the recording is one line: a line break in JSON stands between tokens, where a space
 * says the same. Done before anything is folded, so that the digests are those of a run from the
 * recording. */
static ck_status put_on_a_line(ck_value **out, const ck_value *body, ck_error *err) {
  ck_bytes text = ck_value_bytes(body);
  ck_buffer flat = {0};
  ck_buffer_append_bytes(&flat, text);
  for (size_t i = 0; i < flat.len; i++)
    if (flat.data[i] == '\n' || flat.data[i] == '\r') flat.data[i] = ' ';
  ck_status status = ck_value_from(out, &flat, err);
  ck_buffer_clear(&flat);
  return status;
}

/* An outcome's intent is the last one before it with its key. */
static ck_status add_outcome(exporting *self, const ck_event *event) {
  ck_value *request = NULL, *body = NULL;
  char *key = ck_json_dup_string(ck_json_get(ck_value_bytes(event->body), "key"));
  const ck_ledger_entry *entry = key ? ck_ledger_get(self->ledger, key) : NULL;
  ck_value *whole = NULL;
  if (!key) return ck_error_no_memory(self->err);
  ck_status status =
      entry && entry->intent ? put_on_a_line(&whole, entry->intent, self->err) : CK_OK;
  ck_bytes span = whole ? ck_json_get(ck_value_bytes(whole), "request") : (ck_bytes){0};
  if (span.len) status = ck_value_copy(&request, span, self->err);
  ck_value_free(whole);
  if (status == CK_OK) status = put_on_a_line(&body, event->body, self->err);
  ck_event flat = *event;
  flat.body = body;
  if (status == CK_OK) status = add_item(&self->outcomes, &flat, request, self->err);
  ck_value_free(request);
  ck_value_free(body);
  free(key);
  return status;
}

static bool note_effect(void *to, const ck_event *event) {
  exporting *self = to;
  self->status = ck_ledger_apply(self->ledger, event, self->err);
  if (self->status == CK_OK && event->kind == CK_EVENT_OUTCOME)
    self->status = add_outcome(self, event);
  return self->status == CK_OK;
}

/* What a scope did again counts where it was done again. */
static bool note_event(void *to, const ck_event *event) {
  exporting *self = to;
  if (!ck_abandoned_has(&self->abandoned, event))
    self->status = add_item(&self->view, event, NULL, self->err);
  return self->status == CK_OK;
}

static ck_status read_events(exporting *self) {
  ck_view view = {0};
  ck_event_query all = {.session = self->head->session.no,
                        .kinds = 1ull << CK_EVENT_INTENT | 1ull << CK_EVENT_OUTCOME};
  ck_event_query seen = {.session = self->head->session.no,
                         .view = &view,
                         .kinds = 1ull << CK_EVENT_MESSAGE | 1ull << CK_EVENT_OUTCOME |
                                  1ull << CK_EVENT_REPLAY | 1ull << CK_EVENT_REWIND};
  ck_status status = ck_store_read_events(self->store, &all, note_effect, self, self->err);
  if (status == CK_OK) status = self->status;
  if (status == CK_OK)
    status = ck_view_make(&view, self->head->timelines, self->head->timeline_count,
                          self->head->session.timeline, self->err);
  if (status == CK_OK)
    status = ck_abandoned_read(&self->abandoned, self->store, seen.session, &view, 0, self->err);
  if (status == CK_OK)
    status = ck_store_read_events(self->store, &seen, note_event, self, self->err);
  ck_abandoned_clear(&self->abandoned);
  ck_view_clear(&view);
  return status == CK_OK ? self->status : status;
}

static int compare_seq(const void *key, const void *element) {
  int64_t seq = *(const int64_t *)key, other = ((const item *)element)->seq;
  return (seq > other) - (seq < other);
}

/* NULL: the event is no outcome and refers to none. */
static ck_status find_outcome(const item **out, const exporting *self, const item *event) {
  int64_t seq = event->seq;
  *out = NULL;
  if (event->kind != CK_EVENT_OUTCOME && event->kind != CK_EVENT_REPLAY) return CK_OK;
  if (event->kind == CK_EVENT_REPLAY)
    ck_json_read_int(&seq, ck_json_get(ck_value_bytes(event->body), "of"));
  if (self->outcomes.count)
    *out = bsearch(&seq, self->outcomes.list, self->outcomes.count, sizeof(item), compare_seq);
  if (*out) return CK_OK;
  return ck_error_set(self->err, CK_E_CORRUPT,
                      "session %s: event %" PRId64 " replays event %" PRId64
                      ", which is no outcome",
                      self->head->session.id, event->seq, seq);
}

/* ---- lines ---- */

/* Text that is masked here is not the text that was sent. */
static ck_status put_line(ck_buffer *out, bool *masked, const exporting *self,
                          const ck_buffer *json) {
  ck_value *line = NULL, *kept = NULL;
  ck_status status = ck_value_from(&line, json, self->err);
  if (status == CK_OK)
    status = ck_redactor_apply(&kept, self->redactor, CK_SINK_EXPORT, NULL, line, self->err);
  if (status == CK_OK && !kept)
    status = ck_value_copy(&kept, ck_bytes_text("{\"dropped\":true}"), self->err);
  if (status == CK_OK) {
    *masked |= !ck_bytes_equal(ck_value_bytes(kept), ck_value_bytes(line));
    ck_buffer_append_bytes(out, ck_value_bytes(kept));
    ck_buffer_append_char(out, '\n');
  }
  ck_value_free(line);
  ck_value_free(kept);
  return status;
}

/* Members that a recording has as the outcome has them, where it does. */
static void write_ending(ck_json_writer *w, ck_bytes body) {
  static const char *const same[] = {"cut", "refusal", "goes_on", "note"};
  int64_t reserved = 0;
  if (ck_json_read_int(&reserved, ck_json_get(body, "reserved")) && reserved > 0)
    ck_json_member_int(w, "reserved_micros", reserved);
  for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
    ck_bytes value = ck_json_get(body, same[i]);
    if (value.len) ck_json_member_raw(w, same[i], value);
  }
}

static void write_model(ck_json_writer *w, const folded *scope, ck_bytes body) {
  int64_t input = 0, output = 0, cost = 0;
  char digest[CK_DIGEST_HEX_SIZE];
  ck_json_read_int(&input, ck_json_get(body, "input_tokens"));
  ck_json_read_int(&output, ck_json_get(body, "output_tokens"));
  ck_json_read_int(&cost, ck_json_get(body, "cost"));
  ck_json_member_raw(w, "message", ck_json_get(body, "message"));
  if (input || output) {
    ck_json_name(w, "usage");
    ck_json_begin(w, '{');
    ck_json_member_int(w, "input_tokens", input);
    ck_json_member_int(w, "output_tokens", output);
    ck_json_end(w, '}');
  }
  if (cost >= 0) ck_json_member_int(w, "cost_micros", cost);
  write_ending(w, body);
  if (scope->masked) return;
  ck_digest sent = ck_conversation_digest(ck_scope_conversation(scope->scope));
  ck_digest_hex(digest, &sent);
  ck_json_member_text(w, "request_digest", digest);
}

static ck_bytes result_of(ck_bytes body) {
  ck_bytes message = ck_json_get(body, "message");
  ck_bytes result = message.len ? ck_json_get(message, "content") : ck_json_get(body, "result");
  return result.len ? result : ck_json_get(body, "error");
}

/* Whether a tool call answers one that the last message of the model makes. */
static bool is_asked(const folded *scope, ck_bytes request) {
  int64_t index = -1, at = 0;
  if (!ck_json_read_int(&index, ck_json_get(request, "index"))) return false;
  ck_json_iterator it = ck_json_iterate(scope->calls);
  while (ck_json_type_of(scope->calls) == CK_JSON_ARRAY && ck_json_next(&it))
    if (at++ == index) return true;
  return false;
}

static void write_tool(ck_json_writer *w, const folded *scope, ck_bytes request, ck_bytes body) {
  if (is_asked(scope, request)) {
    ck_json_member_raw(w, "index", ck_json_get(request, "index"));
    ck_json_member_raw(w, "name", ck_json_get(request, "name"));
    ck_json_member_raw(w, "arguments", ck_json_get(request, "arguments"));
  } else {
    ck_json_member_raw(w, "request", request);
  }
  ck_json_member_raw(w, "result", result_of(body));
  if (!ck_json_is_text(ck_json_get(body, "status"), "ok")) ck_json_member_bool(w, "is_error", true);
  if (ck_json_get(body, "tools_changed").len) ck_json_member_bool(w, "tools_changed", true);
}

static ck_status write_outcome(ck_buffer *json, const exporting *self, const folded *scope,
                               const item *outcome) {
  ck_bytes body = ck_value_bytes(outcome->body), kind = ck_json_get(body, "kind");
  ck_json_writer w = {.out = json};
  bool is_model = ck_json_is_text(kind, "model"), is_tool = ck_json_is_text(kind, "tool");
  bool whole = is_model ? ck_json_type_of(ck_json_get(body, "message")) == CK_JSON_OBJECT
                        : !is_tool || outcome->request;
  if (!whole)
    return ck_error_set(self->err, CK_E_UNSUPPORTED,
                        "session %s: event %" PRId64 " cannot be part of a recording: it has no %s",
                        self->head->session.id, outcome->seq,
                        is_model ? "message" : "intent before it");
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "scope", ck_scope_name(scope->scope));
  ck_json_member_raw(&w, "kind", kind);
  if (is_model)
    write_model(&w, scope, body);
  else if (is_tool)
    write_tool(&w, scope, ck_value_bytes(outcome->request), body);
  else
    ck_json_member_raw(&w, "answer", result_of(body));
  ck_json_end(&w, '}');
  return CK_OK;
}

/* ---- the fold ---- */

static ck_status find_scope(folded **out, exporting *self, const char *name) {
  for (size_t i = 0; i < self->scope_count; i++) {
    *out = &self->scopes[i];
    if (strcmp(ck_scope_name((*out)->scope), name) == 0) return CK_OK;
  }
  folded *grown = reallocarray(self->scopes, self->scope_count + 1, sizeof *grown);
  if (!grown) return ck_error_no_memory(self->err);
  self->scopes = grown;
  *out = &grown[self->scope_count];
  **out = (folded){0};
  ck_status status = ck_scope_new(&(*out)->scope, name, self->err);
  if (status == CK_OK) self->scope_count++;
  return status;
}

/* The recording's prompt is the first message of the main conversation. */
static void note_prompt(exporting *self, const folded *scope, ck_bytes body) {
  ck_bytes message = ck_json_get(body, "message"), content = ck_json_get(message, "content");
  bool first = ck_conversation_count(ck_scope_conversation(scope->scope)) == 0;
  bool is_main = strcmp(ck_scope_name(scope->scope), "main") == 0;
  bool is_prompt = ck_json_is_text(ck_json_get(message, "role"), "system") &&
                   ck_json_type_of(content) == CK_JSON_STRING;
  if (first && is_main && is_prompt) ck_buffer_append_bytes(&self->prompt, content);
}

static ck_status put_outcome(exporting *self, folded *scope, const item *outcome) {
  ck_buffer json = {0};
  ck_status status = write_outcome(&json, self, scope, outcome);
  if (status == CK_OK) status = ck_scope_apply(scope->scope, outcome->body, self->err);
  if (status == CK_OK) status = put_line(&scope->lines, &scope->masked, self, &json);
  ck_bytes message = ck_json_get(ck_value_bytes(outcome->body), "message");
  if (ck_json_is_text(ck_json_get(message, "role"), "assistant"))
    scope->calls = ck_json_get(message, "tool_calls");
  ck_buffer_clear(&json);
  return status;
}

/* Of a server's tools, which a run from the recording asks for, too. */
static bool is_list(ck_bytes body) {
  bool list = false;
  return ck_json_read_bool(&list, ck_json_get(body, "list")) && list;
}

static ck_status fold_event(exporting *self, const item *event) {
  folded *scope = NULL;
  const item *outcome = NULL;
  ck_status status = find_scope(&scope, self, event->scope);
  if (status == CK_OK) status = find_outcome(&outcome, self, event);
  if (status != CK_OK) return status;
  const ck_value *body = outcome ? outcome->body : event->body;
  if (event->kind == CK_EVENT_REWIND) return ck_scope_rewind(scope->scope, body, self->err);
  if (outcome && (ck_scope_counts(ck_value_bytes(body)) || is_list(ck_value_bytes(body)))) {
    status = put_outcome(self, scope, outcome);
  } else {
    note_prompt(self, scope, ck_value_bytes(body));
    status = ck_scope_apply(scope->scope, body, self->err);
  }
  if (ck_redact_is_masked(ck_json_get(ck_value_bytes(body), "message"))) scope->masked = true;
  return status;
}

static ck_status put_header(ck_buffer *out, const exporting *self) {
  ck_buffer json = {0};
  ck_json_writer w = {.out = &json};
  bool masked = false;
  ck_json_begin(&w, '{');
  ck_json_member_int(&w, "cassette", 1);
  if (self->prompt.len) ck_json_member_raw(&w, "prompt", ck_buffer_bytes(&self->prompt));
  ck_json_end(&w, '}');
  if (self->prompt.failed) json.failed = true;
  ck_status status = put_line(out, &masked, self, &json);
  ck_buffer_clear(&json);
  return status;
}

static int compare_scopes(const void *a, const void *b) {
  return strcmp(ck_scope_name(((const folded *)a)->scope),
                ck_scope_name(((const folded *)b)->scope));
}

/* Scope by scope: the order in which lines of several scopes were interleaved does not matter. */
static ck_status put_scopes(ck_buffer *out, exporting *self) {
  if (self->scope_count)
    qsort(self->scopes, self->scope_count, sizeof *self->scopes, compare_scopes);
  for (size_t i = 0; i < self->scope_count; i++) {
    ck_buffer_append_bytes(out, ck_buffer_bytes(&self->scopes[i].lines));
    if (self->scopes[i].lines.failed) out->failed = true;
  }
  return ck_buffer_check(out, self->err);
}

ck_status ck_cassette_export(ck_buffer *out, ck_store *store, const ck_head *head,
                             ck_redactor *redactor, ck_error *err) {
  exporting self = {.store = store, .head = head, .redactor = redactor, .err = err};
  ck_status status = ck_ledger_new(&self.ledger, err);
  if (status == CK_OK) status = read_events(&self);
  for (size_t i = 0; status == CK_OK && i < self.view.count; i++)
    status = fold_event(&self, &self.view.list[i]);
  if (status == CK_OK) status = put_header(out, &self);
  if (status == CK_OK) status = put_scopes(out, &self);
  for (size_t i = 0; i < self.scope_count; i++) {
    ck_scope_free(self.scopes[i].scope);
    ck_buffer_clear(&self.scopes[i].lines);
  }
  free(self.scopes);
  clear_items(&self.outcomes);
  clear_items(&self.view);
  ck_ledger_free(self.ledger);
  ck_buffer_clear(&self.prompt);
  return status;
}
