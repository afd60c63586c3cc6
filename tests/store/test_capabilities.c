/* test_capabilities.c - a backend that provides only what backend.h requires runs sessions; what it
 * lacks is answered clearly. */
#include <stdlib.h>

#include "core/store/store_core.h"
#include "tests/store/fixture.h"
#include "tests/tap.h"

static ck_error err;

/* Leaves only the required functions. */
static void strip(ck_backend *backend) {
  const ck_backend full = *backend;
  *backend = (ck_backend){.self = full.self,
                          .commit = full.commit,
                          .create_session = full.create_session,
                          .acquire = full.acquire,
                          .check_owner = full.check_owner,
                          .release = full.release,
                          .get_session = full.get_session,
                          .list_sessions = full.list_sessions,
                          .get_identity = full.get_identity,
                          .list_timelines = full.list_timelines,
                          .last_seq = full.last_seq,
                          .read_checkpoints = full.read_checkpoints,
                          .read_events = full.read_events,
                          .get_stats = full.get_stats,
                          .fingerprint_key = full.fingerprint_key,
                          .close = full.close};
}

static bool count_session(void *to, const ck_session_record *record) {
  (void)record;
  (*(int *)to)++;
  return true;
}

static bool is_not_pinned(void *to, const ck_checkpoint_info *checkpoint) {
  (*(int *)to)++;
  return !checkpoint->pinned;
}

static void test_runs(ck_store *store, fixture *session) {
  ck_state *state = NULL;
  ck_request request;
  bool found = true;
  int forks = 0, checkpoints = 0;
  fixture_step step = {.text = "hello", .key = "memory.a", .value = "1"};
  tap_is_status(fixture_create(session, store, "bare", &err), CK_OK, &err, "a session is created");
  tap_is_status(fixture_commit(session, &step, &err), CK_OK, &err, "a checkpoint is committed");
  tap_is_status(ck_store_get_state(&state, store, session->lease.session, session->seq, &err),
                CK_OK, &err, "and loaded");
  ck_state_free(state);
  tap_is_status(
      ck_store_list_checkpoints(store, session->lease.session, is_not_pinned, &checkpoints, &err),
      CK_OK, &err, "checkpoints are listed");
  tap_is_int(checkpoints, 1, "without pins");
  tap_is_status(ck_store_get_request(&request, &found, store, session->lease, 0, &err), CK_OK, &err,
                "the owner asks for requests");
  tap_ok(!found, "and there is none");
  tap_is_status(ck_store_list_forks(store, session->lease.session, count_session, &forks, &err),
                CK_OK, &err, "forks are listed");
  tap_is_int(forks, 0, "and there is none");
  tap_is_int(fixture_verify(store), 0, "verify is clean");
}

static void test_nothing_to_do(ck_store *store) {
  int64_t bytes = 1;
  tap_is_status(ck_store_sync(store, &err), CK_OK, &err, "all is synced already");
  tap_is_status(ck_store_idle(store, &err), CK_OK, &err, "an idle writer has nothing to do");
  tap_is_status(ck_store_recover(store, &err), CK_OK, &err, "nothing is to be recovered");
  tap_is_status(ck_store_vacuum(&bytes, store, &err), CK_OK, &err, "nothing can be freed");
  tap_is_int(bytes, 0, "no byte was");
}

static void test_refusals(ck_store *store, const fixture *session) {
  ck_lease lease;
  ck_prune_report report;
  ck_value *value;
  int64_t seq = session->parent;
  tap_is_status(ck_store_lock_session(&lease, store, "bare", 1, &err), CK_E_UNSUPPORTED, &err,
                "a session is not locked without a run");
  tap_is_status(ck_store_pin(store, session->lease, seq, true, &err), CK_E_UNSUPPORTED, &err,
                "nothing is pinned");
  tap_is_status(ck_store_prune(store, session->lease, &seq, 1, &report, &err), CK_E_UNSUPPORTED,
                &err, "nothing is pruned");
  tap_is_status(ck_store_delete_session(store, session->lease, false, &err), CK_E_UNSUPPORTED, &err,
                "nothing is deleted");
  tap_is_status(
      ck_store_put_request(store, &(ck_request){.session = 1, .kind = (char[]){"pause"}}, &err),
      CK_E_UNSUPPORTED, &err, "no request is taken");
  tap_is_status(ck_store_put_fact(store, &(ck_fact){.owner = "", .key = "k"}, &err),
                CK_E_UNSUPPORTED, &err, "no fact is kept");
  tap_is_status(ck_store_get_fact(&value, store, "", "k", &err), CK_E_UNSUPPORTED, &err,
                "and none is known");
  tap_is_text(err.text, "store memory:: it keeps no facts", "the message names the store");
  tap_is_status(ck_store_list_facts(store, &(ck_fact_query){0}, NULL, NULL, &err), CK_E_UNSUPPORTED,
                &err, "nor listed");
}

static void test_groups(void) {
  ck_store *store = fixture_open("memory:");
  ck_backend *backend = &store->backend;
  for (int i = CK_BACKEND_LOCK; i <= CK_BACKEND_KEY; i++)
    tap_ok(ck_backend_can(backend, (ck_backend_capability)i), "memory provides group %d", i);
  tap_ok(
      !ck_backend_can(backend, CK_BACKEND_REKEY) && !ck_backend_can(backend, CK_BACKEND_LIST_KEYS),
      "and no change of keys");
  tap_ok(!ck_backend_can(backend, CK_BACKEND_BACKUP), "nor a copy in a file");
  backend->list_bases = NULL;
  tap_ok(!ck_backend_can(backend, CK_BACKEND_PRUNE), "a group with a gap is not there");
  ck_store_close(store);
}

int main(void) {
  ck_store *store = fixture_open("memory:");
  fixture session;
  strip(&store->backend);
  test_runs(store, &session);
  test_nothing_to_do(store);
  test_refusals(store, &session);
  ck_store_close(store);
  test_groups();
  return tap_done();
}
