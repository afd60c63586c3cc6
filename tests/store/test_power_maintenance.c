/* test_power_maintenance.c - the power goes while checkpoints are pruned, a session is forked, its
 * origin deleted, or a store of schema 1 is brought to that of today: what is found is what was
 * there before or what is there afterwards, whole. POWER_SEED=N repeats. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/store/fixture.h"
#include "tests/store/history.h"
#include "tests/store/power.h"
#include "tests/tap.h"
#include "core/store/stats.h"

enum { STEPS = 30, IMAGES = 250 };

static test_dice dice;
static history past, child;
static char url[500], image_url[500];

/* ---- what is done ---- */

static void do_prune(ck_store *store) {
  ck_prune_report report;
  ck_error err = CK_ERROR_INIT;
  int64_t bytes;
  history_must(ck_store_prune(store, past.lease, past.seqs, past.count - 3, &report, &err), &err,
               "prune");
  ck_prune_report_clear(&report);
  history_must(ck_store_vacuum(&bytes, store, &err), &err, "give back");
}

static void do_fork(ck_store *store) {
  ck_error err = CK_ERROR_INIT;
  (void)store;
  history_must(history_fork(&child, &past, 7, "fork", dice_pick(&dice, UINT32_MAX), &err), &err,
               "fork");
  ck_store_release(child.store, child.lease);
}

static void do_delete(ck_store *store) {
  ck_error err = CK_ERROR_INIT;
  int64_t bytes;
  history_must(ck_store_delete_session(store, past.lease, true, &err), &err, "delete");
  history_must(ck_store_vacuum(&bytes, store, &err), &err, "give back");
}

/* ---- what is found ---- */

/* Sessions, and how many checkpoints each has that load. */
typedef struct found {
  ck_store *store;
  char text[400];
  int64_t broken;
} found;

typedef struct counting {
  found *to;
  int64_t session, count;
} counting;

static bool load_one(void *to, const ck_checkpoint_info *info) {
  counting *self = to;
  ck_state *state = NULL;
  ck_error err = CK_ERROR_INIT;
  ck_status status = ck_store_get_state(&state, self->to->store, self->session, info->seq, &err);
  if (status != CK_OK) tap_diag("%lld: %s", (long long)info->seq, err.text);
  self->to->broken += status != CK_OK;
  self->count++;
  ck_state_free(state);
  return true;
}

static bool note_session(void *to, const ck_session_record *record) {
  found *self = to;
  counting counts = {.to = self, .session = record->no};
  ck_error err = CK_ERROR_INIT;
  self->broken +=
      ck_store_list_checkpoints(self->store, record->no, load_one, &counts, &err) != CK_OK;
  size_t len = strlen(self->text);
  snprintf(self->text + len, sizeof self->text - len,
           "%s: origin %lld, events %lld, checkpoints %lld; ", record->id,
           (long long)record->origin.session,
           (long long)fixture_count_events(self->store, record->no), (long long)counts.count);
  return true;
}

static void look(found *out, const char *at) {
  ck_error err = CK_ERROR_INIT;
  *out = (found){0};
  ck_status status = ck_store_open(&out->store, at, &(ck_store_options){0}, &err);
  if (status == CK_OK) status = ck_store_list_sessions(out->store, 0, note_session, out, &err);
  if (status != CK_OK) tap_diag("%s", err.text);
  out->broken += status != CK_OK;
  if (out->store) out->broken += fixture_verify(out->store);
  ck_store_close(out->store);
  out->store = NULL;
}

static void attack(const char *name, const found *before, const found *after, const char *image) {
  int64_t done = 0, undone = 0, wrong = 0;
  for (size_t i = 0; i < IMAGES; i++) {
    found now;
    power_make_image(image, power_count() * i / (IMAGES - 1), dice_pick(&dice, UINT64_MAX));
    look(&now, image_url);
    bool is_after = strcmp(now.text, after->text) == 0,
         is_before = strcmp(now.text, before->text) == 0;
    done += is_after;
    undone += is_before;
    if (now.broken || (!is_after && !is_before)) tap_diag("%s, image %zu: %s", name, i, now.text);
    wrong += now.broken || (!is_after && !is_before);
  }
  tap_is_int(wrong, 0, "%s: in %d images it is done (%lld) or not (%lld), and all is whole", name,
             IMAGES, (long long)done, (long long)undone);
  tap_ok(done > 0 && undone > 0, "%s: both are met", name);
}

static void test(const char *name, void (*act)(ck_store *store), const char *path,
                 const char *image) {
  found before, after;
  look(&before, url);
  power_record(path);
  ck_store *store = fixture_open(url);
  past.store = store;
  ck_error err = CK_ERROR_INIT;
  ck_session_record record;
  history_must(ck_store_get_session(&record, store, "past", &err), &err, "get");
  history_must(ck_store_lock_session(&past.lease, store, "past", record.epoch, &err), &err, "hold");
  ck_session_record_clear(&record);
  act(store);
  ck_store_release(store, past.lease);
  ck_store_close(store);
  power_stop();
  look(&after, url);
  tap_ok(before.broken == 0 && after.broken == 0 && strcmp(before.text, after.text) != 0, "%s: %s",
         name, after.text);
  attack(name, &before, &after, image);
  power_clear();
}

static bool copy_file(const char *from, const char *to) {
  char bytes[4096];
  size_t len;
  FILE *in = fopen(from, "r"), *out = fopen(to, "w");
  while (in && out && (len = fread(bytes, 1, sizeof bytes, in)) > 0) fwrite(bytes, 1, len, out);
  bool copied = in && out;
  if (in) fclose(in);
  if (out) fclose(out);
  return copied;
}

static void test_migration(const char *path, const char *image) {
  found before, after;
  ck_error err = CK_ERROR_INIT;
  ck_store *store;
  if (!copy_file("tests/golden/schema1.db", path)) {
    tap_skip("there is no tests/golden/schema1.db here");
    return;
  }
  history_must(ck_store_open(&store, url, &(ck_store_options){.read_only = true}, &err), &err,
               "open");
  before = (found){.store = store};
  history_must(ck_store_list_sessions(store, 0, note_session, &before, &err), &err, "list");
  ck_store_close(store);
  power_record(path);
  ck_store_close(fixture_open(url));
  power_stop();
  look(&after, url);
  tap_ok(before.broken == 0 && after.broken == 0 && strcmp(before.text, after.text) == 0,
         "migration: %s", after.text);
  int64_t wrong = 0, old = 0;
  for (size_t i = 0; i < IMAGES; i++) {
    ck_store_stats stats = {0};
    found now;
    power_make_image(image, power_count() * i / (IMAGES - 1), dice_pick(&dice, UINT64_MAX));
    if (ck_store_open(&store, image_url, &(ck_store_options){.read_only = true}, &err) == CK_OK) {
      wrong += ck_store_get_stats(&stats, store, &err) != CK_OK;
      ck_store_close(store);
    }
    old += stats.schema == 1;
    look(&now, image_url);
    wrong += now.broken || strcmp(now.text, after.text) != 0;
  }
  tap_is_int(
      wrong, 0,
      "migration: in %d images all is whole, and is brought to today's schema by the next opening",
      IMAGES);
  tap_ok(old > 0 && old < IMAGES, "migration: %lld of them were of schema 1 still", (long long)old);
  power_clear();
}

/* Its store is closed. */
static void forget(history *self) {
  for (size_t i = 0; i < self->count; i++) ck_state_free(self->states[i]);
  ck_state_free(self->state);
  free(self->states);
  free(self->seqs);
}

int main(void) {
  const char *seed = getenv("POWER_SEED");
  const char *path = tap_tmpfile("upkeep.db"), *image = tap_tmpfile("image.db");
  snprintf(url, sizeof url, "sqlite:%s", path);
  snprintf(image_url, sizeof image_url, "sqlite:%s", image);
  dice.state = seed && *seed ? strtoull(seed, NULL, 10) : (uint64_t)time(NULL);
  tap_diag("POWER_SEED=%llu", (unsigned long long)dice.state);
  power_install();
  ck_store *store = fixture_open(url);
  history_begin(&past, store, "past", dice_pick(&dice, UINT32_MAX));
  past.value_max = 3000;
  for (int i = 0; i < STEPS; i++) history_go(&past, 4);
  ck_store_release(store, past.lease);
  ck_store_close(store);
  test("fork", do_fork, path, image);
  test("prune", do_prune, path, image);
  test("delete", do_delete, path, image);
  forget(&past);
  forget(&child);
  unlink(path);
  char side[520];
  snprintf(side, sizeof side, "%s-wal", path);
  unlink(side);
  snprintf(side, sizeof side, "%s-shm", path);
  unlink(side);
  test_migration(path, image);
  return tap_done();
}
