/* rerun_sum.h - what the policies of one profile answer to a hook over recorded sessions: the sums,
 * and the single answers. */
#ifndef CK_HOST_SIMULATE_RERUN_SUM_H
#define CK_HOST_SIMULATE_RERUN_SUM_H

#include "core/host/print/document.h"
#include "core/host/print/table.h"
#include "core/model/profile.h"
#include "core/runtime/simulation/hook_rerun.h"

typedef struct ck_rerun_count {
  char *name;
  int64_t count;
} ck_rerun_count;

/* In the order of their first occurrence. */
typedef struct ck_rerun_counts {
  ck_rerun_count *list;
  size_t count;
} ck_rerun_counts;
int64_t ck_rerun_counts_get(const ck_rerun_counts *self, const char *name);

/* Zero-initialise, ck_rerun_sum_clear. asked = as_recorded + otherwise + not_recorded + untold. */
typedef struct ck_rerun_sum {
  int64_t sessions, asked;
  int64_t as_recorded, otherwise;
  int64_t not_recorded; /* nobody was asked there live, or the answer was not kept */
  int64_t untold;       /* a policy looks at what the session does not tell */
  int64_t failures;
  int64_t questions;       /* of permit: that a person would be asked, each once */
  ck_rerun_counts answers; /* "deny" */
  ck_rerun_counts reasons; /* "deny: approve: May # be paid?", figures replaced by '#' */
  ck_rerun_counts unknown; /* "failure.try" */
  ck_error failure;        /* the first of a policy */
} ck_rerun_sum;
CK_CHECKED ck_status ck_rerun_sum_add(ck_rerun_sum *self, const ck_hook_rerun *of, ck_error *err);
void ck_rerun_sum_clear(ck_rerun_sum *self);

/* The session under the policies of the profile, asked afresh for each run of it. */
CK_CHECKED ck_status ck_rerun_profile(ck_hook_rerun *out, ck_store *store, const char *session_id,
                                      ck_rerun_hook hook, const ck_profile *profile, ck_error *err);

/* ---- output ---- */

void ck_rerun_put_sum(ck_document *document, struct cJSON *at, const ck_rerun_sum *sum);
/* The members of one place. */
void ck_rerun_put_place(ck_document *document, struct cJSON *row, const ck_rerun_place *place);
/* An object for each place in the array `list`. */
void ck_rerun_put_places(ck_document *document, struct cJSON *list, const ck_hook_rerun *of);
/* A table with one column for each of up to CK_TABLE_COLUMNS_MAX - 1 sums. */
CK_CHECKED ck_status ck_rerun_print_sums(ck_output *output, ck_rerun_hook hook,
                                         const char *const *names, const ck_rerun_sum *const *sums,
                                         size_t count, ck_error *err);
/* The table of single answers; `several`: with a column for the profile. Borrows nothing. */
void ck_rerun_list_init(ck_table *out, ck_output *output, bool several);
/* A row for each place. `profile` NULL: no such column. */
void ck_rerun_list_add(ck_table *table, const char *session, const char *profile,
                       const ck_hook_rerun *of);

#endif
