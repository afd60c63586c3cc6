/* peer.c - a peer from its start to its end, and messages to it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/effect/jsonrpc/private.h"

enum { GRACE_MS = 200 };

static bool on_wrote(void *to, int fd, ck_bytes chunk) {
  if (fd == STDERR_FILENO)
    ck_peer_keep_errors(to, chunk);
  else
    ck_peer_take_output(to, chunk);
  return true;
}

/* ---- end ---- */

static void free_timer(uv_handle_t *timer) { free(timer); }

static void free_peer(ck_peer *self) {
  if (self->timer) uv_close((uv_handle_t *)self->timer, free_timer);
  ck_buffer_clear(&self->line);
  ck_buffer_clear(&self->errors);
  free(self->name);
  free(self);
}

static void on_ended(void *to, const ck_child_end *end) {
  ck_peer *self = to;
  ck_buffer text = {0};
  ck_buffer_append_format(&text, "%s: ", self->name);
  ck_peer_append_ending(&text, self, end);
  ck_peer_append_last_output(&text, ck_buffer_bytes(&self->errors));
  const char *why = text.failed ? ck_status_text(CK_E_NO_MEMORY) : text.data;
  if (!*self->why) snprintf(self->why, sizeof self->why, "it has ended");
  self->child = NULL;
  while (self->calls.next != &self->calls) {
    ck_peer_answer_call(self->calls.next, &(ck_peer_answer){.outcome = CK_PEER_LOST, .text = why});
  }
  self->ended(self->to, why);
  ck_buffer_clear(&text);
  free_peer(self);
}

void ck_peer_free(ck_peer *self) {
  if (!self) return;
  if (self->child) ck_child_dismiss(self->child, CK_PEER_PATIENCE_MS);
  while (self->calls.next != &self->calls) ck_peer_remove_call(self->calls.next);
  free_peer(self);
}

static ck_status send_lines(ck_peer *self, ck_buffer *lines, ck_error *err) {
  ck_status status = ck_buffer_check(lines, err);
  if (status == CK_OK && ck_peer_is_ending(self)) {
    status = ck_error_set(err, CK_E_UNAVAILABLE, "%s: %s", self->name,
                          *self->why ? self->why : "it has ended");
  } else if (status == CK_OK) {
    status = ck_child_write(self->child, ck_buffer_bytes(lines), self->queue_max, err);
    if (status != CK_OK && status != CK_E_NO_MEMORY) {
      ck_error_prefix(err, "%s", self->name);
      if (err) err->status = CK_E_UNAVAILABLE;
      status = CK_E_UNAVAILABLE;
    }
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
  ck_status status = send_lines(self, &lines, err);
  if (status != CK_OK) return status;
  call->sent_id = ++self->last_id;
  ck_peer_renew(self, call);
  return CK_OK;
}

/* A peer that misses an answer would wait for ever. */
static void send_or_stop(ck_peer *self, ck_buffer *lines) {
  ck_error err = CK_ERROR_INIT;
  ck_status status = send_lines(self, lines, &err);
  if (status == CK_E_NO_MEMORY)
    ck_peer_stop(self, ck_status_text(status));
  else if (status != CK_OK && !ck_peer_is_ending(self))
    ck_peer_stop(self, "it does not read its standard input");
}

void ck_peer_notify(ck_peer *self, const char *method, ck_bytes params) {
  ck_buffer lines = {0};
  ck_rpc_write_notification(&lines, method, params);
  send_or_stop(self, &lines);
}

void ck_peer_reply(ck_peer *self, ck_bytes id, ck_bytes result) {
  ck_buffer lines = {0};
  ck_rpc_write_result(&lines, id, result);
  send_or_stop(self, &lines);
}

void ck_peer_refuse(ck_peer *self, ck_bytes id, int code, const char *message) {
  ck_buffer lines = {0};
  ck_rpc_write_error(&lines, id, code, message);
  send_or_stop(self, &lines);
}

static ck_status start_child(ck_peer *self, const ck_peer_options *options, ck_error *err) {
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
  return ck_child_start(&self->child, &child, err);
}

ck_status ck_peer_open(ck_peer **out, const ck_peer_options *options, ck_error *err) {
  *out = NULL;
  ck_peer *self = calloc(1, sizeof *self);
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
  ck_status status = self->timer ? start_child(self, options, err) : ck_error_no_memory(err);
  if (status != CK_OK)
    free_peer(self);
  else
    *out = self;
  return status;
}
