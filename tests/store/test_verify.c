/* test_verify.c - any row that is changed, removed, swapped or moved in a store is found, and
 * loading names it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/store/store_core.h"
#include "core/store/memory/memory.h"
#include "tests/store/victim.h"
#include "tests/tap.h"

static char *payload_of(ck_checkpoint_row *row) { return (char *)(uintptr_t)row->payload.data; }

static void take_away(ck_memory_rows *rows, size_t at) {
  free(rows->rows[at]);
  memmove(rows->rows + at, rows->rows + at + 1, (rows->count - at - 1) * sizeof *rows->rows);
  rows->staged = --rows->count;
}

/* ---- attacks ---- */

typedef struct findings {
  int64_t count;
  bool near; /* at the target's seq, or within its span */
  int64_t first, last;
} findings;

static void note(void *to, const char *session_id, int64_t seq, ck_status status,
                 const char *text) {
  findings *self = to;
  self->count++;
  self->near = self->near || (seq >= self->first && seq <= self->last);
  if (!session_id || status == CK_OK || !*text)
    tap_ok(false, "a finding without a name, status or text");
}

static findings verify(victim *self, int64_t first, int64_t last) {
  ck_error err = CK_ERROR_INIT;
  ck_verify_report report;
  findings found = {.first = first, .last = last};
  history_must(ck_store_verify(&report, self->store, NULL, note, &found, &err), &err, "verify");
  if (report.problems != found.count)
    tap_ok(false, "the report counts %lld of %lld", (long long)report.problems,
           (long long)found.count);
  return found;
}

typedef void (*attack)(victim *self, ck_checkpoint_row *row, ck_event_row *event);

static void change_payload(victim *v, ck_checkpoint_row *row, ck_event_row *e) {
  (void)v, (void)e;
  payload_of(row)[row->payload.len / 2] ^= 4;
}
static void cut_payload(victim *v, ck_checkpoint_row *row, ck_event_row *e) {
  (void)v, (void)e;
  row->payload.len -= 3;
}
static void empty_payload(victim *v, ck_checkpoint_row *row, ck_event_row *e) {
  (void)v, (void)e;
  row->payload.len = 0;
}
static void forge_payload(victim *v, ck_checkpoint_row *row, ck_event_row *e) {
  (void)v, (void)e;
  payload_of(row)[row->payload.len - 1] ^= 1; /* in a value, or the frame's checksum */
  row->payload_digest = ck_digest_of(row->payload);
}
static void change_cost(victim *v, ck_checkpoint_row *row, ck_event_row *e) {
  (void)v, (void)e;
  row->totals.cost_micros += 1;
}
static void change_clean(victim *v, ck_checkpoint_row *row, ck_event_row *e) {
  (void)v, (void)e;
  row->clean = !row->clean;
}
static void change_id(victim *v, ck_checkpoint_row *row, ck_event_row *e) {
  (void)v, (void)e;
  row->id[0] ^= 1;
}
static void change_time(victim *v, ck_checkpoint_row *row, ck_event_row *e) {
  (void)v, (void)e;
  row->created_ms++;
}
static void change_info(victim *v, ck_checkpoint_row *row, ck_event_row *e) {
  (void)v, (void)e;
  ((char *)(uintptr_t)row->info.data)[2] ^= 1;
}
static void change_digest(victim *v, ck_checkpoint_row *row, ck_event_row *e) {
  (void)v, (void)e;
  row->digest.bytes[3] ^= 1;
}
static void change_events_digest(victim *v, ck_checkpoint_row *row, ck_event_row *e) {
  (void)v, (void)e;
  row->events_digest.bytes[3] ^= 1;
}
static void change_covers(victim *v, ck_checkpoint_row *row, ck_event_row *e) {
  (void)v, (void)e;
  row->covers--;
}
static void change_timeline(victim *v, ck_checkpoint_row *row, ck_event_row *e) {
  (void)v, (void)e;
  row->timeline = 1;
}
static void change_parent(victim *v, ck_checkpoint_row *row, ck_event_row *e) {
  (void)e;
  row->parent = v->past.seqs[3];
}
static void change_keyframe(victim *v, ck_checkpoint_row *row, ck_event_row *e) {
  (void)v, (void)e;
  row->keyframe = row->keyframe == row->seq ? row->parent : row->seq;
}
static void change_body(victim *v, ck_checkpoint_row *row, ck_event_row *e) {
  (void)v, (void)row;
  ((char *)(uintptr_t)e->body.data)[15] ^= 1;
}
static void break_body(victim *v, ck_checkpoint_row *row, ck_event_row *e) {
  (void)v, (void)row;
  ((char *)(uintptr_t)e->body.data)[0] = 'x';
}
static void change_at(victim *v, ck_checkpoint_row *row, ck_event_row *e) {
  (void)v, (void)row;
  e->at_ms++;
}
static void change_kind(victim *v, ck_checkpoint_row *row, ck_event_row *e) {
  (void)v, (void)row;
  e->kind = CK_EVENT_NOTE;
}
static void change_scope(victim *v, ck_checkpoint_row *row, ck_event_row *e) {
  (void)v, (void)row;
  e->scope = "other";
}
static void change_agent(victim *v, ck_checkpoint_row *row, ck_event_row *e) {
  (void)v, (void)row;
  e->agent = NULL;
}
static void change_branch(victim *v, ck_checkpoint_row *row, ck_event_row *e) {
  (void)v, (void)row;
  e->timeline = 1;
}
static void lose_event(victim *v, ck_checkpoint_row *row, ck_event_row *e) {
  (void)row;
  take_away(&v->session->events, (size_t)e->seq - 1);
}
static void lose_boundary(victim *v, ck_checkpoint_row *row, ck_event_row *e) {
  (void)row;
  take_away(&v->session->events, (size_t)e->seq);
}
static void lose_checkpoint(victim *v, ck_checkpoint_row *row, ck_event_row *e) {
  (void)row, (void)e;
  take_away(&v->session->checkpoints, VICTIM_TARGET);
}
static void swap_payloads(victim *v, ck_checkpoint_row *row, ck_event_row *e) {
  (void)e;
  ck_checkpoint_row *other = victim_checkpoint(v, VICTIM_TARGET + 1), kept = *row;
  row->payload = other->payload, row->payload_digest = other->payload_digest;
  row->encoding = other->encoding, row->plain_len = other->plain_len;
  other->payload = kept.payload, other->payload_digest = kept.payload_digest;
  other->encoding = kept.encoding, other->plain_len = kept.plain_len;
}
static void swap_events(victim *v, ck_checkpoint_row *row, ck_event_row *e) {
  (void)row;
  ck_event_row *other = victim_event(v, e->seq - 2), kept = *e;
  e->body = other->body, e->plain_len = other->plain_len, e->encoding = other->encoding;
  other->body = kept.body, other->plain_len = kept.plain_len, other->encoding = kept.encoding;
}
static void move_timeline(victim *v, ck_checkpoint_row *row, ck_event_row *e) {
  (void)row;
  v->session->timelines[1].begin = e->seq + 1;
}
static void lose_timeline(victim *v, ck_checkpoint_row *row, ck_event_row *e) {
  (void)row, (void)e;
  v->session->timeline_count = 1;
}

static const struct {
  const char *name;
  attack attack;
  bool anywhere; /* the finding may be reported at another row */
} attacks[] = {
    {"a changed payload", change_payload, false},
    {"a payload cut short", cut_payload, false},
    {"a payload without bytes", empty_payload, false},
    {"a payload forged with its digest", forge_payload, false},
    {"a changed cost", change_cost, false},
    {"a changed flag", change_clean, false},
    {"a changed id", change_id, false},
    {"a changed time", change_time, false},
    {"a changed info", change_info, false},
    {"a changed digest", change_digest, false},
    {"a changed digest of events", change_events_digest, false},
    {"a changed span", change_covers, false},
    {"a checkpoint on another timeline", change_timeline, false},
    {"another parent", change_parent, false},
    {"another keyframe", change_keyframe, false},
    {"a changed body", change_body, false},
    {"a body that is not JSON", break_body, false},
    {"a changed time of an event", change_at, false},
    {"a changed kind", change_kind, false},
    {"a changed scope", change_scope, false},
    {"a missing agent", change_agent, false},
    {"an event on another timeline", change_branch, false},
    {"a lost event", lose_event, true},
    {"a lost boundary", lose_boundary, true},
    {"a lost checkpoint", lose_checkpoint, true},
    {"swapped payloads", swap_payloads, false},
    {"swapped events", swap_events, false},
    {"a timeline that begins elsewhere", move_timeline, true},
    {"a lost timeline", lose_timeline, true},
};

static void test_attacks(void) {
  for (size_t i = 0; i < sizeof attacks / sizeof *attacks; i++) {
    victim it;
    victim_open(&it);
    ck_checkpoint_row *row = victim_checkpoint(&it, VICTIM_TARGET);
    int64_t seq = row->seq;
    if (i == 0) tap_is_int(verify(&it, 0, 0).count, 0, "before the attack nothing is found");
    attacks[i].attack(&it, row, victim_event(&it, seq - 1));
    findings found = verify(&it, seq - 1, seq);
    tap_ok(found.count > 0 && (found.near || attacks[i].anywhere),
           "%s is found where it is (%lld findings)", attacks[i].name, (long long)found.count);
    victim_close(&it);
  }
}

/* CONTRACT: one bit at every 64th byte, of all payloads and bodies. */
static void test_bit_rot(void) {
  victim it;
  int missed = 0, flips = 0;
  victim_open(&it);
  for (size_t i = 0; i < it.session->checkpoints.count; i++) {
    ck_checkpoint_row *row = victim_checkpoint(&it, i);
    for (size_t at = i % 64; at < row->payload.len; at += 64, flips++) {
      payload_of(row)[at] ^= (char)(1 << at % 8);
      missed += verify(&it, 0, 0).count == 0;
      payload_of(row)[at] ^= (char)(1 << at % 8);
    }
  }
  for (size_t i = 0; i < it.session->events.count; i++) {
    ck_event_row *row = it.session->events.rows[i];
    char *body = (char *)(uintptr_t)row->body.data;
    for (size_t at = i % row->body.len; at < row->body.len; at += 64, flips++) {
      body[at] ^= (char)(1 << at % 8);
      missed += verify(&it, 0, 0).count == 0;
      body[at] ^= (char)(1 << at % 8);
    }
  }
  tap_is_int(missed, 0, "each of %d bits flipped in payloads and bodies is found", flips);
  tap_is_int(verify(&it, 0, 0).count, 0, "and flipped back all is well");
  victim_close(&it);
}

static bool pass(void *to, const ck_event *event) {
  (void)to, (void)event;
  return true;
}

static bool reads_damaged(victim *self, int64_t seq) {
  ck_error err = CK_ERROR_INIT;
  ck_event_query query = {.session = 1, .after = seq - 1, .until = seq};
  return ck_store_read_events(self->store, &query, pass, NULL, &err) == CK_OK;
}

/* A resume reads events without verifying the chain: each row answers for itself, body and
 * columns. */
static void test_damaged_events_are_not_read(void) {
  victim it;
  int read = 0, flips = 0;
  victim_open(&it);
  for (size_t i = 0; i < it.session->events.count; i++) {
    ck_event_row *row = it.session->events.rows[i];
    char *body = (char *)(uintptr_t)row->body.data;
    for (size_t at = i % row->body.len; at < row->body.len; at += 16, flips++) {
      body[at] ^= (char)(1 << at % 8);
      read += reads_damaged(&it, row->seq);
      body[at] ^= (char)(1 << at % 8);
    }
    row->timeline ^= 1;
    row->at_ms++;
    read += reads_damaged(&it, row->seq);
    row->timeline ^= 1;
    row->at_ms--;
  }
  tap_ok(read == 0 && flips > 0,
         "an event with a flipped bit is an error, not another event (%d bits)", flips);
  victim_close(&it);
}

/* ---- loading ---- */

static void check_answer(victim *self, ck_status want, const char *what) {
  ck_error err = CK_ERROR_INIT;
  ck_state *state;
  int64_t seq = self->past.seqs[VICTIM_TARGET];
  ck_status status = ck_store_get_state(&state, self->store, 1, seq, &err);
  tap_is_status(status, want, &err, "loading with %s", what);
  bool named = strstr(err.text, "victim") && strstr(err.text, "checkpoint_");
  tap_ok(!state && (named || want == CK_E_NOT_FOUND), "and session and checkpoint are named: %s",
         err.text);
  ck_state_free(state);
}

static void test_damaged_rows(void) {
  victim it;
  victim_open(&it);
  ck_checkpoint_row *row = victim_checkpoint(&it, VICTIM_TARGET), kept = *row;
  row->payload.len = 0;
  check_answer(&it, CK_E_EMPTY, "no bytes");
  *row = kept;
  row->payload.len--;
  check_answer(&it, CK_E_TRUNCATED, "a byte less");
  *row = kept;
  payload_of(row)[row->payload.len / 2] ^= 1;
  check_answer(&it, CK_E_CORRUPT, "a flipped bit");
  payload_of(row)[row->payload.len / 2] ^= 1;
  row->format = 7;
  check_answer(&it, CK_E_NEWER, "a newer format");
  *row = kept;
  row->plain_len = (int64_t)1 << 40;
  check_answer(&it, CK_E_OVERSIZE, "a length of a tebibyte");
  *row = kept;
  row->key_id = (ck_bytes){"k", 1};
  check_answer(&it, CK_E_WRONG_KEY, "a key that is not known");
  *row = kept;
  row->totals.cost_micros++;
  check_answer(&it, CK_E_CORRUPT, "a changed cost");
  *row = kept;
  row->parent = row->seq;
  check_answer(&it, CK_E_CORRUPT, "itself as its parent");
  *row = kept;
  victim_checkpoint(&it, VICTIM_TARGET - 1)->digest.bytes[0] ^= 1;
  check_answer(&it, CK_E_CORRUPT, "another digest of its parent");
  victim_checkpoint(&it, VICTIM_TARGET - 1)->digest.bytes[0] ^= 1;
  tap_ok(history_loads(&it.past, VICTIM_TARGET), "undamaged it loads");
  victim_close(&it);
}

static void test_strange_payload(void) {
  victim it;
  history other;
  victim_open(&it);
  history_begin(&other, it.store, "other", 77);
  other.value_max = 600;
  for (int i = 0; i < VICTIM_STEPS; i++) history_go(&other, 2);
  ck_checkpoint_row *row = victim_checkpoint(&it, VICTIM_TARGET), kept = *row;
  const ck_checkpoint_row *strange =
      victim_session_of(it.store, 1)->checkpoints.rows[VICTIM_TARGET];
  row->payload = strange->payload, row->payload_digest = strange->payload_digest;
  row->encoding = strange->encoding, row->plain_len = strange->plain_len;
  check_answer(&it, CK_E_WRONG_SESSION, "a payload of another session");
  *row = kept;
  history_clear(&other);
  victim_close(&it);
}

static void test_not_found(void) {
  victim it;
  victim_open(&it);
  const struct {
    int64_t session, seq;
    const char *what;
  } absent[] = {{1, it.past.seqs[VICTIM_TARGET] + 1, "a seq without a checkpoint"},
                {1, 0, "seq 0"},
                {1, INT64_MAX, "the greatest seq"},
                {1, -5, "a negative seq"},
                {99, 1, "a session that is not there"}};
  for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) {
    ck_error err = CK_ERROR_INIT;
    ck_state *state;
    ck_status status = ck_store_get_state(&state, it.store, absent[i].session, absent[i].seq, &err);
    tap_is_status(status, CK_E_NOT_FOUND, &err, "%s: %s", absent[i].what, err.text);
  }
  victim_close(&it);
}

int main(void) {
  test_attacks();
  test_bit_rot();
  test_damaged_events_are_not_read();
  test_damaged_rows();
  test_strange_payload();
  test_not_found();
  return tap_done();
}
