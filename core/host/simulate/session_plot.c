/* session_plot.c - draws losses over a session. */
#include "core/host/simulate/session_plot.h"

#include <string.h>

#include "core/host/print/format.h"

enum { PLOT_MIN = 20, PLOT_USUAL = 72 };

static size_t widest_name(const ck_simulation_side *sides, size_t count) {
  size_t widest = 0;
  for (size_t i = 0; i < count; i++)
    if (strlen(sides[i].name) > widest) widest = strlen(sides[i].name);
  return widest;
}

static size_t plot_width(const ck_simulation_side *sides, size_t count, const ck_output *output) {
  if (output->width <= 0) return PLOT_USUAL;
  int left = output->width - (int)widest_name(sides, count) - 2;
  return left < PLOT_MIN ? PLOT_MIN : left > CK_PLOT_WIDTH_MAX ? CK_PLOT_WIDTH_MAX : (size_t)left;
}

void ck_session_plot_begin(ck_session_plot *out, const ck_recording *recording,
                           const ck_simulation_side *sides, size_t count, const ck_output *output) {
  out->kind = ck_simulation_select(recording);
  out->width = plot_width(sides, count, output);
}

static void put_figure(ck_buffer *out, ck_loss_kind kind, int64_t number) {
  if (kind == CK_LOSS_MS)
    ck_format_duration(out, number * 1000);
  else if (kind == CK_LOSS_COST)
    ck_format_money(out, number);
  else {
    ck_format_count(out, number);
    ck_buffer_append_format(out, " %s", ck_loss_names[kind]);
  }
}

void ck_session_plot_append(ck_buffer *out, const ck_session_plot *self,
                            const ck_recording *recording, const ck_simulation_side *sides,
                            size_t count) {
  int64_t full = 0;
  int widest = (int)widest_name(sides, count);
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < self->width; k++)
      full = self->values[i][k] > full ? self->values[i][k] : full;
  int64_t ms =
      recording->event_count ? recording->events[recording->event_count - 1].work.active_ms : 0;
  ck_buffer_append_format(out, "\n%s: lost %s, over ", recording->id, ck_loss_names[self->kind]);
  if (ms)
    ck_format_duration(out, ms * 1000);
  else
    ck_buffer_append_format(out, "%zu events", recording->event_count);
  ck_buffer_append_text(out, "; highest ");
  put_figure(out, self->kind, full);
  ck_buffer_append_text(out, "\n");
  for (size_t i = 0; i < count; i++) {
    ck_buffer_append_format(out, "%-*s  ", widest, sides[i].name);
    ck_simulation_append_bars(out, self->values[i], self->width, full);
    ck_buffer_append_text(out, "\n");
  }
}

void ck_session_plot_put(ck_document *document, struct cJSON *row, const ck_session_plot *self,
                         size_t side) {
  struct cJSON *object = ck_document_put_object(document, row, "plot");
  ck_document_put_text(document, object, "of", ck_loss_members[self->kind]);
  struct cJSON *list = ck_document_put_array(document, object, "values");
  for (size_t i = 0; i < self->width; i++)
    ck_simulation_put_loss(document, list, NULL, self->kind, (double)self->values[side][i]);
}
