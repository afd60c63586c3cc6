/* test_contract.c - what store.h promises, asked of every backend through the same calls. */
#include <stdio.h>
#include <string.h>

#include "tests/store/fixture.h"
#include "tests/store/postgres_server.h"
#include "tests/tap.h"
#include "core/store/fact.h"
#include "core/store/request.h"
#include "core/store/stats.h"

static const char *kind; /* of the store under test, for the names of the checks */

static fixture create(ck_store *store, const char *id) {
  fixture session;
  ck_error err = CK_ERROR_INIT;
  if (fixture_create(&session, store, id, &err) != CK_OK)
    tap_must(false, "%s: session %s: %s", kind, id, err.text);
  return session;
}

static void must_commit(fixture *session, const fixture_step *step) {
  ck_error err = CK_ERROR_INIT;
  if (fixture_commit(session, step, &err) != CK_OK)
    tap_must(false, "%s: a commit goes through: %s", kind, err.text);
}

static ck_head head_of(ck_store *store, const char *id) {
  ck_head head;
  ck_error err = CK_ERROR_INIT;
  if (ck_store_get_head(&head, store, id, &err) != CK_OK)
    tap_must(false, "%s: head of %s: %s", kind, id, err.text);
  return head;
}

/* ---- sessions ---- */

static void test_creation(ck_store *store) {
  ck_error err = CK_ERROR_INIT;
  fixture first = create(store, "made"), again;
  ck_head head = head_of(store, "made");
  tap_is_int((int64_t)head.session.epoch, 1, "%s: a new session has epoch 1", kind);
  tap_is_int((int64_t)first.lease.epoch, 1, "%s: so has its lease", kind);
  tap_is_int(head.session.status, CK_SESSION_RUNNING, "%s: it is running", kind);
  tap_is_text(head.session.flow, "flow.lua", "%s: its flow is kept", kind);
  tap_is_bytes(ck_value_bytes(head.session.input), ck_bytes_text("{\"input\": 1}"),
               "%s: its input too, byte for byte", kind);
  tap_is_int(head.last_seq, 1, "%s: with its opening event", kind);
  tap_is_int((int64_t)head.timeline_count, 1, "%s: on one timeline", kind);
  tap_ok(!head.has_checkpoint && !head.has_latest, "%s: without a checkpoint", kind);
  ck_head_clear(&head);
  tap_is_status(fixture_create(&again, store, "made", &err), CK_E_EXISTS, &err,
                "%s: an id is given once", kind);
  tap_ok(strstr(err.text, "made") != NULL, "%s: and is named: %s", kind, err.text);
  tap_is_int(fixture_count_events(store, first.lease.session), 1,
             "%s: the second attempt changed nothing", kind);
  ck_session_record record;
  tap_is_status(ck_store_get_session(&record, store, "nobody", &err), CK_E_NOT_FOUND, &err,
                "%s: an unknown id", kind);
  tap_ok(strstr(err.text, "nobody") != NULL, "%s: is named: %s", kind, err.text);
  ck_store_release(store, first.lease);
  tap_is_status(fixture_create(&again, store, "made", &err), CK_E_EXISTS, &err,
                "%s: also once its owner has gone", kind);
}

static void test_ownership(ck_store *store) {
  ck_error err = CK_ERROR_INIT;
  fixture first = create(store, "owned"), second;
  tap_is_status(ck_store_check_owner(store, "owned", &err), CK_E_OWNED, &err,
                "%s: a running session has an owner", kind);
  tap_is_status(fixture_acquire(&second, store, "owned", &err), CK_E_OWNED, &err,
                "%s: who is not pushed aside", kind);
  must_commit(&first, &(fixture_step){.text = "still mine"});
  must_commit(&first, &(fixture_step){.update = &(ck_session_update){.status = CK_SESSION_PAUSED,
                                                                     .reason = "tired"}});
  ck_store_release(store, first.lease);
  tap_is_status(ck_store_check_owner(store, "owned", &err), CK_OK, &err,
                "%s: release gives it back", kind);
  tap_is_status(fixture_acquire_at(&second, store, "owned", 7, &err), CK_E_FENCED, &err,
                "%s: not by a wrong epoch", kind);
  tap_is_status(ck_store_check_owner(store, "owned", &err), CK_OK, &err,
                "%s: a failed acquisition holds nothing", kind);
  tap_is_int(fixture_count_events(store, first.lease.session), 2, "%s: and writes nothing", kind);
  tap_is_status(fixture_acquire(&second, store, "owned", &err), CK_OK, &err,
                "%s: now it can be taken", kind);
  tap_is_int((int64_t)second.lease.epoch, 2, "%s: which moves the epoch on", kind);
  ck_head head = head_of(store, "owned");
  tap_is_int(head.session.status, CK_SESSION_RUNNING, "%s: it is running again", kind);
  tap_ok(head.session.reason == NULL, "%s: the reason is cleared", kind);
  tap_is_int(head.session.timeline, 2, "%s: on its new timeline", kind);
  tap_is_text(head.session.run, "run_next", "%s: by the new run", kind);
  tap_is_int(head.last_seq, 3, "%s: with the opening event", kind);
  tap_is_int((int64_t)head.timeline_count, 2, "%s: the old timeline stays", kind);
  tap_is_int(head.timelines[1].cut, 2, "%s: and the new one says where it branched off", kind);
  ck_head_clear(&head);
  tap_is_status(fixture_commit(&first, &(fixture_step){.text = "zombie"}, &err), CK_E_FENCED, &err,
                "%s: a zombie's commit is fenced off", kind);
  ck_store_release(store, first.lease);
  tap_is_status(ck_store_check_owner(store, "owned", &err), CK_E_OWNED, &err,
                "%s: nor does it release the new owner", kind);
  tap_is_int(fixture_count_events(store, second.lease.session), 3, "%s: and left nothing", kind);
  must_commit(&second, &(fixture_step){.text = "mine now"});
  tap_is_status(fixture_acquire(&first, store, "nobody", &err), CK_E_NOT_FOUND, &err,
                "%s: an unknown one cannot be taken", kind);
}

typedef struct listing {
  char text[256];
  int left;
} listing;

static bool list_session(void *to, const ck_session_record *record) {
  listing *list = to;
  strncat(list->text, record->id, sizeof list->text - strlen(list->text) - 2);
  strcat(list->text, " ");
  return --list->left != 0;
}

static void test_listing(ck_store *store) {
  ck_error err = CK_ERROR_INIT;
  create(store, "one");
  fixture two = create(store, "two");
  create(store, "three");
  must_commit(&two, &(fixture_step){.text = "end",
                                    .update = &(ck_session_update){.status = CK_SESSION_COMPLETED,
                                                                   .reason = NULL}});
  listing all = {0}, done = {0}, first = {.left = 1};
  tap_is_status(ck_store_list_sessions(store, 0, list_session, &all, &err), CK_OK, &err,
                "%s: sessions can be listed", kind);
  tap_is_text(all.text, "three two one ", "%s: newest first", kind);
  tap_is_status(ck_store_list_sessions(store, CK_SESSION_COMPLETED, list_session, &done, &err),
                CK_OK, &err, "%s: by status", kind);
  tap_is_text(done.text, "two ", "%s: only those", kind);
  tap_is_status(ck_store_list_sessions(store, 0, list_session, &first, &err), CK_OK, &err,
                "%s: and a visitor", kind);
  tap_is_text(first.text, "three ", "%s: can stop", kind);
}

/* ---- commits ---- */

static void test_batches(ck_store *store) {
  ck_error err = CK_ERROR_INIT;
  fixture good = create(store, "good"), fenced = create(store, "fenced"),
          gap = create(store, "gap");
  fixture unknown = good, orphan = create(store, "orphan");
  unknown.lease.session = 4711;
  fenced.lease.epoch = 9;
  gap.seq++;
  orphan.parent = 1;
  const ck_session_update failed = {.status = CK_SESSION_FAILED, .reason = "no"};
  fixture *sessions[] = {&fenced, &good, &gap, &unknown, &orphan};
  const ck_status want[] = {CK_E_FENCED, CK_OK, CK_E_RANGE, CK_E_NOT_FOUND, CK_E_NOT_FOUND};
  fixture_batch made[5];
  ck_batch batches[5];
  for (int i = 0; i < 5; i++) {
    fixture_batch_init(
        &made[i], sessions[i],
        &(fixture_step){.text = "t", .key = "memory.k", .value = "1", .update = &failed});
    batches[i] = made[i].batch;
  }
  tap_is_status(ck_store_commit(store, batches, 5, &err), CK_OK, &err, "%s: a round is one commit",
                kind);
  for (int i = 0; i < 5; i++) {
    tap_is_status(batches[i].status, want[i], NULL, "%s: batch %d gets its own answer", kind, i);
    fixture_batch_clear(&made[i]);
  }
  tap_ok(batches[1].stored_bytes > 0, "%s: what was stored is counted", kind);
  const char *ids[] = {"good", "fenced", "gap", "orphan"};
  for (int i = 0; i < 4; i++) {
    ck_head head = head_of(store, ids[i]);
    tap_is_int(head.last_seq, i == 0 ? 3 : 1, "%s: %s: dropped entirely or kept entirely", kind,
               ids[i]);
    tap_is_int(head.session.status, i == 0 ? CK_SESSION_FAILED : CK_SESSION_RUNNING,
               "%s: its status too", kind);
    ck_head_clear(&head);
  }
  tap_is_int(fixture_verify(store), 0, "%s: verify is clean afterwards", kind);
}

static void test_updates(ck_store *store) {
  fixture session = create(store, "updated");
  must_commit(&session, &(fixture_step){.update = &(ck_session_update){.status = CK_SESSION_WAITING,
                                                                       .reason = "for an answer"}});
  ck_head head = head_of(store, "updated");
  tap_is_int(head.session.status, CK_SESSION_WAITING, "%s: an update without events is kept", kind);
  tap_is_text(head.session.reason, "for an answer", "%s: with its reason", kind);
  ck_head_clear(&head);
  must_commit(&session, &(fixture_step){.text = "x",
                                        .update = &(ck_session_update){.status = CK_SESSION_RUNNING,
                                                                       .reason = NULL}});
  head = head_of(store, "updated");
  tap_ok(head.session.reason == NULL, "%s: NULL clears the reason", kind);
  tap_is_int(head.last_seq, 2, "%s: the events came with it", kind);
  ck_head_clear(&head);
}

static void test_durability_calls(ck_store *store) {
  ck_error err = CK_ERROR_INIT;
  fixture session = create(store, "durable");
  must_commit(&session, &(fixture_step){.text = "soon", .process = true});
  tap_is_int(fixture_count_events(store, session.lease.session), 2,
             "%s: reads see a commit that returned", kind);
  tap_is_status(ck_store_sync(store, &err), CK_OK, &err, "%s: sync", kind);
  must_commit(&session, &(fixture_step){.key = "memory.a", .value = "1"});
  tap_is_status(ck_store_idle(store, &err), CK_OK, &err, "%s: idle", kind);
  tap_is_status(ck_store_recover(store, &err), CK_OK, &err, "%s: recover", kind);
  ck_head head = head_of(store, "durable");
  tap_is_int(head.last_seq, 3, "%s: after a recovery the head is the last commit", kind);
  ck_head_clear(&head);
  must_commit(&session, &(fixture_step){.text = "on", .key = "memory.b", .value = "2"});
  head = head_of(store, "durable");
  tap_is_int(head.latest.keyframe, head.latest.seq, "%s: and the next checkpoint is a keyframe",
             kind);
  ck_head_clear(&head);
  must_commit(&session, &(fixture_step){0});
  tap_is_int(fixture_count_events(store, session.lease.session), 5,
             "%s: an empty power commit is fine", kind);
  tap_is_int(fixture_verify(store), 0, "%s: verify is clean", kind);
}

/* ---- checkpoints ---- */

static bool list_checkpoint(void *to, const ck_checkpoint_info *checkpoint) {
  int64_t *sum = to;
  *sum = *sum * 100 + checkpoint->seq;
  return true;
}

static void test_checkpoints(ck_store *store) {
  ck_error err = CK_ERROR_INIT;
  fixture session = create(store, "points");
  must_commit(&session, &(fixture_step){.text = "a", .key = "memory.a", .value = "{\"n\": 1}"});
  must_commit(&session, &(fixture_step){.text = "b", .key = "memory.b", .value = "[2]"});
  must_commit(&session, &(fixture_step){.key = "memory.a"});
  int64_t seqs = 0, no = session.lease.session;
  tap_is_status(ck_store_list_checkpoints(store, no, list_checkpoint, &seqs, &err), CK_OK, &err,
                "%s: checkpoints list", kind);
  tap_is_int(seqs, 30506, "%s: ascending by seq", kind);
  ck_state *state;
  tap_is_status(ck_store_get_state(&state, store, no, 5, &err), CK_OK, &err, "%s: a state loads",
                kind);
  tap_is_bytes(ck_value_bytes(ck_state_get(state, "memory.a")), ck_bytes_text("{\"n\": 1}"),
               "%s: byte for byte", kind);
  tap_is_int((int64_t)ck_state_count(state), 2, "%s: with what lay before it", kind);
  ck_state_free(state);
  tap_is_status(ck_store_get_state(&state, store, no, 6, &err), CK_OK, &err, "%s: and the next one",
                kind);
  tap_ok(ck_state_get(state, "memory.a") == NULL && ck_state_count(state) == 1,
         "%s: without the removed key", kind);
  ck_state_free(state);
  tap_is_status(ck_store_get_state(&state, store, no, 4, &err), CK_E_NOT_FOUND, &err,
                "%s: no checkpoint at this seq", kind);
  ck_head head = head_of(store, "points");
  tap_is_int(head.checkpoint.seq, 6, "%s: the head's checkpoint is the latest", kind);
  tap_is_int(head.checkpoint.totals.cost_micros, 6, "%s: with its totals", kind);
  ck_checkpoint_info by_id, by_seq;
  tap_is_status(ck_store_get_checkpoint(&by_id, store, no, head.checkpoint.id, 0, &err), CK_OK,
                &err, "%s: by id", kind);
  tap_is_status(ck_store_get_checkpoint(&by_seq, store, no, NULL, 5, &err), CK_OK, &err,
                "%s: by seq", kind);
  tap_is_int(by_id.seq, 6, "%s: the id's", kind);
  tap_is_int(by_id.parent, by_seq.seq, "%s: each names its parent", kind);
  ck_checkpoint_info_clear(&by_id);
  ck_checkpoint_info_clear(&by_seq);
  ck_head_clear(&head);
  tap_is_status(ck_store_get_checkpoint(&by_id, store, no, "checkpoint_none", 0, &err),
                CK_E_NOT_FOUND, &err, "%s: an unknown checkpoint", kind);
}

/* A checkpoint on a timeline that the live one does not see is not its head, but the latest of
 * all. */
static void test_branches(ck_store *store) {
  ck_error err = CK_ERROR_INIT;
  fixture session = create(store, "branches"), next;
  must_commit(&session, &(fixture_step){.key = "memory.a", .value = "1"});
  must_commit(&session, &(fixture_step){.key = "memory.a", .value = "2"});
  ck_store_release(store, session.lease);
  ck_timeline timeline = {
      .no = 2, .parent = 1, .cut = 2, .begin = 4, .checkpoint = 2, .attempt = 2, .run = "run_2"};
  ck_opening opening = {.timeline = &timeline, .events = NULL, .event_count = 0};
  tap_is_status(ck_store_acquire(&next.lease, store, "branches", 1, &opening, &err), CK_OK, &err,
                "%s: a run goes on from an older checkpoint", kind);
  ck_head head = head_of(store, "branches");
  tap_is_int(head.checkpoint.seq, 2, "%s: which is then its head", kind);
  tap_is_int(head.latest.seq, 3, "%s: the abandoned one stays known", kind);
  tap_is_int(head.timelines[1].attempt, 2, "%s: the timeline is as it was given", kind);
  ck_head_clear(&head);
}

/* ---- events ---- */

typedef struct seqs {
  int64_t seq[64];
  size_t count, stop;
} seqs;

static bool collect(void *to, const ck_event *event) {
  seqs *list = to;
  list->seq[list->count++] = event->seq;
  return list->count != list->stop;
}

static void is_read(ck_store *store, const ck_event_query *query, const char *want,
                    const char *name) {
  seqs list = {0};
  ck_error err = CK_ERROR_INIT;
  ck_buffer text = {0};
  tap_is_status(ck_store_read_events(store, query, collect, &list, &err), CK_OK, &err,
                "%s: events: %s", kind, name);
  ck_buffer_append_text(&text, "");
  for (size_t i = 0; i < list.count; i++)
    ck_buffer_append_format(&text, "%lld ", (long long)list.seq[i]);
  tap_is_text(text.data ? text.data : "", want, "%s: events: %s", kind, name);
  ck_buffer_clear(&text);
}

static void test_events(ck_store *store) {
  fixture session = create(store, "events"), other = create(store, "others");
  for (int i = 0; i < 6; i++) {
    must_commit(&session,
                &(fixture_step){
                    .text = "t", .scope = i % 2 ? "left" : "main", .agent = i % 3 ? NULL : "ann"});
    must_commit(&other, &(fixture_step){.text = "not this one"});
  }
  must_commit(&session, &(fixture_step){.key = "memory.a", .value = "1"});
  ck_range ranges[] = {{.first = 1, .last = 2}, {.first = 5, .last = INT64_MAX}};
  ck_view view = {ranges, 2};
  ck_event_query query = {.session = session.lease.session};
  is_read(store, &query, "1 2 3 4 5 6 7 8 ", "all of the session, ascending");
  query.after = 2, query.until = 5;
  is_read(store, &query, "3 4 5 ", "after and until");
  query = (ck_event_query){.session = query.session, .kinds = 1ull << CK_EVENT_BOUNDARY};
  is_read(store, &query, "8 ", "by kind");
  query = (ck_event_query){.session = query.session, .scope = "left"};
  is_read(store, &query, "3 5 7 ", "by scope");
  query = (ck_event_query){.session = query.session, .agent = "ann"};
  is_read(store, &query, "2 5 ", "by agent");
  query.others = 1ull << CK_EVENT_BOUNDARY;
  is_read(store, &query, "2 5 8 ", "by agent, and of a kind whoever's it is");
  query = (ck_event_query){.session = query.session, .last = 3};
  is_read(store, &query, "6 7 8 ", "the last ones, still ascending");
  query = (ck_event_query){.session = query.session, .view = &view};
  is_read(store, &query, "1 2 5 6 7 8 ", "through a view");
  query.last = 5, query.kinds = 1ull << CK_EVENT_MESSAGE;
  is_read(store, &query, "2 5 6 7 ", "all at once");
  seqs list = {.stop = 2};
  ck_error err = CK_ERROR_INIT;
  query = (ck_event_query){.session = query.session};
  tap_is_status(ck_store_read_events(store, &query, collect, &list, &err), CK_OK, &err,
                "%s: events: a visitor", kind);
  tap_is_int((int64_t)list.count, 2, "%s: can stop", kind);
}

/* ---- requests ---- */

static void test_requests(ck_store *store) {
  ck_error err = CK_ERROR_INIT;
  fixture session = create(store, "asked"), other = create(store, "unasked");
  char pause[] = "pause", answer[] = "answer";
  ck_value *body;
  tap_must(ck_value_text(&body, ck_bytes_text("yes"), &err) == CK_OK, "a body");
  ck_request first = {.session = session.lease.session, .kind = pause},
             second = {first.no, first.session, answer, body}, got;
  bool found = true;
  tap_is_status(ck_store_get_request(&got, &found, store, session.lease, 0, &err), CK_OK, &err,
                "%s: no request", kind);
  tap_ok(!found, "%s: is not found", kind);
  tap_is_status(ck_store_put_request(store, &first, &err), CK_OK, &err, "%s: a request is left",
                kind);
  tap_is_status(ck_store_put_request(store, &second, &err), CK_OK, &err, "%s: and another", kind);
  ck_lease zombie = {session.lease.session, session.lease.epoch + 1};
  tap_is_status(ck_store_get_request(&got, &found, store, zombie, 0, &err), CK_E_FENCED, &err,
                "%s: a zombie gets none", kind);
  tap_is_status(ck_store_get_request(&got, &found, store, other.lease, 0, &err), CK_OK, &err,
                "%s: other sessions", kind);
  tap_ok(!found, "%s: have none", kind);
  tap_is_status(ck_store_get_request(&got, &found, store, session.lease, 0, &err), CK_OK, &err,
                "%s: the owner", kind);
  tap_ok(found && strcmp(got.kind, "pause") == 0 && !got.body, "%s: gets the oldest", kind);
  int64_t no = got.no;
  ck_request_clear(&got);
  tap_is_status(ck_store_get_request(&got, &found, store, session.lease, 0, &err), CK_OK, &err,
                "%s: until it is taken out", kind);
  tap_ok(found && got.no == no, "%s: it stands", kind);
  ck_request_clear(&got);
  tap_is_status(ck_store_get_request(&got, &found, store, session.lease, no, &err), CK_OK, &err,
                "%s: behind it", kind);
  tap_ok(found && got.no > no, "%s: comes the next", kind);
  ck_request_clear(&got);
  tap_is_status(ck_store_drop_request(store, zombie, no, &err), CK_E_FENCED, &err,
                "%s: a zombie takes none out", kind);
  tap_is_status(ck_store_drop_request(store, other.lease, no, &err), CK_OK, &err,
                "%s: nor does another session", kind);
  tap_is_status(ck_store_get_request(&got, &found, store, session.lease, 0, &err), CK_OK, &err,
                "%s: it is asked for again", kind);
  tap_ok(found && got.no == no, "%s: and is there", kind);
  ck_request_clear(&got);
  tap_is_status(ck_store_drop_request(store, session.lease, no, &err), CK_OK, &err,
                "%s: its owner takes it out", kind);
  tap_is_status(ck_store_drop_request(store, session.lease, no, &err), CK_OK, &err,
                "%s: also twice", kind);
  tap_is_status(ck_store_get_request(&got, &found, store, session.lease, 0, &err), CK_OK, &err,
                "%s: then", kind);
  tap_ok(found && strcmp(got.kind, "answer") == 0 && got.no > no, "%s: the next", kind);
  tap_is_bytes(ck_value_bytes(got.body), ck_bytes_text("\"yes\""), "%s: with its body", kind);
  tap_is_status(ck_store_drop_request(store, session.lease, got.no, &err), CK_OK, &err,
                "%s: it is taken out, too", kind);
  ck_request_clear(&got);
  tap_is_status(ck_store_get_request(&got, &found, store, session.lease, 0, &err), CK_OK, &err,
                "%s: and then", kind);
  tap_ok(!found, "%s: there is none", kind);
  first.session = 4711;
  tap_is_status(ck_store_put_request(store, &first, &err), CK_E_NOT_FOUND, &err,
                "%s: nobody serves an unknown session", kind);
  ck_value_free(body);
}

/* ---- facts ---- */

typedef struct fact_list {
  ck_buffer text; /* "OWNER/KEY=VALUE@TIME " of each */
  int64_t most;
  ck_store *store;
} fact_list;

static bool append_fact(void *to, const ck_fact *fact) {
  fact_list *self = to;
  ck_error err = CK_ERROR_INIT;
  ck_value *again;
  tap_must(ck_store_get_fact(&again, self->store, fact->owner, fact->key, &err) == CK_OK,
           "%s: the store is at the visitor's disposal: %s", kind, err.text);
  ck_value_free(again);
  ck_buffer_append_format(&self->text, "%s/%s=%.*s@%lld ", fact->owner, fact->key,
                          (int)ck_value_bytes(fact->value).len, ck_value_bytes(fact->value).data,
                          (long long)fact->at_ms);
  return --self->most != 0;
}

static void put_fact(ck_store *store, const char *owner, const char *key, const char *json,
                     int64_t at_ms) {
  ck_error err = CK_ERROR_INIT;
  ck_value *value = NULL;
  if (json) tap_must(ck_value_new(&value, ck_bytes_text(json), &err) == CK_OK, "%s", err.text);
  ck_fact fact = {.owner = owner, .key = key, .value = value, .at_ms = at_ms};
  tap_is_status(ck_store_put_fact(store, &fact, &err), CK_OK, &err, "%s: fact %s/%s", kind, owner,
                key);
  ck_value_free(value);
}

static void list_facts(ck_store *store, const char *owner, const char *prefix, int64_t most,
                       const char *expected, const char *what) {
  ck_error err = CK_ERROR_INIT;
  fact_list list = {.most = most, .store = store};
  ck_fact_query query = {.owner = owner, .prefix = prefix};
  tap_is_status(ck_store_list_facts(store, &query, append_fact, &list, &err), CK_OK, &err, "%s: %s",
                kind, what);
  ck_buffer_append_text(&list.text, "");
  tap_is_text(list.text.data ? list.text.data : "", expected, "%s: %s: those", kind, what);
  ck_buffer_clear(&list.text);
}

static void test_facts(ck_store *store) {
  list_facts(store, NULL, NULL, 0, "", "no facts");
  put_fact(store, "", "b", "1", 10);
  put_fact(store, "ann", "a", "[2]", 20);
  put_fact(store, "", "a%", "3", 30);
  put_fact(store, "", "ab", "4", 40);
  put_fact(store, "", "A", "5", 50);
  put_fact(store, "an", "na", "6", 60);
  list_facts(store, NULL, NULL, 0, "/A=5@50 /a%=3@30 /ab=4@40 /b=1@10 an/na=6@60 ann/a=[2]@20 ",
             "all, in their order");
  list_facts(store, "", NULL, 0, "/A=5@50 /a%=3@30 /ab=4@40 /b=1@10 ", "everybody's");
  list_facts(store, "ann", NULL, 0, "ann/a=[2]@20 ", "an agent's");
  list_facts(store, "nobody", NULL, 0, "", "a stranger's");
  list_facts(store, NULL, "a", 0, "/a%=3@30 /ab=4@40 ann/a=[2]@20 ", "of a prefix");
  list_facts(store, "", "a%", 0, "/a%=3@30 ", "a prefix is no pattern");
  list_facts(store, NULL, "a", 2, "/a%=3@30 /ab=4@40 ", "up to a number");
  put_fact(store, "", "ab", "\"new\"", 70);
  put_fact(store, "", "b", NULL, 80);
  put_fact(store, "", "gone", NULL, 90);
  list_facts(store, "", NULL, 0, "/A=5@50 /a%=3@30 /ab=\"new\"@70 ", "replaced and removed");
}

static void test_figures(ck_store *store) {
  ck_error err = CK_ERROR_INIT;
  fixture session = create(store, "counted");
  for (int i = 0; i < 3; i++)
    must_commit(&session, &(fixture_step){.text = "t", .key = "memory.a", .value = "1"});
  ck_store_stats stats;
  tap_is_status(ck_store_get_stats(&stats, store, &err), CK_OK, &err, "%s: figures", kind);
  tap_is_int(stats.sessions, 1, "%s: sessions", kind);
  tap_is_int(stats.events, 7, "%s: events", kind);
  tap_is_int(stats.checkpoints, 3, "%s: checkpoints", kind);
  tap_ok(stats.keyframes >= 1 && stats.keyframes <= 3, "%s: keyframes", kind);
  int64_t sealing = fixture_key ? stats.events * (CK_SEAL_OVERHEAD + 8) : 0;
  tap_ok(stats.event_bytes > sealing && stats.event_plain_bytes >= stats.event_bytes - sealing,
         "%s: bytes of events", kind);
  tap_ok(stats.payload_bytes > 0 && stats.payload_plain_bytes > 0, "%s: bytes of payloads", kind);
  tap_is_int(stats.schema, CK_STORE_SCHEMA, "%s: schema", kind);
  static const uint8_t none[32];
  const uint8_t *key = ck_store_fingerprint_key(store);
  tap_ok(fixture_key ? key && memcmp(key, none, 32) != 0 : !key,
         "%s: a key for fingerprints exactly where the store has one", kind);
}

static void run(const char *name, const char *url) {
  static void (*const tests[])(ck_store *) = {
      test_creation, test_ownership,        test_listing,     test_batches,
      test_updates,  test_durability_calls, test_checkpoints, test_branches,
      test_events,   test_requests,         test_facts,       test_figures};
  kind = name;
  for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
    char full[512];
    snprintf(full, sizeof full, "%s%s", url,
             strcmp(url, "memory:") != 0 ? (char[]){(char)('a' + i), '\0'} : "");
    ck_store *store = fixture_open(full);
    tests[i](store);
    ck_store_close(store);
  }
}

static void run_postgres(const char *name, const char *prefix) {
  const char *url = postgres_server_store(prefix, name);
  if (url) run(name, url);
}

int main(void) {
  ck_store *store;
  ck_error err = CK_ERROR_INIT;
  ck_status status = ck_store_open(&store, "redis:here", &(ck_store_options){.create = true}, &err);
  tap_is_status(status, CK_E_USAGE, &err, "an unknown kind of store is a mistake of usage");
  char url[400];
  snprintf(url, sizeof url, "sqlite:%s/", tap_tmpdir());
  run("memory", "memory:");
  run("sqlite", url);
  run_postgres("postgres", "plain_");
  ck_key *key = fixture_make_key();
  fixture_key = key;
  snprintf(url, sizeof url, "sqlite:%s/sealed-", tap_tmpdir());
  run("sealed memory", "memory:");
  run("sealed sqlite", url);
  run_postgres("sealed postgres", "sealed_");
  ck_key_free(key);
  return tap_done();
}
