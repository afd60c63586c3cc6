/* ask.c - asks one hook about a subject, and writes its answer as JSON. */
#include <string.h>

#include "lua/policy/resume_words.h"
#include "lua/policy_tool/subject.h"

ck_status ck_policy_subject_call(asking *of, ck_buffer *text, loaded_policy *policy,
                                 policy_subject *subject, ck_error *err) {
  ck_prune_plan plan = {.drop = subject->flags,
                        .keep = subject->flags ? subject->flags + subject->history.count : NULL};
  ck_resume_rules rules = {0};
  ck_buffer_reset(text);
  if (subject->flags)
    memset(subject->flags, 0, subject->history.count * 2 * sizeof *subject->flags);
  *of = (asking){.hook = subject->hook,
                 .policy = policy,
                 .subject = subject->about,
                 .agent = subject->agent,
                 .at = &subject->at,
                 .from = subject->from,
                 .to = subject->to,
                 .by_id = subject->by_id,
                 .counts = subject->counts,
                 .text = text,
                 .word = -1,
                 .plan = &plan,
                 .rules = &rules};
  ck_status status = ck_policy_ask(of, err);
  subject->rules = rules;
  of->plan = NULL;
  of->rules = NULL;
  if (status == CK_OK && text->failed) status = ck_error_no_memory(err);
  return status;
}

/* ---- write_HOOK writes the members of the answer ---- */

static void write_ids(ck_json_writer *w, const char *name, const policy_subject *subject,
                      const bool *flags) {
  ck_json_name(w, name);
  ck_json_begin(w, '[');
  for (size_t i = 0; i < subject->history.count; i++) {
    if (flags[i]) ck_json_put_text(w, subject->checkpoints[i].id);
  }
  ck_json_end(w, ']');
}

static void write_rules(ck_json_writer *w, const ck_resume_rules *of) {
  const ck_rule rules[CK_RESUME_RULES] = {of->budget, of->time,       of->rounds,
                                          of->tokens, of->tool_calls, of->model_calls};
  ck_resume_words_write_rules(w, rules);
}

/* The text of a decision is a list of one reason that is not closed yet. */
static void write_checkpoint(ck_json_writer *w, const asking *of, const policy_subject *subject) {
  (void)subject;
  ck_json_member_bool(w, "take", of->decision.take);
  ck_json_member_bool(w, "sync", of->decision.sync);
  if (of->text->len < 2) return;
  ck_bytes given = ck_json_get((ck_bytes){of->text->data + 1, of->text->len - 1}, "reason");
  if (ck_json_type_of(given) == CK_JSON_STRING) ck_json_member_raw(w, "reason", given);
}

static void write_prune(ck_json_writer *w, const asking *of, const policy_subject *subject) {
  (void)of;
  write_ids(w, "drop", subject, subject->flags);
  write_ids(w, "keep", subject, subject->flags + subject->history.count);
}

static void write_redact(ck_json_writer *w, const asking *of, const policy_subject *subject) {
  static const char *const verdicts[] = {[CK_REDACT_LEAVE] = "leave",
                                         [CK_REDACT_DROP] = "drop",
                                         [CK_REDACT_MASK] = "mask",
                                         [CK_REDACT_REF] = "ref",
                                         [CK_REDACT_REPLACE] = "replace"};
  (void)subject;
  ck_json_member_text(w, "verdict", verdicts[of->verdict]);
  if (of->verdict == CK_REDACT_REF) ck_json_member_string(w, "ref", ck_buffer_bytes(of->text));
  if (of->verdict == CK_REDACT_REPLACE) ck_json_member_raw(w, "value", ck_buffer_bytes(of->text));
}

static void write_resume(ck_json_writer *w, const asking *of, const policy_subject *subject) {
  write_rules(w, &subject->rules);
  if (of->word == CK_LEAVE_DENY) ck_json_member_string(w, "refusal", ck_buffer_bytes(of->text));
  if (of->word == CK_LEAVE_ASK) ck_json_member_string(w, "question", ck_buffer_bytes(of->text));
}

static void write_tail(ck_json_writer *w, const asking *of, const policy_subject *subject) {
  (void)subject;
  ck_json_member_bool(w, "truth", of->truth);
}

static void write_on_failure(ck_json_writer *w, const asking *of, const policy_subject *subject) {
  (void)subject;
  ck_json_member_text(w, "word", of->word < 0 ? NULL : ck_answer_failure_words[of->word]);
  if (of->wait_ms > 0) ck_json_member_int(w, "wait_ms", of->wait_ms);
}

static void write_in_doubt(ck_json_writer *w, const asking *of, const policy_subject *subject) {
  (void)subject;
  ck_json_member_text(w, "word", of->word < 0 ? NULL : ck_answer_doubt_words[of->word]);
}

static void write_permit(ck_json_writer *w, const asking *of, const policy_subject *subject) {
  static const char *const words[] = {
      [CK_LEAVE_ALLOW] = NULL, [CK_LEAVE_ASK] = "ask", [CK_LEAVE_DENY] = "deny"};
  (void)subject;
  ck_json_member_text(w, "word", words[of->word]);
  if (words[of->word] && of->text->len) ck_json_member_string(w, "text", ck_buffer_bytes(of->text));
}

static void write_migrate(ck_json_writer *w, const asking *of, const policy_subject *subject) {
  (void)subject;
  if (of->document) ck_json_member_raw(w, "document", ck_value_bytes(of->document));
}

static void (*const writers[POLICY_HOOK_COUNT])(ck_json_writer *w, const asking *of,
                                                const policy_subject *subject) = {
#define X(name, ...) write_##name,
    CK_POLICY_HOOK_TABLE(X)
#undef X
};

/* What a redact hook makes of an item is asked about again at each resume. */
static ck_status check_lasting(const asking *of, policy_subject *subject, ck_error *err) {
  asking again;
  ck_buffer text = {0};
  ck_value *made;
  const ck_value *given = subject->item.value;
  ck_status status = ck_value_copy(&made, ck_buffer_bytes(of->text), err);
  if (status != CK_OK) return status;
  subject->item.value = made;
  status = ck_policy_subject_call(&again, &text, of->policy, subject, err);
  subject->item.value = given;
  if (status == CK_OK && again.verdict != CK_REDACT_LEAVE)
    status = ck_error_set(err, CK_E_POLICY,
                          "policy \"%s\", redact: %s:%d: asked about the text that it had made of "
                          "the item, it changes that again; leave what is masked as it is",
                          of->policy->name, of->policy->file, of->policy->lines[POLICY_redact]);
  ck_value_free(made);
  ck_buffer_clear(&text);
  return status;
}

ck_status ck_policy_subject_ask(ck_buffer *answer, loaded_policy *policy, policy_subject *subject,
                                ck_error *err) {
  asking of;
  ck_buffer text = {0};
  ck_json_writer w = {.out = answer};
  ck_status status = ck_policy_subject_call(&of, &text, policy, subject, err);
  if (status == CK_OK && of.verdict == CK_REDACT_REPLACE) status = check_lasting(&of, subject, err);
  if (status == CK_OK) {
    ck_json_begin(&w, '{');
    writers[subject->hook](&w, &of, subject);
    ck_json_end(&w, '}');
    status = ck_buffer_check(answer, err);
  }
  ck_value_free(of.document);
  ck_buffer_clear(&text);
  return status;
}
