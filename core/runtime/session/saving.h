/* saving.h - whether the store takes what a session records, and what the transcript says of it. */
#ifndef CK_RUNTIME_SESSION_SAVING_H
#define CK_RUNTIME_SESSION_SAVING_H

#include "core/runtime/commit/unsaved.h"

typedef struct ck_session ck_session;

/* True when a ticket that may be gone on from is not durable, because saving fails. */
bool ck_session_is_unsaved(ck_session *self, uint64_t ticket);
void ck_session_get_saving(ck_saving *out, const ck_session *self);
/* Appends an event when saving has begun to fail, or works again; true in *changed then. */
CK_CHECKED ck_status ck_session_watch_saving(ck_saving *out, bool *changed, ck_session *self,
                                             ck_error *err);

/* ---- within the runtime ---- */

#include "core/runtime/commit/channel.h"

/* Opens the session's channel to the writer, with what the profile says of failed saves. */
CK_CHECKED ck_status ck_session_open_channel(ck_session *self, ck_error *err);
/* The profile's threshold of compression, as ck_opening has it. */
size_t ck_session_compress_from(const ck_session *self);
/* Before the closing event: records that all was saved, if it had not been. */
CK_CHECKED ck_status ck_session_close_saving(ck_session *self, ck_error *err);

#endif
