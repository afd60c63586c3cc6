/* table.c - rows for people: aligned under a header on a terminal, tab-separated values without one
 * elsewhere. */
#include "core/host/print/table.h"

#include <inttypes.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/host/print/format.h"

static const char gap[] = "  ";

void ck_table_init(ck_table *self, ck_output *output, const ck_column *columns) {
  memset(self, 0, sizeof *self);
  self->output = output;
  self->columns = columns;
  self->aligned = output->terminal;
  while (columns[self->column_count].header) self->column_count++;
}

void ck_table_clear(ck_table *self) {
  ck_buffer_clear(&self->text);
  ck_buffer_clear(&self->tones);
  ck_buffer_clear(&self->lines);
}

void ck_table_hold(ck_table *self, const size_t *least) {
  self->holds = true;
  self->least = least;
}

void ck_table_restart(ck_table *self) {
  self->cell_count = 0;
  ck_buffer_reset(&self->text);
  ck_buffer_reset(&self->tones);
}

static void print_plain(ck_table *self) {
  const char *cell = self->text.data;
  for (size_t i = 0; i < self->cell_count; i++) {
    size_t len = strlen(cell);
    ck_output_write(self->output, (ck_bytes){cell, len});
    ck_output_write(self->output, ck_bytes_text((i + 1) % self->column_count ? "\t" : "\n"));
    cell += len + 1;
  }
}

/* Without alignment a row need not wait for the others: a long log is printed while it is read. */
void ck_table_end_cell(ck_table *self) {
  ck_buffer_append_char(&self->text, 0);
  if (self->output->color) ck_buffer_append_char(&self->tones, (char)self->tone);
  self->tone = CK_TONE_PLAIN;
  self->cell_count++;
  bool streams = !self->aligned && self->cell_count == self->column_count && !self->text.failed;
  if (!streams) return;
  print_plain(self);
  ck_buffer_reset(&self->text);
  self->cell_count = 0;
}

void ck_table_tone(ck_table *self, ck_tone tone) { self->tone = tone; }

void ck_table_put_text(ck_table *self, ck_bytes text) {
  ck_output_append_safe(self->output, &self->text, text);
  ck_table_end_cell(self);
}

void ck_table_put_word(ck_table *self, const char *word) {
  if (word) ck_buffer_append_text(&self->text, word);
  ck_table_end_cell(self);
}

/* The plain number for programs, unless stdout is a terminal. */
static void put_figure(ck_table *self, void (*format)(ck_buffer *out, int64_t number),
                       int64_t number) {
  if (self->aligned)
    format(&self->text, number);
  else
    ck_buffer_append_format(&self->text, "%" PRId64, number);
  ck_table_end_cell(self);
}

void ck_table_put_count(ck_table *self, int64_t count) { put_figure(self, ck_format_count, count); }
void ck_table_put_bytes(ck_table *self, int64_t bytes) { put_figure(self, ck_format_bytes, bytes); }

/* A number without its unit is read as another one: these are the same everywhere. */
void ck_table_put_duration(ck_table *self, int64_t us) {
  ck_format_duration(&self->text, us);
  ck_table_end_cell(self);
}

void ck_table_put_money(ck_table *self, int64_t micros) {
  ck_format_money(&self->text, micros);
  ck_table_end_cell(self);
}

void ck_table_put_time(ck_table *self, int64_t wall_ms) {
  char text[CK_TIME_TEXT_SIZE] = "";
  if (wall_ms) ck_time_text(text, wall_ms);
  if (wall_ms && self->aligned)
    ck_format_time(&self->text, wall_ms);
  else
    ck_buffer_append_text(&self->text, text);
  ck_table_end_cell(self);
}

void ck_table_put_clock(ck_table *self, int64_t wall_ms) {
  enum { YEAR = 5, DATE = 11 }; /* bytes of "2026-", "2026-01-31 " */
  ck_buffer now = {0}, then = {0};
  ck_clock clock = ck_clock_system();
  if (!wall_ms || !self->aligned) {
    ck_table_put_time(self, wall_ms);
    return;
  }
  ck_format_time(&now, clock.wall_ms(clock.self));
  ck_format_time(&then, wall_ms);
  bool whole = now.len > DATE && then.len > DATE;
  size_t known = 0;
  if (whole && memcmp(now.data, then.data, DATE) == 0)
    known = DATE;
  else if (whole && memcmp(now.data, then.data, YEAR) == 0)
    known = YEAR;
  if (whole) ck_buffer_append_text(&self->text, then.data + known);
  self->text.failed |= !whole;
  ck_buffer_clear(&now);
  ck_buffer_clear(&then);
  ck_table_end_cell(self);
}

void ck_table_put_age(ck_table *self, int64_t wall_ms) {
  ck_clock clock = ck_clock_system();
  if (!wall_ms || !self->aligned) {
    ck_table_put_time(self, wall_ms);
    return;
  }
  ck_format_age(&self->text, wall_ms, clock.wall_ms(clock.self));
  ck_table_end_cell(self);
}

static bool has_header(const ck_table *self) { return self->columns[0].header[0] != 0; }

/* ---- column widths ---- */

enum { LAST_MIN = 8, WIDE_MIN = 24, WRAP_MIN = 28, CUT_MIN = 12, RANK_SHIFT = 5 };

typedef ck_table_layout layout;

/* A spare column without any value is left out. */
static void measure(layout *out, const ck_table *self, size_t widths[CK_TABLE_COLUMNS_MAX]) {
  const char *cell = self->text.data;
  for (size_t i = 0; i < self->cell_count; i++) {
    ck_bytes text = ck_bytes_text(cell);
    size_t width = ck_format_width(text), column = i % self->column_count;
    if (width > widths[column]) widths[column] = width;
    cell += text.len + 1;
  }
  for (size_t i = 0; has_header(self) && i < self->column_count; i++) {
    size_t header = strlen(self->columns[i].header);
    out->hidden[i] = widths[i] == 0 && self->columns[i].how >> RANK_SHIFT;
    if (widths[i] < header) widths[i] = header;
    if (self->least && widths[i] < self->least[i]) widths[i] = self->least[i];
  }
  while (out->hidden[out->last]) out->last--;
}

/* Of all columns before the last. */
static size_t width_before_last(const layout *self) {
  size_t used = 0;
  for (size_t i = 0; i < self->last; i++)
    if (!self->hidden[i]) used += self->widths[i] + sizeof gap - 1;
  return used;
}

static size_t needed(const ck_table *table, const layout *self) {
  unsigned how = table->columns[self->last].how;
  size_t least = how & CK_COLUMN_WRAP   ? WRAP_MIN
                 : how & CK_COLUMN_WIDE ? WIDE_MIN
                                        : LAST_MIN,
         width = self->widths[self->last];
  return width_before_last(self) + (width < least ? width : least);
}

/* The widest first, none beyond legibility. */
static void shorten(const ck_table *table, layout *self, size_t columns) {
  size_t used;
  while ((used = needed(table, self)) > columns) {
    size_t widest = self->last;
    for (size_t i = 0; i < self->last; i++) {
      bool gives = !self->hidden[i] && table->columns[i].how & (CK_COLUMN_CUT | CK_COLUMN_PATH) &&
                   self->widths[i] > CUT_MIN;
      if (gives && (widest == self->last || self->widths[i] > self->widths[widest])) widest = i;
    }
    if (widest == self->last) return;
    self->widths[widest]--;
  }
}

/* False: none can be left out. */
static bool hide_one(const ck_table *table, layout *self) {
  size_t found = 0;
  for (size_t i = 1; i < table->column_count; i++)
    if (!self->hidden[i] &&
        table->columns[i].how >> RANK_SHIFT > table->columns[found].how >> RANK_SHIFT)
      found = i;
  if (found == 0) return false;
  self->hidden[found] = true;
  while (self->hidden[self->last]) self->last--;
  return true;
}

static void fit(layout *out, const ck_table *table) {
  if (table->holds && table->headless) return;
  size_t columns = (size_t)table->output->width, widths[CK_TABLE_COLUMNS_MAX] = {0};
  *out = (layout){.last = table->column_count - 1};
  measure(out, table, widths);
  do {
    memcpy(out->widths, widths, sizeof widths);
    if (columns) shorten(table, out, columns);
  } while (columns && needed(table, out) > columns && hide_one(table, out));
  if (!columns) return;
  size_t used = width_before_last(out),
         room = used + LAST_MIN < columns ? columns - used : LAST_MIN;
  if (out->widths[out->last] > room || table->holds) out->widths[out->last] = room;
}

/* ---- printing ---- */

enum { BLOCK = 32 * 1024 };

/* Lines are collected, as a terminal's stream writes each by itself, and not by printf, as a tree
 * of 10,000 checkpoints has 80,000 cells. */
static void write_lines(ck_table *self, size_t least) {
  if (self->lines.len <= least) return;
  ck_output_write(self->output, ck_buffer_bytes(&self->lines));
  ck_buffer_reset(&self->lines);
}

static void put(ck_table *self, const char *text) { ck_buffer_append_text(&self->lines, text); }

static void put_blanks(ck_table *self, size_t count) {
  for (; count > 0; count--) ck_buffer_append_char(&self->lines, ' ');
}

/* As much of a cell as fits; what is left out is told by "…". */
static void print_part(ck_table *self, ck_bytes text, size_t want, bool path, ck_tone tone) {
  size_t width = ck_format_width(text);
  bool over = width > want;
  if (over && path) {
    size_t gone = ck_format_cut(text, width - want + 1);
    text = (ck_bytes){text.data + gone, text.len - gone};
  } else if (over) {
    text.len = ck_format_cut(text, want - 1);
  }
  put(self, ck_tone_on(tone));
  if (over && path) put(self, "…");
  ck_buffer_append_bytes(&self->lines, text);
  if (over && !path) put(self, "…");
  put(self, ck_tone_off(tone));
}

static bool is_command(ck_bytes text) {
  static const char program[] = "ckrun ";
  return text.len >= sizeof program && memcmp(text.data, program, sizeof program - 1) == 0;
}

/* The lines of a cell after each other, each under the one before. */
static void print_lines(ck_table *self, ck_bytes text, size_t want, size_t indent, ck_tone tone) {
  int most = has_header(self) ? CK_TABLE_LINES : CK_TABLE_VALUE_LINES;
  if (!has_header(self) && is_command(text)) want = SIZE_MAX;
  for (int line = 1; text.len > 0; line++) {
    size_t len = line < most ? ck_format_line(text, want) : text.len;
    if (line > 1) put(self, "\n");
    if (line > 1) put_blanks(self, indent);
    print_part(self, (ck_bytes){text.data, len}, line < most ? SIZE_MAX : want, false, tone);
    while (len < text.len && text.data[len] == ' ') len++;
    text = (ck_bytes){text.data + len, text.len - len};
  }
}

/* No blanks at the end of a line: those before a cell are printed with it. */
static void print_cell(ck_table *self, ck_bytes text, size_t column, layout *how, ck_tone tone) {
  size_t want = how->widths[column], width = ck_format_width(text);
  unsigned kind = self->columns[column].how;
  bool last = column == how->last, right = kind & CK_COLUMN_RIGHT;
  size_t fill = width < want ? want - width : 0;
  how->blanks += right ? fill : 0;
  if (width) {
    put_blanks(self, how->blanks);
    how->blanks = 0;
  }
  if (width && last && (kind & CK_COLUMN_WRAP || !has_header(self)))
    print_lines(self, text, want, width_before_last(how), tone);
  else if (width)
    print_part(self, text, want, !last && kind & CK_COLUMN_PATH, tone);
  how->blanks += (right ? 0 : fill) + sizeof gap - 1;
  if (!last) return;
  put(self, "\n");
  write_lines(self, BLOCK);
  how->blanks = 0;
}

static void print_header(ck_table *self, const layout *how, bool bold) {
  if (bold) put(self, "\033[1m");
  for (size_t i = 0; i <= how->last; i++) {
    const ck_column *column = &self->columns[i];
    bool right = column->how & CK_COLUMN_RIGHT;
    int width = i == how->last && !right ? 0 : (int)how->widths[i];
    if (!how->hidden[i])
      ck_buffer_append_format(&self->lines, right ? "%*s%s" : "%-*s%s", width, column->header,
                              i == how->last ? "" : gap);
  }
  put(self, bold ? "\033[0m\n" : "\n");
}

static void print_aligned(ck_table *self) {
  layout *how = &self->layout;
  bool bold = self->output->color;
  fit(how, self);
  if (has_header(self) && !self->headless) print_header(self, how, bold);
  self->headless = true;
  const char *cell = self->text.data;
  for (size_t i = 0; i < self->cell_count; i++) {
    ck_bytes text = ck_bytes_text(cell);
    size_t column = i % self->column_count;
    bool name = bold && column == 0 && !has_header(self);
    ck_tone tone = self->tones.len ? (ck_tone)self->tones.data[i] : CK_TONE_PLAIN;
    cell += text.len + 1;
    if (!how->hidden[column]) print_cell(self, text, column, how, name ? CK_TONE_STRONG : tone);
  }
}

ck_status ck_table_print(ck_table *self, ck_error *err) {
  ck_status status = ck_buffer_check(&self->text, err);
  if (status == CK_OK) status = ck_buffer_check(&self->tones, err);
  if (status != CK_OK) return status;
  if (self->aligned && (self->cell_count || !self->headless)) print_aligned(self);
  status = ck_buffer_check(&self->lines, err);
  if (status != CK_OK) return status;
  write_lines(self, 0);
  return ck_output_flush(self->output, err);
}
