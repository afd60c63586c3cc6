/* peer_ending.c - the reason of a peer's end, and the ways to end it. */
#include <stdio.h>
#include <string.h>

#include "core/effect/jsonrpc/private.h"
#include "core/effect/process/ending.h"

bool ck_peer_is_ending(const ck_peer *self) { return *self->why || !self->child || self->silent; }

/* The first reason counts. */
static void note_why(ck_peer *self, const char *why) {
  if (!*self->why) snprintf(self->why, sizeof self->why, "%s", why);
}

void ck_peer_stop(ck_peer *self, const char *why) {
  note_why(self, why);
  if (self->child) ck_child_cancel(self->child);
}

void ck_peer_end(ck_peer *self, const char *why) {
  note_why(self, why);
  if (self->child) ck_child_close_input(self->child);
}

void ck_peer_append_ending(ck_buffer *out, const ck_peer *self, const ck_child_end *end) {
  if (*self->why)
    ck_buffer_append_text(out, self->why);
  else if (end->ending == CK_CHILD_EXITED)
    ck_buffer_append_format(out, "it ended with exit status %d", end->code);
  else if (end->ending == CK_CHILD_KILLED)
    ck_buffer_append_format(out, "it was ended by signal %d (%s)", end->code, strsignal(end->code));
  else if (end->ending == CK_CHILD_UNSTARTED)
    ck_buffer_append_format(out, "it cannot be started: %s", ck_ending_start_text(end));
  else if (end->ending == CK_CHILD_NO_MEMORY)
    ck_buffer_append_text(out, "out of memory for its output");
  else
    ck_buffer_append_text(out, "it closed its standard output, and was ended");
}
