/* dry_run_permit.c - rehearses whether effects would begin: what call_permit.c does, but that
 * nobody is asked, nothing is recorded, and policies see the request as it is stored. */
#include "core/runtime/execution/dry_run_permit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/person.h"
#include "core/model/sources.h"
#include "core/runtime/execution/untrusted.h"

static const char ending[] = "/permit";

void ck_permit_rehearsal_clear(ck_permit_rehearsal *self) {
  ck_leave_clear(&self->leave);
  ck_value_free(self->question.request);
  ck_value_free(self->question.kept);
  ck_value_free(self->dropped);
  free(self->name);
  free(self->asked_by);
  free(self->by);
  *self = (ck_permit_rehearsal){0};
}

ck_value *ck_dry_run_find_untrusted(ck_session *session, const char *scope, ck_effect_kind kind,
                                    ck_bytes from) {
  ck_value *found = NULL;
  ck_error ignored = CK_ERROR_INIT;
  if (ck_sources_add_member(&found, from, &ignored) != CK_OK) return found;
  const ck_effect effect = {.kind = kind, .request = ck_json_get(from, "request")};
  (void)!ck_untrusted_add_saved(&found, session, scope, &ignored);
  (void)!ck_untrusted_add_process(&found, session, &effect, &ignored);
  return found;
}

/* ---- what is known of the effect ---- */

typedef struct subject {
  ck_session *session;
  ck_effect effect;
  ck_bytes from;                           /* {untrusted?, request} */
  const ck_ledger_entry *entry, *question; /* NULL: there is none */
  const char *digest;
} subject;

static const ck_ledger_entry *find_question(ck_session *session, const char *key) {
  char name[2 * CK_STATE_KEY_MAX];
  snprintf(name, sizeof name, "%s%s", key, ending);
  return ck_ledger_get(session->ledger, name);
}

/* Where it was asked about, or began; no bytes: not told. */
static ck_bytes recorded_place(const subject *self) {
  const ck_ledger_entry *q = self->question;
  ck_bytes at = q && q->intent ? ck_json_get(ck_value_bytes(q->intent), "at") : (ck_bytes){0};
  return at.len ? at : ck_json_get(self->from, "at");
}

/* As the recorded place has it, else where the flow last was. Owned. */
static char *find_node(const subject *self) {
  const ck_value *reached = self->session->boundaries.reached;
  ck_bytes at = recorded_place(self), node = at.len ? ck_json_get(at, "node") : (ck_bytes){0};
  if (!node.len && reached) node = ck_json_get(ck_value_bytes(reached), "node");
  return ck_json_type_of(node) == CK_JSON_STRING ? ck_json_dup_string(node) : NULL;
}

/* The scope's position; no bytes: the checkpoint does not have it. */
static ck_bytes position_of(const ck_session *session, const char *scope) {
  char key[2 * CK_STATE_KEY_MAX];
  snprintf(key, sizeof key, "position.%s", scope);
  const ck_value *saved = ck_session_get(session, key);
  return saved ? ck_value_bytes(saved) : (ck_bytes){0};
}

/* Agents above the scope's own, as ck_runner_agents_above counts them. */
static int count_agents(const ck_session *session, const char *scope) {
  enum { SCOPES_MAX = 64 };
  ck_bytes position = position_of(session, scope), below = ck_json_get(position, "agent");
  int count = 0;
  for (int i = 0; i < SCOPES_MAX && position.len; i++) {
    char *parent = ck_json_dup_string(ck_json_get(position, "parent"));
    position = parent ? position_of(session, parent) : (ck_bytes){0};
    free(parent);
    ck_bytes agent = position.len ? ck_json_get(position, "agent") : (ck_bytes){0};
    if (!agent.len) continue;
    count += below.len && !ck_bytes_equal(below, agent);
    below = agent;
  }
  return count;
}

static int find_depth(const subject *self) {
  ck_bytes at = recorded_place(self);
  int64_t depth = 0;
  if (!at.len && position_of(self->session, self->effect.scope).len)
    return count_agents(self->session, self->effect.scope);
  ck_json_read_int(&depth, ck_json_get(at.len ? at : self->from, "depth"));
  return (int)depth;
}

/* A hook that fails asks, and the question says of what it failed. A run counts the latency of its
 * scopes from its own beginning: 0. */
static void ask_policies(ck_leave *out, const subject *self, const char *tool) {
  const ck_policy_engine *policies = self->session->policies;
  const ck_effect *known = &self->effect;
  ck_error failure = CK_ERROR_INIT;
  if (!policies || !policies->permit || !ck_effect_asks_leave(known)) return;
  char *node = find_node(self);
  ck_boundary at = {.scope = known->scope,
                    .node = node,
                    .agent = known->agent,
                    .depth = find_depth(self),
                    .next = {.tool = tool, .has_class = true, .effect_class = known->class}};
  ck_session_show_place(&at, self->session);
  ck_effect effect = *known;
  ck_value *untrusted =
      ck_dry_run_find_untrusted(self->session, effect.scope, effect.kind, self->from);
  effect.untrusted = ck_sources_bytes(untrusted);
  if (policies->permit(out, policies->self, &effect, &at, &failure) != CK_OK && !out->word)
    out->word = CK_LEAVE_ASK;
  ck_value_free(untrusted);
  free(node);
}

/* ---- what becomes of it ---- */

/* False: it is another question, or it cannot be said. */
static bool is_same_question(ck_permit_rehearsal *made, const subject *self) {
  const ck_permit_about about = {.session = self->session,
                                 .effect = &self->effect,
                                 .leave = &made->leave,
                                 .digest = self->digest};
  ck_error ignored = CK_ERROR_INIT;
  return ck_permit_fill_question(&made->question, &about, &ignored) == CK_OK &&
         ck_permit_is_same_question(&made->question, self->question);
}

static ck_dry_run_plan deny_by_person(ck_permit_rehearsal *made, ck_dry_run_effect *out,
                                      const subject *self) {
  ck_bytes asked = ck_json_get(ck_value_bytes(self->question->intent), "request");
  if (!made->leave.policies) made->asked_by = ck_json_dup_string(ck_json_get(asked, "policies"));
  out->policy = made->leave.policies ? made->leave.policies : made->asked_by;
  out->words = "denied by a person";
  return CK_DRY_RUN_DENIED;
}

/* An earlier ckrun did not record who answered. */
static ck_dry_run_plan allow_by_person(ck_permit_rehearsal *made, ck_dry_run_effect *out,
                                       const ck_ledger_entry *question, ck_dry_run_plan begins) {
  ck_buffer text = {0};
  ck_bytes answer = ck_value_bytes(question->open ? question->resolution : question->outcome);
  ck_bytes by = ck_json_get(answer, "by");
  if (by.len) ck_person_append(&text, by);
  if (!text.len) ck_buffer_append_text(&text, "a person");
  ck_buffer_append(&text, "", 1);
  made->by = text.failed ? NULL : strdup(text.data);
  out->by = made->by;
  ck_buffer_clear(&text);
  return begins;
}

/* Not a policy but the profile's rule had a person asked about it: under the same profile it does
 * so again, whatever policies allow. */
static ck_status ask_as_recorded(ck_leave *leave, const ck_ledger_entry *question, ck_error *err) {
  if (!question || !question->intent || leave->word != CK_LEAVE_ALLOW) return CK_OK;
  ck_bytes asked = ck_json_get(ck_value_bytes(question->intent), "request");
  if (!ck_json_is_text(ck_json_get(asked, "policies"), CK_LEAVE_BY_RULES)) return CK_OK;
  free(leave->policies);
  free(leave->text);
  leave->word = CK_LEAVE_ASK;
  leave->policies = ck_json_dup_string(ck_json_get(asked, "policies"));
  leave->text = ck_json_dup_string(ck_json_get(asked, "question"));
  return leave->policies && leave->text ? CK_OK : ck_error_no_memory(err);
}

/* `begins`: what is said when nothing is in its way. */
static ck_dry_run_plan decide(ck_permit_rehearsal *made, ck_dry_run_effect *out,
                              const subject *self, ck_dry_run_plan begins) {
  const ck_ledger_entry *q = self->question;
  ck_error ignored = CK_ERROR_INIT;
  ask_policies(&made->leave, self, out->name);
  (void)!ask_as_recorded(&made->leave, q, &ignored);
  bool asks = made->leave.word == CK_LEAVE_ASK;
  if (made->leave.word == CK_LEAVE_ALLOW && !q) return begins;
  bool same = q && (!asks || is_same_question(made, self));
  ck_bytes answer = {0};
  if (same && made->leave.word != CK_LEAVE_DENY)
    answer = ck_permit_find_answer(q, self->entry, self->digest);
  if (ck_json_is_text(answer, CK_PERMIT_ALLOW)) return allow_by_person(made, out, q, begins);
  if (ck_json_is_text(answer, CK_PERMIT_DENY)) return deny_by_person(made, out, self);
  if (made->leave.word == CK_LEAVE_ALLOW) return begins;
  out->policy = made->leave.policies;
  out->words = made->leave.text;
  if (!asks) return CK_DRY_RUN_DENIED;
  if (same && q->open) return CK_DRY_RUN_QUESTION;
  (void)!ck_permit_find_dropped(&made->dropped, q, self->entry, &ignored);
  out->dropped = made->dropped;
  return CK_DRY_RUN_ASKED;
}

static void show_question(ck_dry_run_effect *out, const ck_ledger_entry *question) {
  out->key = question->key;
  out->name = NULL;
  out->kind = question->kind;
  out->class = question->class;
}

void ck_dry_run_permit(ck_permit_rehearsal *made, ck_dry_run_effect *out, ck_session *session,
                       const ck_ledger_entry *entry) {
  ck_bytes denied = ck_json_get(ck_value_bytes(entry->outcome), "denied");
  subject about = {.session = session,
                   .entry = entry,
                   .question = find_question(session, entry->key),
                   .from = denied.len ? denied : ck_value_bytes(entry->intent),
                   .digest = entry->outcome_digest};
  about.effect = (ck_effect){.scope = entry->scope,
                             .key = entry->key,
                             .kind = entry->kind,
                             .class = out->class,
                             .agent = entry->agent,
                             .attempt = session->timeline.attempt,
                             .request = ck_json_get(about.from, "request"),
                             .reserve_micros = out->reserve_micros};
  out->what = decide(made, out, &about, out->what);
  if (out->what == CK_DRY_RUN_QUESTION) show_question(out, about.question);
}

bool ck_dry_run_is_permit(const ck_ledger_entry *entry) {
  size_t len = strlen(entry->key), part = sizeof ending - 1;
  return entry->kind == CK_EFFECT_ASK && len > part && entry->intent &&
         strcmp(entry->key + len - part, ending) == 0;
}

/* As the question tells of it. False: that is not one of this version's. */
static bool read_effect(ck_permit_rehearsal *made, subject *out, ck_session *session,
                        const ck_ledger_entry *question) {
  bool known = false;
  char *kind = ck_json_dup_string(ck_json_get(out->from, "kind")),
       *class = ck_json_dup_string(ck_json_get(out->from, "class"));
  out->effect = (ck_effect){.scope = question->scope,
                            .key = made->key,
                            .agent = question->agent,
                            .attempt = session->timeline.attempt,
                            .request = ck_json_get(out->from, "request")};
  if (kind && class)
    known =
        ck_effect_kind_of(&out->effect.kind, kind) && ck_effect_class_of(&out->effect.class, class);
  free(kind);
  free(class);
  return known;
}

bool ck_dry_run_permit_question(ck_permit_rehearsal *made, ck_dry_run_effect *out,
                                ck_session *session, const ck_ledger_entry *question) {
  ck_bytes body = ck_value_bytes(question->intent);
  subject about = {.session = session,
                   .question = question,
                   .from = ck_json_get(ck_json_get(body, "request"), "effect"),
                   .digest = question->open ? question->intent_digest : question->outcome_digest};
  snprintf(made->key, sizeof made->key, "%.*s", (int)(strlen(question->key) - sizeof ending + 1),
           question->key);
  if (ck_ledger_get(session->ledger, made->key)) return false;
  if (!read_effect(made, &about, session, question)) return question->open;
  ck_json_read_int(&about.effect.reserve_micros, ck_json_get(ck_json_get(body, "at"), "reserve"));
  out->name = made->name = ck_json_dup_string(ck_json_get(about.effect.request, "name"));
  out->key = made->key;
  out->kind = about.effect.kind;
  out->class = about.effect.class;
  out->what = decide(made, out, &about, CK_DRY_RUN_BEGIN);
  if (out->what == CK_DRY_RUN_QUESTION) show_question(out, question);
  return true;
}
