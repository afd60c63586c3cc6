/* table.h - rows for people: aligned under a header on a terminal, tab-separated values without one
 * elsewhere. */
#ifndef CK_HOST_PRINT_TABLE_H
#define CK_HOST_PRINT_TABLE_H

#include "core/host/print/output.h"
#include "core/host/print/tone.h"

enum { CK_TABLE_COLUMNS_MAX = 12 };

/* The alignment of a column, and the way it is shortened where a row is wider than the terminal.
 * The last column is always cut, or wrapped. */
enum {
  CK_COLUMN_LEFT,
  CK_COLUMN_RIGHT = 1, /* aligned to the right */
  CK_COLUMN_CUT = 2,   /* loses its end */
  CK_COLUMN_PATH = 4,  /* loses its beginning */
  CK_COLUMN_WIDE = 8,  /* of the last one: it needs a minimum width to be useful */
  CK_COLUMN_WRAP = 16, /* of the last one: goes on in up to CK_TABLE_LINES lines, then is cut */
};
enum { CK_TABLE_LINES = 4, CK_TABLE_VALUE_LINES = 10 /* of a value beside its name */ };
/* Left out altogether when shortening is not enough; the greatest rank (from 1) first. */
#define CK_COLUMN_SPARE(rank) ((rank) << 5)

/* Columns end with a NULL header. A table whose first header is "" prints no header: names and
 * values, which are wrapped; a command that is to be copied is printed in one piece. */
typedef struct ck_column {
  const char *header;
  unsigned how;
} ck_column;

/* The columns as they are printed. */
typedef struct ck_table_layout {
  size_t widths[CK_TABLE_COLUMNS_MAX];
  bool hidden[CK_TABLE_COLUMNS_MAX];
  size_t last;   /* the last one that is shown */
  size_t blanks; /* before the next cell */
} ck_table_layout;

typedef struct ck_table {
  ck_output *output;
  const ck_column *columns;
  size_t column_count, cell_count;
  ck_buffer text;      /* all cells, each with a NUL behind it */
  ck_buffer tones;     /* of each cell a byte, on a terminal with colours */
  ck_tone tone;        /* of the next cell */
  ck_buffer lines;     /* that are printed, and not written yet */
  bool headless;       /* its header was printed before */
  bool holds;          /* what is printed next has the columns of what was printed first */
  const size_t *least; /* widths of columns, whatever is in them; NULL */
  ck_table_layout layout;
  bool aligned; /* as on a terminal; set it before the first cell where it is none */
} ck_table;

void ck_table_init(ck_table *self, ck_output *output, const ck_column *columns);
void ck_table_clear(ck_table *self);

/* Forgets the rows that were printed; those that follow come without a header. */
void ck_table_restart(ck_table *self);
/* For a table that is printed in parts: each column stands where it stood in the first part, and is
 * at least so wide; a number for each column, borrowed. */
void ck_table_hold(ck_table *self, const size_t *least);
/* The tone of the next cell; those behind it are plain again. */
void ck_table_tone(ck_table *self, ck_tone tone);
/* One cell each, row by row. */
void ck_table_put_text(ck_table *self, ck_bytes text); /* stored text: redacted and escaped here */
void ck_table_put_word(ck_table *self,
                       const char *word); /* the program's own text; NULL: an empty cell */
void ck_table_put_count(ck_table *self, int64_t count);
/* On a terminal rounded with a unit, else the plain number of bytes; ISO 8601. */
void ck_table_put_bytes(ck_table *self, int64_t bytes);
/* The same everywhere, with its unit: "171 ms", "$0.075264". */
void ck_table_put_duration(ck_table *self, int64_t us);
void ck_table_put_money(ck_table *self, int64_t micros);
void ck_table_put_time(ck_table *self, int64_t wall_ms); /* 0: unknown, an empty cell */
/* On a terminal the time of day, with the date when that is not today, and its year when that is
 * not this one; else as ck_table_put_time. */
void ck_table_put_clock(ck_table *self, int64_t wall_ms);
/* On a terminal how long ago it was, as ck_format_age; else the same as ck_table_put_time. */
void ck_table_put_age(ck_table *self, int64_t wall_ms);
/* Closes a cell whose text was appended to `text` piece by piece. */
void ck_table_end_cell(ck_table *self);

/* Prints to the output; columns too wide for the terminal are shortened or left out as declared. */
CK_CHECKED ck_status ck_table_print(ck_table *self, ck_error *err);

#endif
