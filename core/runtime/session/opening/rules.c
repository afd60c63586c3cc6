/* rules.c - asks the policies' rules at a resume, refuses it or sets the bases. */
#include "core/runtime/session/opening/rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/model/dropped_answer.h"
#include "core/runtime/budget/usage.h"
#include "core/runtime/session/opening/approval.h"
#include "core/runtime/session/opening/refusal.h"
#include "core/runtime/session/session_private.h"

static const char *const rule_names[] = {[CK_RULE_DEFAULT] = "default",
                                         [CK_RULE_CONTINUE] = "continue",
                                         [CK_RULE_RESET] = "reset",
                                         [CK_RULE_REFUSE] = "refuse"};

const char *ck_rule_name(ck_rule rule) { return rule_names[rule]; }

static ck_rule effective(ck_rule given, ck_rule otherwise) {
  return given == CK_RULE_DEFAULT ? otherwise : given;
}

void ck_session_write_rules(const ck_session *self, ck_json_writer *w) {
  ck_json_name(w, "rules");
  ck_json_begin(w, '{');
  ck_json_member_text(w, "budget", rule_names[self->rules.budget]);
  ck_json_member_text(w, "time", rule_names[self->rules.time]);
  ck_json_member_text(w, "rounds", rule_names[self->rules.rounds]);
  ck_json_member_text(w, "tokens", rule_names[self->rules.tokens]);
  ck_json_member_text(w, "tool_calls", rule_names[self->rules.tool_calls]);
  ck_json_member_text(w, "model_calls", rule_names[self->rules.model_calls]);
  ck_json_end(w, '}');
  if (self->seen) ck_json_member_raw(w, "seen", ck_value_bytes(self->seen));
  if (self->answers) ck_json_member_raw(w, "answers", ck_value_bytes(self->answers));
}

void ck_resume_rules_refusal(char *out, size_t size, const ck_resume_rules *rules) {
  const struct {
    const char *dimension;
    ck_rule rule;
  } all[] = {{"budget", rules->budget},         {"time", rules->time},
             {"rounds", rules->rounds},         {"tokens", rules->tokens},
             {"tool_calls", rules->tool_calls}, {"model_calls", rules->model_calls}};
  ck_text_format(out, size, "%s", rules->refusal ? rules->refusal : "");
  for (size_t i = 0; !*out && i < sizeof all / sizeof *all; i++)
    if (all[i].rule == CK_RULE_REFUSE)
      snprintf(out, size, "the rule for its %s is to refuse", all[i].dimension);
}

/* The session's limit in money, as the resume's edits leave it; -1: none. */
static int64_t budget_limit(const ck_session *self, const ck_state_edits *edits) {
  char key[CK_STATE_KEY_MAX];
  int64_t limit = self->profile ? self->profile->budget_micros : -1;
  ck_limits_read_set(&limit, CK_DIMENSION_BUDGET, self->state, NULL);
  ck_limits_key(key, CK_DIMENSION_BUDGET, NULL);
  for (size_t i = 0; i < edits->count; i++)
    if (strcmp(edits->items[i].key, key) == 0)
      ck_limits_read_amount(&limit, CK_DIMENSION_BUDGET, edits->items[i].value);
  return limit;
}

static ck_resume_case make_case(const ck_session *self, const ck_rules_question *question) {
  const ck_clock *clock = &self->runtime->clock;
  const ck_spent *spent = &self->spent;
  return (ck_resume_case){
      .session = &question->head->session,
      .checkpoint = question->from->seq ? question->from : NULL,
      .totals = &spent->totals,
      .now_ms = clock->wall_ms(clock->self),
      .budget = {.spent_micros = spent->totals.cost_micros - spent->base.cost_micros,
                 .limit_micros = budget_limit(self, question->edits)},
      .seen = question->seen};
}

/* The session as it stood, which its row tells no more afterwards. */
static void write_case(ck_json_writer *w, const ck_resume_case *of) {
  const ck_session_record *session = of->session;
  const ck_totals *totals = of->totals;
  ck_json_name(w, "checkpoint");
  ck_json_put_text(w, of->checkpoint ? of->checkpoint->id : NULL);
  ck_json_name(w, "session");
  ck_json_begin(w, '{');
  ck_json_member_text(w, "status", ck_session_status_name(session->status));
  ck_json_member_text(w, "reason", session->reason);
  ck_json_member_text(w, "profile", session->profile);
  ck_json_member_text(w, "flow", session->flow);
  ck_json_member_int(w, "updated", session->updated_ms);
  ck_json_end(w, '}');
  ck_json_name(w, "totals");
  ck_json_begin(w, '{');
  ck_json_member_int(w, "cost", totals->cost_micros);
  ck_json_member_int(w, "tokens", totals->input_tokens + totals->output_tokens);
  ck_json_member_int(w, "model_calls", totals->model_calls);
  ck_json_member_int(w, "tool_calls", totals->tool_calls);
  ck_json_member_int(w, "active_us", totals->active_us);
  ck_json_end(w, '}');
}

/* What a simulation cannot tell from the events before: the clock, the limit, how the session
 * stood, what the host knew. */
static ck_status keep_seen(ck_session *self, const ck_resume_case *of, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  ck_json_member_int(&w, "now", of->now_ms);
  ck_json_member_int(&w, "spent", of->budget.spent_micros);
  if (of->budget.limit_micros >= 0) ck_json_member_int(&w, "limit", of->budget.limit_micros);
  write_case(&w, of);
  ck_json_put_members(&w, ck_value_bytes(of->seen), NULL);
  ck_json_end(&w, '}');
  ck_value_free(self->seen);
  self->seen = NULL;
  ck_status status = ck_value_from(&self->seen, &buffer, err);
  ck_buffer_clear(&buffer);
  return status;
}

ck_resume_rules ck_resume_rules_effective(const ck_resume_rules *rules) {
  return (ck_resume_rules){.budget = effective(rules->budget, CK_RULE_CONTINUE),
                           .time = effective(rules->time, CK_RULE_RESET),
                           .rounds = effective(rules->rounds, CK_RULE_CONTINUE),
                           .tokens = effective(rules->tokens, CK_RULE_CONTINUE),
                           .tool_calls = effective(rules->tool_calls, CK_RULE_CONTINUE),
                           .model_calls = effective(rules->model_calls, CK_RULE_CONTINUE)};
}

/* ---- a person decides ---- */

static ck_status refuse(ck_session *self, const ck_rules_question *question, bool records,
                        const ck_refusal *refusal, ck_error *err) {
  const ck_head *head = question->head;
  if (records) ck_session_record_refusal(self, head, refusal);
  if (!refusal->policy)
    return ck_error_set(err, CK_E_REFUSED, "session %s is not resumed: %s", head->session.id,
                        refusal->reason);
  return ck_error_set(err, CK_E_REFUSED, "session %s is not resumed: policy \"%s\", resume: %s",
                      head->session.id, refusal->policy, refusal->reason);
}

/* How a question stands to the one before. */
typedef struct asked_before {
  bool known;                /* it is the same */
  ck_approval_answer answer; /* to it */
  bool reworded;             /* it is another, though nothing has changed */
  ck_value *dropped;         /* an answer to another one; NULL: none */
} asked_before;

/* As core/runtime/execution/permit_question.c tells it of an effect. */
static void append_notes(ck_buffer *out, const asked_before *before, const ck_value *asked) {
  bool told = before->reworded || !before->dropped;
  if (before->reworded) ck_buffer_append_text(out, CK_APPROVAL_REWORDED);
  if (told) return;
  ck_buffer_append_text(out, " (");
  ck_dropped_answer_append(out, ck_value_bytes(before->dropped), ck_approval_question(asked));
  ck_buffer_append_char(out, ')');
}

/* Nobody is there: the question waits, once. */
static ck_status leave_question(ck_session *self, const ck_rules_question *question,
                                ck_value *asked, const asked_before *before, ck_error *err) {
  const char *id = question->head->session.id;
  ck_buffer notes = {0};
  char *text = ck_json_dup_string(ck_approval_question(asked)),
       *policies = ck_json_dup_string(ck_json_get(ck_value_bytes(asked), "policies"));
  ck_status status = text ? CK_OK : ck_error_no_memory(err);
  append_notes(&notes, before, asked);
  if (status == CK_OK) status = ck_buffer_check(&notes, err);
  if (status == CK_OK && !before->known)
    status = ck_opening_record(self->runtime, question->head, CK_EVENT_RESUME_APPROVAL, asked, err);
  if (status == CK_OK)
    status = ck_error_set(err, CK_E_WAITING,
                          "session %s is resumed once a person allows it: %s ('ckrun answer %s "
                          "allow', or deny; asked by policy \"%s\", resume)%s",
                          id, text, id, policies ? policies : "?", notes.data ? notes.data : "");
  ck_buffer_clear(&notes);
  free(policies);
  free(text);
  return status;
}

/* The question, and what who answers it should know beside it. */
static ck_approval_answer ask_at_terminal(const ck_resume_asker *asker, const ck_value *asked,
                                          const asked_before *before) {
  ck_buffer text = {0};
  ck_json_read_string(&text, ck_approval_question(asked));
  append_notes(&text, before, asked);
  ck_approval_answer answer = text.failed ? CK_APPROVAL_NONE : asker->ask(asker->to, text.data);
  ck_buffer_clear(&text);
  return answer;
}

/* At a terminal it is asked and answered at once; the answer is recorded first, and found there by
 * the next look. */
static ck_status put_question(ck_session *self, const ck_rules_question *question, ck_value *asked,
                              const asked_before *before, ck_error *err) {
  const ck_resume_asker *asker = question->asker;
  ck_approval_answer answer = asker ? ask_at_terminal(asker, asked, before) : CK_APPROVAL_NONE;
  if (answer == CK_APPROVAL_NONE) return leave_question(self, question, asked, before, err);
  ck_status status = ck_approval_answer_record(self->runtime, question->head, asked, answer, err);
  return status == CK_OK ? ck_error_set(err, CK_E_PENDING, "it was answered") : status;
}

static ck_status compare(asked_before *out, const ck_approval *last, const ck_value *asked,
                         bool unchanged, ck_error *err) {
  ck_bytes body = last->body ? ck_value_bytes(last->body) : (ck_bytes){0},
           then = ck_json_get(body, "question");
  *out = (asked_before){.known = last->body && ck_bytes_equal(then, ck_approval_question(asked))};
  out->answer = out->known ? last->answer : CK_APPROVAL_NONE;
  out->reworded = last->body && !out->known && unchanged && !ck_json_get(body, "changed").len;
  if (out->known || last->answer == CK_APPROVAL_NONE) return CK_OK;
  return ck_dropped_answer_write(&out->dropped, then, ck_json_get(body, "answer"),
                                 ck_json_get(body, "by"), err);
}

static ck_status follow(ck_session *self, const ck_rules_question *question, ck_value *asked,
                        const asked_before *before, const ck_resume_rules *rules, ck_error *err) {
  char reason[CK_ERROR_TEXT_MAX];
  ck_text_format(reason, sizeof reason, CK_RESUME_DENIED "%s", rules->question);
  bool takes = question->records && question->takes_denial;
  if (before->answer == CK_APPROVAL_DENY)
    return refuse(self, question, takes, &(ck_refusal){rules->asked_by, reason}, err);
  if (before->answer == CK_APPROVAL_ALLOW) return CK_OK;
  if (!question->dry_run) return put_question(self, question, asked, before, err);
  ck_value_free(self->asked_before);
  self->asked_before = ck_value_share(asked);
  return CK_OK;
}

/* `*asked` gets what of the question before does not count for it. */
static ck_status decide(ck_session *self, const ck_rules_question *question, ck_value **asked,
                        const ck_resume_rules *rules, ck_error *err) {
  ck_approval last;
  asked_before before = {0};
  ck_status status = ck_approval_read(&last, self->runtime->store, question->head, err);
  if (status != CK_OK) return status;
  status = compare(&before, &last, *asked, question->unchanged, err);
  ck_approval_clear(&last);
  if (status == CK_OK && before.dropped)
    status = ck_value_add_member(asked, CK_DROPPED_ANSWER, before.dropped, err);
  if (status == CK_OK) status = follow(self, question, *asked, &before, rules, err);
  ck_value_free(before.dropped);
  return status;
}

/* The question as it may be stored. */
static ck_status ask_person(ck_session *self, const ck_rules_question *question,
                            const ck_resume_rules *rules, ck_error *err) {
  ck_value *given, *asked = NULL;
  ck_status status = ck_approval_write(&given, rules->question, rules->asked_by, self->seen,
                                       question->changed, err);
  if (status != CK_OK) return status;
  status = ck_session_redact(&asked, self, CK_EVENT_RESUME_APPROVAL, NULL, given, err);
  if (status == CK_OK) status = decide(self, question, &asked, rules, err);
  ck_value_free(asked);
  ck_value_free(given);
  return status;
}

/* Without memory for them the resume goes on: they decide nothing. */
static void keep_answers(ck_session *self, const ck_resume_rules *rules) {
  ck_error ignored = CK_ERROR_INIT;
  ck_value_free(self->answers);
  self->answers = NULL;
  if (!rules->answers) return;
  if (ck_value_copy(&self->answers, ck_bytes_text(rules->answers), &ignored) != CK_OK)
    self->answers = NULL;
}

static ck_status ask(ck_session *self, const ck_rules_question *question, ck_error *err) {
  char reason[CK_ERROR_TEXT_MAX];
  const ck_policy_engine *policies = self->policies;
  ck_resume_rules rules = {0};
  ck_resume_case of = make_case(self, question);
  ck_status status = policies->resume && of.seen ? keep_seen(self, &of, err) : CK_OK;
  if (status == CK_OK && policies->resume)
    status = policies->resume(&rules, policies->self, &of, err);
  keep_answers(self, &rules);
  ck_resume_rules_refusal(reason, sizeof reason, &rules);
  const ck_refusal refusal = {rules.refused_by, reason};
  if (status != CK_OK && question->records && *reason)
    ck_session_record_refusal(self, question->head, &refusal);
  else if (status == CK_OK && *reason)
    status = refuse(self, question, question->records, &refusal, err);
  else if (status == CK_OK && rules.question)
    status = ask_person(self, question, &rules, err);
  self->rules = ck_resume_rules_effective(&rules);
  ck_resume_rules_clear(&rules);
  return status;
}

ck_status ck_session_ask_rules(ck_session *self, const ck_rules_question *question, ck_error *err) {
  static const ck_resume_rules as_they_are = {0};
  const ck_head *head = question->head;
  ck_status status = CK_OK;
  if (self->policies->resume)
    status = ck_session_reset_base(self, head, question->from, &as_they_are, err);
  if (status == CK_OK) status = ask(self, question, err);
  return status == CK_OK ? ck_session_reset_base(self, head, question->from, &self->rules, err)
                         : status;
}
