/* plot.h - points as plain text: fits a terminal of 80 columns. */
#ifndef CK_HOST_TUNE_PLOT_H
#define CK_HOST_TUNE_PLOT_H

#include "core/base/buffer.h"

typedef struct ck_tune_dot {
  double across; /* from 0 */
  double up;     /* above 0: heights are logarithms */
  char mark;
} ck_tune_dot;

/* Draws the dots, later ones over earlier ones, with the greatest and the least height beside. */
void ck_tune_plot_append(ck_buffer *out, const ck_tune_dot *dots, size_t count);

#endif
