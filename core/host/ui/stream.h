/* stream.h - the lines of a command as server-sent events, as they come.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html */
#ifndef CK_HOST_UI_STREAM_H
#define CK_HOST_UI_STREAM_H

#include <stdatomic.h>

#include "core/host/ui/child.h"

enum { CK_UI_STREAM_IDLE_MS = 10000 }; /* so often a silent stream says that it is alive */

typedef struct ck_ui_stream {
  ck_ui_child child;
  ck_buffer line;    /* the one that has not ended yet */
  ck_buffer waiting; /* events, of which `sent` bytes are sent */
  size_t sent;
  int silent_ms;
  const atomic_bool *ending; /* of the server: the stream ends, too */
  bool ended;
} ck_ui_stream;

/* Takes the child over; borrows `ending`. */
void ck_ui_stream_open(ck_ui_stream *self, ck_ui_child child, const atomic_bool *ending);
/* Up to `room` bytes of the stream; waits for them, CK_UI_STREAM_IDLE_MS at most: then a comment.
 * 0: the command has ended, and the event "end" said so. -1: no memory, or a line beyond measure.
 */
long ck_ui_stream_read(ck_ui_stream *self, char *to, size_t room);
/* Ends the command. */
void ck_ui_stream_close(ck_ui_stream *self);

#endif
