/* session_plot.h - what a crash would lose over one session, drawn for profiles side by side. */
#ifndef CK_HOST_SIMULATE_SESSION_PLOT_H
#define CK_HOST_SIMULATE_SESSION_PLOT_H

#include "core/host/simulate/simulation_side.h"

enum { CK_PLOT_PROFILES_MAX = CK_TABLE_COLUMNS_MAX - 1, CK_PLOT_WIDTH_MAX = 100 };

typedef struct ck_session_plot {
  ck_loss_kind kind;
  size_t width;
  int64_t values[CK_PLOT_PROFILES_MAX][CK_PLOT_WIDTH_MAX];
} ck_session_plot;

/* As wide as the terminal leaves it beside the names. */
void ck_session_plot_begin(ck_session_plot *out, const ck_recording *recording,
                           const ck_simulation_side *sides, size_t count, const ck_output *output);
/* The lines of a session. */
void ck_session_plot_append(ck_buffer *out, const ck_session_plot *self,
                            const ck_recording *recording, const ck_simulation_side *sides,
                            size_t count);
/* The member `plot` of one profile. */
void ck_session_plot_put(ck_document *document, struct cJSON *row, const ck_session_plot *self,
                         size_t side);

#endif
