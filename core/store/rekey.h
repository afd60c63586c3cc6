/* rekey.h - the keys of a store: which sign its rows, and another one in the place of the one it
 * has. */
#ifndef CK_STORE_REKEY_H
#define CK_STORE_REKEY_H

#include "core/store/format/seal.h"
#include "core/store/store.h"

/* What is written is sealed then, unless its opening says "unsealed", and always signed. */
bool ck_store_has_key(const ck_store *self);

typedef struct ck_key_use {
  bool is_key; /* false: rows that nothing signs */
  ck_key_id id;
  bool is_current;             /* the store's own; while it is changed, the new one */
  bool is_before;              /* while it is changed, the old one */
  int64_t events, checkpoints; /* rows */
} ck_key_use;
typedef void (*ck_key_use_visit)(void *to, const ck_key_use *use);
/* Needs no key. CK_E_UNSUPPORTED: a store in memory. */
CK_CHECKED ck_status ck_store_list_keys(const char *url, ck_key_use_visit visit, void *to,
                                        ck_error *err);

typedef struct ck_rekey_report {
  int64_t events, checkpoints; /* rows sealed anew by this call */
  bool resumed;                /* an earlier call had not come to its end */
  bool was_done;               /* the store has this key: nothing was done */
} ck_rekey_report;

/* Seals and signs everything anew with `to`, a few rows in a transaction. `from` NULL: the store
 * has no key yet. Killed anywhere, each row is as before or as after, nothing else opens the store,
 * and the same call goes on. All is verified before anything is changed: CK_E_CORRUPT. CK_E_OWNED:
 * a session is being run. CK_E_WRONG_KEY, CK_E_SECRET_MISSING. CK_E_BUSY: all is done, but a reader
 * keeps the old bytes in the write-ahead log. */
CK_CHECKED ck_status ck_store_rekey(ck_rekey_report *out, const char *url, const ck_key *from,
                                    const ck_key *to, ck_error *err);

#endif
