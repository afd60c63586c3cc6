/* restored.h - what each restored document leaves in its session: a note of where the session comes
 * from, the position that it goes on from, and a pause.
 *
 * Usage: begin, write members with `w`, then append or put, which also clears. */
#ifndef CK_RUNTIME_PORTABLE_RESTORED_H
#define CK_RUNTIME_PORTABLE_RESTORED_H

#include "core/base/json.h"
#include "core/runtime/session/session.h"

/* One JSON object that is being written. It is not to be copied: `w` points into it. */
typedef struct ck_restored {
  ck_session *session; /* borrowed */
  ck_buffer json;      /* who cannot write a member for lack of memory sets json.failed */
  ck_json_writer w;
} ck_restored;

/* {"type", …: members of the note follow. */
void ck_restored_begin_note(ck_restored *self, ck_session *session, const char *type);
CK_CHECKED ck_status ck_restored_append_note(ck_restored *self, ck_error *err);

/* {"cut", "at": {"path": "LOOP#COUNT", …: members of the place follow. The boundary that comes next
 * covers all that was restored: its seq is the cut. */
void ck_restored_begin_position(ck_restored *self, ck_session *session, const char *loop,
                                int64_t count);
/* As that of the flow's main scope. */
CK_CHECKED ck_status ck_restored_put_position(ck_restored *self, ck_error *err);

/* The session waits for a resume. */
CK_CHECKED ck_status ck_restored_pause(ck_session *session, ck_error *err);

#endif
