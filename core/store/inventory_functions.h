/* inventory_functions.h - what a backend provides of its inventory, the one row that says what the
 * store holds as a whole (sqlite/inventory.h). A part of backend.h. */
#ifndef CK_STORE_INVENTORY_FUNCTIONS_H
#define CK_STORE_INVENTORY_FUNCTIONS_H

#include "core/store/verify.h"

/* A generation of the inventory that is on disk. */
typedef void (*ck_generation_visit)(void *to, uint64_t generation);

/* All or none; `self` is the backend's. */
typedef struct ck_inventory_functions {
  /* Compares it with the rows; `visit` as in verify. */
  CK_CHECKED ck_status (*check)(void *self, ck_problem_visit visit, void *to, int64_t *problems,
                                ck_error *err);
  /* 0: the store has none. CK_E_CORRUPT. */
  CK_CHECKED ck_status (*get_generation)(uint64_t *out, void *self, ck_error *err);
  /* `advance` is called whenever a generation that this handle wrote is on disk and survives a
   * power loss; under the store's lock. */
  void (*watch)(void *self, ck_generation_visit advance, void *to);
  /* Makes it anew from what is there, whatever it says, with a later generation than `generation`.
   * Power-durable. */
  CK_CHECKED ck_status (*accept)(void *self, uint64_t generation, ck_error *err);
  /* The first of a store that has a key, with a new entry about the key. CK_E_OWNED: a session is
   * being run. */
  CK_CHECKED ck_status (*sign_store)(void *self, ck_bytes entry, ck_error *err);
} ck_inventory_functions;

#endif
