/* test_lanes.c - a tree beside its rows: the picture alone tells which node follows which. */
#include "core/host/print/lanes.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/utf8.h"
#include "tests/tap.h"

enum { NODES_MAX = 200 };

static ck_buffer drawn;

/* Draws the nodes from `count` to 1; parents[n] is lower than n. */
static void draw_tree(const int64_t *parents, int count, int64_t kept) {
  ck_lanes lanes = {0};
  ck_buffer_reset(&drawn);
  if (kept) ck_lanes_keep(&lanes, kept);
  for (int node = count; node > 0; node--) {
    if (ck_lanes_join(&drawn, &lanes, node)) ck_buffer_append_char(&drawn, '\n');
    ck_lanes_draw(&drawn, &lanes, node, parents[node], "*");
    ck_buffer_append_char(&drawn, '\n');
  }
  tap_must(!lanes.failed && !drawn.failed, "memory");
  ck_lanes_clear(&lanes);
}

/* ---- a person's eye: follows the lines of the picture, and knows nothing of how it was made ----
 */

enum { EYE_COLUMNS = 2 * CK_LANES_DRAWN };

typedef struct eye {
  int64_t below[EYE_COLUMNS]; /* the node whose line goes down in this column; 0: none */
} eye;

typedef struct picture_row {
  const char *cells[EYE_COLUMNS];
  size_t lens[EYE_COLUMNS], count;
} picture_row;

static const char *split_row(picture_row *out, const char *text) {
  const char *end = strchr(text, '\n');
  out->count = 0;
  while (text < end && out->count < EYE_COLUMNS) {
    size_t len = ck_utf8_length(text, (size_t)(end - text));
    out->cells[out->count] = text;
    out->lens[out->count++] = len;
    text += len;
  }
  return end + 1;
}

static bool cell_is(const picture_row *row, size_t column, const char *want) {
  return column < row->count && row->lens[column] == strlen(want) &&
         strncmp(row->cells[column], want, row->lens[column]) == 0;
}

static bool has(const picture_row *row, const char *want, size_t *at) {
  for (*at = 0; *at < row->count; ++*at)
    if (cell_is(row, *at, want)) return true;
  return false;
}

/* All lines that a joining row ends come to the node that is drawn below its "├". */
static void see_join(const picture_row *row, size_t to, int64_t node, int64_t *found) {
  for (size_t i = to + 1; i < row->count; i++)
    if (cell_is(row, i, "╯") || cell_is(row, i, "┴"))
      for (int64_t n = 1; n <= NODES_MAX; n++)
        if (found[n] == -(int64_t)i) found[n] = node;
}

/* found[n]: the parent that the picture gives n; 0: none. A line that is not at its end yet is kept
 * as the negative of its column, of column 0 as -NODES_MAX. */
static int64_t key_of(size_t column) { return column ? -(int64_t)column : -NODES_MAX; }

static void see(int64_t *found, int count) {
  const char *text = drawn.data;
  int64_t node = count;
  memset(found, 0, (NODES_MAX + 1) * sizeof *found);
  while (text < drawn.data + drawn.len) {
    picture_row row;
    size_t at;
    text = split_row(&row, text);
    if (has(&row, "├", &at)) {
      see_join(&row, at, node, found);
      continue;
    }
    if (!has(&row, "*", &at)) continue;
    for (int64_t n = 1; n <= NODES_MAX; n++)
      if (found[n] == key_of(at)) found[n] = node;
    /* it leads on when the row below has something in this column, or is kept at all */
    found[node--] = key_of(at);
  }
  for (int64_t n = 1; n <= NODES_MAX; n++)
    if (found[n] < 0) found[n] = 0;
}

static void draws_known_trees(void) {
  const int64_t chain[] = {0, 0, 1, 2}, fork[] = {0, 0, 1, 1, 2, 3};
  draw_tree(chain, 3, 0);
  tap_is_text(drawn.data, "*\n*\n*\n", "a line without branches");
  draw_tree(fork, 5, 0);
  tap_is_text(drawn.data, "*\n│ *\n* │\n│ *\n├─╯\n*\n", "two branches of one node");
  draw_tree(fork, 5, 4);
  tap_is_text(drawn.data, "│ *\n* │\n│ *\n* │\n├─╯\n*\n", "the line that is kept is the leftmost");
  const int64_t three[] = {0, 0, 1, 1, 1};
  draw_tree(three, 4, 0);
  tap_is_text(drawn.data, "*\n│ *\n│ │ *\n├─┴─╯\n*\n", "three branches");
  const int64_t crossed[] = {0, 0, 1, 2, 1, 2};
  draw_tree(crossed, 5, 0);
  tap_is_text(drawn.data, "*\n│ *\n│ │ *\n├─┼─╯\n* │\n├─╯\n*\n",
              "branches that meet behind another line");
}

/* Trees of one root whose branches fit the picture. */
static void tells_every_parent(void) {
  int64_t parents[NODES_MAX + 1], found[NODES_MAX + 1];
  int wrong = 0, branched = 0;
  srand(7);
  for (int turn = 0; turn < 300; turn++) {
    int count = 2 + rand() % (NODES_MAX - 2), open = 1;
    parents[1] = 0;
    for (int n = 2; n <= count; n++) {
      bool branches = open < CK_LANES_DRAWN - 1 && rand() % 20 == 0;
      parents[n] = branches ? 1 + rand() % (n - 1) : n - 1;
      open += parents[n] != n - 1;
    }
    branched += open > 2;
    draw_tree(parents, count, rand() % 2 ? 1 + rand() % count : 0);
    see(found, count);
    for (int n = 1; n <= count; n++) wrong += found[n] != parents[n];
  }
  tap_ok(branched > 100, "trees with several branches (%d)", branched);
  tap_is_int(wrong, 0, "the picture tells every parent");
}

static void stays_narrow(void) {
  int64_t parents[NODES_MAX + 1] = {0};
  for (int n = 2; n <= NODES_MAX; n++) parents[n] = 1;
  draw_tree(parents, NODES_MAX, 0);
  size_t widest = 0, rows = 0;
  for (const char *line = drawn.data, *end; (end = strchr(line, '\n')); line = end + 1, rows++) {
    size_t width = 0;
    for (const char *c = line; c < end; c++) width += (*c & 0xc0) != 0x80;
    if (width > widest) widest = width;
  }
  tap_is_int((int64_t)rows, NODES_MAX + 1, "a row for each, and one where all meet");
  tap_ok(widest <= 2 * CK_LANES_DRAWN + 1, "two hundred branches take %zu columns", widest);
}

int main(void) {
  draws_known_trees();
  tells_every_parent();
  stays_narrow();
  ck_buffer_clear(&drawn);
  return tap_done();
}
