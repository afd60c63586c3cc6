/* reporter.c - tells on stderr how an execution gets on: one live line on a terminal, a line per step elsewhere. */
#include "core/host/reporter.h"

#include <inttypes.h>
#include <string.h>

#include "core/host/format.h"

static void print_live(ck_reporter *self, const char *doing, const char *key) {
  const ck_execution_counts *counts = ck_execution_get_counts(self->execution);
  ck_buffer line = {0};
  ck_buffer_append_format(&line, "%" PRId64 " checkpoints  %" PRId64 " model calls  %" PRId64 " tool calls  ", self->saved,
                          counts->model_calls, counts->tool_calls);
  if (counts->replayed) ck_buffer_append_format(&line, "%" PRId64 " replayed  ", counts->replayed);
  ck_buffer_append_format(&line, "%s ", doing);
  ck_output_append_safe(self->output, &line, ck_bytes_text(key));
  if (!line.failed) {
    ck_bytes text = ck_buffer_bytes(&line);
    if (self->output->talk_width > 1) text.len = ck_format_cut(text, (size_t)self->output->talk_width - 1);
    fprintf(stderr, "\r\033[K%.*s", (int)text.len, text.data);
    fflush(stderr);
    self->shown = true;
  }
  ck_buffer_clear(&line);
}

/* What a step is called, and whether it is worth a line of its own. */
static const struct {
  const char *what, *doing;
  bool line;
} steps[] = {
  {"effect", "running", false}, {"probe", "probing", true}, {"replay", "replayed", true}, {"outcome", "done", true},
};

void ck_reporter_show(ck_reporter *self, const ck_progress *progress) {
  if (self->output->json || !self->execution) return;
  const char *doing = NULL, *key = progress->key;
  bool line = false;
  char place[128];
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
    if (strcmp(steps[i].what, progress->what) == 0) {
      doing = steps[i].doing;
      line = steps[i].line;
    }
  if (strcmp(progress->what, "checkpoint") == 0) {
    self->saved++;
    doing = "checkpoint";
    line = true;
    snprintf(place, sizeof place, "%s at %s, seq %" PRId64, progress->saved->id, progress->text, progress->saved->seq);
    key = place;
  }
  if (!doing) return;
  if (self->output->talk_terminal) print_live(self, doing, key);
  else if (line && !progress->saved && progress->text) ck_output_talk(self->output, "%-10s  %s  %s", doing, key ? key : "", progress->text);
  else if (line) ck_output_talk(self->output, "%-10s  %s", doing, key ? key : "");
}

void ck_reporter_end(ck_reporter *self) {
  if (self->shown) fprintf(stderr, "\r\033[K");
  self->shown = false;
}
