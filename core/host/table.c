/* table.c - rows for people: aligned under a header on a terminal, tab-separated values without one elsewhere. */
#include "core/host/table.h"

#include <inttypes.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/host/format.h"

static const char gap[] = "  ";

void ck_table_init(ck_table *self, ck_output *output, const ck_column *columns) {
  memset(self, 0, sizeof *self);
  self->output = output;
  self->columns = columns;
  while (columns[self->column_count].header) self->column_count++;
}

void ck_table_clear(ck_table *self) { ck_buffer_clear(&self->text); }

static void print_plain(ck_table *self) {
  const char *cell = self->text.data;
  for (size_t i = 0; i < self->cell_count; i++) {
    size_t len = strlen(cell);
    ck_output_write(self->output, (ck_bytes){cell, len});
    ck_output_write(self->output, ck_bytes_text((i + 1) % self->column_count ? "\t" : "\n"));
    cell += len + 1;
  }
}

/* Without alignment a row need not wait for the others: a long log is printed as it is read. */
void ck_table_end_cell(ck_table *self) {
  ck_buffer_append_char(&self->text, 0);
  self->cell_count++;
  bool streams = !self->output->terminal && self->cell_count == self->column_count && !self->text.failed;
  if (!streams) return;
  print_plain(self);
  ck_buffer_reset(&self->text);
  self->cell_count = 0;
}

void ck_table_put_text(ck_table *self, ck_bytes text) {
  ck_output_append_safe(self->output, &self->text, text);
  ck_table_end_cell(self);
}

void ck_table_put_word(ck_table *self, const char *word) {
  if (word) ck_buffer_append_text(&self->text, word);
  ck_table_end_cell(self);
}

/* The figure as a program reads it, unless stdout is a terminal. */
static void put_figure(ck_table *self, void (*format)(ck_buffer *out, int64_t number), int64_t number) {
  if (self->output->terminal) format(&self->text, number);
  else ck_buffer_append_format(&self->text, "%" PRId64, number);
  ck_table_end_cell(self);
}

void ck_table_put_count(ck_table *self, int64_t count) { put_figure(self, ck_format_count, count); }
void ck_table_put_bytes(ck_table *self, int64_t bytes) { put_figure(self, ck_format_bytes, bytes); }
void ck_table_put_duration(ck_table *self, int64_t us) { put_figure(self, ck_format_duration, us); }
void ck_table_put_money(ck_table *self, int64_t micros) { put_figure(self, ck_format_money, micros); }

void ck_table_put_time(ck_table *self, int64_t wall_ms) {
  char text[CK_TIME_TEXT_SIZE] = "";
  if (wall_ms) ck_time_text(text, wall_ms);
  if (wall_ms && self->output->terminal) ck_format_time(&self->text, wall_ms);
  else ck_buffer_append_text(&self->text, text);
  ck_table_end_cell(self);
}

static bool has_header(const ck_table *self) { return self->columns[0].header[0] != 0; }

static void measure(const ck_table *self, size_t widths[CK_TABLE_COLUMNS_MAX]) {
  for (size_t i = 0; i < self->column_count; i++) widths[i] = has_header(self) ? strlen(self->columns[i].header) : 0;
  const char *cell = self->text.data;
  for (size_t i = 0; i < self->cell_count; i++) {
    ck_bytes text = ck_bytes_text(cell);
    size_t width = ck_format_width(text), column = i % self->column_count;
    if (width > widths[column]) widths[column] = width;
    cell += text.len + 1;
  }
}

enum { LAST_MIN = 8, PATH_MIN = 12 };

/* The path gives way, so that a row stays on its line. */
static void shorten_path(const ck_table *self, size_t *widths) {
  size_t used = LAST_MIN, columns = (size_t)self->output->width, *path = &widths[self->path];
  for (size_t i = 0; i + 1 < self->column_count; i++) used += widths[i] + sizeof gap - 1;
  if (!self->path || !columns || used <= columns || *path <= PATH_MIN) return;
  *path = *path - PATH_MIN < used - columns ? PATH_MIN : *path - (used - columns);
}

/* The room of the last column on a terminal; SIZE_MAX when its width is not known. */
static size_t room_of_last(const ck_table *self, const size_t *widths) {
  size_t used = 0, columns = (size_t)self->output->width;
  if (columns == 0) return SIZE_MAX;
  for (size_t i = 0; i + 1 < self->column_count; i++) used += widths[i] + sizeof gap - 1;
  return used + LAST_MIN < columns ? columns - used : LAST_MIN;
}

static void print_cell(ck_table *self, ck_bytes text, size_t column, const size_t *widths, size_t room) {
  bool last = column + 1 == self->column_count, cut = false, headless = false;
  if (last && ck_format_width(text) > room) {
    text.len = ck_format_cut(text, room - 1);
    cut = true;
  } else if (column == self->path && column && ck_format_width(text) > widths[column]) {
    size_t gone = ck_format_cut(text, ck_format_width(text) - widths[column] + 1);
    text = (ck_bytes){text.data + gone, text.len - gone};
    headless = true;
  }
  size_t width = ck_format_width(text) + headless, want = widths[column] < room ? widths[column] : room;
  int fill = width < want ? (int)(want - width) : 0;
  bool right = self->columns[column].right;
  ck_output_print(self->output, "%*s", right ? fill : 0, "");
  if (headless) ck_output_print(self->output, "…");
  ck_output_write(self->output, text);
  if (cut) ck_output_print(self->output, "…");
  if (!last) ck_output_print(self->output, "%*s%s", right ? 0 : fill, "", gap);
  else ck_output_print(self->output, "\n");
}

static void print_aligned(ck_table *self) {
  size_t widths[CK_TABLE_COLUMNS_MAX];
  measure(self, widths);
  shorten_path(self, widths);
  size_t room = room_of_last(self, widths);
  bool bold = self->output->color;
  if (bold && has_header(self)) ck_output_print(self->output, "\033[1m");
  for (size_t i = 0; has_header(self) && i < self->column_count; i++) {
    bool last = i + 1 == self->column_count;
    ck_output_print(self->output, self->columns[i].right ? "%*s%s" : "%-*s%s", (int)(last && !self->columns[i].right
        ? 0 : widths[i]),
                    self->columns[i].header, last ? "" : gap);
  }
  if (has_header(self)) ck_output_print(self->output, "%s\n", bold ? "\033[0m" : "");
  const char *cell = self->text.data;
  for (size_t i = 0; i < self->cell_count; i++) {
    ck_bytes text = ck_bytes_text(cell);
    size_t column = i % self->column_count;
    bool name = bold && column == 0 && !has_header(self);
    if (name) ck_output_print(self->output, "\033[1m");
    print_cell(self, text, column, widths, column + 1 == self->column_count ? room : SIZE_MAX);
    if (name) ck_output_print(self->output, "\033[0m");
    cell += text.len + 1;
  }
}

ck_status ck_table_print(ck_table *self, ck_error *err) {
  ck_status status = ck_buffer_check(&self->text, err);
  if (status != CK_OK) return status;
  if (self->output->terminal) print_aligned(self);
  return ck_output_flush(self->output, err);
}
