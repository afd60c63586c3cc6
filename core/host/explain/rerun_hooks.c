/* rerun_hooks.c - lists and counts the answers of each hook that would be others. */
#include "core/host/explain/rerun_hooks.h"

#include <string.h>

#include "core/host/print/document.h"
#include "core/host/session/next_command.h"
#include "core/host/simulate/rerun_sum.h"
#include "core/host/simulate/simulation_redact.h"
#include "lua/policy/policy.h"
#include "lua/profile/profile.h"

/* Who is asked. */
typedef struct asking {
  ck_profile *profile;
  bool alone; /* a policy, no profile */
  bool has[CK_RERUN_HOOK_COUNT], redacts;
} asking;

/* A profile of its own with that policy; what is no policy is a profile. */
static ck_status load(asking *out, const char *name, ck_error *err) {
  ck_policy_engine engine;
  ck_error ignored = CK_ERROR_INIT;
  ck_status status = ck_profile_new(&out->profile, name, err);
  if (status == CK_OK) status = ck_profile_append_policy(out->profile, name, NULL, err);
  out->alone = status == CK_OK && ck_policy_engine_open(&engine, out->profile, &ignored) == CK_OK;
  if (out->alone) {
    engine.free(engine.self);
    out->profile->budget_micros = CK_SIMULATE_AS_RECORDED;
  }
  if (out->alone || status == CK_E_NO_MEMORY) return status;
  ck_profile_free(out->profile);
  out->profile = NULL;
  return ck_profile_load(&out->profile, name, err);
}

static ck_status find_hooks(asking *self, ck_error *err) {
  ck_policy_engine engine;
  ck_status status = ck_policy_engine_open(&engine, self->profile, err);
  if (status != CK_OK) return status;
  const bool has[CK_RERUN_HOOK_COUNT] = {
      [CK_RERUN_RESUME] = engine.resume,         [CK_RERUN_TAIL] = engine.tail,
      [CK_RERUN_IN_DOUBT] = engine.in_doubt,     [CK_RERUN_PERMIT] = engine.permit,
      [CK_RERUN_ON_FAILURE] = engine.on_failure, [CK_RERUN_PRUNE] = engine.prune};
  memcpy(self->has, has, sizeof has);
  self->redacts = engine.redact;
  engine.free(engine.self);
  return CK_OK;
}

/* ---- one answer ---- */

/* What comes about without anybody who is asked. */
static bool is_neutral(const char *word) {
  static const char *const words[] = {"allow", "no opinion", "go on", "in", "keep"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(words[i], word) == 0) return true;
  return false;
}

static bool is_other(const ck_rerun_place *place) {
  if (!place->now.word) return false;
  return place->then.word ? ck_hook_rerun_differs(place) : !is_neutral(place->now.word);
}

/* "approve: May it?" */
static void append_why(ck_buffer *out, const ck_rerun_said *said) {
  ck_buffer_append_format(out, "%s%s%s", said->policies ? said->policies : "",
                          said->policies && said->text ? ": " : "", said->text ? said->text : "");
}

static void put_why(ck_table *table, const ck_rerun_said *said) {
  ck_buffer text = {0};
  append_why(&text, said);
  table->text.failed |= text.failed;
  ck_table_put_text(table, ck_buffer_bytes(&text));
  ck_buffer_clear(&text);
}

static void put_row(ck_table *table, ck_rerun_hook hook, const ck_rerun_place *place) {
  ck_table_put_count(table, place->seq);
  ck_table_put_word(table, ck_rerun_hook_name(hook));
  ck_table_put_text(table, ck_bytes_text(place->about));
  ck_table_put_word(table, NULL);
  ck_table_put_word(table, place->then.word ? place->then.word : "not recorded");
  put_why(table, &place->then);
  ck_table_put_word(table, place->now.word);
  put_why(table, &place->now);
}

static ck_status print_json(ck_rerun_telling *self, ck_rerun_hook hook, const ck_rerun_place *place,
                            ck_error *err) {
  ck_document document;
  ck_document_init(&document, self->output);
  ck_document_put_text(&document, NULL, "hook", ck_rerun_hook_name(hook));
  ck_rerun_put_place(&document, NULL, place);
  ck_status status = ck_document_print(&document, err);
  ck_document_clear(&document);
  return status;
}

/* "permit, main/pay#1/exec/1: ask (guard: May it?), asked now: deny (strict: no)". */
static ck_status print_sentence(ck_rerun_telling *self, ck_rerun_hook hook,
                                const ck_rerun_place *place, ck_error *err) {
  const ck_rerun_said *said[] = {&place->then, &place->now};
  ck_buffer text = {0}, safe = {0};
  ck_buffer_append_format(&text, "%s", ck_rerun_hook_name(hook));
  if (place->about) ck_buffer_append_format(&text, ", %s", place->about);
  for (int i = 0; i < 2; i++) {
    ck_buffer_append_text(&text, i ? ", asked now: " : ": ");
    ck_buffer_append_text(&text, said[i]->word ? said[i]->word : "not recorded");
    if (!said[i]->policies && !said[i]->text) continue;
    ck_buffer_append_text(&text, " (");
    append_why(&text, said[i]);
    ck_buffer_append_char(&text, ')');
  }
  ck_output_append_safe(self->output, &safe, ck_buffer_bytes(&text));
  ck_buffer_append_char(&safe, '\n');
  ck_status status = ck_buffer_check(&text, err);
  if (status == CK_OK) status = ck_buffer_check(&safe, err);
  if (status == CK_OK) ck_output_write(self->output, ck_buffer_bytes(&safe));
  ck_buffer_clear(&text);
  ck_buffer_clear(&safe);
  return status;
}

/* Of one event all answers are told, else those that would be others. */
static ck_status tell_place(ck_rerun_telling *self, ck_rerun_hook hook, const ck_rerun_place *place,
                            ck_error *err) {
  if (self->seq ? place->seq != self->seq || !place->now.word : !is_other(place)) return CK_OK;
  self->shown++;
  if (self->output->json) return print_json(self, hook, place, err);
  if (self->seq) return print_sentence(self, hook, place, err);
  put_row(self->table, hook, place);
  return CK_OK;
}

/* ---- one hook ---- */

static void append_command(ck_buffer *out, const ck_rerun_telling *self, const char *hook,
                           bool alone) {
  ck_buffer_append_format(out, "ckrun policy simulate %s --hook %s%s", self->of->head.session.id,
                          hook, strcmp(hook, "redact") == 0 ? "" : " --list");
  ck_next_command_append_option(out, alone ? "--policy" : "--profile", self->policy);
}

static void tell_sum(const ck_rerun_telling *self, ck_rerun_hook hook, bool alone,
                     const ck_rerun_sum *sum) {
  ck_buffer command = {0};
  const char *name = ck_rerun_hook_name(hook);
  append_command(&command, self, name, alone);
  if (sum->otherwise)
    ck_output_notice(self->output, "%s: %lld of %lld answers would be others: %s", name,
                     (long long)sum->otherwise, (long long)sum->asked,
                     command.data ? command.data : "");
  else if (alone && (!self->asked || sum->as_recorded < sum->asked))
    ck_output_notice(self->output,
                     "%s: asked %lld times: %lld as recorded, %lld not recorded then, %lld that "
                     "the session does not tell: %s",
                     name, (long long)sum->asked, (long long)sum->as_recorded,
                     (long long)sum->not_recorded, (long long)sum->untold,
                     command.data ? command.data : "");
  ck_buffer_clear(&command);
}

static ck_status tell_hook(ck_rerun_telling *self, const asking *of, ck_rerun_hook hook,
                           ck_error *err) {
  ck_hook_rerun made;
  ck_rerun_sum sum = {0};
  if (of->alone && !of->has[hook]) return CK_OK;
  ck_status status =
      ck_rerun_profile(&made, self->of->store, self->of->head.session.id, hook, of->profile, err);
  if (status != CK_OK) return status;
  status = ck_rerun_sum_add(&sum, &made, err);
  for (size_t i = 0; status == CK_OK && i < made.count; i++)
    status = tell_place(self, hook, &made.list[i], err);
  if (status == CK_OK && !self->seq) tell_sum(self, hook, of->alone, &sum);
  ck_rerun_sum_clear(&sum);
  ck_hook_rerun_clear(&made);
  return status;
}

static ck_status tell_redact(ck_rerun_telling *self, const asking *of, ck_error *err) {
  ck_simulated_masks masks = {0};
  ck_buffer command = {0};
  int64_t count = 0;
  if (!of->redacts || self->seq) return CK_OK;
  ck_status status =
      ck_simulate_redact(&masks, self->of->store, self->of->head.session.id, of->profile, err);
  for (size_t i = 0; i < masks.count; i++) count += masks.list[i].count;
  append_command(&command, self, "redact", of->alone);
  if (status == CK_OK && (of->alone || count))
    ck_output_notice(self->output, "redact: %lld of %lld items would be masked: %s",
                     (long long)count, (long long)masks.items, command.data ? command.data : "");
  ck_simulated_masks_clear(&masks);
  ck_buffer_clear(&command);
  return status;
}

ck_status ck_rerun_hooks_tell(ck_rerun_telling *self, ck_error *err) {
  asking of = {0};
  if (self->asked && !self->seq)
    ck_output_notice(self->output, "%zu of %zu %s would be decided otherwise by %s",
                     self->differing, self->asked, self->asked == 1 ? "boundary" : "boundaries",
                     self->policy);
  ck_status status = load(&of, self->policy, err);
  if (status == CK_OK) status = find_hooks(&of, err);
  for (int i = 0; status == CK_OK && i < CK_RERUN_HOOK_COUNT; i++)
    status = tell_hook(self, &of, (ck_rerun_hook)i, err);
  if (status == CK_OK) status = tell_redact(self, &of, err);
  ck_profile_free(of.profile);
  return status;
}
