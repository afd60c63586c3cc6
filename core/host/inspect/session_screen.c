/* session_screen.c - one session on a terminal: how it stands, what failed, what to do next, what
 * it cost, what it did last. */
#include "core/host/inspect/session_screen.h"

#include <string.h>

#include "core/base/clock.h"
#include "core/host/inspect/tones.h"
#include "core/host/print/bar.h"
#include "core/host/print/format.h"
#include "core/host/print/paragraph.h"
#include "core/host/print/table.h"
#include "core/host/session/fields.h"
#include "core/host/session/short_id.h"

static ck_tone tone_of(const ck_session_view *self) {
  return ck_standing_tone(self->stands, self->live != 0);
}

/* ---- how it stands ---- */

/* "trip  failed  5 min ago" */
static void print_title(const ck_session_view *self, ck_output *output) {
  ck_buffer line = {0}, age = {0};
  ck_clock clock = ck_clock_system();
  ck_tone tone = output->color ? tone_of(self) : CK_TONE_PLAIN;
  ck_tone strong = output->color ? CK_TONE_STRONG : CK_TONE_PLAIN;
  ck_format_age(&age, self->updated_ms, clock.wall_ms(clock.self));
  ck_buffer_append_text(&line, ck_tone_on(strong));
  ck_output_append_safe(output, &line, ck_bytes_text(self->id));
  ck_buffer_append_format(&line, "%s  %s%s%s%s", ck_tone_off(strong), ck_tone_on(tone),
                          self->standing, self->live == 0 ? ", its process is gone" : "",
                          ck_tone_off(tone));
  ck_buffer_append_format(&line, "  %s\n", age.data ? age.data : "");
  ck_output_write(output, ck_buffer_bytes(&line));
  output->failed |= line.failed || age.failed;
  ck_buffer_clear(&line);
  ck_buffer_clear(&age);
}

static void print_part(ck_output *output, const char *name, const char *text, ck_tone tone) {
  ck_buffer line = {0};
  if (!text || !*text) return;
  ck_buffer_append_format(&line, "%s %s", name, text);
  ck_paragraph_print(output, ck_buffer_bytes(&line), 2, tone);
  output->failed |= line.failed;
  ck_buffer_clear(&line);
}

static void print_doubts(const ck_session_view *self, ck_output *output) {
  const char *key = self->doubts.keys.data;
  for (size_t i = 0; i < self->doubts.count; i++, key += strlen(key) + 1)
    print_part(output, "in doubt:", key, CK_TONE_BAD);
}

/* The command is not wrapped: it is to be copied. */
static void print_next(const ck_session_view *self, ck_output *output) {
  ck_buffer line = {0};
  bool color = output->color;
  if (!self->next.len) return;
  ck_buffer_append_format(&line, "  next: %s", color ? ck_tone_on(CK_TONE_STRONG) : "");
  ck_output_append_safe(output, &line, ck_buffer_bytes(&self->next));
  ck_buffer_append_format(&line, "%s\n", color ? ck_tone_off(CK_TONE_STRONG) : "");
  ck_output_write(output, ck_buffer_bytes(&line));
  output->failed |= line.failed;
  ck_buffer_clear(&line);
}

static void print_state(const ck_session_view *self, ck_output *output) {
  bool failed = self->failure || tone_of(self) == CK_TONE_BAD;
  print_title(self, output);
  print_part(output, self->failure ? self->failure : "because:", self->reason,
             failed ? CK_TONE_BAD : CK_TONE_PLAIN);
  print_doubts(self, output);
  print_part(output, "asks:", self->question, CK_TONE_WARN);
  print_next(self, output);
  print_part(output, "flow", self->flow, CK_TONE_FAINT);
  print_part(output, "profile", self->profile, CK_TONE_FAINT);
}

/* ---- what it cost ---- */

static const ck_column spent_columns[] = {
    {"SPENT BY", CK_COLUMN_CUT},
    {"DOLLARS", CK_COLUMN_RIGHT},
    {"OF", CK_COLUMN_RIGHT | CK_COLUMN_SPARE(1)},
    {"TOKENS", CK_COLUMN_RIGHT},
    {"OF", CK_COLUMN_RIGHT | CK_COLUMN_SPARE(1)},
    {"MODEL CALLS", CK_COLUMN_RIGHT | CK_COLUMN_SPARE(3)},
    {"TOOL CALLS", CK_COLUMN_RIGHT | CK_COLUMN_SPARE(2)},
    {NULL, false},
};

/* From 80 % of its limit an amount is yellow, at it red. */
static ck_tone spent_tone(int64_t spent, int64_t limit) {
  if (limit < 0) return CK_TONE_PLAIN;
  if (spent >= limit) return CK_TONE_BAD;
  return spent >= limit / 100 * CK_LIMIT_APPROACHING_PERCENT ? CK_TONE_WARN : CK_TONE_PLAIN;
}

static void put_limit(ck_table *table, int64_t limit, bool money) {
  if (limit < 0)
    ck_table_put_word(table, NULL);
  else if (money)
    ck_table_put_money(table, limit);
  else
    ck_table_put_count(table, limit);
}

static void put_tokens(ck_table *table, const ck_agents_spent *agents, const char *agent,
                       int64_t tokens) {
  int64_t limit = ck_agents_spent_limit(agents, agent, CK_DIMENSION_TOKENS);
  ck_table_tone(table, spent_tone(tokens, limit));
  ck_table_put_count(table, tokens);
  put_limit(table, limit, false);
}

static void put_agent(ck_table *table, const ck_agents_spent *agents, const ck_agent_spending *of) {
  int64_t budget = ck_agents_spent_limit(agents, of->agent, CK_DIMENSION_BUDGET);
  ck_table_put_text(table, ck_bytes_text(of->agent));
  ck_table_tone(table, spent_tone(of->cost_micros, budget));
  ck_table_put_money(table, of->cost_micros);
  put_limit(table, budget, true);
  put_tokens(table, agents, of->agent, of->tokens);
  ck_table_put_count(table, of->model_calls);
  ck_table_put_count(table, of->tool_calls);
}

/* What agents have spent counts from the fork, and the session's totals do not: the rest. */
static void put_before_fork(ck_table *table, const ck_totals *of) {
  ck_table_tone(table, CK_TONE_FAINT);
  ck_table_put_word(table, "before the fork");
  ck_fields_put_cost_cell(table, of);
  ck_table_put_word(table, NULL);
  ck_table_put_count(table, of->input_tokens + of->output_tokens);
  ck_table_put_word(table, NULL);
  ck_table_put_count(table, of->model_calls);
  ck_table_put_count(table, of->tool_calls);
}

static ck_status print_spent(const ck_session_view *self, ck_output *output, ck_error *err) {
  const ck_totals *totals = &self->runs.totals;
  int64_t budget = ck_agents_spent_limit(&self->agents, NULL, CK_DIMENSION_BUDGET);
  ck_table table;
  ck_table_init(&table, output, spent_columns);
  for (size_t i = 0; i < self->agents.spending.count; i++)
    put_agent(&table, &self->agents, &self->agents.spending.agents[i]);
  if (self->runs.forked) put_before_fork(&table, &self->runs.before_fork);
  ck_table_tone(&table, CK_TONE_STRONG);
  ck_table_put_word(&table, "the session");
  ck_table_tone(&table, spent_tone(totals->cost_micros, budget));
  ck_fields_put_cost_cell(&table, totals);
  put_limit(&table, budget, true);
  put_tokens(&table, &self->agents, NULL, totals->input_tokens + totals->output_tokens);
  ck_table_put_count(&table, totals->model_calls);
  ck_table_put_count(&table, totals->tool_calls);
  ck_output_print(output, "\n");
  ck_status status = ck_table_print(&table, err);
  ck_table_clear(&table);
  return status;
}

/* ---- what it did last ---- */

static const ck_column effect_columns[] = {
    {"SEQ", CK_COLUMN_RIGHT},
    {"AT", CK_COLUMN_PATH | CK_COLUMN_SPARE(1)},
    {"EFFECT", CK_COLUMN_CUT},
    {"AGENT", CK_COLUMN_CUT | CK_COLUMN_SPARE(3)},
    {"AFTER", CK_COLUMN_RIGHT | CK_COLUMN_SPARE(4)},
    {"TOOK", CK_COLUMN_RIGHT},
    {"", CK_COLUMN_SPARE(2)},
    {"DOLLARS", CK_COLUMN_RIGHT | CK_COLUMN_SPARE(1)},
    {"STATUS", CK_COLUMN_WRAP},
    {NULL, false},
};

static ck_tone effect_tone(const ck_recent_effect *of) {
  if (strcmp(of->status, "ok") == 0 || strcmp(of->status, "ended") == 0) return CK_TONE_PLAIN;
  if (strcmp(of->status, "replayed") == 0 || strcmp(of->status, "again") == 0) return CK_TONE_FAINT;
  bool warns = strcmp(of->status, "open") == 0 || strcmp(of->status, "left") == 0 ||
               strcmp(of->status, "resolved") == 0;
  return warns ? CK_TONE_WARN : CK_TONE_BAD;
}

static int64_t duration_of(const ck_recent_effect *of) {
  return of->begun_ms && of->ended_ms > of->begun_ms ? of->ended_ms - of->begun_ms : 0;
}

static void put_name(ck_table *table, const ck_recent_effect *of) {
  ck_buffer text = {0};
  ck_buffer_append_format(&text, "%s%s%s", of->kind ? of->kind : "", of->name ? " " : "",
                          of->name ? of->name : "");
  ck_table_put_text(table, ck_buffer_bytes(&text));
  table->text.failed |= text.failed;
  ck_buffer_clear(&text);
}

static void put_status(ck_table *table, const ck_recent_effect *of, ck_tone tone) {
  ck_buffer text = {0};
  ck_buffer_append_format(&text, "%s%s%s", of->status, of->error ? ": " : "",
                          of->error ? of->error : "");
  if (of->retries_ms) {
    ck_buffer_append_text(&text, "; ");
    ck_recent_effect_append_wait(&text, of);
  }
  ck_table_tone(table, tone);
  ck_table_put_text(table, ck_buffer_bytes(&text));
  table->text.failed |= text.failed;
  ck_buffer_clear(&text);
}

static void put_effect(ck_table *table, const ck_recent_effects *all, const ck_recent_effect *of,
                       int64_t longest) {
  ck_tone tone = effect_tone(of);
  size_t bar = table->output->width >= 100 ? 24 : 8;
  ck_table_tone(table, CK_TONE_FAINT);
  ck_table_put_count(table, of->seq);
  ck_table_tone(table, tone);
  ck_table_put_text(table, ck_bytes_text(of->at));
  ck_table_tone(table, tone);
  put_name(table, of);
  ck_table_put_text(table, ck_bytes_text(of->agent));
  ck_table_tone(table, CK_TONE_FAINT);
  ck_table_put_duration(table, (of->begun_ms - all->list[0].begun_ms) * 1000);
  if (duration_of(of))
    ck_table_put_duration(table, duration_of(of) * 1000);
  else
    ck_table_put_word(table, NULL);
  ck_table_tone(table, tone == CK_TONE_PLAIN ? CK_TONE_NAME : tone);
  ck_bar_append(&table->text, duration_of(of), longest, bar);
  ck_table_end_cell(table);
  if (of->cost_micros > 0)
    ck_table_put_money(table, of->cost_micros);
  else
    ck_table_put_word(table, NULL);
  put_status(table, of, tone);
}

static ck_status print_effects(const ck_session_view *self, ck_output *output, ck_error *err) {
  const ck_recent_effects *all = &self->recent;
  int64_t longest = 0;
  ck_table table;
  if (!all->count) return CK_OK;
  for (size_t i = 0; i < all->count; i++)
    if (duration_of(&all->list[i]) > longest) longest = duration_of(&all->list[i]);
  ck_table_init(&table, output, effect_columns);
  for (size_t i = 0; i < all->count; i++) put_effect(&table, all, &all->list[i], longest);
  ck_output_print(output, "\n");
  ck_status status = ck_table_print(&table, err);
  ck_table_clear(&table);
  return status;
}

/* ---- sizes ---- */

static void print_kept(const ck_session_view *self, ck_output *output) {
  ck_buffer line = {0};
  ck_format_of(&line, self->events, "event");
  ck_buffer_append_text(&line, ", ");
  ck_format_of(&line, self->kept.checkpoints, "checkpoint");
  ck_buffer_append_text(&line, " of ");
  ck_format_bytes(&line, self->kept.stored_bytes);
  ck_buffer_append_text(&line, ", ");
  ck_format_of(&line, (int64_t)self->runs.count, "run");
  ck_buffer_append_text(&line, ", ran for ");
  ck_format_duration(&line, self->runs.totals.active_us);
  if (self->head->has_checkpoint)
    ck_buffer_append_format(&line, ", stands at checkpoint %s",
                            ck_short_id(self->head->checkpoint.id));
  ck_output_print(output, "\n");
  ck_paragraph_print(output, ck_buffer_bytes(&line), 0, CK_TONE_FAINT);
  output->failed |= line.failed;
  ck_buffer_clear(&line);
}

ck_status ck_session_screen_print(const ck_session_view *self, ck_output *output, ck_error *err) {
  print_state(self, output);
  ck_status status = print_spent(self, output, err);
  if (status == CK_OK) status = print_effects(self, output, err);
  if (status == CK_OK) print_kept(self, output);
  return status == CK_OK ? ck_output_flush(output, err) : status;
}
