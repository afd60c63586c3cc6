/* asked.h - checkpoints that other processes ask a running session for: the next boundary takes
 * one, for all who ask until then. Within the runtime. */
#ifndef CK_RUNTIME_SESSION_ASKED_H
#define CK_RUNTIME_SESSION_ASKED_H

#include "core/base/buffer.h"
#include "core/base/error.h"

typedef struct ck_boundary ck_boundary;
typedef struct ck_session ck_session;

/* Zero-initialise. */
typedef struct ck_asked {
  ck_buffer requests;    /* their ids, a JSON array; empty: nobody asks */
  ck_buffer description; /* in their words; empty: they gave none */
} ck_asked;
void ck_asked_clear(ck_asked *self);

/* Has the next boundary of any scope take a checkpoint, whatever its kind and the policies say. The
 * boundary's event names `request`; `description` (NULL: none) describes the checkpoint. */
CK_CHECKED ck_status ck_session_ask_checkpoint(ck_session *self, const char *request,
                                               const char *description, ck_error *err);
/* Fills `at->asked` and, where they gave one, `at->description`, borrowed of the session until the
 * checkpoint is queued. */
void ck_session_show_asked(ck_boundary *at, const ck_session *self);

#endif
