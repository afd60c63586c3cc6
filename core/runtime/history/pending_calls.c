/* pending_calls.c - finds the calls that positions hold, and what an origin has begun of them. */
#include "core/runtime/history/pending_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/ledger/ledger_body.h"
#include "core/runtime/ledger/replay_range.h"
#include "core/runtime/session/session_private.h"

ck_bytes ck_pending_calls_of(ck_bytes position) {
  ck_bytes at = ck_json_get(position, "at"), calls = ck_json_get(at, "calls");
  bool pending = ck_json_is_text(ck_json_get(at, "next"), "calls");
  return pending && ck_json_type_of(calls) == CK_JSON_ARRAY ? calls : (ck_bytes){0};
}

/* ---- effects of pending calls ---- */

typedef struct search {
  const char *key;
  ck_bytes request;
  bool found;
} search;

static bool skip(const char **at, ck_bytes text) {
  bool is = strncmp(*at, text.data, text.len) == 0;
  if (is) *at += text.len;
  return is;
}

static bool skip_member(const char **at, ck_bytes object, const char *name) {
  char *text = ck_json_dup_string(ck_json_get(object, name));
  bool is = text && skip(at, ck_bytes_text(text));
  free(text);
  return is;
}

/* The part of an effect's key SCOPE[@TAG]/PATH/KIND/N behind the path of this position; NULL: it is
 * of another place. */
static const char *skip_place(const char *key, const char *scope, ck_bytes position) {
  static const ck_bytes slash = {"/", 1}, at_sign = {"@", 1};
  bool tagged = ck_json_type_of(ck_json_get(position, "tag")) == CK_JSON_STRING;
  bool is = skip(&key, ck_bytes_text(scope)) &&
            (!tagged || (skip(&key, at_sign) && skip_member(&key, position, "tag"))) &&
            skip(&key, slash) && skip_member(&key, ck_json_get(position, "at"), "path") &&
            skip(&key, slash);
  return is ? key : NULL;
}

/* The call with this index, from 1: the request of another answer has another name, or another
 * id. */
static bool is_call(ck_bytes calls, long index, ck_bytes request) {
  ck_json_iterator it = ck_json_iterate(calls);
  for (long at = 1; ck_json_next(&it); at++) {
    if (at != index) continue;
    return ck_bytes_equal(ck_json_get(it.value, "tool"), ck_json_get(request, "name")) &&
           ck_bytes_equal(ck_json_get(it.value, "id"), ck_json_get(request, "call_id"));
  }
  return false;
}

static void match(void *to, const char *scope, ck_bytes position) {
  static const char tool[] = "tool/";
  search *self = to;
  ck_bytes calls = ck_pending_calls_of(position);
  const char *rest = calls.len ? skip_place(self->key, scope, position) : NULL;
  if (!rest) return;
  self->found |= strncmp(rest, tool, sizeof tool - 1) != 0 ||
                 is_call(calls, strtol(rest + sizeof tool - 1, NULL, 10), self->request);
}

/* What an origin has begun of the calls that a state holds. */
typedef struct begun {
  const ck_state *state;
  ck_ledger *ledger;
  ck_status status;
  ck_error *err;
} begun;

static bool take_intent(void *to, const ck_event *event) {
  begun *self = to;
  ck_bytes body = ck_value_bytes(event->body);
  char *key = ck_json_dup_string(ck_json_get(body, "key"));
  search of = {.key = key, .request = ck_json_get(body, "request")};
  self->status = key ? ck_replay_range_visit_positions(self->state, match, &of, self->err)
                     : ck_error_no_memory(self->err);
  if (self->status == CK_OK && of.found)
    self->status = ck_ledger_apply(self->ledger, event, self->err);
  free(key);
  return self->status == CK_OK;
}

/* ---- the fork's doubts ---- */

static ck_status doubt(ck_session *fork, const ck_ledger_entry *entry, ck_error *err) {
  const ck_effect effect = {.scope = entry->scope,
                            .key = entry->key,
                            .attempt = entry->intent_attempt,
                            .kind = entry->kind,
                            .class = entry->class,
                            .agent = entry->agent};
  ck_bytes request = ck_json_get(ck_value_bytes(entry->intent), "request");
  ck_value *body = NULL;
  ck_status status = ck_ledger_write_intent(&body, &effect, entry->intent_digest, request, err);
  if (status == CK_OK)
    status = ck_session_append(fork, CK_EVENT_INTENT, entry->scope, entry->agent, body, err);
  ck_value_free(body);
  return status;
}

static ck_status doubt_all(ck_session *fork, const ck_ledger *ledger, ck_error *err) {
  const ck_ledger_entry *entry;
  ck_status status = CK_OK;
  for (size_t i = 0; status == CK_OK && (entry = ck_ledger_at(ledger, i)) != NULL; i++)
    if (!ck_effect_class_repeats(entry->class)) status = doubt(fork, entry, err);
  return status;
}

ck_status ck_pending_calls_doubt(ck_session *fork, int64_t origin, int64_t after, ck_error *err) {
  begun of = {.state = fork->state, .err = err};
  ck_event_query query = {.session = origin, .after = after, .kinds = 1ull << CK_EVENT_INTENT};
  ck_status status = ck_ledger_new(&of.ledger, err);
  if (status != CK_OK) return status;
  status = ck_store_read_events(fork->runtime->store, &query, take_intent, &of, err);
  if (status == CK_OK) status = of.status;
  if (status == CK_OK) status = doubt_all(fork, of.ledger, err);
  ck_ledger_free(of.ledger);
  return status;
}
