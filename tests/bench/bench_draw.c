/* bench_draw.c - draws what grows with a session's length as an SVG: both axes are logarithmic, so
 * that a line that rises by a third of the height per third of the width grows as the session. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/bench/bench.h"

enum { WIDTH = 900, HEIGHT = 520, LEFT = 60, TOP = 30, PLOT_WIDTH = 440, PLOT_HEIGHT = 440 };
static const char *const tints[] = {"#1b6ca8", "#c0392b", "#27823b", "#8e44ad", "#b9770e",
                                    "#117a65", "#7b241c", "#2e4053", "#5d6d7e"};

typedef struct scale {
  double first, last; /* decimal logarithms of the ends */
} scale;

static double place(const scale *self, double value) {
  return (log10(value) - self->first) / (self->last - self->first);
}

static double x_of(const scale *of, double value) { return LEFT + PLOT_WIDTH * place(of, value); }
static double y_of(const scale *of, double value) {
  return TOP + PLOT_HEIGHT * (1 - place(of, value));
}

/* Whole decades. */
static scale scale_of(const double *values, size_t count) {
  double least = values[0], most = values[0];
  for (size_t i = 1; i < count; i++) {
    if (values[i] < least) least = values[i];
    if (values[i] > most) most = values[i];
  }
  scale of = {floor(log10(least)), ceil(log10(most))};
  if (of.last <= of.first) of.last = of.first + 1;
  return of;
}

static void write_axes(FILE *file, const scale *x, const scale *y, const char *unit) {
  for (double at = y->first; at <= y->last; at++)
    fprintf(file,
            "<line x1='%d' x2='%d' y1='%.1f' y2='%.1f' stroke='#ddd'/><text x='%d' y='%.1f' "
            "text-anchor='end'>%g</text>\n",
            LEFT, LEFT + PLOT_WIDTH, y_of(y, pow(10, at)), y_of(y, pow(10, at)), LEFT - 6,
            y_of(y, pow(10, at)) + 4, pow(10, at));
  for (double at = x->first; at <= x->last; at++)
    fprintf(file, "<text x='%.1f' y='%d' text-anchor='middle'>%.0f</text>\n", x_of(x, pow(10, at)),
            TOP + PLOT_HEIGHT + 18, pow(10, at));
  fprintf(file, "<text x='%d' y='%d'>%s, by steps of the session</text>\n", LEFT, TOP - 12, unit);
}

static void write_line(FILE *file, const bench_line *line, size_t number, const double *steps,
                       const scale *x, const scale *y) {
  const char *tint = tints[number % (sizeof tints / sizeof *tints)];
  int key_y = TOP + 14 + 20 * (int)number;
  fprintf(file, "<polyline fill='none' stroke='%s' stroke-width='2' points='", tint);
  for (int i = 0; i < BENCH_POINTS; i++)
    fprintf(file, "%.1f,%.1f ", x_of(x, steps[i]), y_of(y, line->values[i]));
  fprintf(file, "'/>\n<text x='%d' y='%d' fill='%s'>%s: %.3g, %.3g, %.3g</text>\n",
          LEFT + PLOT_WIDTH + 20, key_y, tint, line->name, line->values[0], line->values[1],
          line->values[2]);
}

void bench_draw(const char *path, const char *unit, const double steps[BENCH_POINTS],
                const bench_line *lines, size_t count) {
  FILE *file = fopen(path, "w");
  scale x = scale_of(steps, BENCH_POINTS), y = scale_of(lines->values, BENCH_POINTS);
  for (size_t i = 1; i < count; i++) {
    scale of = scale_of(lines[i].values, BENCH_POINTS);
    y = (scale){fmin(y.first, of.first), fmax(y.last, of.last)};
  }
  if (!file) bench_die("cannot write %s", path);
  fprintf(file,
          "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' "
          "font-family='sans-serif' font-size='12'>\n<rect width='100%%' height='100%%' "
          "fill='white'/>\n",
          WIDTH, HEIGHT);
  write_axes(file, &x, &y, unit);
  for (size_t i = 0; i < count; i++) write_line(file, &lines[i], i, steps, &x, &y);
  if (fputs("</svg>\n", file) < 0 || fclose(file) != 0) bench_die("cannot write %s", path);
}
