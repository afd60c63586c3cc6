/* rerun_resume.c - asks the rules of a resume again: of those that went on, were refused, or put to
 * a person. */
#include <stdlib.h>
#include <string.h>

#include "core/runtime/session/opening/rules.h"
#include "core/runtime/simulation/hook_rerun_private.h"

/* The case as it stood. Texts owned. */
typedef struct resuming {
  ck_resume_case of;
  ck_session_record record;
  ck_checkpoint_info checkpoint;
  ck_totals totals;
  ck_value *seen;
  ck_unknown unknown;
} resuming;

static void clear(resuming *self) {
  free(self->record.reason);
  free(self->record.profile);
  free(self->record.flow);
  ck_checkpoint_info_clear(&self->checkpoint);
  ck_value_free(self->seen);
}

static int64_t get_int(ck_bytes object, const char *name, int64_t otherwise) {
  int64_t number;
  return ck_json_read_int(&number, ck_json_get(object, name)) ? number : otherwise;
}

static void add_unknown(ck_unknown *out, const char *const *fields) {
  for (; *fields; fields++) ck_unknown_add(out, *fields);
}

/* ---- the case ---- */

static ck_session_status status_of(ck_bytes name) {
#define X(status, number, text, resumable) \
  if (ck_json_is_text(name, text)) return status;
  CK_SESSION_STATUS_TABLE(X)
#undef X
  return CK_SESSION_PAUSED;
}

static void read_session(resuming *self, const ck_asking *asking, ck_bytes seen) {
  static const char *const fields[] = {"session.status", "session.reason",  "session.profile",
                                       "session.flow",   "session.updated", NULL};
  const ck_session_record *now = &asking->head.session;
  ck_bytes session = ck_json_get(seen, "session");
  self->record = (ck_session_record){.no = now->no, .created_ms = now->created_ms};
  memcpy(self->record.id, now->id, sizeof self->record.id);
  if (!session.len) {
    self->record.profile = strdup(now->profile ? now->profile : "");
    add_unknown(&self->unknown, fields);
    return;
  }
  self->record.status = status_of(ck_json_get(session, "status"));
  self->record.reason = ck_json_dup_string(ck_json_get(session, "reason"));
  self->record.profile = ck_json_dup_string(ck_json_get(session, "profile"));
  self->record.flow = ck_json_dup_string(ck_json_get(session, "flow"));
  self->record.updated_ms = get_int(session, "updated", 0);
}

static void read_totals(resuming *self, ck_bytes seen) {
  static const char *const fields[] = {"session.cost_usd",    "session.tokens",
                                       "session.model_calls", "session.tool_calls",
                                       "session.active_ms",   NULL};
  ck_bytes totals = ck_json_get(seen, "totals");
  if (!totals.len) add_unknown(&self->unknown, fields);
  self->totals = (ck_totals){.cost_micros = get_int(totals, "cost", 0),
                             .input_tokens = get_int(totals, "tokens", 0),
                             .model_calls = get_int(totals, "model_calls", 0),
                             .tool_calls = get_int(totals, "tool_calls", 0),
                             .active_us = get_int(totals, "active_us", 0)};
}

static ck_status read_seen(resuming *self, ck_bytes seen, ck_error *err) {
  static const char *const fields[] = {"session.now",
                                       "session.budget",
                                       "session.host",
                                       "session.models",
                                       "session.utc_offset_s",
                                       "session.flow_changed",
                                       NULL};
  self->of.budget.spent_micros = get_int(seen, "spent", 0);
  self->of.budget.limit_micros = get_int(seen, "limit", -1);
  self->of.now_ms = get_int(seen, "now", 0);
  if (!seen.len) add_unknown(&self->unknown, fields);
  return seen.len ? ck_value_copy(&self->seen, seen, err) : CK_OK;
}

/* What storing has made of it since is not what it was. */
static ck_status read_checkpoint(resuming *self, const ck_asking *asking, ck_bytes body,
                                 ck_bytes seen) {
  ck_bytes named = ck_json_get(seen, "checkpoint");
  if (!named.len) named = ck_json_get(body, "checkpoint");
  if (!named.len) ck_unknown_add(&self->unknown, "checkpoint");
  char *id = ck_json_dup_string(named);
  if (!id) return CK_OK;
  ck_error failure = CK_ERROR_INIT;
  ck_status status = ck_store_get_checkpoint(&self->checkpoint, asking->store,
                                             asking->head.session.no, id, 0, &failure);
  free(id);
  if (status == CK_E_NO_MEMORY) return ck_error_no_memory(asking->err);
  if (status != CK_OK) {
    ck_unknown_add(&self->unknown, "checkpoint");
    return CK_OK;
  }
  self->of.checkpoint = &self->checkpoint;
  if (!self->checkpoint.pruned) return CK_OK;
  ck_unknown_add(&self->unknown, "checkpoint.bytes");
  ck_unknown_add(&self->unknown, "checkpoint.is_keyframe");
  return CK_OK;
}

static ck_status read_case(resuming *out, const ck_asking *asking, const ck_event *event) {
  ck_bytes body = ck_value_bytes(event->body), seen = ck_json_get(body, "seen");
  *out = (resuming){0};
  read_session(out, asking, seen);
  read_totals(out, seen);
  ck_status status = read_seen(out, seen, asking->err);
  if (status == CK_OK) status = read_checkpoint(out, asking, body, seen);
  out->of.session = &out->record;
  out->of.totals = &out->totals;
  out->of.seen = out->seen;
  return status;
}

/* ---- answers ---- */

static const char *const dimensions[] = {"budget", "time",       "rounds",
                                         "tokens", "tool_calls", "model_calls"};
enum { DIMENSIONS = sizeof dimensions / sizeof *dimensions };

/* "budget continue, time reset, …". */
static char *then_rules(ck_bytes rules) {
  ck_buffer text = {0};
  for (int i = 0; i < DIMENSIONS && rules.len; i++) {
    ck_buffer_append_format(&text, "%s%s ", i ? ", " : "", dimensions[i]);
    ck_json_read_string(&text, ck_json_get(rules, dimensions[i]));
  }
  return ck_buffer_take(&text);
}

static char *now_rules(const ck_resume_rules *given) {
  ck_resume_rules rules = ck_resume_rules_effective(given);
  const ck_rule all[] = {rules.budget, rules.time,       rules.rounds,
                         rules.tokens, rules.tool_calls, rules.model_calls};
  ck_buffer text = {0};
  for (int i = 0; i < DIMENSIONS; i++)
    ck_buffer_append_format(&text, "%s%s %s", i ? ", " : "", dimensions[i], ck_rule_name(all[i]));
  return ck_buffer_take(&text);
}

static bool someone_asked(ck_bytes answers) {
  bool asked = false;
  for (ck_json_iterator it = ck_json_iterate(answers); ck_json_next(&it);)
    asked |= ck_json_is_text(ck_json_get(it.value, "answer"), "ask");
  return asked;
}

/* The policies had asked, and the answer was no. */
static bool is_denied(ck_bytes body) {
  ck_buffer reason = {0};
  size_t len = strlen(CK_RESUME_DENIED);
  ck_json_read_string(&reason, ck_json_get(body, "reason"));
  bool denied = reason.len >= len && memcmp(reason.data, CK_RESUME_DENIED, len) == 0;
  ck_buffer_clear(&reason);
  return denied;
}

static char *dup_member(ck_bytes body, const char *name) {
  return ck_json_dup_string(ck_json_get(body, name));
}

static ck_status take_then(ck_rerun_said *out, const ck_event *event, ck_error *err) {
  ck_bytes body = ck_value_bytes(event->body);
  bool refused = event->kind == CK_EVENT_RESUME_REFUSED;
  bool asked = someone_asked(ck_json_get(body, "answers")) && (!refused || is_denied(body));
  if (event->kind == CK_EVENT_RESUME_APPROVAL) {
    *out = (ck_rerun_said){.word = strdup("ask"),
                           .policies = dup_member(body, "policies"),
                           .text = dup_member(body, "question")};
  } else if (asked) {
    *out = (ck_rerun_said){.word = strdup("ask")};
  } else if (refused) {
    *out = (ck_rerun_said){.word = strdup("refuse"),
                           .policies = dup_member(body, "policy"),
                           .text = dup_member(body, "reason")};
  } else {
    *out = (ck_rerun_said){.word = strdup(CK_RERUN_GOES_ON),
                           .text = then_rules(ck_json_get(body, "rules"))};
  }
  out->whole = out->text && !ck_json_get(body, "redacted").len;
  return out->word ? CK_OK : ck_error_no_memory(err);
}

static char *dup_text(const char *text) { return text ? strdup(text) : NULL; }

static ck_status take_now(ck_rerun_said *out, const ck_resume_rules *rules, ck_error *err) {
  char reason[CK_ERROR_TEXT_MAX];
  ck_resume_rules_refusal(reason, sizeof reason, rules);
  if (*reason)
    *out = (ck_rerun_said){
        .word = strdup("refuse"), .policies = dup_text(rules->refused_by), .text = strdup(reason)};
  else if (rules->question)
    *out = (ck_rerun_said){.word = strdup("ask"),
                           .policies = dup_text(rules->asked_by),
                           .text = strdup(rules->question)};
  else
    *out = (ck_rerun_said){.word = strdup(CK_RERUN_GOES_ON), .text = now_rules(rules)};
  return out->word && out->text ? CK_OK : ck_error_no_memory(err);
}

static ck_status ask(ck_asking *self, ck_rerun_place *place, const resuming *resumed) {
  ck_resume_rules rules = {0};
  ck_error failure = CK_ERROR_INIT;
  ck_status asked = CK_OK;
  ck_asking_watch(self, &resumed->unknown);
  if (self->engine.resume)
    asked = self->engine.resume(&rules, self->engine.self, &resumed->of, &failure);
  if (asked != CK_OK && !rules.refusal) rules.refusal = strdup(failure.text);
  ck_status status = take_now(&place->now, &rules, self->err);
  ck_resume_rules_clear(&rules);
  return status == CK_OK ? ck_asking_settle(self, place, asked, &failure) : status;
}

/* An acquisition that only added an event ran nothing, and nobody was asked about it. */
static ck_status is_place(bool *out, const ck_asking *self, const ck_event *event) {
  ck_value *about = NULL;
  ck_bytes body = ck_value_bytes(event->body);
  const ck_timeline *timeline = ck_asking_timeline(self, event->timeline);
  *out = event->kind == CK_EVENT_RESUME_REFUSED || ck_json_get(body, "seen").len > 0;
  if (event->kind == CK_EVENT_RESUME_APPROVAL) *out = !ck_json_get(body, "answer").len;
  if (*out || event->kind != CK_EVENT_SESSION_RESUMED || !timeline) return CK_OK;
  int64_t owner = timeline->session ? timeline->session : self->head.session.no;
  ck_status status = ck_store_get_about(&about, self->store, owner, timeline->no, self->err);
  *out = status == CK_OK && about;
  ck_value_free(about);
  return status;
}

/* Each resume has policies of its own, which were asked nothing before: an engine for each event.
 */
void ck_rerun_resume_take(ck_asking *self, const ck_event *event) {
  bool found;
  resuming of;
  ck_rerun_place *place;
  self->status = is_place(&found, self, event);
  if (self->status != CK_OK || !found) return;
  self->status = read_case(&of, self, event);
  if (self->status == CK_OK) self->status = ck_asking_open(self, event->seq);
  if (self->status == CK_OK) self->status = ck_asking_add(&place, self, event->seq, NULL);
  if (self->status == CK_OK) self->status = take_then(&place->then, event, self->err);
  if (self->status == CK_OK) self->status = ask(self, place, &of);
  clear(&of);
}
