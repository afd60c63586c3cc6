/* session_filter.h - the sessions that a client of this program may know of. */
#ifndef CK_HOST_SESSION_SESSION_FILTER_H
#define CK_HOST_SESSION_SESSION_FILTER_H

#include "core/host/cli/command.h"
#include "core/store/store.h"

/* Patterns of ids as a shell has them for files: * ? [a-z]. A NULL filter has all sessions. */
typedef struct ck_session_filter {
  const ck_words *patterns; /* borrowed */
} ck_session_filter;

/* CK_E_USAGE: a pattern that fits no id. */
CK_CHECKED ck_status ck_session_filter_check(const ck_session_filter *self, ck_error *err);
/* The id alone fits; what it was forked from is not looked at. */
bool ck_session_filter_fits(const ck_session_filter *self, const char *id);
/* It fits, and so does each session that it was forked from, for it holds their past. One whose
 * origins cannot be read is none of them. */
bool ck_session_filter_has(const ck_session_filter *self, ck_store *store,
                           const ck_session_record *record);
/* CK_E_NOT_FOUND, of whatever is no session of the filter, in the same words. */
CK_CHECKED ck_status ck_session_filter_absent(const ck_store *store, const char *word,
                                              ck_error *err);

#endif
