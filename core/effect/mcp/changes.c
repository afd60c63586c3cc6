/* changes.c - a server says that its tools are others now: the next outcome of a call, which is
 * recorded, says so to the flow. What it says between two calls waits for the next one. */
#include "core/effect/mcp/private.h"

static void on_answered(void *to, const ck_peer_answer *answer) {
  (void)to, (void)answer; /* it does not tell, or not any more */
}

void ck_mcp_listen(ck_mcp_server *self) {
  ck_buffer params = {0};
  ck_json_writer w = {.out = &params};
  ck_error ignored = CK_ERROR_INIT;
  if (!self->tells_changes || self->http || self->listening.id) return;
  ck_json_begin(&w, '{');
  ck_json_member_raw(&w, "notifications", ck_bytes_text("{\"toolsListChanged\":true}"));
  ck_json_name(&w, "_meta");
  ck_json_begin(&w, '{');
  ck_mcp_put_client(&w, self);
  ck_json_end(&w, '}');
  ck_json_end(&w, '}');
  self->listening = (ck_peer_call){.answered = on_answered, .to = self, .repeats = true};
  if (!params.failed)
    (void)!ck_peer_request(self->service.peer, &self->listening, "subscriptions/listen",
                           ck_buffer_bytes(&params), &ignored);
  ck_buffer_clear(&params);
}

static bool tells(const ck_effect_run *run) { return !run->list && !run->probe; }

/* An outcome that is not given yet can still say it. */
void ck_mcp_note_changes(ck_mcp_server *self) {
  self->tools_changed = true;
  for (ck_effect_run *run = NULL; (run = ck_pending_calls_next(&self->runs, run));)
    if (run->pending.outcome && tells(run)) run->pending.outcome->tools_changed = true;
}

void ck_mcp_deliver(ck_effect_run *run, ck_outcome *outcome) {
  if (outcome && tells(run)) outcome->tools_changed = run->server->tools_changed;
  ck_pending_call_deliver(&run->pending, outcome);
}
