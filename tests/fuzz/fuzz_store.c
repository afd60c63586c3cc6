/* fuzz_store.c - a store under any sequence of calls: each byte is one, and what is there must be
 * what a model of it in memory says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/store/fact.h"
#include "core/store/request.h"
#include "tests/fuzz/fuzz.h"
#include "tests/store/history.h"

enum { SESSIONS = 3, CHECKPOINTS = 24, STEPS = 40, FACTS = 4 };

typedef struct modelled {
  ck_store *store;
  history of[SESSIONS]; /* 0: the first; the others are forks */
  bool there[SESSIONS], dropped[SESSIONS][CHECKPOINTS];
  int facts[FACTS];       /* 0: none */
  int left, taken, steps; /* requests to the first session, in order */
} modelled;

static void must(ck_status status, const ck_error *err) {
  fuzz_must(status == CK_OK, "%s: %s", ck_status_name(status), err->text);
}

static bool has_room(const history *of) { return of->count < CHECKPOINTS - 1; }

static void go_back(modelled *self, int s, size_t index) {
  if (!self->dropped[s][index] && has_room(&self->of[s])) {
    history_resume(&self->of[s], index);
    history_go(&self->of[s], 1);
  }
}

static void fork_at(modelled *self, size_t index) {
  ck_error err = CK_ERROR_INIT;
  char id[] = "fork_0";
  int s = 1;
  while (s < SESSIONS && self->there[s]) s++;
  if (s == SESSIONS) return;
  id[5] = (char)('0' + s);
  ck_status status = history_fork(&self->of[s], &self->of[0], index, id, 7, &err);
  fuzz_must((status == CK_OK) == !self->dropped[0][index], "a fork needs its base: %s", err.text);
  self->there[s] = status == CK_OK;
}

/* A checkpoint that a report names as dropped is gone; one that it kept is as it was. */
static void prune(modelled *self, int s, size_t index) {
  ck_error err = CK_ERROR_INIT;
  ck_prune_report report;
  history *of = &self->of[s];
  ck_status status = ck_store_prune(self->store, of->lease, &of->seqs[index], 1, &report, &err);
  must(status, &err);
  fuzz_must(report.count + report.kept_count == 1, "a prune tells of what it was asked for");
  if (report.count) self->dropped[s][index] = true;
  ck_prune_report_clear(&report);
}

static void change_fact(modelled *self, unsigned n) {
  ck_error err = CK_ERROR_INIT;
  char key[] = "fact_0", json[16];
  int value = (int)(n / FACTS) % 3;
  ck_value *made = NULL;
  key[5] = (char)('0' + n % FACTS);
  snprintf(json, sizeof json, "%d", value);
  must(ck_value_new(&made, ck_bytes_text(json), &err), &err);
  ck_fact fact = {.owner = "", .key = key, .value = value ? made : NULL, .at_ms = 1};
  must(ck_store_put_fact(self->store, &fact, &err), &err);
  self->facts[n % FACTS] = value;
  ck_value_free(made);
}

static void leave_request(modelled *self) {
  ck_error err = CK_ERROR_INIT;
  char kind[16];
  snprintf(kind, sizeof kind, "k%d", self->left++);
  ck_request request = {.session = self->of[0].lease.session, .kind = kind};
  must(ck_store_put_request(self->store, &request, &err), &err);
}

static void take_request(modelled *self) {
  ck_error err = CK_ERROR_INIT;
  ck_request request;
  char kind[16];
  bool found;
  must(ck_store_get_request(&request, &found, self->store, self->of[0].lease, 0, &err), &err);
  fuzz_must(found == (self->taken < self->left), "a request that was left is there, once");
  if (!found) return;
  snprintf(kind, sizeof kind, "k%d", self->taken++);
  fuzz_must(strcmp(request.kind, kind) == 0, "requests come in their order");
  must(ck_store_drop_request(self->store, self->of[0].lease, request.no, &err), &err);
  ck_request_clear(&request);
}

static void check(modelled *self) {
  ck_error err = CK_ERROR_INIT;
  for (int s = 0; s < SESSIONS; s++) {
    for (size_t i = 0; self->there[s] && i < self->of[s].count; i++) {
      if (!self->dropped[s][i])
        fuzz_must(history_loads(&self->of[s], i), "checkpoint %zu of session %d is as it was", i,
                  s);
    }
  }
  for (int n = 0; n < FACTS; n++) {
    char key[] = "fact_0";
    int64_t value = 0;
    ck_value *fact;
    key[5] = (char)('0' + n);
    must(ck_store_get_fact(&fact, self->store, "", key, &err), &err);
    if (fact) ck_json_read_int(&value, ck_value_bytes(fact));
    fuzz_must(value == self->facts[n], "a fact is what was put last");
    ck_value_free(fact);
  }
}

/* All sessions are taken up again where they stood. */
static void reopen(modelled *self, const char *url) {
  ck_error err = CK_ERROR_INIT;
  ck_store_options options = {0};
  ck_store_close(self->store);
  must(ck_store_open(&self->store, url, &options, &err), &err);
  for (int s = 0; s < SESSIONS; s++) self->of[s].store = self->store;
  check(self);
  for (int s = 0; s < SESSIONS; s++) {
    size_t last = self->of[s].count - 1;
    if (self->there[s] && !self->dropped[s][last]) history_resume(&self->of[s], last);
  }
}

static void step(modelled *self, unsigned op, unsigned by, const char *url) {
  int s = (int)(by % SESSIONS);
  if (!self->there[s]) s = 0;
  size_t index = by / SESSIONS % self->of[s].count;
  if (op < 90 && has_room(&self->of[s])) history_go(&self->of[s], by % 5);
  if (op >= 90 && op < 120) go_back(self, s, index);
  if (op >= 120 && op < 150) prune(self, s, index);
  if (op >= 150 && op < 180) fork_at(self, by % self->of[0].count);
  if (op >= 180 && op < 200) change_fact(self, by);
  if (op >= 200 && op < 220) leave_request(self);
  if (op >= 220 && op < 240) take_request(self);
  if (op >= 240) reopen(self, url);
}

void fuzz_store(ck_bytes input) {
  char url[600], path[512];
  ck_error err = CK_ERROR_INIT;
  ck_store_options options = {.create = true};
  modelled self = {.there = {true}};
  snprintf(path, sizeof path, "%s", fuzz_file((ck_bytes){0}, "store.db"));
  remove(path);
  snprintf(url, sizeof url, "sqlite:%s", path);
  must(ck_store_open(&self.store, url, &options, &err), &err);
  history_begin(&self.of[0], self.store, "first", 1);
  history_go(&self.of[0], 3);
  for (int n = 0; n < STEPS && input.len > 0; n++) {
    unsigned op = fuzz_byte(&input);
    step(&self, op, fuzz_byte(&input), url);
  }
  check(&self);
  for (int s = 0; s < SESSIONS; s++) {
    if (self.there[s]) history_clear(&self.of[s]);
  }
  ck_store_close(self.store);
  static const char *const beside[] = {"", "-wal", "-shm", ".lock"};
  for (int i = 0; i < 4; i++) {
    char name[600];
    snprintf(name, sizeof name, "%s%s", path, beside[i]);
    remove(name);
  }
}
