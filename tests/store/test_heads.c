/* test_heads.c - how far a session has come is written with its runs and its changes of status, and
 * finds what was cut off or put back; what a run executed, what a session is for, and decisions are
 * kept, sealed where the rest is, through forks, deletions and changes of key. */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "core/store/rekey.h"
#include "core/store/sealed/sealed.h"
#include "core/store/store_core.h"
#include "tests/store/fixture.h"
#include "tests/store/postgres_server.h"
#include "tests/tap.h"

static const char *kind;
static char url[400];
static ck_error err;

/* ---- what is in a store ---- */

/* `a` is another file: nothing is added to the store's own schema. */
static void run_sql(const char *sql) {
  sqlite3 *db = NULL;
  char *text = NULL, attach[600];
  snprintf(attach, sizeof attach, "ATTACH '%s' AS a", tap_tmpfile("aside.db"));
  int code = sqlite3_open(url + strlen("sqlite:"), &db);
  if (code == SQLITE_OK) code = sqlite3_exec(db, attach, NULL, NULL, &text);
  if (code == SQLITE_OK) code = sqlite3_exec(db, sql, NULL, NULL, &text);
  tap_must(code == SQLITE_OK, "%s: %s", sql, text ? text : "?");
  sqlite3_close(db);
}

static ck_head_row head_of(ck_store *store, const char *id) {
  ck_session_record record;
  ck_head_row row;
  tap_must(ck_store_get_session(&record, store, id, &err) == CK_OK, "a row: %s", err.text);
  ck_status status = ck_store_core_get_head_row(&row, store, &record, &err);
  tap_must(status == CK_OK, "its head: %s", err.text);
  ck_session_record_clear(&record);
  return row;
}

static void is_head(ck_store *store, const char *id, ck_session_status status, int64_t seq,
                    uint64_t epoch, const char *when) {
  ck_head_row row = head_of(store, id);
  tap_ok(row.status == status && row.seq == seq && row.epoch == epoch,
         "%s: %s: the head says status %d, event %lld, epoch %llu (%d, %lld, %llu)", kind, when,
         (int)status, (long long)seq, (unsigned long long)epoch, (int)row.status,
         (long long)row.seq, (unsigned long long)row.epoch);
  tap_ok(row.seq == 0 || row.is_signed == (fixture_key != NULL),
         "%s: signed in a store with a key, not in another", kind);
}

static void must_commit(fixture *session, const fixture_step *step) {
  ck_status status = fixture_commit(session, step, &err);
  tap_must(status == CK_OK, "a commit: %s", err.text);
}

static const ck_session_update paused = {.status = CK_SESSION_PAUSED, .reason = "asked"};
static const ck_session_update failed = {.status = CK_SESSION_FAILED, .node = "canarynode"};

/* ---- heads ---- */

static void test_written(ck_store *store) {
  fixture session;
  tap_must(fixture_create(&session, store, "s", &err) == CK_OK, "a session: %s", err.text);
  is_head(store, "s", CK_SESSION_RUNNING, 1, 1, "begun");
  must_commit(&session, &(fixture_step){.text = "a", .key = "memory.a", .value = "1"});
  is_head(store, "s", CK_SESSION_RUNNING, 1, 1, "going on");
  must_commit(&session, &(fixture_step){.text = "b", .update = &paused});
  is_head(store, "s", CK_SESSION_PAUSED, session.seq, 1, "paused");
  must_commit(&session, &(fixture_step){.update = &failed});
  is_head(store, "s", CK_SESSION_FAILED, session.seq, 1, "a change of status alone");
  tap_is_int(fixture_verify(store), 0, "%s: all is well", kind);
  ck_store_release(store, session.lease);
  tap_must(fixture_acquire(&session, store, "s", &err) == CK_OK, "a run: %s", err.text);
  is_head(store, "s", CK_SESSION_RUNNING, session.seq, 2, "acquired");
  must_commit(&session, &(fixture_step){.text = "c", .process = true});
  tap_must(ck_store_recover(store, &err) == CK_OK, "a recovery: %s", err.text);
  must_commit(&session, &(fixture_step){.update = &paused});
  is_head(store, "s", 0, 0, 0, "a change of status when what was written is not known");
  tap_is_int(fixture_verify(store), 0, "%s: all is well without a head, too", kind);
  must_commit(&session, &(fixture_step){.text = "d", .update = &paused});
  is_head(store, "s", CK_SESSION_PAUSED, session.seq, 2, "and the next one");
  tap_is_int(fixture_verify(store), 0, "%s: all is well", kind);
  ck_store_release(store, session.lease);
}

static void commit_at(fixture *session, int64_t later_ms, const char *key, bool process,
                      ck_status expected) {
  fixture_batch with;
  fixture_step step = {.key = key, .value = "1", .process = process};
  fixture_batch_init(&with, session, &step);
  for (size_t i = 0; i < with.batch.event_count; i++) with.batch.events[i]->at_ms += later_ms;
  ck_status status = ck_store_commit(session->store, &with.batch, 1, &err);
  if (!status) status = with.batch.status;
  tap_is_status(status, expected, &err, "%s: a checkpoint %lld ms later", kind,
                (long long)later_ms);
  if (!status) session->seq = session->parent = with.batch.checkpoint->seq;
  fixture_batch_clear(&with);
}

/* While a run goes on, what a power cut leaves is said at most once a second. */
static void test_going_on(ck_store *store) {
  fixture session;
  tap_must(fixture_create(&session, store, "g", &err) == CK_OK, "a session: %s", err.text);
  commit_at(&session, 900, "memory.a", false, CK_OK);
  is_head(store, "g", CK_SESSION_RUNNING, 1, 1, "less than a second later");
  commit_at(&session, 1500, "memory.b", true, CK_OK);
  is_head(store, "g", CK_SESSION_RUNNING, 1, 1, "later, in a commit that is not synced");
  commit_at(&session, 1600, "memory.c", false, CK_OK);
  is_head(store, "g", CK_SESSION_RUNNING, 4, 1, "more than a second later");
  commit_at(&session, 2500, "memory.d", false, CK_OK);
  is_head(store, "g", CK_SESSION_RUNNING, 4, 1, "less than a second behind that");
  fixture wrong = session;
  wrong.seq += 5;
  tap_is_status(fixture_commit(&wrong, &(fixture_step){.text = "x", .update = &paused}, &err),
                CK_E_RANGE, &err, "%s: a pause that is dropped", kind);
  commit_at(&session, 9000, "memory.e", false, CK_OK);
  is_head(store, "g", CK_SESSION_RUNNING, 4, 1, "behind that the status is not known for sure");
  tap_is_int(fixture_verify(store), 0, "%s: all is well", kind);
  must_commit(&session, &(fixture_step){.text = "y", .update = &paused});
  is_head(store, "g", CK_SESSION_PAUSED, session.seq, 1, "it is again");
  tap_is_int(fixture_verify(store), 0, "%s: all is well", kind);
  ck_store_release(store, session.lease);
}

/* A batch that was dropped moves nothing. */
static void test_dropped(ck_store *store) {
  fixture session;
  tap_must(fixture_create(&session, store, "d", &err) == CK_OK, "a session: %s", err.text);
  fixture wrong = session;
  wrong.seq += 5;
  tap_is_status(fixture_commit(&wrong, &(fixture_step){.text = "x", .update = &paused}, &err),
                CK_E_RANGE, &err, "%s: events that do not follow", kind);
  is_head(store, "d", CK_SESSION_RUNNING, 1, 1, "they leave it");
  must_commit(&session, &(fixture_step){.text = "y", .update = &paused});
  is_head(store, "d", CK_SESSION_PAUSED, 2, 1, "those that follow move it");
  tap_is_int(fixture_verify(store), 0, "%s: all is well", kind);
  ck_store_release(store, session.lease);
}

static void is_found(const char *what, const char *text, int64_t problems) {
  ck_store *store = fixture_open(url);
  ck_head head;
  fixture session;
  tap_is_int(fixture_count_problems(store), problems, "%s: %s is a finding", kind, what);
  ck_status status = ck_store_get_head(&head, store, "s", &err);
  bool by_head = status == CK_E_CORRUPT;
  if (!by_head) ck_head_clear(&head);
  if (!by_head && fixture_key)
    by_head = fixture_acquire(&session, store, "s", &err) == CK_E_CORRUPT;
  tap_ok(!text || (by_head && strstr(err.text, text) && strstr(err.text, "session s")),
         "%s: and stops a resume: %s", kind, err.text);
  ck_store_close(store);
}

/* Without a key everything but the row itself is tried: its check would answer first. */
static void test_cut_off(void) {
  run_sql("CREATE TABLE a.kept AS SELECT * FROM event WHERE session = 1 AND seq = (SELECT max(seq) "
          "FROM event WHERE session = 1); DELETE FROM event WHERE row = (SELECT row FROM kept)");
  is_found("an event that was cut off at the end", fixture_key ? NULL : "last events are gone", 1);
  run_sql("INSERT INTO event SELECT * FROM kept; DROP TABLE a.kept;"
          "CREATE TABLE a.kept AS SELECT * FROM head; UPDATE head SET seq = seq - 1 WHERE session "
          "= 1");
  is_found("a head that was changed", "head", 1);
  run_sql("DELETE FROM head; INSERT INTO head SELECT * FROM kept; UPDATE head SET digest = "
          "zeroblob(32) WHERE session = 1");
  is_found("a head of another event", "head", 1);
  run_sql("DELETE FROM head");
  ck_store *store = fixture_open(url);
  tap_is_int(fixture_count_problems(store), 1, "%s: one that was removed is missed", kind);
  ck_store_close(store);
  run_sql("INSERT INTO head SELECT * FROM kept; DROP TABLE a.kept");
  store = fixture_open(url);
  tap_is_int(fixture_verify(store), 0, "%s: all is well again", kind);
  ck_store_close(store);
}

/* The row as it was when the session ran, its own check and all, over that of the paused one. */
static void test_put_back(ck_store *store) {
  fixture session;
  tap_must(fixture_acquire(&session, store, "s", &err) == CK_OK, "a run: %s", err.text);
  run_sql("CREATE TABLE a.kept AS SELECT * FROM session WHERE id = 's'");
  must_commit(&session, &(fixture_step){.text = "e", .update = &paused});
  ck_store_close(store);
  run_sql(
      "CREATE TABLE a.later AS SELECT * FROM session WHERE id = 's'; UPDATE session SET (status, "
      "reason, updated_ms, \"check\") = (SELECT status, reason, updated_ms, \"check\" FROM "
      "kept) WHERE id = 's'");
  is_found("an older row of the session", fixture_key ? "not as old" : NULL, 2);
  run_sql(
      "UPDATE session SET (status, reason, updated_ms, \"check\") = (SELECT status, reason, "
      "updated_ms, \"check\" FROM later) WHERE id = 's'; DROP TABLE a.kept; DROP TABLE a.later");
}

/* Each column is signed, and the session it is of. */
static void test_signature(bool signs_only) {
  ck_seal *seal;
  ck_key *key = fixture_make_key();
  const uint8_t salt[CK_DIGEST_SIZE] = {1};
  ck_digest digest = ck_digest_of(ck_bytes_text("an event"));
  const ck_sealed_home home = {.id = "s", .created_ms = 5}, other = {.id = "s", .created_ms = 6};
  tap_must(ck_seal_new(&seal, key, salt, &err) == CK_OK, "a seal: %s", err.text);
  ck_key_id id = ck_seal_key(seal);
  ck_sealer with = {seal, &id, &home, signs_only}, elsewhere = {seal, &id, &other, signs_only};
  ck_head_row made = ck_head_row_of(3, CK_SESSION_PAUSED, 7, &digest);
  ck_sealed_encode_head(&made, &with);
  tap_ok(signs_only == (memcmp(made.digest, digest.bytes, sizeof digest.bytes) == 0),
         "the digest is %s", signs_only ? "plain" : "sealed");
  ck_head_row rows[8];
  for (int i = 0; i < 8; i++) rows[i] = made;
  rows[1].epoch++;
  rows[2].status = CK_SESSION_COMPLETED;
  rows[3].seq--;
  rows[4].digest[20] ^= 1;
  rows[5].mac[31] ^= 1;
  rows[6].is_signed = false;
  tap_is_status(ck_sealed_decode_head(&rows[0], &with, &err), CK_OK, &err, "a head opens");
  tap_ok(ck_head_row_is_at(&rows[0], &digest), "and names its event");
  for (int i = 1; i < 7; i++)
    tap_is_status(ck_sealed_decode_head(&rows[i], &with, &err), CK_E_CORRUPT, &err,
                  "changed in one column it does not (%d)", i);
  tap_is_status(ck_sealed_decode_head(&rows[7], &elsewhere, &err), CK_E_CORRUPT, &err,
                "nor in another session of that name");
  ck_seal_free(seal);
  ck_key_free(key);
}

/* ---- what runs executed, what sessions are for ---- */

static ck_value *value_of(const char *json) {
  ck_value *value;
  tap_must(ck_value_new(&value, ck_bytes_text(json), &err) == CK_OK, "%s", json);
  return value;
}

static void create_described(ck_store *store) {
  char description[] = "canarydescription", profile[] = "default";
  ck_value *about = value_of("{\"flow\":\"canaryabout\"}"), *body = value_of("{}");
  ck_session_record record = {.id = "about",
                              .run = "run_about",
                              .created_ms = 5,
                              .profile = profile,
                              .description = description};
  ck_timeline timeline = {.no = 1, .begin = 1, .attempt = 1, .run = "run_about"};
  ck_event begun = {.seq = 1, .timeline = 1, .kind = CK_EVENT_NOTE, .scope = "main", .body = body};
  ck_event *events[] = {&begun};
  ck_opening opening = {.timeline = &timeline, .events = events, .event_count = 1, .about = about};
  fixture session = {.store = store, .id = "about", .seq = 1, .timeline = 1};
  ck_status status = ck_store_create_session(&session.lease, store, &record, &opening, &err);
  tap_must(status == CK_OK, "a session: %s", err.text);
  must_commit(&session, &(fixture_step){.key = "memory.a", .value = "1", .update = &failed});
  ck_store_release(store, session.lease);
  ck_value_free(about);
  ck_value_free(body);
}

static void is_about(ck_store *store, int64_t session, int64_t timeline, const char *want) {
  ck_value *about;
  ck_status status = ck_store_get_about(&about, store, session, timeline, &err);
  tap_is_status(status, CK_OK, &err, "%s: what run %lld executed", kind, (long long)timeline);
  tap_ok(about ? want && ck_bytes_equal(ck_value_bytes(about), ck_bytes_text(want)) : !want,
         "%s: is %s", kind, want ? want : "not known");
  ck_value_free(about);
}

static bool is_text(const char *a, const char *b) { return a && strcmp(a, b) == 0; }

static bool has_texts(void *to, const ck_session_record *record) {
  int *found = to;
  *found +=
      is_text(record->description, "canarydescription") && is_text(record->node, "canarynode");
  return true;
}

static void is_described(ck_store *store, const char *when) {
  ck_session_record record;
  int listed = 0;
  tap_must(ck_store_get_session(&record, store, "about", &err) == CK_OK, "a row: %s", err.text);
  tap_ok(has_texts(&listed, &record) && listed == 1, "%s: %s: description and node are there", kind,
         when);
  listed = 0;
  ck_status status = ck_store_list_sessions(store, CK_SESSION_FAILED, has_texts, &listed, &err);
  tap_is_status(status, CK_OK, &err, "%s: sessions", kind);
  tap_is_int(listed, 1, "%s: listed with them", kind);
  is_about(store, record.no, 1, "{\"flow\":\"canaryabout\"}");
  is_about(store, record.no, 2, NULL);
  ck_session_record_clear(&record);
}

/* A fork gets a copy of what it inherits when its origin goes. */
static void test_detached(ck_store *store) {
  ck_session_record origin, record = {.id = "fork", .run = "run_fork", .created_ms = 6};
  tap_must(ck_store_get_session(&origin, store, "about", &err) == CK_OK, "a row: %s", err.text);
  ck_value *body = value_of("{\"checkpoint\":\"checkpoint_fork\"}"), *info = value_of("{}");
  record.origin = (ck_origin){origin.no, 2};
  ck_timeline timeline = {
      .no = 2, .parent = 1, .cut = 2, .begin = 3, .checkpoint = 2, .attempt = 1, .run = "run_fork"};
  ck_event begun = {
      .seq = 3, .timeline = 2, .kind = CK_EVENT_BOUNDARY, .scope = "main", .body = body};
  ck_event *events[] = {&begun};
  ck_checkpoint checkpoint = {.id = "checkpoint_fork",
                              .seq = 3,
                              .parent = 2,
                              .info = info,
                              .kind = CK_BOUNDARY_EDIT,
                              .resumable = true};
  ck_opening opening = {
      .timeline = &timeline, .events = events, .event_count = 1, .checkpoint = &checkpoint};
  ck_lease fork, lease;
  ck_status status = ck_store_create_session(&fork, store, &record, &opening, &err);
  tap_must(status == CK_OK, "a fork: %s", err.text);
  is_head(store, "fork", CK_SESSION_RUNNING, 3, 1, "forked");
  ck_store_release(store, fork);
  status = ck_store_lock_session(&lease, store, "about", origin.epoch, &err);
  if (status == CK_OK) status = ck_store_delete_session(store, lease, true, &err);
  tap_is_status(status, CK_OK, &err, "%s: its origin goes", kind);
  is_about(store, fork.session, 1, "{\"flow\":\"canaryabout\"}");
  is_head(store, "fork", CK_SESSION_RUNNING, 3, 1, "its origin is gone");
  tap_is_int(fixture_verify(store), 0, "%s: all is well", kind);
  ck_session_record_clear(&origin);
  ck_value_free(body);
  ck_value_free(info);
}

/* ---- decisions ---- */

static bool keep_decision(void *to, const ck_event *event) {
  char *out = to;
  if (event->decision.len == 4) memcpy(out, event->decision.data, 4);
  return true;
}

static void test_decision(ck_store *store) {
  char kept[5] = "";
  fixture session;
  tap_must(fixture_create(&session, store, "decided", &err) == CK_OK, "a session: %s", err.text);
  ck_value *body = value_of("{}");
  ck_event event = {.seq = 2,
                    .timeline = 1,
                    .kind = CK_EVENT_BOUNDARY,
                    .scope = "main",
                    .body = body,
                    .decision = ck_bytes_text("1234")};
  ck_event *events[] = {&event};
  ck_batch batch = {.lease = session.lease, .events = events, .event_count = 1};
  ck_status status = ck_store_commit(store, &batch, 1, &err);
  tap_is_status(status ? status : batch.status, CK_OK, &err, "%s: a decision", kind);
  ck_event_query all = {.session = session.lease.session};
  status = ck_store_read_events(store, &all, keep_decision, kept, &err);
  tap_is_status(status, CK_OK, &err, "%s: is read", kind);
  tap_is_text(kept, "1234", "%s: as it was written", kind);
  tap_is_int(fixture_verify(store), 0, "%s: all is well", kind);
  ck_value_free(body);
  ck_store_release(store, session.lease);
}

static void test_digest(void) {
  ck_event_row plain = {.seq = 1, .timeline = 1, .kind = CK_EVENT_BOUNDARY, .scope = "main"},
               decided = plain;
  decided.decision = ck_bytes_text("d");
  ck_digest a = ck_chain_digest_event(&plain, ck_bytes_text("{}")),
            b = ck_chain_digest_event(&decided, ck_bytes_text("{}"));
  tap_ok(ck_digest_equal(&a, &b), "a decision is no part of the event's digest");
  tap_ok(ck_chain_check_of_event(&a, plain.decision) == ck_chain_check_of(&a) &&
             ck_chain_check_of_event(&a, decided.decision) != ck_chain_check_of(&a),
         "but of the check of its row");
}

static void test_damaged_decision(void) {
  run_sql("UPDATE event SET decision = x'31323335' WHERE decision IS NOT NULL");
  ck_store *store = fixture_open(url);
  tap_is_int(fixture_count_problems(store), 1, "%s: a changed decision is a finding", kind);
  ck_store_close(store);
  run_sql("UPDATE event SET decision = x'31323334' WHERE decision IS NOT NULL");
}

/* ---- the file ---- */

/* Whether the canaries can be read in the files of the store. */
static bool is_readable(const char *word) {
  static const char *const ends[] = {"", "-wal"};
  bool found = false;
  for (int i = 0; i < 2; i++) {
    char path[420];
    snprintf(path, sizeof path, "%s%s", url + strlen("sqlite:"), ends[i]);
    FILE *file = fopen(path, "r");
    size_t at = 0;
    for (int c; file && (c = getc(file)) != EOF;) {
      at = c == word[at] ? at + 1 : c == word[0];
      if (word[at]) continue;
      found = true;
      at = 0;
    }
    if (file) fclose(file);
  }
  return found;
}

static void test_sealed_file(void) {
  static const char *const words[] = {"canarydescription", "canarynode", "canaryabout"};
  for (int i = 0; i < 3; i++)
    tap_ok(is_readable(words[i]) == !fixture_key, "%s: %s is %s", kind, words[i],
           fixture_key ? "nowhere in the file" : "in the file");
}

static void test_rekey(void) {
  ck_key *other = fixture_make_key();
  const ck_key *before = fixture_key;
  ck_rekey_report report;
  ck_status status =
      ck_store_rekey(&report, url, &(ck_store_options){.key = before}, other, NULL, &err);
  tap_is_status(status, CK_OK, &err, "%s: a change of key", kind);
  fixture_key = other;
  ck_store *store = fixture_open(url);
  is_described(store, "with the new key");
  is_head(store, "about", CK_SESSION_FAILED, 2, 1, "with the new key");
  tap_is_int(fixture_verify(store), 0, "%s: all is well", kind);
  ck_store_close(store);
  test_sealed_file();
  status = ck_store_rekey(&report, url, &(ck_store_options){.key = other}, before ? before : other,
                          NULL, &err);
  tap_is_status(status, CK_OK, &err, "%s: and back", kind);
  fixture_key = before ? before : other;
  store = fixture_open(url);
  is_described(store, "back again");
  test_detached(store);
  ck_store_close(store);
  fixture_key = before;
  ck_key_free(other);
}

/* ---- a head reads its session's row once ---- */

static struct looking {
  ck_status (*get_identity)(ck_identity *out, void *self, int64_t session, ck_error *err);
  int64_t session;
  int count;
} looking;

static ck_status look(ck_identity *out, void *self, int64_t session, ck_error *problem) {
  looking.count += session == looking.session;
  return looking.get_identity(out, self, session, problem);
}

/* The row holds the input, of any size: each look at it reads that, too. */
static void test_looks(ck_store *store) {
  fixture session;
  ck_head head;
  tap_must(fixture_create(&session, store, "looked_at", &err) == CK_OK, "created: %s", err.text);
  looking = (struct looking){store->backend.get_identity, session.lease.session, 0};
  store->backend.get_identity = look;
  tap_must(ck_store_get_head(&head, store, "looked_at", &err) == CK_OK, "its head: %s", err.text);
  store->backend.get_identity = looking.get_identity;
  tap_is_int(looking.count, 0, "%s: a head reads the session's row once", kind);
  tap_is_int(head.last_seq, session.seq, "%s: and is whole", kind);
  ck_head_clear(&head);
  ck_store_release(store, session.lease);
}

static void run(const char *name, const char *where) {
  kind = name;
  snprintf(url, sizeof url, "%s", where);
  bool file = strncmp(url, "sqlite", 6) == 0;
  ck_store *store = fixture_open(url);
  test_written(store);
  if (file) test_put_back(store), store = fixture_open(url);
  test_dropped(store);
  test_looks(store);
  test_going_on(store);
  test_decision(store);
  create_described(store);
  is_described(store, "written");
  if (!file) test_detached(store);
  ck_store_close(store);
  if (!file) return;
  test_cut_off();
  test_damaged_decision();
  test_sealed_file();
  test_rekey();
}

static void run_postgres(const char *name, const char *prefix) {
  const char *where = postgres_server_store(prefix, name);
  if (where) run(name, where);
}

int main(void) {
  char path[300];
  test_digest();
  test_signature(false);
  test_signature(true);
  run("memory", "memory:");
  snprintf(path, sizeof path, "sqlite:%s/a", tap_tmpdir());
  run("sqlite", path);
  run_postgres("postgres", "heads");
  ck_key *key = fixture_make_key();
  fixture_key = key;
  run("sealed memory", "memory:");
  snprintf(path, sizeof path, "sqlite:%s/b", tap_tmpdir());
  run("sealed sqlite", path);
  run_postgres("sealed postgres", "sealed");
  ck_key_free(key);
  return tap_done();
}
