/* rekey.h - the keys of a store: which ones sign its rows, and the change to another key. */
#ifndef CK_STORE_REKEY_H
#define CK_STORE_REKEY_H

#include "core/store/format/seal.h"
#include "core/store/store.h"

struct ck_backend;

/* True when the store has a key: rows are signed, and sealed unless the session's opening says
 * `unsealed`. */
bool ck_store_has_key(const ck_store *self);

typedef struct ck_key_use {
  bool is_key; /* false: unsigned rows */
  ck_key_id id;
  bool is_current;             /* it is the store's key; during a change, the new one */
  bool is_before;              /* during a change, the old one */
  int64_t events, checkpoints; /* numbers of rows */
} ck_key_use;
typedef void (*ck_key_use_visit)(void *to, const ck_key_use *use);
/* Needs no key. CK_E_UNSUPPORTED: a store in memory. */
CK_CHECKED ck_status ck_store_list_keys(const char *url, ck_key_use_visit visit, void *to,
                                        ck_error *err);

typedef struct ck_rekey_report {
  int64_t events, checkpoints; /* rows sealed anew by this call */
  bool resumed;                /* an earlier call had been interrupted */
  bool was_done;               /* the store has this key: nothing was done */
} ck_rekey_report;

/* What lies beside the store, and the long outputs that it keeps (ck_output_open_alone of `store`),
 * change with it; each may be NULL. `from` and `to`: as ck_store_fingerprint_key of the store
 * before (NULL: it had no key) and behind. */
typedef struct ck_rekey_beside {
  /* Before a row changes, again when a change goes on. */
  ck_status (*before)(void *self, const struct ck_backend *store, const uint8_t *from,
                      const uint8_t *to, ck_error *err);
  /* Behind the last one; also when the store has the key already. */
  ck_status (*behind)(void *self, const struct ck_backend *store, const uint8_t *to, ck_error *err);
  void *self;
} ck_rekey_beside;

/* Seals and signs all rows again with `to`, a few rows in a transaction. `with.key` NULL: the store
 * has no key yet. After a kill at any point each row has either the old or the new key, only this
 * function can open the store, and the same call continues. The store is verified before anything
 * is changed: CK_E_CORRUPT. CK_E_OWNED: a session is being run. CK_E_OTHER_KEY,
 * CK_E_SECRET_MISSING. CK_E_BUSY: the change is complete, but a reader still keeps the old bytes in
 * the write-ahead log. `beside`: NULL is fine. */
CK_CHECKED ck_status ck_store_rekey(ck_rekey_report *out, const char *url,
                                    const ck_store_options *with, const ck_key *to,
                                    const ck_rekey_beside *beside, ck_error *err);

#endif
