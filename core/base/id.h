/* id.h - the names of sessions, runs and checkpoints. */
#ifndef CK_BASE_ID_H
#define CK_BASE_ID_H

#include "core/base/buffer.h"

enum { CK_ID_SIZE = 65 }; /* 64 characters and a NUL hold every id */

/* ---- within ckrun ---- */

/* session_YYYYMMDD_HHMMSS_<8 hex>, checkpoint_YYYYMMDD_HHMMSS_<8 hex>: UTC of `wall_ms`; the hex
 * part is a random start counted up, so one process never makes the same id twice in 2^32.
 * Thread-safe. */
void ck_id_make_session(char out[CK_ID_SIZE], int64_t wall_ms);
void ck_id_make_checkpoint(char out[CK_ID_SIZE], int64_t wall_ms);
/* run_<uuid>, a random (version 4) UUID of libuuid. */
void ck_id_make_run(char out[CK_ID_SIZE]);
/* CK_E_USAGE unless the id matches [A-Za-z0-9_-]{1,64}; the message names `what` and shows the id
 * escaped. */
CK_CHECKED ck_status ck_id_check(const char *what, const char *id, ck_error *err);
/* CK_E_USAGE: it begins with '-', which no id does, as an option of a command would. */
CK_CHECKED ck_status ck_id_check_begin(const char *what, const char *id, ck_error *err);
/* ck_id_check for the id of something new, with ck_id_check_begin. */
CK_CHECKED ck_status ck_id_check_new(const char *what, const char *id, ck_error *err);

#endif
