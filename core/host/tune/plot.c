/* plot.c - a grid of characters with the two scales at its edges. */
#include "core/host/tune/plot.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 64, HEIGHT = 12 };

typedef struct scale {
  double across, low, high;
} scale;

static scale measure(const ck_tune_dot *dots, size_t count) {
  scale made = {.low = INFINITY};
  for (size_t i = 0; i < count; i++) {
    if (dots[i].across > made.across) made.across = dots[i].across;
    if (dots[i].up > made.high) made.high = dots[i].up;
    if (dots[i].up > 0 && dots[i].up < made.low) made.low = dots[i].up;
  }
  return made;
}

static size_t row_of(const scale *of, double up) {
  if (up <= of->low || of->high <= of->low) return HEIGHT - 1;
  double share = log(up / of->low) / log(of->high / of->low);
  return HEIGHT - 1 - (size_t)(share * (HEIGHT - 1) + 0.5);
}

void ck_tune_plot_append(ck_buffer *out, const ck_tune_dot *dots, size_t count) {
  char grid[HEIGHT][WIDTH + 1];
  scale of = measure(dots, count);
  if (of.high <= 0) return; /* nothing is ever lost */
  for (size_t row = 0; row < HEIGHT; row++) {
    memset(grid[row], ' ', WIDTH);
    grid[row][WIDTH] = '\0';
  }
  for (size_t i = 0; i < count; i++) {
    double share = of.across > 0 ? dots[i].across / of.across : 0;
    grid[row_of(&of, dots[i].up)][(size_t)(share * (WIDTH - 1) + 0.5)] = dots[i].mark;
  }
  for (size_t row = 0; row < HEIGHT; row++) {
    size_t end = WIDTH;
    while (end && grid[row][end - 1] == ' ') end--;
    grid[row][end] = '\0';
    if (row == 0)
      ck_buffer_append_format(out, "%7.2f%% |%s\n", of.high * 100, grid[row]);
    else if (row == HEIGHT - 1)
      ck_buffer_append_format(out, "%7.2f%% |%s\n", of.low * 100, grid[row]);
    else
      ck_buffer_append_format(out, "         |%s\n", grid[row]);
  }
  ck_buffer_append_text(out, "         +");
  for (int i = 0; i < WIDTH; i++) ck_buffer_append_char(out, '-');
  ck_buffer_append_format(out, "\n          0%*.1f\n", WIDTH - 1, of.across);
}
