/* test_sqlite_memory.c - whichever allocation fails, ours or SQLite's, the store says so, goes on
 * and loses nothing. */
/* link: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=strdup,--wrap=strndup */
#include <glob.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/store/fixture.h"
#include "tests/tap.h"
#include "core/store/backup.h"
#include "core/store/request.h"
#include "core/store/stats.h"

enum { TRIES_MAX = 20000, STEP = 3 };

static _Thread_local long budget = -1; /* allocations that still succeed; -1: all */
static bool spent(void) {
  if (budget == 0) return true;
  if (budget > 0) budget--;
  return false;
}

#define WRAP(name, params, args) \
  void *__real_##name params;    \
  void *__wrap_##name params;    \
  void *__wrap_##name params {   \
    if (spent()) return NULL;    \
    return __real_##name args;   \
  }
WRAP(malloc, (size_t size), (size))
WRAP(calloc, (size_t count, size_t size), (count, size))
WRAP(realloc, (void *old, size_t size), (old, size))
WRAP(strdup, (const char *text), (text))
WRAP(strndup, (const char *text, size_t len), (text, len))

static sqlite3_mem_methods system_memory;
static void *take(int size) { return spent() ? NULL : system_memory.xMalloc(size); }
static void *take_again(void *old, int size) {
  return spent() ? NULL : system_memory.xRealloc(old, size);
}

static void install(void) {
  tap_must(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &system_memory) == SQLITE_OK, "SQLite's memory");
  sqlite3_mem_methods poor = system_memory;
  poor.xMalloc = take;
  poor.xRealloc = take_again;
  tap_must(sqlite3_config(SQLITE_CONFIG_MALLOC, &poor) == SQLITE_OK, "can be made scarce");
}

/* What is done with a store while memory is scarce. `made` was prepared before. */
typedef struct memory_case {
  const char *url;
  ck_store *store;
  fixture session;
  fixture_batch made;
  ck_error err;
} memory_case;
typedef ck_status (*case_call)(memory_case *self);

static ck_status do_open(memory_case *self) {
  ck_store *store;
  ck_status status =
      ck_store_open(&store, self->url, &(ck_store_options){.create = true}, &self->err);
  ck_store_close(store);
  return status;
}

static ck_status do_commit(memory_case *self) {
  ck_status status = ck_store_commit(self->store, &self->made.batch, 1, &self->err);
  return status == CK_OK ? self->made.batch.status : status;
}

static ck_status do_acquire(memory_case *self) {
  ck_timeline timeline = {.no = self->session.timeline + 1,
                          .parent = 1,
                          .cut = 1,
                          .begin = self->session.seq + 1,
                          .attempt = 1};
  ck_opening opening = {.timeline = &timeline, .events = self->made.events, .event_count = 1};
  return ck_store_acquire(&self->session.lease, self->store, "s", self->session.lease.epoch,
                          &opening, &self->err);
}

static bool look(void *to, const ck_event *event) { return to == NULL && event->seq > 0; }

static ck_status do_read(memory_case *self) {
  ck_head head;
  ck_state *state = NULL;
  ck_store_stats stats;
  ck_event_query query = {.session = self->session.lease.session};
  ck_status status = ck_store_get_head(&head, self->store, "s", &self->err);
  if (status != CK_OK) return status;
  if (head.has_latest)
    status = ck_store_get_state(&state, self->store, query.session, head.latest.seq, &self->err);
  ck_head_clear(&head);
  ck_state_free(state);
  if (status == CK_OK) status = ck_store_read_events(self->store, &query, look, NULL, &self->err);
  if (status == CK_OK) status = ck_store_get_stats(&stats, self->store, &self->err);
  return status;
}

static ck_status do_request(memory_case *self) {
  char kind[] = "pause";
  ck_request request = {.session = self->session.lease.session, .kind = kind}, got = {0};
  bool found = false;
  ck_status status = ck_store_put_request(self->store, &request, &self->err);
  if (status == CK_OK)
    status = ck_store_get_request(&got, &found, self->store, self->session.lease, 0, &self->err);
  if (status == CK_OK && !found) return CK_E_FAILED;
  if (status == CK_OK)
    status = ck_store_drop_request(self->store, self->session.lease, got.no, &self->err);
  ck_request_clear(&got);
  return status;
}

static ck_status do_recover(memory_case *self) { return ck_store_recover(self->store, &self->err); }

/* Without a success there is no copy, and nothing beside it. */
static ck_status do_backup(memory_case *self) {
  char path[440];
  glob_t left = {0};
  ck_backup_report report;
  snprintf(path, sizeof path, "%s-copy", self->url + strlen("sqlite:"));
  unlink(path);
  ck_backup_order order = {.file = path};
  ck_status status = ck_store_backup(&report, self->store, &order, &self->err);
  strcat(path, "*");
  bool there = glob(path, 0, NULL, &left) == 0 && left.gl_pathc == 1;
  if (status == CK_OK && !there) status = CK_E_FAILED;
  if (status == CK_E_NO_MEMORY && there) status = CK_E_FAILED;
  globfree(&left);
  return status;
}

static bool expected(ck_status status) {
  return status == CK_OK || status == CK_E_NO_MEMORY || status == CK_E_UNKNOWN || status == CK_E_IO;
}

/* With memory again: the store recovers, holds whole commits, and takes the next one. */
static bool sound(memory_case *self, case_call call) {
  ck_head head;
  ck_error err = CK_ERROR_INIT;
  if (ck_store_recover(self->store, &err) != CK_OK ||
      ck_store_get_head(&head, self->store, "s", &err) != CK_OK)
    return false;
  bool whole = !head.has_latest || head.latest.seq == head.last_seq || call != do_commit;
  bool counted = fixture_count_events(self->store, head.session.no) == head.last_seq;
  self->session.seq = head.last_seq;
  self->session.parent = head.has_latest ? head.latest.seq : 0;
  self->session.timeline = head.session.timeline;
  if (head.session.epoch !=
      self->session.lease.epoch) { /* it is not ours any more, or never became ours */
    ck_store_release(self->store, self->session.lease);
    self->session.lease.epoch = head.session.epoch;
  }
  ck_head_clear(&head);
  return whole && counted;
}

static void prepare(memory_case *self, case_call call) {
  fixture_batch_init(&self->made, &self->session,
                     &(fixture_step){.text = "t", .key = "memory.k", .value = "[1,2,3]"});
  if (call == do_acquire) {
    ck_store_release(self->store, self->session.lease);
    self->made.events[0]->timeline = self->session.timeline + 1;
  }
}

static void attack(const char *name, case_call call) {
  char url[400];
  memory_case self = {.url = url};
  long allow = 0;
  int failed = 0, unsound = 0, strange = 0;
  snprintf(url, sizeof url, "sqlite:%s", tap_tmpfile(name));
  self.store = fixture_open(url);
  if (fixture_create(&self.session, self.store, "s", &self.err) != CK_OK)
    tap_must(false, "%s", self.err.text);
  for (; allow < TRIES_MAX; allow += call == do_open ? STEP * 4 : STEP) {
    prepare(&self, call);
    budget = allow;
    ck_status status = call(&self);
    bool enough = budget > 0;
    budget = -1;
    fixture_batch_clear(&self.made);
    failed += status != CK_OK;
    strange += !expected(status);
    if (!expected(status))
      tap_diag("%s after %ld: %s: %s", name, allow, ck_status_name(status), self.err.text);
    if (call != do_open || status == CK_OK) unsound += !sound(&self, call);
    if (enough) break;
  }
  tap_ok(failed > 0 && allow < TRIES_MAX,
         "%s: fails for want of memory %d times, then goes through", name, failed);
  tap_is_int(strange, 0, "%s: each failure has its own status", name);
  tap_is_int(unsound, 0, "%s: after each the store is whole and goes on", name);
  tap_is_int(fixture_verify(self.store), 0, "%s: verify is clean", name);
  ck_store_close(self.store);
}

int main(void) {
  install();
  attack("open", do_open);
  attack("commit", do_commit);
  attack("acquire", do_acquire);
  attack("read", do_read);
  attack("request", do_request);
  attack("recover", do_recover);
  attack("backup", do_backup);
  return tap_done();
}
