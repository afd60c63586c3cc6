/* test_copy.c - a copy of a store, of whatever kind, holds what the store held: read through the
 * same calls, with and without a key; a target that holds anything else is left alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/store/blob.h"
#include "core/store/copy.h"
#include "core/store/fact.h"
#include "core/store/maintenance.h"
#include "core/store/request.h"
#include "tests/store/fixture.h"
#include "tests/store/history.h"
#include "tests/store/postgres_server.h"
#include "tests/tap.h"

static ck_error err;
static const char *kind;

static void must(ck_status status, const char *what) {
  tap_must(status == CK_OK, "%s: %s: %s", kind, what, err.text);
}

/* ---- a store with something of everything ---- */

static void put_fact(ck_store *store, const char *owner, const char *key, const char *json) {
  ck_value *value;
  must(ck_value_new(&value, ck_bytes_text(json), &err), "a value");
  must(ck_store_put_fact(store, &(ck_fact){owner, key, value, 7}, &err), "a fact");
  ck_value_free(value);
}

static void put_request(ck_store *store, int64_t session, const char *word) {
  ck_value *body;
  must(ck_value_new(&body, ck_bytes_text("{\"why\":\"\xc3\xa9\"}"), &err), "a body");
  must(ck_store_put_request(
           store, &(ck_request){.session = session, .kind = (char *)word, .body = body}, &err),
       "a request");
  ck_value_free(body);
}

static void make_history(ck_store *store) {
  history first, fork;
  history_begin(&first, store, "first", 3);
  for (int i = 0; i < 12; i++) history_go(&first, 4);
  history_resume(&first, 7);
  for (int i = 0; i < 5; i++) history_go(&first, 3);
  must(ck_store_pin(store, first.lease, first.seqs[3], true, &err), "a pin");
  ck_prune_report pruned;
  must(ck_store_prune(store, first.lease, &first.seqs[5], 1, &pruned, &err), "a prune");
  ck_prune_report_clear(&pruned);
  must(history_fork(&fork, &first, 9, "fork", 5, &err), "a fork");
  for (int i = 0; i < 3; i++) history_go(&fork, 2);
  put_request(store, first.lease.session, "pause");
  put_request(store, first.lease.session, "cancel");
  ck_blob files[] = {{"flow", ck_bytes_text("return 1")}, {"image", {"a\0b", 3}}};
  must(ck_store_put_blobs(store, first.lease, files, 2, &err), "files");
  must(ck_store_put_blobs(store, fork.lease, files, 1, &err), "a file of two");
  ck_store_release(store, fork.lease);
  ck_store_release(store, first.lease);
  history_clear(&fork);
  history_clear(&first);
}

static void fill(ck_store *store) {
  fixture gone, many;
  must(fixture_create(&gone, store, "gone", &err), "a session");
  must(ck_store_delete_session(store, gone.lease, false, &err), "which is deleted");
  make_history(store);
  must(fixture_create(&many, store, "many", &err), "a long session");
  for (int i = 0; i < 450; i++)
    must(
        fixture_commit(
            &many, &(fixture_step){.text = "hello", .agent = i % 2 ? "ann" : NULL, .process = true},
            &err),
        "an event");
  ck_session_update paused = {.status = CK_SESSION_PAUSED, .reason = "caf\xe9", .node = "n"};
  must(fixture_commit(&many, &(fixture_step){.update = &paused}, &err), "its pause");
  ck_store_release(store, many.lease);
  put_fact(store, "", "everybody", "{\"a\":1}");
  put_fact(store, "\xc3\xa9", "agent", "\"x\"");
  put_fact(store, "Zoe", "agent", "[2]");
}

/* ---- what a store holds, in words ---- */

typedef struct account {
  ck_store *store;
  ck_buffer text;
  int64_t session;
} account;

static bool add_event(void *to, const ck_event *event) {
  account *self = to;
  ck_buffer_append_format(&self->text, "  %lld %lld %d %s %s ", (long long)event->seq,
                          (long long)event->at_ms, event->kind, event->scope,
                          event->agent ? event->agent : "-");
  ck_buffer_append_bytes(&self->text, ck_value_bytes(event->body));
  ck_buffer_append_text(&self->text, "\n");
  return true;
}

static bool add_checkpoint(void *to, const ck_checkpoint_info *one) {
  account *self = to;
  ck_state *state;
  ck_state_entry *entries;
  size_t count;
  char hex[CK_DIGEST_HEX_SIZE];
  ck_digest_hex(hex, &one->digest);
  ck_buffer_append_format(&self->text, "  %s %lld %s", one->id, (long long)one->seq, hex);
  must(ck_store_get_state(&state, self->store, self->session, one->seq, &err), "a state");
  must(ck_state_list(&entries, &count, state, &err), "its entries");
  for (size_t i = 0; i < count; i++) {
    ck_buffer_append_format(&self->text, " %s=", entries[i].key);
    ck_buffer_append_bytes(&self->text, ck_value_bytes(entries[i].value));
  }
  free(entries);
  ck_state_free(state);
  ck_buffer_append_text(&self->text, "\n");
  return true;
}

static void add_timelines(account *self, const char *id) {
  ck_head head;
  must(ck_store_get_head(&head, self->store, id, &err), "a head");
  for (size_t i = 0; i < head.timeline_count; i++)
    ck_buffer_append_format(&self->text, "  timeline %lld %lld %lld %lld %s\n",
                            (long long)head.timelines[i].no, (long long)head.timelines[i].parent,
                            (long long)head.timelines[i].cut,
                            (long long)head.timelines[i].checkpoint, head.timelines[i].run);
  ck_head_clear(&head);
}

static int by_number(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static void add_kept(account *self) {
  int64_t *kept;
  size_t count;
  must(ck_store_list_kept(&kept, &count, self->store, self->session, &err), "pins");
  qsort(kept, count, sizeof *kept, by_number);
  for (size_t i = 0; i < count; i++)
    ck_buffer_append_format(&self->text, "  kept %lld\n", (long long)kept[i]);
  free(kept);
}

static bool add_session(void *to, const ck_session_record *record) {
  account *self = to;
  self->session = record->no;
  ck_buffer_append_format(&self->text, "%lld %s %d %s %s %llu %lld %s %lld %lld %lld:%lld %lld\n",
                          (long long)record->no, record->id, record->status,
                          record->reason ? "why" : "-", record->node ? record->node : "-",
                          (unsigned long long)record->epoch, (long long)record->timeline,
                          record->run, (long long)record->created_ms, (long long)record->updated_ms,
                          (long long)record->origin.session, (long long)record->origin.cut,
                          (long long)record->restarts.count);
  add_timelines(self, record->id);
  ck_event_query query = {.session = record->no};
  must(ck_store_read_events(self->store, &query, add_event, self, &err), "events");
  must(ck_store_list_checkpoints(self->store, record->no, add_checkpoint, self, &err),
       "checkpoints");
  add_kept(self);
  return true;
}

static bool add_fact(void *to, const ck_fact *fact) {
  account *self = to;
  ck_buffer_append_format(&self->text, "fact %s %s %lld ", fact->owner, fact->key,
                          (long long)fact->at_ms);
  ck_buffer_append_bytes(&self->text, ck_value_bytes(fact->value));
  ck_buffer_append_text(&self->text, "\n");
  return true;
}

/* malloc'd */
static char *describe(ck_store *store) {
  account self = {.store = store};
  ck_fact_query facts = {0};
  must(ck_store_list_sessions(store, 0, add_session, &self, &err), "sessions");
  must(ck_store_list_facts(store, &facts, add_fact, &self, &err), "facts");
  static const ck_bytes files[] = {{"return 1", 8}, {"a\0b", 3}};
  for (size_t i = 0; i < 2; i++) {
    ck_digest digest = ck_digest_of(files[i]);
    must(ck_store_get_blob(&self.text, store, &digest, &err), "a file");
  }
  must(ck_buffer_check(&self.text, &err), "memory");
  return ck_buffer_take(&self.text);
}

/* ---- copies ---- */

static ck_store *reopen(const char *url, bool read_only) {
  ck_store *store;
  must(ck_store_open(&store, url, &(ck_store_options){.read_only = read_only, .key = fixture_key},
                     &err),
       url);
  return store;
}

static ck_status copy(const char *from, const char *to, ck_copy_report *report) {
  ck_store *store = reopen(from, true);
  ck_status status =
      ck_store_copy(report, store, &(ck_copy_order){.to = to, .key = fixture_key}, &err);
  ck_store_close(store);
  return status;
}

/* Requests are taken out, so last. */
static void go_on(const char *url) {
  ck_store *store = reopen(url, false);
  fixture first, new_one;
  ck_request request;
  bool found;
  must(fixture_acquire(&first, store, "first", &err), "a session goes on in the copy");
  static const char *const words[] = {"pause", "cancel"};
  int64_t after = 0;
  for (int i = 0; i < 2; i++) {
    must(ck_store_get_request(&request, &found, store, first.lease, after, &err), "a request");
    after = request.no;
    tap_is_text(found ? request.kind : "", words[i], "%s: request %d waits there, too", kind, i);
    ck_request_clear(&request);
  }
  must(ck_store_get_request(&request, &found, store, first.lease, after, &err), "no more");
  tap_ok(!found, "%s: and no other", kind);
  fixture_step step = {.text = "on", .key = "memory.z", .value = "1"};
  tap_is_status(fixture_commit(&first, &step, &err), CK_OK, &err, "%s: it goes on", kind);
  must(fixture_create(&new_one, store, "new", &err), "a new session in the copy");
  tap_ok(new_one.lease.session > 4, "%s: has a number of its own", kind);
  tap_is_int(fixture_verify(store), 0, "%s: and all is well", kind);
  ck_store_close(store);
}

static void is_copied(const char *from, const char *to) {
  ck_copy_report report;
  tap_is_status(copy(from, to, &report), CK_OK, &err, "%s: a copy", kind);
  tap_is_int(report.sessions, 3, "%s: of all sessions", kind);
  tap_is_int(report.facts * 10 + report.blobs, 32, "%s: of facts and files", kind);
  tap_ok(!report.was_done, "%s: is new", kind);
  ck_store *first = reopen(from, true), *second = reopen(to, true);
  char *before = describe(first), *behind = describe(second);
  tap_ok(strlen(before) > 10000 && strcmp(before, behind) == 0, "%s: holds the same", kind);
  if (strcmp(before, behind) != 0 && getenv("SHOW"))
    fprintf(stderr, "%s\n====\n%s", before, behind);
  tap_is_int(fixture_verify(second), 0, "%s: and is sound", kind);
  const uint8_t *a = ck_store_fingerprint_key(first), *b = ck_store_fingerprint_key(second);
  tap_ok(!a == !b && (!a || memcmp(a, b, 32) == 0), "%s: with the same fingerprints", kind);
  free(before);
  free(behind);
  ck_store_close(second);
  ck_store_close(first);
  tap_is_status(copy(from, to, &report), CK_OK, &err, "%s: the same again", kind);
  tap_ok(report.was_done && report.sessions == 3, "%s: finds it done", kind);
}

static void is_left_alone(const char *from, const char *to, const char *what) {
  ck_copy_report report;
  ck_store *store = reopen(to, true);
  char *before = describe(store);
  tap_is_status(copy(from, to, &report), CK_E_EXISTS, &err, "%s: into %s: refused", kind, what);
  char *behind = describe(store);
  tap_ok(strcmp(before, behind) == 0, "%s: which is as it was", kind);
  free(before);
  free(behind);
  ck_store_close(store);
}

static void test_live(const char *from, const char *to) {
  ck_copy_report report;
  fixture live;
  ck_store *store = reopen(from, false);
  must(fixture_create(&live, store, "live", &err), "a live session");
  tap_is_status(copy(from, to, &report), CK_E_OWNED, &err, "%s: of one that is run: refused", kind);
  tap_ok(strstr(err.text, "live") != NULL, "%s: it is named: %s", kind, err.text);
  ck_copy_order order = {.to = to, .key = fixture_key, .live = true};
  tap_is_status(ck_store_copy(&report, store, &order, &err), CK_OK, &err,
                "%s: unless that is meant so", kind);
  tap_is_int(report.sessions, 4, "%s: with it", kind);
  ck_store *other = reopen(to, false);
  tap_is_status(ck_store_check_owner(other, "live", &err), CK_OK, &err, "%s: nobody has it there",
                kind);
  ck_store_close(other);
  must(ck_store_delete_session(store, live.lease, false, &err), "it goes");
  ck_store_close(store);
}

static void one_of(const char *from, const char *to, const char *session, int64_t sessions) {
  ck_copy_report report;
  ck_store *store = reopen(from, true);
  ck_copy_order order = {.to = to, .key = fixture_key, .session = session};
  tap_is_status(ck_store_copy(&report, store, &order, &err), CK_OK, &err, "%s: %s alone", kind,
                session);
  tap_is_int(report.sessions, sessions, "%s: with what it was forked from", kind);
  tap_is_int(report.facts, 0, "%s: without facts", kind);
  tap_is_int(report.blobs, sessions, "%s: with its files", kind);
  ck_store_close(store);
  store = reopen(to, true);
  tap_is_int(fixture_verify(store), 0, "%s: is sound", kind);
  ck_store_close(store);
}

static void pair(const char *name, const char *from, const char *to) {
  char next[600];
  kind = name;
  is_copied(from, to);
  snprintf(next, sizeof next, "%slive", to);
  test_live(from, next);
  snprintf(next, sizeof next, "%sone", to);
  one_of(from, next, "fork", 2);
  is_left_alone(from, next, "a copy of one session");
  go_on(to);
  is_left_alone(from, to, "a copy that went on");
}

/* Who may write the folder could take a copy away, or put another in its place. */
static void test_open_folder(const char *from) {
  char folder[500], path[560], to[600];
  ck_copy_report report;
  snprintf(folder, sizeof folder, "%s/%s_open", tap_tmpdir(), kind);
  snprintf(path, sizeof path, "%s/copy.db", folder);
  snprintf(to, sizeof to, "sqlite:%s", path);
  tap_must(mkdir(folder, 0700) == 0 && chmod(folder, 0777) == 0, "a folder that all can write");
  tap_is_status(copy(from, to, &report), CK_E_REFUSED, &err, "%s: no copy is made there", kind);
  tap_ok(access(path, F_OK) != 0, "%s: and none is left", kind);
}

static void all(const char *file, const char *server) {
  char from[600], to[600], back[600];
  snprintf(from, sizeof from, "sqlite:%s/%sfrom.db", tap_tmpdir(), file);
  snprintf(to, sizeof to, "sqlite:%s/%sto.db", tap_tmpdir(), file);
  kind = file;
  ck_store *store = fixture_open(from);
  fill(store);
  ck_store_close(store);
  test_open_folder(from);
  pair("sqlite to sqlite", from, to);
  if (!server) return;
  snprintf(to, sizeof to, "%s_to", server);
  snprintf(back, sizeof back, "sqlite:%s/%sback.db", tap_tmpdir(), file);
  kind = "postgres to sqlite";
  ck_copy_report report;
  char once[600];
  snprintf(once, sizeof once, "%s_once", server);
  must(copy(from, once, &report), "a copy to the server");
  pair("postgres to sqlite", once, back);
  snprintf(back, sizeof back, "%s_other", server);
  pair("postgres to postgres", once, back);
  pair("sqlite to postgres", from, to);
}

int main(void) {
  char plain[500] = "", sealed[500] = "";
  const char *url = postgres_server_store("plain", "postgres");
  if (url) {
    snprintf(plain, sizeof plain, "%s", url);
    snprintf(sealed, sizeof sealed, "%s", postgres_server_store("sealed", "postgres"));
  }
  all("plain", *plain ? plain : NULL);
  ck_key *key = fixture_make_key();
  fixture_key = key;
  all("sealed", *sealed ? sealed : NULL);
  ck_key_free(key);
  return tap_done();
}
