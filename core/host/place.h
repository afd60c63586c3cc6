/* place.h - where the store is: an option, the environment, or the user's state folder. */
#ifndef CK_HOST_PLACE_H
#define CK_HOST_PLACE_H

#include "core/host/cli/command.h"
#include "core/store/sealed/seal.h"
#include "core/store/store.h"

typedef struct ck_place {
  char *url;     /* malloc'd: "sqlite:PATH" or "memory:" */
  bool assumed;  /* nobody named it: the default */
  const char *key_ref; /* where its key is, borrowed; NULL: it has none */
  ck_key *key;
} ck_place;

/* The host's --store, else $CKRUN_STORE, else sqlite:$XDG_STATE_HOME/ckrun/ckrun.db ($HOME/.local/state).
 * A plain path with a '/' or the ending ".db" means sqlite:PATH. CK_E_USAGE: any other kind of URL.
 * The key is read, and known to the host's output from then on; failures as of ck_key_source_read. */
CK_CHECKED ck_status ck_place_find(ck_place *out, const ck_host *host, ck_error *err);
void ck_place_clear(ck_place *self);
/* Makes the folders above a store's file, readable for the user alone. */
CK_CHECKED ck_status ck_place_make_parents(const ck_place *self, ck_error *err);

/* The store of this place for looking: never writes, CK_E_NOT_FOUND when there is none. */
CK_CHECKED ck_status ck_place_open_store(ck_store **out, const ck_place *self, ck_error *err);

#endif
