/* other_hooks.h - a simulation of another hook than checkpoint: what profiles side by side answer
 * over recorded sessions. */
#ifndef CK_HOST_SIMULATE_OTHER_HOOKS_H
#define CK_HOST_SIMULATE_OTHER_HOOKS_H

#include "core/host/print/table.h"
#include "core/host/simulate/simulation_side.h"

/* Borrows output, store, sides and document. */
typedef struct ck_other_hooks {
  ck_output *output;
  ck_store *store;
  const char *hook; /* the name of one */
  bool list;        /* the single answers; not of redact */
  ck_simulation_side *sides;
  size_t count;
  ck_document *document;
  ck_table table;
} ck_other_hooks;

/* False of NULL and "checkpoint". */
bool ck_other_hooks_has(const char *hook);
void ck_other_hooks_begin(ck_other_hooks *self);
void ck_other_hooks_clear(ck_other_hooks *self);
/* Asks about one session, under all sides. */
CK_CHECKED ck_status ck_other_hooks_add(ck_other_hooks *self, const char *session, ck_error *err);
/* The document, or the table. */
CK_CHECKED ck_status ck_other_hooks_print(ck_other_hooks *self, ck_error *err);

#endif
