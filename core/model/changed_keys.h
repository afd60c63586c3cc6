/* changed_keys.h - the keys of the state that got another value since the last checkpoint, by name.
 *
 * Those of the flow alone: what the runtime keeps for itself (positions, spending) changes at each
 * boundary and tells policies nothing. */
#ifndef CK_MODEL_CHANGED_KEYS_H
#define CK_MODEL_CHANGED_KEYS_H

#include "core/base/json.h"
#include "core/base/map.h"

/* Zero-initialise. */
typedef struct ck_changed_keys {
  ck_map by_name;    /* names owned; values: the boundary before which it changed last */
  uint64_t boundary; /* the one that comes next */
} ck_changed_keys;
/* None has changed, as behind a checkpoint. */
void ck_changed_keys_clear(ck_changed_keys *self);

/* False: a key that the runtime keeps for itself. */
bool ck_changed_keys_counts(const char *key);
CK_CHECKED ck_status ck_changed_keys_add(ck_changed_keys *self, const char *key, ck_error *err);
bool ck_changed_keys_has(const ck_changed_keys *self, const char *key);
size_t ck_changed_keys_count(const ck_changed_keys *self);
/* What was added is told of that boundary; what is added now is of the next one. */
void ck_changed_keys_end_boundary(ck_changed_keys *self);

/* As a JSON array in byte order: all, or those since the last boundary alone. Writes nothing when
 * there is none. */
CK_CHECKED ck_status ck_changed_keys_write(ck_buffer *out, const ck_changed_keys *self,
                                           bool since_boundary, ck_error *err);
/* Adds the texts of such an array, or the names of an object; other values add none. */
CK_CHECKED ck_status ck_changed_keys_read(ck_changed_keys *self, ck_bytes names, ck_error *err);

#endif
