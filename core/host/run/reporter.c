/* reporter.c - reports the progress of an execution on stderr: one live line on a terminal, a line
 * per step elsewhere. */
#include "core/host/run/reporter.h"

#include <inttypes.h>
#include <string.h>

#include "core/host/print/format.h"
#include "core/host/session/saving.h"
#include "core/runtime/execution/limits.h"

/* ---- the live line ---- */

static int64_t now_us(const ck_reporter *self) { return self->clock.mono_us(self->clock.self); }

static void begin_part(ck_buffer *line) {
  if (line->len) ck_buffer_append_text(line, " · ");
}

static void append_named(ck_buffer *line, const char *what, const char *name) {
  if (!*name) return;
  begin_part(line);
  ck_buffer_append_format(line, "%s %s", what, name);
}

/* "round 3 of 40", "$0.12 of $5.00". */
static void append_constraints(ck_reporter *self, ck_buffer *line) {
  ck_limits_usage state;
  ck_limits_get(&state, self->session);
  int64_t rounds = state.spent.of[CK_DIMENSION_ROUNDS], limit = state.limit.of[CK_DIMENSION_ROUNDS];
  if (rounds > 0) {
    begin_part(line);
    ck_buffer_append_format(line, "round %" PRId64, rounds);
    if (limit >= 0) ck_buffer_append_format(line, " of %" PRId64, limit);
  }
  int64_t spent = state.spent.of[CK_DIMENSION_BUDGET], budget = state.limit.of[CK_DIMENSION_BUDGET];
  if (spent == 0 && budget < 0) return;
  begin_part(line);
  ck_format_money(line, spent);
  if (budget < 0) return;
  ck_buffer_append_text(line, " of ");
  ck_format_money(line, budget);
}

static void append_unsaved(ck_reporter *self, ck_buffer *line, const ck_saving *saving) {
  int64_t seconds = (now_us(self) - saving->since_us) / 1000000;
  ck_buffer_append_text(line, "NOT SAVED (");
  ck_saving_append_count(line, saving->checkpoints);
  if (seconds > 0) ck_buffer_append_text(line, ", ");
  if (seconds > 0) ck_format_duration(line, seconds * 1000000);
  ck_buffer_append_char(line, ')');
}

static void append_age(ck_reporter *self, ck_buffer *line) {
  ck_saving saving;
  begin_part(line);
  ck_session_get_saving(&saving, self->session);
  if (saving.failing) {
    append_unsaved(self, line, &saving);
    return;
  }
  if (!self->saved_us) {
    ck_buffer_append_text(line, "not saved yet");
    return;
  }
  int64_t seconds = (now_us(self) - self->saved_us) / 1000000;
  ck_buffer_append_text(line, "saved ");
  if (seconds > 0) ck_format_duration(line, seconds * 1000000);
  ck_buffer_append_text(line, seconds > 0 ? " ago" : "just now");
}

static void append_running(ck_reporter *self, ck_buffer *line) {
  begin_part(line);
  if (self->running_count == 0) {
    ck_buffer_append_text(line, *self->done ? self->done : "starting");
    return;
  }
  const char *name = self->running[0].name, *key = self->running[0].key;
  int64_t seconds = (now_us(self) - self->running[0].begun_us) / 1000000;
  ck_buffer_append_format(line, "running %s", *name ? name : key);
  if (seconds > 0) ck_buffer_append_text(line, " for ");
  if (seconds > 0) ck_format_duration(line, seconds * 1000000);
  if (self->running_count > 1)
    ck_buffer_append_format(line, " and %zu more", self->running_count - 1);
}

static void draw(ck_reporter *self) {
  ck_buffer text = {0}, line = {0};
  append_named(&text, "node", self->node);
  append_named(&text, "agent", self->agent);
  append_constraints(self, &text);
  begin_part(&text);
  ck_format_count(&text, ck_session_last_seq(self->session));
  ck_buffer_append_text(&text, " events");
  append_age(self, &text);
  append_running(self, &text);
  if (!text.failed) ck_output_append_safe(self->output, &line, ck_buffer_bytes(&text));
  if (!text.failed && !line.failed) ck_output_show_live(self->output, ck_buffer_bytes(&line));
  ck_buffer_clear(&line);
  ck_buffer_clear(&text);
  self->changed = false;
  self->drawn_us = now_us(self);
}

void ck_reporter_tick(ck_reporter *self) {
  enum { SECOND_US = 1000000 };
  if (self->output->json || !self->output->notice_terminal || !self->execution || self->suppressed)
    return;
  if (self->changed || !self->output->live || now_us(self) - self->drawn_us >= SECOND_US)
    draw(self);
}

void ck_reporter_end(ck_reporter *self) { ck_output_hide_live(self->output); }

/* ---- steps ---- */

static void keep(char *to, size_t size, const char *text) {
  if (text) snprintf(to, size, "%s", text);
}

static void begin_running(ck_reporter *self, const ck_progress *progress) {
  if (self->running_count == CK_REPORTER_RUNNING_MAX) return;
  char *key = self->running[self->running_count].key,
       *name = self->running[self->running_count].name;
  key[0] = name[0] = 0;
  keep(key, sizeof self->running->key, progress->key);
  keep(name, sizeof self->running->name, progress->text);
  self->running[self->running_count].begun_us = now_us(self);
  self->running_count++;
}

/* How long it ran, in microseconds; -1: it is not known to have begun. */
static int64_t end_running(ck_reporter *self, const ck_progress *progress) {
  size_t i = 0;
  while (i < self->running_count &&
         strncmp(self->running[i].key, progress->key, sizeof self->running->key - 1) != 0)
    i++;
  if (i == self->running_count) return -1;
  int64_t took = now_us(self) - self->running[i].begun_us;
  memmove(&self->running[i], &self->running[i + 1],
          (self->running_count - i - 1) * sizeof *self->running);
  self->running_count--;
  return took;
}

/* The word for a step, and whether it gets a line of its own. */
static const struct step {
  const char *what, *doing;
  bool line;
} steps[] = {
    {"effect", "running", false}, {"probe", "probing", true},
    {"replay", "replayed", true}, {"outcome", "done", true},
    {"call", "called", true},     {"failure", "failed", true},
    {"denied", "denied", true},   {"unknown", "unknown: may have happened", true},
};

static const struct step *find_step(const char *what) {
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
    if (strcmp(steps[i].what, what) == 0) return &steps[i];
  return NULL;
}

static int64_t note_step(ck_reporter *self, const struct step *step, const ck_progress *progress) {
  const char *name = progress->text ? progress->text : progress->key ? progress->key : "";
  bool begins = strcmp(step->what, "effect") == 0 || strcmp(step->what, "probe") == 0;
  if (begins) {
    begin_running(self, progress);
    return -1;
  }
  snprintf(self->done, sizeof self->done, "%s %s", step->doing, name);
  return progress->key ? end_running(self, progress) : -1;
}

static void print_step(ck_reporter *self, const struct step *step, const ck_progress *progress) {
  const char *key = progress->key ? progress->key : "",
             *text = progress->text ? progress->text : "";
  if (step->line)
    ck_output_notice(self->output, "%-10s  %s%s%s", step->doing, key, *text ? "  " : "", text);
}

/* Above the live line, for a person: how long it took, what failed in red. */
static void print_finished(ck_reporter *self, const struct step *step, const ck_progress *progress,
                           int64_t took_us) {
  const char *key = progress->key ? progress->key : "", *text = progress->text;
  bool bad = !strcmp(step->what, "failure") || !strcmp(step->what, "denied") ||
             !strcmp(step->what, "unknown");
  ck_buffer plain = {0}, line = {0};
  if (!step->line) return;
  ck_buffer_append_format(&plain, "%-8s  %s%s%s", step->doing, key, text ? "  " : "",
                          text ? text : "");
  if (took_us >= 0) ck_buffer_append_text(&plain, "  ");
  if (took_us >= 0) ck_format_duration(&plain, took_us);
  ck_output_append_safe(self->output, &line, ck_buffer_bytes(&plain));
  if (!plain.failed && !line.failed)
    ck_output_show_line(self->output, ck_buffer_bytes(&line), bad ? CK_TONE_BAD : CK_TONE_PLAIN);
  ck_buffer_clear(&plain);
  ck_buffer_clear(&line);
}

/* A line of its own also above a live line: it must not be missed. */
static void print_saving(ck_reporter *self, const ck_saving *saving) {
  ck_buffer late = {0};
  ck_saving_append_count(&late, saving->late);
  if (saving->failing)
    ck_output_notice(self->output, "%-10s  %s; the session goes on and tries again", "not saved",
                     saving->cause);
  else
    ck_output_notice(self->output, "%-10s  again: %s came late", "saved",
                     late.failed ? "checkpoints" : late.data);
  ck_buffer_clear(&late);
}

/* The same. */
static void print_note(ck_reporter *self, const ck_progress *progress) {
  ck_output_notice(self->output, "%-10s  %s  %s", "note", progress->key, progress->text);
}

void ck_reporter_show(ck_reporter *self, const ck_progress *progress) {
  if (self->output->json || !self->execution) return;
  const struct step *step = find_step(progress->what);
  bool saved = strcmp(progress->what, "checkpoint") == 0, live = self->output->notice_terminal;
  keep(self->node, sizeof self->node, progress->node);
  keep(self->agent, sizeof self->agent, progress->agent);
  if (saved) self->saved_us = now_us(self);
  int64_t took_us = step ? note_step(self, step, progress) : -1;
  if (strcmp(progress->what, "note") == 0) print_note(self, progress);
  if (progress->saving) print_saving(self, progress->saving);
  self->changed = true;
  if (live && step && !self->suppressed) print_finished(self, step, progress, took_us);
  if (!live && step) print_step(self, step, progress);
  if (!live && saved)
    ck_output_notice(self->output, "%-10s  %s at %s, seq %" PRId64, "checkpoint",
                     progress->saved->id, progress->text, progress->saved->seq);
}
