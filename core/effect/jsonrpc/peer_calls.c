/* peer_calls.c - a peer's pending requests: each is answered once, at the latest by the clock. */
#include "core/effect/jsonrpc/private.h"

enum { SUBJECT_MAX = 100 };

int64_t ck_peer_now_ms(void) { return (int64_t)(uv_hrtime() / 1000000); }

void ck_peer_remove_call(ck_peer_call *call) {
  call->previous->next = call->next;
  call->next->previous = call->previous;
  call->next = call->previous = NULL;
  call->id = 0;
}

void ck_peer_answer_call(ck_peer_call *call, const ck_peer_answer *answer) {
  ck_peer_remove_call(call);
  call->answered(call->to, answer);
}

/* When it has been silent for too long, or its deadline is over; INT64_MAX: never. */
static int64_t silent_at(const ck_peer_call *call) {
  int64_t due = call->silence_ms ? call->since_ms + call->silence_ms : INT64_MAX;
  return call->deadline_ms && call->deadline_ms < due ? call->deadline_ms : due;
}

/* When it has taken too long in all, whatever the peer tells meanwhile; INT64_MAX: never. */
static int64_t capped_at(const ck_peer_call *call) {
  return call->total_ms && !call->suspended_ms ? call->begun_ms + call->total_ms : INT64_MAX;
}

/* When the clock answers the call; INT64_MAX: never. */
static int64_t due_of(const ck_peer_call *call) {
  return capped_at(call) < silent_at(call) ? capped_at(call) : silent_at(call);
}

static void write_late(ck_buffer *out, const ck_peer *self, const ck_peer_call *call, int64_t now) {
  if (silent_at(call) <= capped_at(call)) {
    ck_buffer_append_format(out, "%s did not answer within %.1f s", self->name,
                            (double)(now - call->since_ms) / 1000);
    return;
  }
  ck_buffer_append_format(out, "%s was still at work", self->name);
  if (call->subject.len)
    ck_buffer_append_format(out, " on %.*s", (int)ck_peer_cut(call->subject, SUBJECT_MAX),
                            call->subject.data);
  ck_buffer_append_format(out,
                          " after %.10g s, the most that one request to it may take, also when it "
                          "reports progress; a greater total_s of this process in the flow allows "
                          "it more",
                          (double)call->total_ms / 1000);
}

static void on_timer(uv_timer_t *timer);

void ck_peer_set_timer(ck_peer *self) {
  int64_t due = INT64_MAX, now = ck_peer_now_ms();
  for (ck_peer_call *call = self->calls.next; call != &self->calls; call = call->next) {
    if (due_of(call) < due) due = due_of(call);
  }
  uv_update_time(self->timer->loop);
  if (due == INT64_MAX)
    uv_timer_stop(self->timer);
  else
    uv_timer_start(self->timer, on_timer, due > now ? (uint64_t)(due - now) : 0, 0);
}

/* Unless the callback waits on. */
static void forget_late(ck_peer *self, int64_t id) {
  bool waits = ck_peer_waits(self, id);
  if (!waits && self->wire.send && self->wire.forget) self->wire.forget(self->wire.self, id);
}

static void on_timer(uv_timer_t *timer) {
  ck_peer *self = timer->data;
  ck_buffer text = {0};
  int64_t now = ck_peer_now_ms();
  for (ck_peer_call *call = self->calls.next, *next; call != &self->calls; call = next) {
    int64_t id = call->id;
    next = call->next;
    if (due_of(call) > now) continue;
    ck_buffer_reset(&text);
    write_late(&text, self, call, now);
    ck_peer_answer_call(
        call, &(ck_peer_answer){.outcome = CK_PEER_LATE,
                                .text = text.failed ? ck_status_text(CK_E_NO_MEMORY) : text.data});
    forget_late(self, id);
    next = self->calls.next; /* the callback may have changed the ring */
  }
  ck_buffer_clear(&text);
  ck_peer_set_timer(self);
}

ck_peer_call *ck_peer_find_call(ck_peer *self, ck_bytes id) {
  int64_t number;
  if (!ck_json_read_int(&number, id) || number <= 0) return NULL;
  for (ck_peer_call *call = self->calls.next; call != &self->calls; call = call->next) {
    if (call->id == number) return call;
  }
  return NULL;
}

bool ck_peer_waits(ck_peer *self, int64_t id) {
  for (const ck_peer_call *call = self->calls.next; id && call != &self->calls; call = call->next) {
    if (call->id == id) return true;
  }
  return false;
}

void ck_peer_move(ck_peer_call *to, ck_peer_call *from) {
  *to = *from;
  if (from->id) to->next->previous = to->previous->next = to;
  from->next = from->previous = NULL;
  from->id = 0;
}

void ck_peer_renew(ck_peer *self, ck_peer_call *call) {
  call->id = call->sent_id;
  call->since_ms = call->begun_ms = ck_peer_now_ms();
  call->suspended_ms = 0;
  call->next = &self->calls;
  call->previous = self->calls.previous;
  call->previous->next = call->next->previous = call;
  ck_peer_set_timer(self);
}

void ck_peer_forget(ck_peer *self, ck_peer_call *call) {
  if (!call->id) return;
  ck_peer_remove_call(call);
  if (self->wire.send && self->wire.forget) self->wire.forget(self->wire.self, call->sent_id);
  ck_peer_set_timer(self);
}

void ck_peer_touch(ck_peer *self, ck_peer_call *call) {
  call->since_ms = ck_peer_now_ms();
  if (call->id) ck_peer_set_timer(self);
}

void ck_peer_suspend(ck_peer *self, ck_peer_call *call, bool suspended) {
  int64_t now = ck_peer_now_ms();
  if (suspended == (call->suspended_ms != 0)) return;
  if (!suspended) call->begun_ms += now - call->suspended_ms;
  call->suspended_ms = suspended ? now : 0;
  if (call->id) ck_peer_set_timer(self);
}
