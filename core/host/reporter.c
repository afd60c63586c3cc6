/* reporter.c - tells on stderr how an execution gets on: one live line on a terminal, a line per step elsewhere. */
#include "core/host/reporter.h"

#include <inttypes.h>
#include <string.h>

#include "core/host/format.h"

static void append_count(ck_buffer *line, int64_t count, const char *what) {
  if (count) ck_buffer_append_format(line, "%" PRId64 " %s%s, ", count, what, count == 1 ? "" : "s");
}

static void print_live(ck_reporter *self) {
  const ck_execution_counts *counts = ck_execution_get_counts(self->execution);
  ck_buffer line = {0};
  append_count(&line, self->saved, "checkpoint");
  append_count(&line, counts->model_calls, "model call");
  append_count(&line, counts->tool_calls, "tool call");
  if (counts->replayed) ck_buffer_append_format(&line, "%" PRId64 " replayed, ", counts->replayed);
  ck_output_append_safe(self->output, &line, ck_bytes_text(self->doing));
  if (!line.failed) {
    ck_bytes text = ck_buffer_bytes(&line);
    if (self->output->talk_width > 1) text.len = ck_format_cut(text, (size_t)self->output->talk_width - 1);
    fprintf(stderr, "\r\033[K%.*s", (int)text.len, text.data);
    fflush(stderr);
  }
  ck_buffer_clear(&line);
}

/* What a step is called, and whether it is worth a line of its own. */
static const struct step {
  const char *what, *doing;
  bool line;
} steps[] = {
  {"effect", "running", false}, {"probe", "probing", true}, {"replay", "replayed", true}, {"outcome", "done", true},
};

static const struct step *find_step(const char *what) {
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
    if (strcmp(steps[i].what, what) == 0) return &steps[i];
  return NULL;
}

static void show_checkpoint(ck_reporter *self, const ck_progress *progress) {
  const ck_saved *saved = progress->saved;
  self->saved++;
  if (self->output->talk_terminal) print_live(self);
  else ck_output_talk(self->output, "%-10s  %s at %s, seq %" PRId64, "checkpoint", saved->id, progress->text, saved->seq);
}

static void show_step(ck_reporter *self, const struct step *step, const ck_progress *progress) {
  const char *key = progress->key ? progress->key : "", *text = progress->text ? progress->text : "";
  const char *gap = *text ? "  " : "";
  if (!self->output->talk_terminal) {
    if (step->line) ck_output_talk(self->output, "%-10s  %s%s%s", step->doing, key, gap, text);
    return;
  }
  snprintf(self->doing, sizeof self->doing, "%s %s%s%s", step->doing, text, gap, key);
  print_live(self);
}

void ck_reporter_show(ck_reporter *self, const ck_progress *progress) {
  if (self->output->json || !self->execution || self->hushed) return;
  const struct step *step = find_step(progress->what);
  if (strcmp(progress->what, "checkpoint") == 0) show_checkpoint(self, progress);
  else if (step) show_step(self, step, progress);
}

void ck_reporter_end(ck_reporter *self) {
  if (self->output->talk_terminal && !self->output->json) fprintf(stderr, "\r\033[K");
}
