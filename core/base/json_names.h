/* json_names.h - finds duplicate member names while objects are open; in linear time on hostile
 * input. */
#ifndef CK_BASE_JSON_NAMES_H
#define CK_BASE_JSON_NAMES_H

#include "core/base/buffer.h"

/* One name of an open object, as written in the text. */
typedef struct ck_json_entry {
  ck_bytes raw;  /* without quotes */
  uint64_t tag;  /* of the decoded name, cheap */
  uint64_t hash; /* of the decoded name and the object, keyed; set when `hashed` */
  bool escaped, hashed;
} ck_json_entry;

/* A stack: the names of an object lie above those of the objects around it. Small objects are
 * compared pairwise; the names of larger ones are also in a hash table with a random key, so that
 * collisions cannot be prepared. */
typedef struct ck_json_names {
  ck_json_entry *entries;
  size_t count, cap;
  size_t *slots; /* index + 1 into entries, 0 for a free slot; linear probing */
  size_t slot_count, slots_used;
  ck_buffer decoded; /* the present name, decoded, when it has escapes */
} ck_json_names;

/* Zero-initialise to begin. `first` is the count at the opening of the innermost object; `raw` is
 * the name without its quotes, already scanned, borrowed until the object is closed. CK_E_EXISTS:
 * the object has that name already. CK_E_NO_MEMORY. */
CK_CHECKED ck_status ck_json_names_add(ck_json_names *self, size_t first, ck_bytes raw,
                                       bool escaped);
/* Removes the names of the innermost object, which is closed. */
void ck_json_names_drop(ck_json_names *self, size_t first);
void ck_json_names_clear(ck_json_names *self);

#endif
