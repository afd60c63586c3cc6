/* test_verify_rekey.c - a store whose key is changed while it is verified has no problems: the
 * verification is refused, and says why. */
/* link: -Wl,--wrap=ck_store_get_session,--wrap=ck_sealed_encode_event */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/store/rekey.h"
#include "core/store/sealed/sealed.h"
#include "core/store/store_core.h"
#include "core/store/verify.h"
#include "tests/store/fixture.h"
#include "tests/tap.h"

enum { SESSIONS = 4, EVENTS = 80 };

static char folder[] = "/tmp/ckrun-verify.XXXXXX";
static char url[128];

/* ---- the change: at a session of the walk, and up to a row ---- */

typedef struct change {
  ck_key *from, *to;
  int at;         /* before the session with this number is read; 0: not at all */
  long rows;      /* events that are sealed anew before it stops; -1: all */
  int sessions;   /* read so far */
  bool under_way; /* the calls are its own */
} change;
static change now;

ck_status __real_ck_sealed_encode_event(ck_event_row *row, const ck_sealer *with, ck_arena *arena,
                                        ck_error *err);
ck_status __wrap_ck_sealed_encode_event(ck_event_row *row, const ck_sealer *with, ck_arena *arena,
                                        ck_error *err);
ck_status __wrap_ck_sealed_encode_event(ck_event_row *row, const ck_sealer *with, ck_arena *arena,
                                        ck_error *err) {
  if (now.under_way && now.rows == 0) return ck_error_set(err, CK_E_IO, "stopped");
  if (now.under_way && now.rows > 0) now.rows--;
  return __real_ck_sealed_encode_event(row, with, arena, err);
}

static ck_status rotate(void) {
  ck_rekey_report report;
  ck_error err = CK_ERROR_INIT;
  now.under_way = true;
  ck_status status =
      ck_store_rekey(&report, url, &(ck_store_options){.key = now.from}, now.to, NULL, &err);
  now.under_way = false;
  return status == CK_E_BUSY ? CK_OK : status; /* it is complete */
}

ck_status __real_ck_store_get_session(ck_session_record *out, ck_store *self, const char *id,
                                      ck_error *err);
ck_status __wrap_ck_store_get_session(ck_session_record *out, ck_store *self, const char *id,
                                      ck_error *err);
ck_status __wrap_ck_store_get_session(ck_session_record *out, ck_store *self, const char *id,
                                      ck_error *err) {
  if (!now.under_way && ++now.sessions == now.at) {
    bool half = now.rows >= 0;
    tap_is_int(rotate(), half ? CK_E_IO : CK_OK, "the key is changed %s", half ? "in part" : "");
  }
  return __real_ck_store_get_session(out, self, id, err);
}

/* ---- the store ---- */

static void fill(ck_key *key) {
  char command[160];
  snprintf(command, sizeof command, "rm -rf %s/*", folder);
  tap_must(system(command) == 0, "the folder is empty");
  fixture_key = key;
  ck_store *store = fixture_open(url);
  for (int i = 0; i < SESSIONS; i++) {
    ck_error err = CK_ERROR_INIT;
    fixture session;
    char id[16];
    snprintf(id, sizeof id, "s%d", i);
    ck_status status = fixture_create(&session, store, id, &err);
    for (int n = 0; n < EVENTS && status == CK_OK; n++) {
      fixture_step step = {
          .text = "said", .process = true, .key = n % 9 ? NULL : "k", .value = "1"};
      status = fixture_commit(&session, &step, &err);
    }
    ck_session_update paused = {.status = CK_SESSION_PAUSED, .reason = "said enough"};
    if (status == CK_OK)
      status = fixture_commit(&session, &(fixture_step){.text = "no", .update = &paused}, &err);
    if (status == CK_OK) status = ck_store_pin(store, session.lease, session.parent, true, &err);
    tap_must(status == CK_OK, "session %s is written %s", id, err.text);
    ck_store_release(store, session.lease);
  }
  ck_store_close(store);
}

/* ---- its verification ---- */

static void count(void *to, const char *session, int64_t seq, ck_status status, const char *text) {
  (void)session, (void)seq, (void)status;
  tap_diag("told: %s", text);
  ++*(int *)to;
}

static ck_store *open_reading(ck_key *key) {
  ck_store *store;
  ck_error err = CK_ERROR_INIT;
  ck_status status =
      ck_store_open(&store, url, &(ck_store_options){.read_only = true, .key = key}, &err);
  tap_must(status == CK_OK, "the store opens %s", err.text);
  return store;
}

typedef struct expected {
  const char *name;
  int at;
  long rows;
  ck_status status;
  const char *text;
} expected;

/* `from` NULL: the store had no key. */
static void attack(ck_key *from, ck_key *to, const expected *want) {
  ck_error err = CK_ERROR_INIT;
  ck_verify_report report;
  int told = 0;
  const char *with = from ? "another key" : "a key";
  fill(from);
  ck_store *store = open_reading(from);
  now = (change){.from = from, .to = to, .at = want->at, .rows = want->rows};
  if (!want->at) tap_is_int(rotate(), CK_OK, "the key is changed");
  ck_status status = ck_store_verify(&report, store, NULL, count, &told, &err);
  tap_is_int(status, want->status, "%s, %s: it is refused", with, want->name);
  tap_is_int(told, 0, "%s, %s: no problem is told", with, want->name);
  tap_is_int(report.problems, 0, "%s, %s: and none counted", with, want->name);
  tap_ok(strstr(err.text, want->text) && strstr(err.text, url), "%s, %s: by name: %s", with,
         want->name, err.text);
  ck_store_close(store);
  now.rows = -1;
  tap_is_int(rotate(), CK_OK, "%s, %s: the change comes to its end", with, want->name);
  store = open_reading(to);
  now = (change){0};
  status = ck_store_verify(&report, store, NULL, count, &told, &err);
  tap_ok(status == CK_OK && report.problems == 0 && report.sessions == SESSIONS,
         "%s, %s: all is well with it", with, want->name);
  ck_store_close(store);
}

/* A problem that is one is told, whoever asks. */
static void damage(ck_key *key) {
  char command[256];
  ck_error err = CK_ERROR_INIT;
  ck_verify_report report;
  int told = 0;
  fill(key);
  snprintf(command, sizeof command,
           "sqlite3 %s/s.db \"UPDATE event SET at_ms = at_ms + 1 WHERE seq = 7\"", folder);
  tap_must(system(command) == 0, "rows are changed");
  ck_store *store = open_reading(key);
  now = (change){0};
  ck_status status = ck_store_verify(&report, store, NULL, count, &told, &err);
  tap_ok(status == CK_OK && report.problems >= SESSIONS && told == report.problems,
         "problems are told as long as the key stays: %d", told);
  ck_store_close(store);
}

int main(void) {
  tap_must(mkdtemp(folder) != NULL, "a folder is made");
  snprintf(url, sizeof url, "sqlite:%s/s.db", folder);
  ck_key *a = fixture_make_key(), *b = fixture_make_key();
  static const expected cases[] = {
      {"before it begins", 0, -1, CK_E_OTHER_KEY, "since it was opened"},
      {"at once", 1, -1, CK_E_OTHER_KEY, "since it was opened"},
      {"in the middle", 3, -1, CK_E_OTHER_KEY, "since it was opened"},
      {"in its first rows", 1, 130, CK_E_REFUSED, "on its way to the key"},
      {"half way", 1, 290, CK_E_REFUSED, "on its way to the key"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    attack(a, b, &cases[i]);
    attack(NULL, b, &cases[i]);
  }
  damage(a);
  damage(NULL);
  ck_key_free(a);
  ck_key_free(b);
  char command[160];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command) == 0 ? tap_done() : 1;
}
