/* prompt.c - what an agent is told: the turn's prompt, behind what it must know of an earlier
 * session or of a try that was interrupted. */
#include "core/effect/acp/private.h"

static ck_bytes interrupted(const ck_effect_run *run) {
  const ck_value *known = run->pending.effect->interrupted;
  return known ? ck_value_bytes(known) : (ck_bytes){0};
}

void ck_acp_read_wanted(char out[CK_ACP_ID_MAX], const ck_effect_run *run) {
  ck_bytes session = ck_json_get(interrupted(run), "session");
  if (!session.len) session = ck_json_get(run->pending.effect->request, "session");
  ck_acp_read_id(out, session);
}

static void append_word(ck_buffer *out, const char *before, ck_bytes json, const char *behind) {
  if (json.len == 0) return;
  ck_buffer_append_text(out, before);
  ck_json_read_string(out, json);
  ck_buffer_append_text(out, behind);
}

/* "- Run make (execute), permission yes: completed". */
static void append_call(ck_buffer *out, ck_bytes call) {
  ck_bytes title = ck_json_get(call, "title"), status = ck_json_get(call, "status");
  bool ended = ck_json_is_text(status, "completed") || ck_json_is_text(status, "failed");
  ck_buffer_append_text(out, "\n- ");
  if (title.len == 0) ck_buffer_append_text(out, "a call without a title");
  append_word(out, "", title, "");
  append_word(out, " (", ck_json_get(call, "kind"), ")");
  append_word(out, ", permission: ", ck_json_get(call, "permission"), "");
  append_word(out, ": ", status, "");
  if (!ended) ck_buffer_append_text(out, "; nothing tells whether it took effect");
}

/* "- Run make (execute): allowed". */
static void append_answer(ck_buffer *out, ck_bytes about) {
  bool allowed = ck_json_is_text(ck_json_get(about, "answer"), "allow");
  ck_buffer_append_text(out, "\n- ");
  append_word(out, "", ck_json_get(about, "title"), "");
  append_word(out, " (", ck_json_get(about, "kind"), ")");
  ck_buffer_append_text(out, allowed ? ": allowed" : ": denied");
}

static void append_answers(ck_buffer *out, ck_bytes answers) {
  if (answers.len <= 2) return;
  ck_buffer_append_text(out,
                        "\nWhat permission was asked for is answered by now; ask again for what is "
                        "allowed where it is still to be done, and it is given:");
  for (ck_json_iterator it = ck_json_iterate(answers); ck_json_next(&it);)
    append_answer(out, it.value);
}

/* Of a session that the agent goes on with, or of one that is gone. */
static void append_interrupted(ck_json_writer *w, const ck_effect_run *run) {
  ck_buffer text = {0}, json = {0};
  ck_bytes calls = ck_json_get(interrupted(run), "calls");
  ck_json_iterator it = ck_json_iterate(calls);
  if (run->is_new)
    ck_buffer_append_text(&text,
                          "An earlier session of yours worked on what follows and was interrupted "
                          "before its end; it cannot be gone on with.");
  else
    ck_buffer_append_text(&text,
                          "Your work on what follows was interrupted before its end, and this "
                          "session goes on with it.");
  ck_buffer_append_text(&text, " See what is done already, go on from there, and repeat nothing.");
  if (calls.len > 2) ck_buffer_append_text(&text, " What is known of its last calls:");
  while (ck_json_next(&it)) append_call(&text, it.value);
  append_answers(&text, ck_json_get(interrupted(run), "answers"));
  ck_json_append_string(&json, ck_buffer_bytes(&text));
  if (text.failed || json.failed)
    w->out->failed = true;
  else
    ck_acp_put_text(w, ck_buffer_bytes(&json));
  ck_buffer_clear(&text);
  ck_buffer_clear(&json);
}

static ck_status put_parts(ck_json_writer *w, const ck_effect_run *run, ck_error *err) {
  ck_bytes prompt = ck_json_get(run->pending.effect->request, "prompt");
  ck_status status = CK_OK;
  if (ck_json_type_of(prompt) != CK_JSON_ARRAY) {
    ck_acp_put_text(w, prompt);
    return CK_OK;
  }
  for (ck_json_iterator it = ck_json_iterate(prompt); status == CK_OK && ck_json_next(&it);)
    status = ck_acp_put_block(w, run->agent, it.value, err);
  return status;
}

/* A session that is new to the agent begins with the tail: what an earlier session knew. */
void ck_acp_append_prompt(ck_json_writer *w, const ck_effect_run *run) {
  const ck_effect *effect = run->pending.effect;
  ck_json_name(w, "prompt");
  ck_json_begin(w, '[');
  if (run->is_new && effect->tail) ck_acp_put_text(w, ck_value_bytes(effect->tail));
  if (effect->interrupted) append_interrupted(w, run);
  if (run->parts.len) ck_json_put_raw(w, ck_buffer_bytes(&run->parts));
  ck_json_end(w, ']');
}

ck_status ck_acp_write_parts(ck_effect_run *run, ck_error *err) {
  ck_json_writer w = {.out = &run->parts};
  ck_status status = put_parts(&w, run, err);
  return status == CK_OK ? ck_buffer_check(&run->parts, err) : status;
}

void ck_acp_report_session(ck_effect_run *run) {
  const ck_acp_agent *agent = run->agent;
  ck_buffer update = {0};
  ck_json_writer w = {.out = &update};
  ck_json_begin(&w, '{');
  ck_json_name(&w, "session");
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "id", run->session);
  if (agent->can_resume || agent->can_load)
    ck_json_member_text(&w, "resumes", agent->can_resume ? "resume" : "load");
  ck_json_end(&w, '}');
  ck_json_end(&w, '}');
  if (!update.failed) run->pending.sink->update(run->pending.sink, ck_buffer_bytes(&update));
  ck_buffer_clear(&update);
}
