/* stream.c - waits for a command's next line, and frames it. */
#include "core/host/ui/stream.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 1 << 16, LOOK_MS = 200, LINE_MAX_BYTES = 64 << 20 };

void ck_ui_stream_open(ck_ui_stream *self, ck_ui_child child, const atomic_bool *ending) {
  *self = (ck_ui_stream){.child = child, .ending = ending};
}

static void put_event(ck_ui_stream *self, ck_bytes line) {
  ck_buffer_append_text(&self->waiting, "data: ");
  ck_buffer_append_bytes(&self->waiting, line);
  ck_buffer_append_text(&self->waiting, "\n\n");
}

static void put_lines(ck_ui_stream *self) {
  size_t begin = 0;
  for (char *end; (end = memchr(self->line.data + begin, '\n', self->line.len - begin));) {
    size_t len = (size_t)(end - self->line.data) - begin;
    put_event(self, (ck_bytes){self->line.data + begin, len});
    begin += len + 1;
  }
  self->line.len -= begin;
  memmove(self->line.data, self->line.data + begin, self->line.len);
}

/* What the command has printed by now, or its end. */
static void take(ck_ui_stream *self) {
  char *room = ck_buffer_extend(&self->line, CHUNK);
  if (!room) return;
  ssize_t len = read(self->child.out, room, CHUNK);
  self->line.len -= (size_t)(CHUNK - (len > 0 ? len : 0));
  if (len < 0 && errno == EINTR) return;
  if (len > 0) {
    put_lines(self);
    return;
  }
  self->ended = true;
  ck_buffer_append_text(&self->waiting, "event: end\ndata: {}\n\n");
}

static void wait_for_more(ck_ui_stream *self) {
  struct pollfd out = {.fd = self->child.out, .events = POLLIN};
  int ready = poll(&out, 1, LOOK_MS);
  self->silent_ms = ready ? 0 : self->silent_ms + LOOK_MS;
  if (ready > 0) take(self);
  if (self->silent_ms < CK_UI_STREAM_IDLE_MS) return;
  self->silent_ms = 0;
  ck_buffer_append_text(&self->waiting, ": alive\n\n");
}

static bool is_waiting(const ck_ui_stream *self) {
  return !self->waiting.len && !self->ended && !*self->ending && !self->line.failed &&
         !self->waiting.failed && self->line.len < LINE_MAX_BYTES;
}

long ck_ui_stream_read(ck_ui_stream *self, char *to, size_t room) {
  while (is_waiting(self)) wait_for_more(self);
  size_t left = self->waiting.len - self->sent, len = left < room ? left : room;
  if (!len) return self->ended ? 0 : -1;
  memcpy(to, self->waiting.data + self->sent, len);
  self->sent += len;
  if (self->sent == self->waiting.len) {
    ck_buffer_reset(&self->waiting);
    self->sent = 0;
  }
  return (long)len;
}

void ck_ui_stream_close(ck_ui_stream *self) {
  ck_ui_child_stop(&self->child);
  ck_buffer_clear(&self->line);
  ck_buffer_clear(&self->waiting);
}
