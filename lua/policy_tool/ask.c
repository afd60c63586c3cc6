/* ask.c - asks one hook about a subject, writes the answer down, and has samples to ask about. */
#include <string.h>

#include "lua/policy_tool/subject.h"

/* ---- samples: the usual, the empty and the extreme ---- */

static const char *const boundaries[] = {
    "{}",
    "{\"kind\":\"node_start\",\"node\":\"collect\",\"next\":{\"node\":\"collect\"}}",
    "{\"kind\":\"node_complete\",\"node\":\"collect\",\"latency_ms\":45000,\"since\":{\"ms\":45000,"
    "\"events\":9,\"cost_usd\":0.31,"
    "\"tokens\":9000,\"changed_keys\":4,\"changed_bytes\":2048,\"boundaries\":3},\"next\":{"
    "\"node\":\"analyse\"},\"checkpoint_cost_ms\":0.2}",
    "{\"kind\":\"edge_transition\",\"node\":\"analyse\",\"since\":{\"ms\":1,\"events\":1,"
    "\"boundaries\":2},\"next\":{\"node\":\"report\"}}",
    "{\"kind\":\"loop_iteration\",\"agent\":\"analyst\",\"since\":{\"ms\":900,\"events\":2,\"cost_"
    "usd\":0.002,\"tokens\":800,\"boundaries\":5,"
    "\"iterations\":5},\"budget\":{\"spent\":0.1,\"limit\":5}}",
    "{\"kind\":\"tool_round\",\"agent\":\"analyst\",\"depth\":1,\"latency_ms\":2500,\"since\":{"
    "\"ms\":2600,\"events\":5,\"cost_usd\":0.02,"
    "\"tokens\":4000,\"changed_keys\":1,\"changed_bytes\":300},\"next\":{\"tool\":\"send_mail\","
    "\"class\":\"once\"},\"checkpoint_cost_ms\":0.15,"
    "\"budget\":{\"spent\":4.2,\"limit\":5}}",
    "{\"kind\":\"tool_round\",\"agent\":\"analyst\",\"latency_ms\":90,\"since\":{\"ms\":100,"
    "\"events\":4,\"tokens\":50},"
    "\"next\":{\"tool\":\"search\",\"class\":\"pure\"},\"random\":0.001}",
    "{\"kind\":\"round_complete\",\"since\":{\"ms\":61000,\"events\":40,\"cost_usd\":0.8,"
    "\"tokens\":60000,\"changed_keys\":12,"
    "\"changed_bytes\":90000,\"boundaries\":12,\"iterations\":4},\"random\":0.999}",
    "{\"kind\":\"step_complete\",\"node\":\"build\",\"latency_ms\":1000,\"since\":{\"ms\":1000,"
    "\"events\":3,\"changed_keys\":2,"
    "\"changed_bytes\":64},\"next\":{\"node\":\"deploy\",\"class\":\"reconcilable\"}}",
    "{\"kind\":\"safe_point\",\"node\":\"analyse\",\"since\":{\"ms\":300,\"events\":2}}",
    "{\"kind\":\"user_checkpoint\",\"since\":{\"ms\":12000,\"events\":6,\"cost_usd\":0.05,"
    "\"tokens\":2000}}",
    "{\"kind\":\"pause\",\"since\":{\"ms\":0,\"events\":1}}",
    "{\"kind\":\"failure\",\"node\":\"collect\",\"is_clean\":false,\"last_error\":\"timed "
    "out\",\"since\":{\"ms\":30000,\"events\":7,"
    "\"cost_usd\":0.4,\"tokens\":7000}}",
    "{\"kind\":\"edit\",\"since\":{\"changed_keys\":1,\"changed_bytes\":12}}",
    "{\"kind\":\"final\",\"since\":{\"ms\":500,\"events\":3,\"cost_usd\":0.01}}",
    "{\"kind\":\"tool_round\",\"seq\":900000,\"depth\":9,\"now\":4102444800000,\"latency_ms\":"
    "86400000,\"is_clean\":false,"
    "\"since\":{\"ms\":864000000,\"events\":900000,\"cost_usd\":9999.99,\"tokens\":900000000,"
    "\"changed_keys\":100000,"
    "\"changed_bytes\":10000000000,\"boundaries\":100000,\"iterations\":100000},\"checkpoint_cost_"
    "ms\":5000,"
    "\"budget\":{\"spent\":10001,\"limit\":10000},\"next\":{\"node\":\"x\",\"tool\":\"y\","
    "\"class\":\"idempotent\"}}",
    NULL};

static const char *const histories[] = {
    "{\"checkpoints\":[]}", "{\"checkpoints\":[{}]}",
    "{\"checkpoints\":[{\"kind\":\"node_start\",\"node\":\"a\"},{\"is_clean\":false},{\"bytes\":"
    "5000000},{\"resumable\":false},"
    "{\"kind\":\"safe_point\",\"description\":\"mine\"},{\"kind\":\"pause\"}]}",
    "{\"now\":1767830400000,\"checkpoints\":[{\"created\":1767225600000},{\"created\":"
    "1767225660000},{\"created\":1767312000000},"
    "{\"created\":1767398400000},{\"created\":1767744000000},{\"created\":1767747600000},{"
    "\"created\":1767751200000},"
    "{\"created\":1767826800000},{\"created\":1767828600000},{\"created\":1767830000000},{"
    "\"created\":1767830100000},"
    "{\"created\":1767830200000},{\"created\":1767830300000},{\"created\":1767830390000},{"
    "\"created\":1767830399000}]}",
    NULL};

static const char *const items[] = {
    "{\"key\":\"memory.notes\",\"value\":{\"text\":\"nothing secret\",\"n\":[1,2,3]}}",
    "{\"key\":\"memory.api_key\",\"value\":\"sk-0000000000000000\"}",
    "{\"key\":\"scratch.analyst\",\"value\":[]}",
    "{\"key\":\"outputs.report\",\"value\":null}",
    "{\"kind\":\"outcome\",\"value\":{\"key\":\"main/start/tool/"
    "1\",\"status\":\"ok\",\"result\":{\"password\":\"hunter2\",\"rows\":[{\"a\":1}]}}}",
    "{\"kind\":\"message\",\"value\":{\"message\":{\"role\":\"user\",\"content\":\"hello\"}}}",
    NULL};

static const char *const resumes[] = {
    "{}",
    "{\"session\":{\"status\":\"paused\",\"reason\":\"user_requested\",\"cost_usd\":4.8,\"tokens\":"
    "100000,\"model_calls\":40,\"tool_calls\":55,"
    "\"active_ms\":2700000},\"checkpoint\":{\"kind\":\"pause\"}}",
    "{\"session\":{\"status\":\"failed\",\"reason\":\"it "
    "failed\",\"now\":1767830400000},\"checkpoint\":{\"is_clean\":false,\"node\":\"a\"}}",
    "{\"session\":{\"status\":\"running\",\"profile\":\"graph\",\"flow\":\"/tmp/"
    "flow.lua\"},\"checkpoint\":{}}",
    NULL};

static const char *const events[] = {
    "{\"event\":{\"kind\":\"message\",\"agent\":\"analyst\",\"body\":{\"message\":{\"role\":"
    "\"user\",\"content\":\"hello\"}}},\"agent\":\"analyst\"}",
    "{\"event\":{\"kind\":\"outcome\",\"agent\":\"writer\",\"body\":{\"kind\":\"tool\",\"status\":"
    "\"ok\"}},\"agent\":\"analyst\"}",
    "{\"event\":{\"kind\":\"delegation\",\"agent\":\"lead\",\"body\":{\"target\":\"analyst\","
    "\"message\":\"go\"}},\"agent\":\"analyst\"}",
    "{\"event\":{\"kind\":\"note\"},\"agent\":\"nobody\"}", NULL};

static const char *const failures[] = {
    "{}", "{\"node\":\"collect\",\"status\":\"CK_E_IO\",\"error\":\"529 overloaded\"}",
    "{\"attempt\":3,\"status\":\"CK_E_SECRET_MISSING\"}", NULL};

static const char *const effects[] = {
    "{}",
    "{\"kind\":\"model\",\"class\":\"pure\",\"agent\":\"analyst\",\"request\":{\"model\":"
    "\"default\"}}",
    "{\"class\":\"idempotent\",\"request\":{\"name\":\"search\",\"arguments\":{\"q\":\"x\"}},"
    "\"attempt\":2}",
    "{\"class\":\"once\",\"request\":{\"name\":\"send_mail\",\"arguments\":{}}}", NULL};

static const char *const documents[] = {
    "{}", "{\"document\":{\"memory.x\":1,\"outputs.y\":[1,2]},\"from\":1,\"to\":2}", NULL};

static const char *const *const samples[POLICY_HOOK_COUNT] = {
    [POLICY_checkpoint] = boundaries, [POLICY_prune] = histories,   [POLICY_redact] = items,
    [POLICY_resume] = resumes,        [POLICY_tail] = events,       [POLICY_on_failure] = failures,
    [POLICY_in_doubt] = effects,      [POLICY_migrate] = documents,
};

const char *author_subject_sample(policy_hook hook, size_t index) { return samples[hook][index]; }

/* ---- asking ---- */

ck_status author_call(asking *of, ck_buffer *text, loaded_policy *policy, author_subject *subject,
                      ck_error *err) {
  const void *const subjects[POLICY_HOOK_COUNT] = {
      [POLICY_checkpoint] = &subject->at,   [POLICY_prune] = &subject->history,
      [POLICY_redact] = &subject->item,     [POLICY_resume] = &subject->resume,
      [POLICY_tail] = &subject->event,      [POLICY_on_failure] = &subject->failure,
      [POLICY_in_doubt] = &subject->effect, [POLICY_migrate] = subject->value,
  };
  ck_prune_plan plan = {.drop = subject->flags,
                        .keep = subject->flags ? subject->flags + subject->history.count : NULL};
  ck_buffer_reset(text);
  if (subject->flags)
    memset(subject->flags, 0, subject->history.count * 2 * sizeof *subject->flags);
  *of = (asking){.policy = policy,
                 .subject = subjects[subject->hook],
                 .agent = subject->agent,
                 .from = subject->from,
                 .to = subject->to,
                 .by_id = subject->by_id,
                 .counts = subject->counts,
                 .text = text,
                 .word = -1};
  ck_resume_rules rules = {0};
  of->plan = &plan;
  of->rules = &rules;
  ck_status status = policy_ask(of, subject->hook, err);
  subject->rules = rules;
  of->plan = NULL;
  of->rules = NULL;
  if (status == CK_OK && text->failed) status = ck_error_no_memory(err);
  return status;
}

static void write_ids(ck_json_writer *w, const char *name, const author_subject *subject,
                      const bool *flags) {
  ck_json_name(w, name);
  ck_json_begin(w, '[');
  for (size_t i = 0; i < subject->history.count; i++) {
    if (flags[i]) ck_json_put_text(w, subject->checkpoints[i].id);
  }
  ck_json_end(w, ']');
}

static void write_rules(ck_json_writer *w, const ck_resume_rules *rules, const ck_buffer *refusal) {
  static const char *const words[] = {[CK_RULE_DEFAULT] = NULL,
                                      [CK_RULE_CONTINUE] = "continue",
                                      [CK_RULE_RESET] = "reset",
                                      [CK_RULE_REFUSE] = "refuse"};
  ck_json_name(w, "rules");
  ck_json_begin(w, '{');
  ck_json_member_text(w, "budget", words[rules->budget]);
  ck_json_member_text(w, "time", words[rules->time]);
  ck_json_member_text(w, "rounds", words[rules->rounds]);
  ck_json_member_text(w, "tokens", words[rules->tokens]);
  ck_json_member_text(w, "tool_calls", words[rules->tool_calls]);
  ck_json_end(w, '}');
  if (refusal->len) ck_json_member_string(w, "refusal", ck_buffer_bytes(refusal));
}

/* The text of a decision is a list of one reason that is not closed yet. */
static void write_decision(ck_json_writer *w, const asking *of) {
  ck_json_member_bool(w, "take", of->decision.take);
  ck_json_member_bool(w, "sync", of->decision.sync);
  if (of->text->len < 2) return;
  ck_bytes given = ck_json_get((ck_bytes){of->text->data + 1, of->text->len - 1}, "reason");
  if (ck_json_type_of(given) == CK_JSON_STRING) ck_json_member_raw(w, "reason", given);
}

static void write_answer(ck_json_writer *w, const asking *of, const author_subject *subject) {
  static const char *const verdicts[] = {"leave", "drop", "mask", "ref"};
  static const char *const failure_words[] = {"pause", "retry", "fail"}, *const doubt_words[] = {
                                                                             "stop", "rerun",
                                                                             "tell"};
  switch (subject->hook) {
    case POLICY_checkpoint:
      write_decision(w, of);
      break;
    case POLICY_prune:
      write_ids(w, "drop", subject, subject->flags);
      write_ids(w, "keep", subject, subject->flags + subject->history.count);
      break;
    case POLICY_redact:
      ck_json_member_text(w, "verdict", verdicts[of->verdict]);
      if (of->verdict == CK_REDACT_REF) ck_json_member_string(w, "ref", ck_buffer_bytes(of->text));
      break;
    case POLICY_resume:
      write_rules(w, &subject->rules, of->text);
      break;
    case POLICY_tail:
      ck_json_member_bool(w, "truth", of->truth);
      break;
    case POLICY_on_failure:
      ck_json_member_text(w, "word", of->word < 0 ? NULL : failure_words[of->word]);
      break;
    case POLICY_in_doubt:
      ck_json_member_text(w, "word", of->word < 0 ? NULL : doubt_words[of->word]);
      break;
    case POLICY_migrate:
      if (of->document) ck_json_member_raw(w, "document", ck_value_bytes(of->document));
      break;
    default:
      break;
  }
}

ck_status author_ask(ck_buffer *answer, loaded_policy *policy, author_subject *subject,
                     ck_error *err) {
  asking of;
  ck_buffer text = {0};
  ck_json_writer w = {.out = answer};
  ck_status status = author_call(&of, &text, policy, subject, err);
  if (status == CK_OK) {
    ck_json_begin(&w, '{');
    write_answer(&w, &of, subject);
    ck_json_end(&w, '}');
    status = ck_buffer_check(answer, err);
  }
  ck_value_free(of.document);
  ck_buffer_clear(&text);
  return status;
}
