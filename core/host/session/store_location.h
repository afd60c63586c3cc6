/* store_location.h - locates the store: an option, the environment, or the user's state folder. */
#ifndef CK_HOST_SESSION_STORE_LOCATION_H
#define CK_HOST_SESSION_STORE_LOCATION_H

#include "core/host/cli/command.h"
#include "core/store/format/seal.h"
#include "core/store/store.h"

typedef struct ck_store_location {
  /* malloc'd: "sqlite:PATH", "memory:" or "postgres://…", as it is told: without passwords */
  char *url;
  char *opens;         /* malloc'd: the same with its passwords, for ck_store_open alone */
  bool assumed;        /* the default, since none was named */
  const char *key_ref; /* the reference of its key, borrowed; NULL: it has none */
  ck_key *key;
  ck_store_watch watch; /* for the store: its counter (CKRUN_COUNTERS) */
  char *counters;       /* watch.folder, malloc'd */
} ck_store_location;

/* The host's --store, else $CKRUN_STORE, else sqlite:$XDG_STATE_HOME/ckrun/ckrun.db
 * ($HOME/.local/state). A plain path with a '/' or the ending ".db" means sqlite:PATH. CK_E_USAGE:
 * any other kind of URL; a password in the host's --store, which others see in the list of
 * processes. Passwords of $CKRUN_STORE are registered with the output's redactor, and serve a
 * --store that names the same without one. The key is read, and registered with the output's
 * redactor; failures as of ck_key_source_read. */
CK_CHECKED ck_status ck_store_location_find(ck_store_location *out, const ck_host *host,
                                            ck_error *err);
/* The same of another URL than the host's --store; `name` names it in messages. */
CK_CHECKED ck_status ck_store_location_find_at(ck_store_location *out, const ck_host *host,
                                               const char *name, const char *url, ck_error *err);
void ck_store_location_clear(ck_store_location *self);
/* Makes the folders above a store's file, accessible for the user alone. */
CK_CHECKED ck_status ck_store_location_make_parents(const ck_store_location *self, ck_error *err);
/* The path that names a new store's file; *path is borrowed from `text`, which may be a URL.
 * CK_E_USAGE: not a file. */
CK_CHECKED ck_status ck_store_location_check_file(const char **path, const char *text,
                                                  ck_error *err);

/* Opens the store read-only. CK_E_NOT_FOUND: there is none. */
CK_CHECKED ck_status ck_store_location_open_store(ck_store **out, const ck_store_location *self,
                                                  ck_error *err);

#endif
