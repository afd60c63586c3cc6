/* turn.c - the ends of a turn, its cancel, and the limits on its time. */
#include "core/base/text.h"
#include "core/effect/acp/private.h"

int64_t ck_acp_silence_of(const ck_acp_agent *self) {
  if (self->service.process->timeout_ms) return self->service.process->timeout_ms;
  return self->options->silence_ms ? self->options->silence_ms : CK_ACP_SILENCE_MS;
}

/* A limit that nobody chose is not shorter than the silence that somebody did. */
int64_t ck_acp_total_of(const ck_acp_agent *self) {
  int64_t silence = ck_acp_silence_of(self);
  int64_t total = self->options->total_ms ? self->options->total_ms : CK_ACP_TOTAL_MS;
  if (self->service.process->total_ms) return self->service.process->total_ms;
  return total > silence ? total : silence;
}

/* ---- ends ---- */

void ck_acp_deliver(ck_effect_run *run, ck_outcome *outcome) {
  ck_acp_drop_permissions(run->agent, run);
  ck_pending_call_deliver(&run->pending, outcome);
}

void ck_acp_end(ck_effect_run *run, ck_outcome_status status, ck_status class, const char *why) {
  ck_acp_drop_permissions(run->agent, run);
  ck_pending_call_end(&run->pending, status, class, why);
}

void ck_acp_lose(ck_effect_run *run, ck_status class, const char *why) {
  ck_acp_drop_permissions(run->agent, run);
  ck_pending_call_lose(&run->pending, class, why);
}

/* ---- cancel ---- */

static void send_cancel(const ck_effect_run *run) {
  ck_buffer params = {0};
  ck_json_writer w = {.out = &params};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "sessionId", run->session);
  ck_json_end(&w, '}');
  if (!params.failed)
    ck_peer_notify(run->agent->service.peer, "session/cancel", ck_buffer_bytes(&params));
  ck_buffer_clear(&params);
}

/* The answer to the prompt confirms the cancel. */
void ck_acp_cancel(ck_effect_run *run, ck_status class, const char *why) {
  const ck_acp_options *options = run->agent->options;
  ck_peer *peer = run->agent->service.peer;
  if (run->pending.outcome || run->phase == CK_ACP_ENDS) return;
  if (run->phase < CK_ACP_PROMPTED || !peer) {
    if (peer) ck_peer_forget(peer, &run->call);
    ck_acp_lose(run, class, why);
    return;
  }
  run->phase = CK_ACP_ENDS;
  run->ending = class;
  ck_text_format(run->why, sizeof run->why, "%s", why);
  send_cancel(run);
  ck_acp_drop_permissions(run->agent, run);
  run->call.deadline_ms = run->call.total_ms = 0;
  run->call.silence_ms = options->cancel_ms ? options->cancel_ms : CK_ACP_CANCEL_MS;
  if (run->call.id)
    ck_peer_touch(peer, &run->call);
  else
    ck_peer_renew(peer, &run->call);
}

void ck_acp_touch(ck_effect_run *run) {
  if (run->phase == CK_ACP_ENDS || !run->agent->service.peer) return;
  bool asks = ck_acp_has_permissions(run);
  run->call.silence_ms = asks ? 0 : ck_acp_silence_of(run->agent);
  ck_peer_suspend(run->agent->service.peer, &run->call, asks);
  ck_peer_touch(run->agent->service.peer, &run->call);
}
