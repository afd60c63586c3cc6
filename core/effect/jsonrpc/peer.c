/* peer.c - a peer from its start to its end, and messages to it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/effect/jsonrpc/private.h"

/* Clears `lines`. */
static ck_status send_lines(ck_peer *self, ck_buffer *lines, ck_wire_message message,
                            ck_error *err) {
  ck_status status = ck_buffer_check(lines, err);
  if (status == CK_OK && ck_peer_is_ending(self)) {
    status = ck_error_set(err, CK_E_UNAVAILABLE, "%s: %s", self->name,
                          *self->why ? self->why : "it has ended");
  } else if (status == CK_OK) {
    message.line = ck_buffer_bytes(lines);
    status = self->wire.send(self->wire.self, &message, err);
    if (status != CK_OK && status != CK_E_NO_MEMORY) ck_error_prefix(err, "%s", self->name);
  }
  ck_buffer_clear(lines);
  return status;
}

ck_status ck_peer_request(ck_peer *self, ck_peer_call *call, const char *method, ck_bytes params,
                          ck_error *err) {
  ck_buffer lines = {0};
  if (call->deadline_ms && call->deadline_ms <= ck_peer_now_ms()) {
    return ck_error_set(err, CK_E_UNAVAILABLE, "%s was not asked: its deadline has passed",
                        self->name);
  }
  ck_rpc_write_request(&lines, self->last_id + 1, method, params);
  const ck_wire_message message = {
      .id = self->last_id + 1, .method = method, .repeats = call->repeats};
  ck_status status = send_lines(self, &lines, message, err);
  if (status != CK_OK) return status;
  call->sent_id = ++self->last_id;
  ck_peer_renew(self, call);
  return CK_OK;
}

/* A peer that misses an answer would wait for ever. */
static void send_or_stop(ck_peer *self, ck_buffer *lines, const char *method) {
  ck_error err = CK_ERROR_INIT;
  ck_status status = send_lines(self, lines, (ck_wire_message){.method = method}, &err);
  if (status == CK_E_NO_MEMORY)
    ck_peer_stop(self, ck_status_text(status));
  else if (status != CK_OK && !ck_peer_is_ending(self))
    ck_peer_stop(self, "it does not read its standard input");
}

void ck_peer_notify(ck_peer *self, const char *method, ck_bytes params) {
  ck_buffer lines = {0};
  ck_rpc_write_notification(&lines, method, params);
  send_or_stop(self, &lines, method);
}

void ck_peer_reply(ck_peer *self, ck_bytes id, ck_bytes result) {
  ck_buffer lines = {0};
  ck_rpc_write_result(&lines, id, result);
  send_or_stop(self, &lines, NULL);
}

void ck_peer_refuse(ck_peer *self, ck_bytes id, int code, const char *message) {
  ck_buffer lines = {0};
  ck_rpc_write_error(&lines, id, code, message);
  send_or_stop(self, &lines, NULL);
}

ck_status ck_peer_open(ck_peer **out, const ck_peer_options *options, ck_error *err) {
  *out = NULL;
  ck_peer *self = calloc(1, sizeof *self);
  if (!self && options->wire) options->wire->dismiss(options->wire->self, 0);
  if (!self) return ck_error_no_memory(err);
  self->name = strdup(options->name);
  uv_timer_t *timer = malloc(sizeof *timer);
  if (timer && self->name) {
    uv_timer_init(ck_loop_uv(options->loop), timer);
    timer->data = self;
    self->timer = timer;
  } else {
    free(timer);
  }
  self->line_max = options->line_max ? options->line_max : CK_PEER_LINE_MAX;
  self->queue_max = options->queue_max ? options->queue_max : CK_PEER_QUEUE_MAX;
  self->calls.next = self->calls.previous = &self->calls;
  self->received = options->received;
  self->ended = options->ended;
  self->to = options->to;
  ck_status status = self->timer ? CK_OK : ck_error_no_memory(err);
  if (status == CK_OK && options->wire)
    self->wire = *options->wire;
  else if (status == CK_OK)
    status = ck_peer_start_child(self, options, err);
  if (status != CK_OK && options->wire) options->wire->dismiss(options->wire->self, 0);
  if (status != CK_OK)
    ck_peer_release(self);
  else
    *out = self;
  return status;
}
