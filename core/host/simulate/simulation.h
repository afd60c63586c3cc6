/* simulation.h - one profile over recorded sessions: the sums of its policies' decisions. */
#ifndef CK_HOST_SIMULATE_SIMULATION_H
#define CK_HOST_SIMULATE_SIMULATION_H

#include "core/host/print/document.h"
#include "core/model/profile.h"
#include "core/runtime/simulation/simulate.h"

/* X(enumerator, name in JSON, name in tables, member of ck_work). */
/* clang-format off */
#define CK_LOSS_TABLE(X) \
  X(CK_LOSS_MS, "time_ms", "active time", active_ms) \
  X(CK_LOSS_COST, "cost_usd", "money", cost_micros) \
  X(CK_LOSS_TOKENS, "tokens", "tokens", tokens) \
  X(CK_LOSS_TOOL_CALLS, "tool_calls", "tool calls", tool_calls)
/* clang-format on */
typedef enum {
#define X(name, json, text, member) name,
  CK_LOSS_TABLE(X)
#undef X
      CK_LOSS_COUNT
} ck_loss_kind;
extern const char *const ck_loss_names[CK_LOSS_COUNT];
extern const char *const ck_loss_members[CK_LOSS_COUNT]; /* of JSON */
int64_t ck_loss_of(const ck_work *work, ck_loss_kind kind);

/* Why checkpoints were taken. Figures in a reason are replaced by '#', so that equal reasons count
 * together; names and places ("agent#2", "bad.lua:7") are not. */
typedef struct ck_reason_count {
  char *policy; /* NULL: boundaries of this kind always checkpoint, or a policy failed */
  char *reason;
  int64_t count;
} ck_reason_count;

/* "3.25 dollars" and "12 dollars" become "# dollars"; digits that belong to a name stay. Owned by
 * the caller; NULL: no memory. */
char *ck_reason_without_figures(const char *reason);

/* The recorded session under the policies of the profile and its budget, asked afresh; see
 * ck_simulate. `prunes` false: nobody is asked what goes, and all is kept. CK_E_PARSE,
 * CK_E_NOT_FOUND: of the profile's policies. That one fails when it is asked is told in `out`.
 * ck_simulation_clear. */
CK_CHECKED ck_status ck_simulate_profile(ck_simulation *out, const ck_recording *recording,
                                         const ck_profile *profile, bool prunes, ck_error *err);

/* The figures of one simulation. `lost` is what a crash costs, over the moments right after each of
 * the session's events: micro-dollars, milliseconds of active time, tokens, calls of tools. */
typedef struct ck_simulation_figures {
  int64_t boundaries, checkpoints, kept, failures;
  int64_t bytes_written, bytes_kept; /* estimates, see CK_SIMULATE_ROW_BYTES */
  ck_loss lost[CK_LOSS_COUNT];       /* by ck_loss_kind */
  bool known[CK_LOSS_COUNT];         /* false: the session's source records no such work */
} ck_simulation_figures;
CK_CHECKED ck_status ck_simulation_measure(ck_simulation_figures *out,
                                           const ck_recording *recording,
                                           const ck_simulation *simulation, ck_error *err);

/* Sums over sessions; zero-initialise, ck_simulation_sum_clear. */
typedef struct ck_simulation_sum {
  int64_t sessions, boundaries, checkpoints, as_recorded, failures, bytes_written, kept, bytes_kept;
  ck_reason_count *reasons; /* in the order of their first occurrence */
  size_t reason_count;
  /* at each event of the sessions whose source records that kind of work */
  int64_t *lost[CK_LOSS_COUNT];
  size_t lost_count[CK_LOSS_COUNT];
  ck_error failure; /* the first failure of a policy */
} ck_simulation_sum;
CK_CHECKED ck_status ck_simulation_sum_add(ck_simulation_sum *self, const ck_recording *recording,
                                           const ck_simulation *simulation, ck_error *err);
void ck_simulation_sum_clear(ck_simulation_sum *self);

/* A figure of that kind of work: dollars, milliseconds of active time, or a count. */
void ck_simulation_put_loss(ck_document *document, struct cJSON *at, const char *name,
                            ck_loss_kind kind, double amount);
/* Adds the members of a sum under `at`. */
void ck_simulation_put_sum(ck_document *document, struct cJSON *at, const ck_simulation_sum *sum);
/* A table with one column for each of up to CK_TABLE_COLUMNS_MAX - 1 sums. */
CK_CHECKED ck_status ck_simulation_print_sums(ck_output *output, const char *const *names,
                                              const ck_simulation_sum *const *sums, size_t count,
                                              ck_error *err);

/* The worst loss in each of `width` equal stretches of the session: of its active time, or of its
 * events when it has no times. */
void ck_simulation_plot(int64_t *out, size_t width, const ck_recording *recording,
                        const ck_simulation *simulation, ck_loss_kind kind);
/* Eight heights, a blank for zero; `full` is the figure of the highest. */
void ck_simulation_append_bars(ck_buffer *out, const int64_t *values, size_t width, int64_t full);
/* The kind of work that the recording measures best: money, else time, tokens, tool calls. */
ck_loss_kind ck_simulation_select(const ck_recording *recording);

#endif
