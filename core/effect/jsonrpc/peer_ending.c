/* peer_ending.c - the end of a peer: who asks for it, and who hears of it. */
#include <stdio.h>
#include <stdlib.h>

#include "core/base/text.h"
#include "core/effect/jsonrpc/private.h"

bool ck_peer_is_ending(const ck_peer *self) {
  return *self->why || !self->wire.send || self->silent;
}

/* The first reason counts. */
static void note_why(ck_peer *self, const char *why) {
  if (!*self->why) ck_text_format(self->why, sizeof self->why, "%s", why);
}

void ck_peer_stop(ck_peer *self, const char *why) {
  note_why(self, why);
  if (self->wire.send) self->wire.stop(self->wire.self);
}

void ck_peer_end(ck_peer *self, const char *why) {
  note_why(self, why);
  if (self->wire.send) self->wire.close(self->wire.self);
}

static void free_timer(uv_handle_t *timer) { free(timer); }

void ck_peer_release(ck_peer *self) {
  if (self->timer) uv_close((uv_handle_t *)self->timer, free_timer);
  ck_buffer_clear(&self->line);
  ck_buffer_clear(&self->errors);
  free(self->name);
  free(self);
}

void ck_peer_lose(ck_peer *self, int64_t id, ck_peer_arrival arrival, const char *why) {
  char number[24];
  ck_buffer text = {0};
  snprintf(number, sizeof number, "%lld", (long long)id);
  ck_peer_call *call = ck_peer_find_call(self, ck_bytes_text(number));
  if (!call) return;
  ck_buffer_append_format(&text, "%s: %s", self->name, why);
  ck_peer_answer_call(
      call, &(ck_peer_answer){.outcome = CK_PEER_LOST,
                              .arrival = arrival,
                              .text = text.failed ? ck_status_text(CK_E_NO_MEMORY) : text.data});
  ck_peer_set_timer(self);
  ck_buffer_clear(&text);
}

void ck_peer_ended(ck_peer *self, const char *why, ck_bytes last_words) {
  ck_buffer text = {0};
  ck_buffer_append_format(&text, "%s: %s", self->name, *self->why ? self->why : why);
  ck_peer_append_last_output(&text, last_words);
  const char *line = text.failed ? ck_status_text(CK_E_NO_MEMORY) : text.data;
  note_why(self, "it has ended");
  self->wire = (ck_wire){0};
  while (self->calls.next != &self->calls) {
    ck_peer_answer_call(self->calls.next, &(ck_peer_answer){.outcome = CK_PEER_LOST, .text = line});
  }
  self->ended(self->to, line);
  ck_buffer_clear(&text);
  ck_peer_release(self);
}

void ck_peer_free(ck_peer *self) {
  if (!self) return;
  if (self->wire.send) self->wire.dismiss(self->wire.self, CK_PEER_PATIENCE_MS);
  while (self->calls.next != &self->calls) ck_peer_remove_call(self->calls.next);
  ck_peer_release(self);
}
