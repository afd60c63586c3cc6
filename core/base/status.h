/* status.h - the table of all statuses, with name, exit code and text. */
#ifndef CK_BASE_STATUS_H
#define CK_BASE_STATUS_H

/* The result of such a function must be used. */
#define CK_CHECKED __attribute__((warn_unused_result))

/* X(enumerator, exit code of the program, short text). Exit codes are part of the command line's
 * contract. */
/* clang-format off */
#define CK_STATUS_TABLE(X) \
  X(CK_OK, 0, "ok") \
  X(CK_E_FAILED, 1, "the session failed") \
  X(CK_E_FLOW, 1, "the flow raised an error") \
  X(CK_E_FLOW_STALLED, 1, "the flow ran too long without yielding") \
  X(CK_E_DIVERGED, 1, "an effect differs from what was recorded") \
  X(CK_E_CREDENTIALS, 1, "the provider refused the credentials") \
  X(CK_E_REQUEST, 1, "the provider refused the request as malformed") \
  X(CK_E_CONTEXT, 1, "the conversation is longer than the model takes") \
  X(CK_E_REFUSAL, 1, "the model refused to answer") \
  X(CK_E_UNAVAILABLE, 8, "a service or a resource cannot be had for now") \
  X(CK_E_LIMIT, 8, "a constraint's limit is reached") \
  X(CK_E_CANCELLED, 1, "cancelled") \
  X(CK_E_NO_MEMORY, 1, "out of memory") \
  X(CK_E_USAGE, 2, "usage") \
  X(CK_E_PARSE, 2, "malformed input") \
  X(CK_E_TYPE, 2, "wrong type") \
  X(CK_E_RANGE, 2, "out of range") \
  X(CK_E_UNSUPPORTED, 2, "not supported") \
  X(CK_E_NOT_FOUND, 3, "not found") \
  X(CK_E_SECRET_MISSING, 4, "a secret is missing") \
  X(CK_E_OTHER_KEY, 4, "another key than the store's was given") \
  X(CK_E_REFUSED, 5, "refused") \
  X(CK_E_EXISTS, 5, "exists already") \
  X(CK_E_POLICY, 5, "a policy failed") \
  X(CK_E_CORRUPT, 7, "corrupt") \
  X(CK_E_TRUNCATED, 7, "truncated") \
  X(CK_E_EMPTY, 7, "empty") \
  X(CK_E_WRONG_KEY, 7, "sealed with another key") \
  X(CK_E_WRONG_SESSION, 7, "belongs to another session") \
  X(CK_E_OVERSIZE, 7, "larger than allowed") \
  X(CK_E_PAUSED, 8, "paused") \
  X(CK_E_WAITING, 8, "waiting for a human") \
  X(CK_E_IO, 74, "store I/O error") \
  X(CK_E_FULL, 74, "the disk is full") \
  X(CK_E_READ_ONLY, 74, "the store is read-only") \
  X(CK_E_BUSY, 74, "the store is held by another process") \
  X(CK_E_NEWER, 74, "written by a newer version") \
  X(CK_E_NOT_A_STORE, 74, "not a ckrun store") \
  X(CK_E_UNKNOWN, 74, "it is not known whether the commit is on disk") \
  X(CK_E_LAPSED, 74, "the session's lease could not be renewed in time") \
  X(CK_E_IN_DOUBT, 75, "an effect's outcome is unknown") \
  X(CK_E_FENCED, 76, "another run has taken the session over") \
  X(CK_E_OWNED, 76, "another process runs the session") \
  X(CK_E_PENDING, 1, "not done yet") \
  X(CK_E_INTERRUPTED, 130, "interrupted")
/* clang-format on */

typedef enum {
#define X(name, exit_code, text) name,
  CK_STATUS_TABLE(X)
#undef X
      CK_STATUS_COUNT
} ck_status;

/* The enumerator's name, such as "CK_E_FENCED"; "CK_E_?" for a number outside the table. */
const char *ck_status_name(ck_status status);
/* The short text of the table, such as "not found". */
const char *ck_status_text(ck_status status);
/* The exit code of the program for this status, 0 to 255. */
int ck_status_exit(ck_status status);

#endif
