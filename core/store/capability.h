/* capability.h - the groups of functions that a backend may have or not. A part of backend.h. */
#ifndef CK_STORE_CAPABILITY_H
#define CK_STORE_CAPABILITY_H

/* X(enumerator, text): a group of optional functions, and what the store says without them. */
/* clang-format off */
#define CK_BACKEND_TABLE(X) \
  X(CK_BACKEND_INVENTORY, "it has no inventory") \
  X(CK_BACKEND_LOCK, "its sessions can only be changed by runs") \
  X(CK_BACKEND_PIN, "its checkpoints cannot be pinned") \
  X(CK_BACKEND_PRUNE, "its checkpoints cannot be pruned") \
  X(CK_BACKEND_DELETE, "its sessions cannot be deleted") \
  X(CK_BACKEND_REQUEST, "it takes no requests from other processes") \
  X(CK_BACKEND_FACT, "it keeps no facts") \
  X(CK_BACKEND_KEY, "it cannot be sealed with a key") \
  X(CK_BACKEND_BLOB, "it keeps no files") \
  X(CK_BACKEND_OUTPUT, "it keeps no long outputs") \
  X(CK_BACKEND_LIST_KEYS, "its keys cannot be listed") \
  X(CK_BACKEND_BACKUP, "it cannot be copied into a file") \
  X(CK_BACKEND_REKEY, "its key cannot be changed") \
  X(CK_BACKEND_SCRUB, "it cannot be scrubbed") \
  X(CK_BACKEND_COPY, "it cannot be copied")
/* clang-format on */
typedef enum {
#define X(name, text) name,
  CK_BACKEND_TABLE(X)
#undef X
} ck_backend_capability;

#endif
