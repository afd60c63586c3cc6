/* peer_child.c - a child process as a wire: one message a line on its standard streams. */
#include <string.h>
#include <unistd.h>

#include "core/effect/jsonrpc/private.h"
#include "core/effect/process/ending.h"

enum { GRACE_MS = 200 };

static bool on_wrote(void *to, int fd, ck_bytes chunk) {
  if (fd == STDERR_FILENO)
    ck_peer_keep_errors(to, chunk);
  else
    ck_peer_take_output(to, chunk);
  return true;
}

static void append_ending(ck_buffer *out, const ck_child_end *end) {
  if (end->ending == CK_CHILD_EXITED)
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

static void on_ended(void *to, const ck_child_end *end) {
  ck_peer *self = to;
  ck_buffer why = {0};
  append_ending(&why, end);
  self->child = NULL;
  ck_peer_ended(self, why.failed ? ck_status_text(CK_E_NO_MEMORY) : why.data,
                ck_buffer_bytes(&self->errors));
  ck_buffer_clear(&why);
}

static ck_status write_line(void *to, const ck_wire_message *message, ck_error *err) {
  ck_peer *self = to;
  ck_status status = ck_child_write(self->child, message->line, self->queue_max, err);
  if (status == CK_OK || status == CK_E_NO_MEMORY) return status;
  if (err) err->status = CK_E_UNAVAILABLE;
  return CK_E_UNAVAILABLE;
}

static void close_input(void *to) { ck_child_close_input(((ck_peer *)to)->child); }

static void stop_child(void *to) { ck_child_cancel(((ck_peer *)to)->child); }

static void dismiss(void *to, int64_t patience_ms) {
  ck_child_dismiss(((ck_peer *)to)->child, patience_ms);
}

ck_status ck_peer_start_child(ck_peer *self, const ck_peer_options *options, ck_error *err) {
  ck_child_options child = {
      .loop = options->loop,
      .argv = options->argv,
      .environment = options->environment,
      .directory = options->directory,
      .talks = true,
      .take = on_wrote,
      .grace_ms = GRACE_MS,
      .kill_ms = options->kill_ms ? options->kill_ms : CK_PEER_KILL_MS,
      .ended = on_ended,
      .to = self,
  };
  self->wire = (ck_wire){.self = self,
                         .send = write_line,
                         .close = close_input,
                         .stop = stop_child,
                         .dismiss = dismiss};
  return ck_child_start(&self->child, &child, err);
}
