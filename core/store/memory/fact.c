/* fact.c - facts, in memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/store/memory/memory.h"

/* The owner's length makes the pair of owner and key unambiguous. NULL without memory. */
static char *make_name(const char *owner, const char *key) {
  char *name = NULL;
  return asprintf(&name, "%zu:%s%s", strlen(owner), owner, key) < 0 ? NULL : name;
}

static ck_status put(ck_memory *memory, const char *name, const ck_value *value, ck_error *err) {
  ck_status status = memory->facts ? CK_OK : ck_state_new(&memory->facts, err);
  if (status != CK_OK) return status;
  if (value) return ck_state_put(memory->facts, name, value, err);
  ck_state_remove(memory->facts, name);
  return CK_OK;
}

ck_status ck_memory_put_fact(void *self, const ck_fact *fact, ck_error *err) {
  char *name = make_name(fact->owner, fact->key);
  if (!name) return ck_error_no_memory(err);
  ck_memory *memory = ck_memory_lock(self);
  ck_status status = ck_memory_unlock(memory, put(memory, name, fact->value, err));
  free(name);
  return status;
}

ck_status ck_memory_get_fact(ck_value **out, void *self, const char *owner, const char *key,
                             ck_error *err) {
  char *name = make_name(owner, key);
  *out = NULL;
  if (!name) return ck_error_no_memory(err);
  ck_memory *memory = ck_memory_lock(self);
  if (memory->facts) *out = ck_value_share(ck_state_get(memory->facts, name));
  free(name);
  return ck_memory_unlock(memory, CK_OK);
}
