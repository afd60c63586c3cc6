/* resolve.c - reads the ledger of a session at rest, and writes resolutions into it. */
#include "core/runtime/resolve.h"

#include <string.h>

#include "core/runtime/session_private.h"

static bool in_doubt(const ck_ledger_entry *entry) {
  return entry->open && entry->verdict == CK_VERDICT_NONE &&
         (entry->class == CK_EFFECT_ONCE || entry->class == CK_EFFECT_RECONCILABLE);
}

/* All intents of the session: a doubt older than the head's checkpoint cannot be, but reading them all is simple and rare. */
static ck_status read_ledger(ck_ledger **out, ck_runtime *runtime, const char *id, ck_error *err) {
  ck_session_record record = {0};
  ck_status status = ck_store_get_session(&record, runtime->store, id, err);
  *out = NULL;
  if (status != CK_OK) return status;
  status = ck_ledger_new(out, err);
  ck_ledger_fold r = {.ledger = *out, .status = CK_OK, .err = err};
  ck_event_query query = {
      .session = record.no,
      .kinds = 1ull << CK_EVENT_INTENT | 1ull << CK_EVENT_OUTCOME | 1ull << CK_EVENT_RESOLUTION};
  if (status == CK_OK) status = ck_store_read_events(runtime->store, &query, ck_ledger_fold_event, &r, err);
  ck_session_record_clear(&record);
  if (status == CK_OK) status = r.status;
  if (status == CK_OK) return CK_OK;
  ck_ledger_free(*out);
  *out = NULL;
  return status;
}

ck_status ck_session_list_doubts(ck_runtime *runtime, const char *id, ck_doubt_visit visit, void *to, ck_error *err) {
  ck_ledger *ledger;
  ck_status status = read_ledger(&ledger, runtime, id, err);
  if (status != CK_OK) return status;
  const ck_ledger_entry *entry;
  for (size_t i = 0; (entry = ck_ledger_at(ledger, i)) != NULL; i++)
    if (in_doubt(entry))
      visit(to, entry->key, ck_effect_kind_name(entry->kind), ck_effect_class_name(entry->class),
            ck_json_get(ck_value_bytes(entry->intent), "request"));
  ck_ledger_free(ledger);
  return CK_OK;
}

typedef struct doubts {
  const char *key;
  bool found;
  size_t others;
} doubts;

static void count_doubt(void *to, const char *key, const char *kind, const char *class, ck_bytes request) {
  doubts *self = to;
  (void)kind, (void)class, (void)request;
  if (strcmp(key, self->key) == 0) self->found = true;
  else self->others++;
}

static ck_status write_resolution(ck_value **out, const char *key, const char *verdict, const ck_value *result, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "key", key);
  ck_json_member_text(&w, "verdict", verdict);
  if (result) ck_json_member_raw(&w, "result", ck_value_bytes(result));
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &buffer, err);
  ck_buffer_clear(&buffer);
  return status;
}

/* The scope is the key's first part. */
static void scope_of(char out[CK_ID_SIZE], const char *key) {
  size_t len = strcspn(key, "/");
  if (len >= CK_ID_SIZE) len = CK_ID_SIZE - 1;
  memcpy(out, key, len);
  out[len] = 0;
}

static ck_status record_resolution(ck_runtime *runtime, const char *id, const char *key, const ck_value *body,
                                   const ck_session_update *update, ck_error *err) {
  ck_session *session;
  char scope[CK_ID_SIZE];
  scope_of(scope, key);
  ck_status status = ck_session_resume(&session, runtime, id, &(ck_resume_options){.keep_slots = true}, err);
  if (status != CK_OK) return status;
  uint64_t ticket;
  const ck_ledger_entry *entry = ck_ledger_get(session->ledger, key);
  bool stands = entry && in_doubt(entry); /* or somebody else's word came in between */
  status = stands ? ck_session_append(session, CK_EVENT_RESOLUTION, scope, NULL, body, err) : CK_OK;
  if (status == CK_OK)
    status = ck_session_queue(&ticket, session, &(ck_queueing){.update = update, .durability = CK_DURABLE_POWER, .waited = true}, err);
  if (status == CK_OK) status = ck_session_wait(session, ticket, err);
  ck_session_close(session);
  if (status == CK_OK && !stands)
    status = ck_error_set(err, CK_E_NOT_FOUND, "session %s has no effect \"%s\" in doubt any more", id, key);
  return status;
}

ck_status ck_session_resolve(ck_runtime *runtime, const char *id, const char *key, const char *verdict, const ck_value *result,
                             ck_error *err) {
  doubts d = {.key = key};
  ck_status status = ck_id_check("session id", id, err);
  if (status != CK_OK) return status;
  if (ck_verdict_of(verdict) == CK_VERDICT_NONE)
    return ck_error_set(err, CK_E_USAGE, "unknown verdict \"%s\": say done, retry or abort", verdict);
  status = ck_session_list_doubts(runtime, id, count_doubt, &d, err);
  if (status == CK_OK && !d.found)
    status = ck_error_set(err, CK_E_NOT_FOUND, "session %s has no effect \"%s\" in doubt", id, key);
  if (status != CK_OK) return status;
  ck_value *body;
  status = write_resolution(&body, key, verdict, result, err);
  if (status != CK_OK) return status;
  ck_session_update update = {.status = d.others ? CK_SESSION_IN_DOUBT : CK_SESSION_PAUSED,
                              .reason = d.others ? "in_doubt" : "resolved"};
  status = record_resolution(runtime, id, key, body, &update, err);
  ck_value_free(body);
  return status;
}
