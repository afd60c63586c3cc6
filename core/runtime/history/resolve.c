/* resolve.c - reads the ledger of a session at rest, and records a person's resolution or answer in
 * it. */
#include "core/runtime/history/resolve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/person.h"
#include "core/model/dropped_answer.h"
#include "core/model/pause_reason.h"
#include "core/runtime/budget/usage.h"
#include "core/runtime/history/correct.h"
#include "core/runtime/ledger/interrupted.h"
#include "core/runtime/session/opening/approval.h"
#include "core/runtime/session/session_private.h"

/* The entries that a person can settle: doubts, or questions. */
typedef bool (*is_open_kind)(const ck_ledger_entry *entry);

static bool in_doubt(const ck_ledger_entry *entry) {
  return entry->open && entry->verdict == CK_VERDICT_NONE && entry->kind != CK_EFFECT_ASK &&
         (entry->class == CK_EFFECT_ONCE || entry->class == CK_EFFECT_RECONCILABLE);
}

static bool is_question(const ck_ledger_entry *entry) {
  return entry->open && entry->verdict == CK_VERDICT_NONE && entry->kind == CK_EFFECT_ASK;
}

/* Answered, and not yet applied by a resume: the answer can be corrected. */
static bool is_correctable(const ck_ledger_entry *entry) {
  return entry->open && entry->kind == CK_EFFECT_ASK &&
         (entry->verdict == CK_VERDICT_NONE || entry->verdict == CK_VERDICT_DONE);
}

/* All intents that `view` (NULL: every timeline) shows. Those before the head's checkpoint could be
 * left out; reading them all is simple and rare. */
static ck_status read_view(ck_ledger **out, ck_store *store, int64_t session, const ck_view *view,
                           ck_error *err) {
  ck_status status = ck_ledger_new(out, err);
  ck_ledger_fold r = {.ledger = *out, .status = CK_OK, .err = err};
  ck_event_query query = {
      .session = session,
      .view = view,
      .kinds = 1ull << CK_EVENT_INTENT | 1ull << CK_EVENT_OUTCOME | 1ull << CK_EVENT_RESOLUTION};
  if (status == CK_OK) status = ck_store_read_events(store, &query, ck_ledger_fold_event, &r, err);
  if (status == CK_OK) status = r.status;
  if (status == CK_OK) return CK_OK;
  ck_ledger_free(*out);
  *out = NULL;
  return status;
}

/* A question of an abandoned branch waits for nobody. */
static ck_status read_ledger(ck_ledger **out, ck_runtime *runtime, const char *id, bool live_only,
                             ck_error *err) {
  ck_head head = {0};
  ck_view view = {0};
  *out = NULL;
  ck_status status = ck_store_get_head(&head, runtime->store, id, err);
  if (status == CK_OK && live_only)
    status = ck_view_make(&view, head.timelines, head.timeline_count, head.session.timeline, err);
  if (status == CK_OK)
    status = read_view(out, runtime->store, head.session.no, live_only ? &view : NULL, err);
  ck_view_clear(&view);
  ck_head_clear(&head);
  return status;
}

/* `whole`: what all timelines know of it. */
static void show(const ck_ledger_entry *entry, const ck_ledger_entry *whole, ck_doubt_visit visit,
                 void *to) {
  bool answered = whole->kind == CK_EFFECT_ASK && whole->verdict == CK_VERDICT_DONE;
  ck_bytes said = answered ? ck_value_bytes(whole->resolution) : (ck_bytes){0};
  ck_open_effect effect = {
      .key = entry->key,
      .kind = ck_effect_kind_name(entry->kind),
      .class = ck_effect_class_name(entry->class),
      .request = ck_json_get(ck_value_bytes(entry->intent), "request"),
      .dropped = ck_json_get(ck_value_bytes(entry->intent), CK_DROPPED_ANSWER)};
  if (answered) effect.answer = ck_json_get(said, "result"), effect.by = ck_json_get(said, "by");
  if (entry->blocked && entry->displaced) {
    effect.displaced = ck_json_get(ck_value_bytes(entry->displaced), "request");
    effect.outcome = entry->outcome;
  }
  visit(to, &effect);
}

/* Of several questions each answer goes on from the checkpoint, and leaves those before it beside
 * the live timeline: they count all the same. */
static ck_status list(ck_runtime *runtime, const char *id, is_open_kind is_open,
                      ck_doubt_visit visit, void *to, ck_error *err) {
  ck_ledger *ledger = NULL, *all = NULL;
  bool live_only = is_open != in_doubt;
  ck_status status = read_ledger(&ledger, runtime, id, live_only, err);
  if (status == CK_OK && live_only) status = read_ledger(&all, runtime, id, false, err);
  const ck_ledger_entry *entry;
  for (size_t i = 0; status == CK_OK && (entry = ck_ledger_at(ledger, i)) != NULL; i++) {
    const ck_ledger_entry *whole = all ? ck_ledger_get(all, entry->key) : entry;
    if (is_open(entry) && whole && is_open(whole)) show(entry, whole, visit, to);
  }
  ck_ledger_free(ledger);
  ck_ledger_free(all);
  return status;
}

/* ---- whether it may be resumed ---- */

/* Shows the question as one of `ask`, whose effect is CK_APPROVAL_KEY; `answered`: also one that
 * has an answer. */
static ck_status show_approval(ck_runtime *runtime, const char *id, bool answered,
                               ck_doubt_visit visit, void *to, ck_error *err) {
  ck_head head = {0};
  ck_approval last = {0};
  ck_buffer request = {0};
  ck_json_writer w = {.out = &request};
  ck_status status = ck_store_get_head(&head, runtime->store, id, err);
  if (status == CK_OK) status = ck_approval_read(&last, runtime->store, &head, err);
  bool open = status == CK_OK && last.body && (answered || last.answer == CK_APPROVAL_NONE);
  ck_bytes body = last.body ? ck_value_bytes(last.body) : (ck_bytes){0};
  if (open) {
    ck_json_begin(&w, '{');
    ck_json_member_raw(&w, "question", ck_approval_question(last.body));
    ck_json_member_raw(&w, "options", ck_bytes_text(CK_APPROVAL_OPTIONS));
    ck_json_end(&w, '}');
    status = ck_buffer_check(&request, err);
  }
  if (open && status == CK_OK)
    visit(to, &(ck_open_effect){.key = CK_APPROVAL_KEY,
                                .kind = ck_effect_kind_name(CK_EFFECT_ASK),
                                .class = ck_effect_class_name(CK_EFFECT_IDEMPOTENT),
                                .request = ck_buffer_bytes(&request),
                                .answer = ck_json_get(body, "answer"),
                                .by = ck_json_get(body, "by"),
                                .dropped = ck_json_get(body, CK_DROPPED_ANSWER)});
  ck_buffer_clear(&request);
  ck_approval_clear(&last);
  ck_head_clear(&head);
  return status;
}

static ck_status no_question(const char *id, const char *key, ck_error *err) {
  if (!key)
    return ck_error_set(
        err, CK_E_REFUSED,
        "session %s waits for no answer: it asks nothing, or was answered; --effect "
        "corrects an answer that no resume has taken yet",
        id);
  return ck_error_set(err, CK_E_REFUSED,
                      "session %s waits for no answer to \"%s\": it was not asked, or was answered",
                      id, key);
}

static ck_status answer_approval(ck_runtime *runtime, const char *id, const ck_value *text,
                                 ck_error *err) {
  ck_head head = {0};
  ck_approval last = {0};
  const char *allow = ck_approval_answer_name(CK_APPROVAL_ALLOW);
  ck_approval_answer answer =
      ck_json_is_text(ck_value_bytes(text), allow) ? CK_APPROVAL_ALLOW : CK_APPROVAL_DENY;
  ck_status status = ck_store_get_head(&head, runtime->store, id, err);
  if (status == CK_OK) status = ck_approval_read(&last, runtime->store, &head, err);
  if (status == CK_OK && !last.body) status = no_question(id, CK_APPROVAL_KEY, err);
  if (status == CK_OK) status = ck_approval_answer_record(runtime, &head, last.body, answer, err);
  ck_approval_clear(&last);
  ck_head_clear(&head);
  return status;
}

ck_status ck_session_list_doubts(ck_runtime *runtime, const char *id, ck_doubt_visit visit,
                                 void *to, ck_error *err) {
  return list(runtime, id, in_doubt, visit, to, err);
}

ck_status ck_session_find_interrupted(ck_value **out, ck_runtime *runtime, const char *id,
                                      const char *key, ck_error *err) {
  ck_head head = {0};
  *out = NULL;
  ck_status status = ck_store_get_head(&head, runtime->store, id, err);
  if (status == CK_OK) status = ck_interrupted_read(out, runtime->store, head.session.no, key, err);
  ck_head_clear(&head);
  return status;
}

ck_status ck_session_list_questions(ck_runtime *runtime, const char *id, ck_doubt_visit visit,
                                    void *to, ck_error *err) {
  ck_status status = list(runtime, id, is_question, visit, to, err);
  return status == CK_OK ? show_approval(runtime, id, false, visit, to, err) : status;
}

ck_status ck_session_list_asked(ck_runtime *runtime, const char *id, ck_doubt_visit visit, void *to,
                                ck_error *err) {
  ck_status status = list(runtime, id, is_correctable, visit, to, err);
  return status == CK_OK ? show_approval(runtime, id, true, visit, to, err) : status;
}

/* The open entries: the one that is meant (`key`; NULL: the only one), and how many others. */
typedef struct doubts {
  const char *key;
  char first[CK_STATE_KEY_MAX];
  const ck_value *answer; /* for it; NULL */
  ck_error misfit;        /* why the answer does not fit; CK_OK: it does */
  bool found;
  size_t others;
} doubts;

static ck_status check_answer(const char *key, ck_bytes request, const ck_value *answer,
                              ck_error *err) {
  if (!ck_limits_is_question(key))
    return ck_effect_check_answer(request, ck_value_bytes(answer), err);
  char *text = ck_json_dup_string(ck_value_bytes(answer));
  ck_status status = text ? ck_limits_check_answer(text, err) : ck_error_no_memory(err);
  free(text);
  return status;
}

static void count_doubt(void *to, const ck_open_effect *effect) {
  doubts *self = to;
  const char *key = effect->key;
  bool meant = self->key ? strcmp(key, self->key) == 0 : !self->found;
  if (meant)
    self->found = true;
  else
    self->others++;
  if (!meant) return;
  snprintf(self->first, sizeof self->first, "%s", key);
  if (self->answer)
    self->misfit.status = check_answer(key, effect->request, self->answer, &self->misfit);
}

/* `via`: of an answer, by what it is given; NULL: not known. */
static ck_status write_resolution(ck_value **out, const char *key, const char *verdict,
                                  const ck_value *result, const char *via, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "key", key);
  ck_json_member_text(&w, "verdict", verdict);
  if (result) ck_json_member_raw(&w, "result", ck_value_bytes(result));
  if (via) {
    ck_json_name(&w, "by");
    ck_json_begin(&w, '{');
    ck_person_write(&w, via);
    ck_json_end(&w, '}');
  }
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &buffer, err);
  ck_buffer_clear(&buffer);
  return status;
}

/* A person's resolution, and the session's status behind it. */
typedef struct resolution {
  const char *key;
  is_open_kind is_open; /* that others are counted by */
  is_open_kind may_be;  /* that it must be itself */
  ck_value *body;
  ck_session_update others, none; /* when others of its kind are open, and when none is */
} resolution;

/* False in *recorded when another process has recorded one in between. */
static ck_status record_resolution(bool *recorded, ck_runtime *runtime, const char *id,
                                   const resolution *what, ck_error *err) {
  ck_session *session;
  doubts left = {.key = what->key}, meant = {.key = what->key};
  *recorded = false;
  ck_status status =
      ck_session_resume(&session, runtime, id, &(ck_resume_options){.keep_references = true}, err);
  if (status != CK_OK) return status;
  uint64_t ticket;
  const ck_ledger_entry *entry = ck_ledger_get(session->ledger, what->key);
  status = list(runtime, id, what->is_open, count_doubt, &left, err);
  /* The session's own ledger has no entry of a scope that was left behind the cut: its resolution
   * is recorded all the same. */
  if (status == CK_OK && !entry) status = list(runtime, id, what->may_be, count_doubt, &meant, err);
  bool open = entry ? what->may_be(entry) : meant.found;
  if (status == CK_OK && open)
    status = ck_session_append(session, CK_EVENT_RESOLUTION, entry ? entry->scope : NULL, NULL,
                               what->body, err);
  ck_queueing how = {.update = left.others ? &what->others : &what->none,
                     .durability = CK_DURABLE_POWER,
                     .waited = true};
  if (status == CK_OK) status = ck_session_queue(&ticket, session, &how, err);
  if (status == CK_OK) status = ck_session_wait(session, ticket, err);
  if (status == CK_OK) ck_session_set_status(session, how.update->status);
  ck_session_close(session);
  *recorded = status == CK_OK && open;
  return status;
}

/* It is in no doubt: its outcome may be recorded as unknown. */
static ck_status correct(ck_runtime *runtime, const char *id, const char *key, const char *verdict,
                         const ck_value *result, ck_error *err) {
  ck_ledger *ledger;
  ck_status status = read_ledger(&ledger, runtime, id, false, err);
  if (status != CK_OK) return status;
  const ck_ledger_entry *entry = ck_ledger_get(ledger, key);
  status = entry ? ck_session_correct(runtime, id, entry, verdict, result, err)
                 : ck_error_set(err, CK_E_NOT_FOUND, "session %s has no effect \"%s\" in doubt", id,
                                key);
  ck_ledger_free(ledger);
  return status;
}

ck_status ck_session_resolve(ck_runtime *runtime, const char *id, const char *key,
                             const char *verdict, const ck_value *result, ck_error *err) {
  doubts d = {.key = key};
  ck_status status = ck_id_check("session id", id, err);
  if (status != CK_OK) return status;
  if (ck_verdict_of(verdict) == CK_VERDICT_NONE)
    return ck_error_set(err, CK_E_USAGE, "unknown verdict \"%s\": say done, retry or abort",
                        verdict);
  status = ck_session_list_doubts(runtime, id, count_doubt, &d, err);
  if (status != CK_OK) return status;
  if (!d.found) return correct(runtime, id, key, verdict, result, err);
  bool recorded;
  resolution what = {.key = key,
                     .is_open = in_doubt,
                     .may_be = in_doubt,
                     .others = {.status = CK_SESSION_IN_DOUBT, .reason = "in_doubt"},
                     .none = {.status = CK_SESSION_PAUSED, .reason = "resolved"}};
  status = write_resolution(&what.body, key, verdict, result, NULL, err);
  if (status != CK_OK) return status;
  status = record_resolution(&recorded, runtime, id, &what, err);
  ck_value_free(what.body);
  if (status == CK_OK && !recorded)
    status = ck_error_set(err, CK_E_NOT_FOUND, "session %s has no effect \"%s\" in doubt any more",
                          id, key);
  return status;
}

/* What is not answered yet is waited for as before: one that sleeps beside its questions goes on
 * when its sleep is over. Its reason is kept in `reason`. */
static ck_status stand_as_before(ck_session_update *others, char reason[CK_PAUSE_REASON_SIZE],
                                 ck_runtime *runtime, const char *id, ck_error *err) {
  int64_t from_ms;
  ck_session_record record = {0};
  ck_status status = ck_store_get_session(&record, runtime->store, id, err);
  bool sleeps = status == CK_OK && record.status == CK_SESSION_PAUSED &&
                ck_pause_reason_goes_on(&from_ms, record.reason) && from_ms;
  if (sleeps) {
    snprintf(reason, CK_PAUSE_REASON_SIZE, "%s", record.reason);
    *others = (ck_session_update){.status = CK_SESSION_PAUSED, .reason = reason};
  }
  ck_session_record_clear(&record);
  return status;
}

ck_status ck_session_answer(ck_runtime *runtime, const char *id, const char *key,
                            const ck_value *text, ck_error *err) {
  char reason[CK_PAUSE_REASON_SIZE];
  doubts d = {.key = key, .answer = text};
  ck_status status = ck_id_check("session id", id, err);
  /* A second answer replaces the first only where the question is named. */
  if (status == CK_OK)
    status = list(runtime, id, key ? is_correctable : is_question, count_doubt, &d, err);
  if (status == CK_OK) status = show_approval(runtime, id, key, count_doubt, &d, err);
  if (status != CK_OK) return status;
  if (!d.found) return no_question(id, key, err);
  if (!key && d.others)
    return ck_error_set(
        err, CK_E_USAGE,
        "session %s asks %zu questions: say with --effect which of them is answered", id,
        d.others + 1);
  if (d.misfit.status != CK_OK)
    return ck_error_set(err, d.misfit.status, "session %s: %s", id, d.misfit.text);
  if (strcmp(d.first, CK_APPROVAL_KEY) == 0) return answer_approval(runtime, id, text, err);
  bool recorded;
  resolution what = {.key = d.first,
                     .is_open = is_question,
                     .may_be = key ? is_correctable : is_question,
                     .others = {.status = CK_SESSION_WAITING, .reason = "waiting"},
                     .none = {.status = CK_SESSION_PAUSED, .reason = "answered"}};
  status = stand_as_before(&what.others, reason, runtime, id, err);
  if (status == CK_OK)
    status = write_resolution(&what.body, d.first, "done", text, runtime->via, err);
  if (status != CK_OK) return status;
  status = record_resolution(&recorded, runtime, id, &what, err);
  ck_value_free(what.body);
  return status == CK_OK && !recorded ? no_question(id, key, err) : status;
}
