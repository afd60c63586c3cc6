/* store_options.h - how a store is opened. A part of store.h. */
#ifndef CK_STORE_STORE_OPTIONS_H
#define CK_STORE_STORE_OPTIONS_H

#include <stdbool.h>

/* Where the store's counter is, by which an older copy in its place is found (rollback.h). All is
 * borrowed for the call. */
typedef struct ck_store_watch {
  const char *folder; /* of the counters, absolute; NULL: there is none */
  const char *why;    /* then: why, which is told when the store is opened to write; NULL: it is
                         meant so */
  /* What a person should know, in one line: the store was set back, or has no counter. */
  void (*note)(void *to, bool set_back, const char *text);
  void *to;
} ck_store_watch;

typedef struct ck_store_options {
  bool create;    /* create the file and its folder when absent; otherwise CK_E_NOT_FOUND names the
                     path */
  bool read_only; /* no write is ever made, not even to repair; commits answer CK_E_READ_ONLY */
  /* NULL: none. An empty store takes it as its own. Borrowed for the call */
  const struct ck_key *key;
  const ck_store_watch *watch; /* NULL: nothing is watched */
  bool accept_rollback;        /* for ck_store_accept_rollback: one that was set back is opened */
} ck_store_options;

#endif
