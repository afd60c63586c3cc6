/* simulation_list.h - what policies decide at each boundary of a recorded session, one by one. */
#ifndef CK_HOST_SIMULATE_SIMULATION_LIST_H
#define CK_HOST_SIMULATE_SIMULATION_LIST_H

#include "core/host/simulate/simulation.h"
#include "core/host/print/table.h"

/* The most that stand side by side in a list. */
enum { CK_SIMULATION_LISTED_MAX = CK_TABLE_COLUMNS_MAX - 5 };

/* A checkpoint or none, waited for or not; not: for another reason. */
bool ck_simulation_differs(const ck_simulated_decision *one, const ck_simulated_decision *other);

/* "no", "yes (money: spent 0.5)", "yes, waited for (always at final)"; neither redacted nor
 * escaped. */
void ck_simulation_append_decision(ck_buffer *out, const ck_recording *recording,
                                   const ck_simulated_decision *decision);
/* An object with its members in the array `list`. */
void ck_simulation_put_decision(ck_document *document, struct cJSON *list,
                                const ck_recording *recording,
                                const ck_simulated_decision *decision);

/* A table of the boundaries with what each of `count` profiles decides; one of the others. */
typedef struct ck_simulation_list {
  ck_table table;
  ck_column columns[CK_TABLE_COLUMNS_MAX + 1];
  size_t count;
  int64_t rows;
} ck_simulation_list;
void ck_simulation_list_init(ck_simulation_list *self, ck_output *output, const char *const *names,
                             size_t count);
/* The row of the boundary at this place of the recording. */
void ck_simulation_list_add(ck_simulation_list *self, const ck_recording *recording,
                            const ck_simulation *simulations, size_t boundary);

#endif
