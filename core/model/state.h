/* state.h - keyed JSON values: memory.*, outputs.*, scratch.<agent>, position.<scope>. */
#ifndef CK_MODEL_STATE_H
#define CK_MODEL_STATE_H

#include "core/model/value.h"

/* A hash map from key to value. Keys are UTF-8 of 1 to CK_STATE_KEY_MAX bytes without control
 * characters. Not thread-safe. */
typedef struct ck_state ck_state;
enum { CK_STATE_KEY_MAX = 512 };

typedef struct ck_state_entry {
  const char *key; /* NUL-terminated; lives until the key is removed */
  ck_value *value;
} ck_state_entry;

CK_CHECKED ck_status ck_state_new(ck_state **out, ck_error *err);
/* Shares every value of `from`. */
CK_CHECKED ck_status ck_state_copy(ck_state **out, const ck_state *from, ck_error *err);
void ck_state_free(ck_state *self);

/* CK_E_USAGE for a key that is empty, too long or has control characters. */
CK_CHECKED ck_status ck_state_check_key(const char *key, ck_error *err);
/* Borrowed; NULL when absent. */
ck_value *ck_state_get(const ck_state *self, const char *key);
/* Shares `value`. */
CK_CHECKED ck_status ck_state_put(ck_state *self, const char *key, const ck_value *value,
                                  ck_error *err);
/* False when the key was absent. */
bool ck_state_remove(ck_state *self, const char *key);

size_t ck_state_count(const ck_state *self);
/* Sum of the bytes of all keys and values. */
size_t ck_state_bytes(const ck_state *self);
/* All entries in byte order of their keys; malloc'd array (free it with free), entries borrowed
 * until the next change. */
CK_CHECKED ck_status ck_state_list(ck_state_entry **out, size_t *count, const ck_state *self,
                                   ck_error *err);

/* ---- within ckrun ---- */

/* One key that was set (`value` owned by whoever owns the change) or removed (`value` NULL). */
typedef struct ck_change {
  char *key;
  ck_value *value;
} ck_change;

#endif
