/* service.c - starts a peer, initializes it, and counts its starts. */
#include "core/effect/jsonrpc/service.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/effect/process/environment.h"

enum { TEXT_MAX = 1000 };

static void on_received(void *to, const ck_rpc_message *message) {
  ck_service *self = to;
  self->protocol->received(self->to, message);
}

static void on_ended(void *to, const char *why) {
  ck_service *self = to;
  self->peer = NULL;
  self->ready = false;
  ck_error err = CK_ERROR_INIT;
  bool again = self->again && ck_service_start(self, &err) == CK_OK;
  self->again = false;
  self->protocol->lost(self->to, again ? NULL : *err.text ? err.text : why);
}

/* The reason of an end is said behind the label again. */
static const char *after_label(const ck_service *self, const char *text) {
  size_t len = strlen(self->label);
  bool labelled = strncmp(text, self->label, len) == 0 && strncmp(text + len, ": ", 2) == 0;
  return labelled ? text + len + 2 : text;
}

static ck_status initialize(ck_service *self, ck_error *err);

static bool greets_again(ck_service *self, const ck_peer_answer *answer) {
  ck_error failure = CK_ERROR_INIT;
  if (!self->protocol->greets_again || !self->protocol->greets_again(self->to, answer))
    return false;
  if (!ck_peer_is_ending(self->peer)) {
    if (initialize(self, &failure) != CK_OK)
      ck_peer_stop(self->peer, after_label(self, failure.text));
  } else {
    self->again = true;
    self->starts -= self->starts > 0; /* that was its start as another one */
  }
  return true;
}

/* Any problem ends the peer; `lost` then informs those that wait. */
static void on_initialized(void *to, const ck_peer_answer *answer) {
  ck_service *self = to;
  char text[TEXT_MAX], why[CK_SERVICE_WHY_MAX] = "";
  bool good =
      answer->outcome == CK_PEER_RESULT && self->protocol->initialized(self->to, answer->json, why);
  if (!good && greets_again(self, answer)) return;
  if (answer->outcome == CK_PEER_LOST) { /* of a child it was the end, and is told as such */
    if (!ck_peer_is_ending(self->peer)) ck_peer_stop(self->peer, after_label(self, answer->text));
    return;
  }
  if (answer->outcome != CK_PEER_RESULT) {
    ck_text_format(text, sizeof text, "it does not take part: %.900s", answer->text);
    ck_peer_stop(self->peer, text);
  } else if (!good) {
    ck_peer_stop(self->peer, why);
  } else {
    self->ready = true;
    self->protocol->ready(self->to);
  }
}

static ck_status initialize(ck_service *self, ck_error *err) {
  ck_buffer params = {0};
  const ck_service_protocol *protocol = self->protocol;
  int64_t start_ms = self->options->start_ms ? self->options->start_ms : CK_SERVICE_START_MS;
  const char *method = protocol->greeting ? protocol->greeting(self->to) : "initialize";
  int64_t patience_ms =
      protocol->patience_ms ? protocol->patience_ms(self->to, start_ms) : start_ms;
  protocol->write_initialize(self->to, &params);
  self->initialize =
      (ck_peer_call){.answered = on_initialized, .to = self, .silence_ms = patience_ms};
  ck_status status = ck_buffer_check(&params, err);
  if (status == CK_OK)
    status = ck_peer_request(self->peer, &self->initialize, method, ck_buffer_bytes(&params), err);
  ck_buffer_clear(&params);
  return status;
}

static ck_status open_wire(ck_service *self, ck_error *err) {
  ck_wire wire;
  const ck_peer_options options = {
      .loop = self->options->loop,
      .name = self->label,
      .wire = &wire,
      .received = on_received,
      .ended = on_ended,
      .to = self,
  };
  ck_status status = self->protocol->connect(self->to, &wire, err);
  return status == CK_OK ? ck_peer_open(&self->peer, &options, err) : status;
}

static ck_status open_peer(ck_service *self, ck_error *err) {
  ck_environment environment;
  if (self->process->url) return open_wire(self, err);
  ck_status status = ck_environment_take(&environment, self->process->environment, err);
  if (status != CK_OK) return status;
  ck_peer_options options = {
      .loop = self->options->loop,
      .name = self->label,
      .argv = (char *const *)self->process->argv,
      .environment = environment.list,
      .directory = self->options->directory,
      .line_max = self->options->line_max,
      .kill_ms = self->options->kill_ms,
      .received = on_received,
      .ended = on_ended,
      .to = self,
  };
  status = ck_peer_open(&self->peer, &options, err);
  ck_environment_clear(&environment);
  return status;
}

ck_status ck_service_start(ck_service *self, ck_error *err) {
  unsigned most = self->options->starts_max ? self->options->starts_max : CK_SERVICE_STARTS_MAX;
  if (self->peer) {
    self->again |= ck_peer_is_ending(self->peer);
    return CK_OK;
  }
  if (self->starts >= most) {
    return ck_error_set(err, CK_E_UNAVAILABLE,
                        "%s ended %u times; it is not started again in this run", self->label,
                        self->starts);
  }
  self->starts++;
  ck_status status = open_peer(self, err);
  if (status != CK_OK) return status;
  /* A program that cannot be started ends by itself, with a better reason than a closed pipe. */
  ck_error failure = CK_ERROR_INIT;
  if (initialize(self, &failure) != CK_OK)
    ck_peer_stop(self->peer, self->process->url ? after_label(self, failure.text) : "");
  return CK_OK;
}

void ck_service_renew(ck_service *self) {
  ck_error failure = CK_ERROR_INIT;
  if (!self->ready) return;
  self->ready = false;
  if (initialize(self, &failure) != CK_OK)
    ck_peer_stop(self->peer, after_label(self, failure.text));
}

ck_status ck_service_init(ck_service *out, const ck_service *from, ck_error *err) {
  ck_buffer label = {0};
  ck_buffer_append_format(&label, "the %s '%.64s'", from->protocol->noun, from->process->name);
  *out = (ck_service){.protocol = from->protocol,
                      .options = from->options,
                      .process = from->process,
                      .to = from->to};
  out->label = ck_buffer_take(&label);
  return out->label ? CK_OK : ck_error_no_memory(err);
}

void ck_service_clear(ck_service *self) {
  ck_peer_free(self->peer);
  free(self->label);
  self->peer = NULL;
  self->label = NULL;
}

void ck_service_write_client(ck_json_writer *w, const char *name,
                             const ck_service_options *options) {
  ck_json_name(w, name);
  ck_json_begin(w, '{');
  ck_json_member_text(w, "name", "ckrun");
  ck_json_member_text(w, "version", options->version ? options->version : "0");
  ck_json_end(w, '}');
}
