/* test_power.c - the power goes at any moment, and the disk keeps what it likes of what was not
 * synced: what a store said to be durable is there, and whatever is there is whole. POWER_SEED=N
 * repeats a run, POWER_IMAGES=N makes it longer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/store/fixture.h"
#include "tests/store/history.h"
#include "tests/store/power.h"
#include "tests/tap.h"
#include "core/store/fact.h"
#include "core/store/store_core.h"

enum { SESSIONS = 4, STEPS = 450, IMAGES = 1000, LOADED = 3, GOES_ON = 8 };

/* What was promised when the tape had `at` entries. */
typedef struct promise {
  size_t at;
  int64_t said[SESSIONS];    /* last seq that was acknowledged, 0: none */
  int64_t durable[SESSIONS]; /* for good */
} promise;

static history sessions[SESSIONS];
static promise promises[STEPS + SESSIONS + 1];
static size_t promise_count;
static test_dice dice;
static int facts;
static int quiet; /* so many steps without a sync follow */

/* What a counter outside of the store was told, and when: the tape had `at` entries. It outlives
 * the power, so a store that is older would be taken for one that was set back. */
static struct {
  size_t at;
  uint64_t generation;
} told[2 * STEPS];
static size_t told_count;

static void advance(void *to, uint64_t generation) {
  (void)to;
  tap_must(told_count < sizeof told / sizeof *told, "there is room");
  told[told_count].at = power_count();
  told[told_count++].generation = generation;
}

static void watch(ck_store *store) {
  store->backend.inventory.watch(store->backend.self, advance, NULL);
}

static bool is_set_back(ck_store *store, size_t at) {
  uint64_t generation, known = 0;
  ck_error err = CK_ERROR_INIT;
  ck_status status =
      store->backend.inventory.get_generation(&generation, store->backend.self, &err);
  for (size_t i = 0; i < told_count && told[i].at <= at; i++)
    if (told[i].generation > known) known = told[i].generation;
  if (status == CK_OK && generation >= known) return false;
  tap_diag("set back: change %llu, and %llu was told: %s", (unsigned long long)generation,
           (unsigned long long)known, err.text);
  return true;
}

/* ---- living ---- */

/* A power commit makes everything durable that was committed before it. */
static void promise_all(bool durable) {
  promise *to = &promises[promise_count], *before = to - (promise_count > 0);
  *to = *before;
  to->at = power_count();
  for (int i = 0; i < SESSIONS; i++) {
    to->said[i] = sessions[i].seq;
    if (durable) to->durable[i] = sessions[i].seq;
  }
  promise_count++;
}

static bool commit_some(ck_store *store, int first, int count, bool power) {
  history_step steps[SESSIONS];
  ck_batch batches[SESSIONS];
  ck_error err = CK_ERROR_INIT;
  for (int i = 0; i < count; i++) {
    history_prepare(&sessions[(first + i) % SESSIONS], &steps[i], 1 + dice_pick(&dice, 3));
    batches[i] = steps[i].batch;
    batches[i].durability = power && i == count - 1 ? CK_DURABLE_POWER : CK_DURABLE_PROCESS;
  }
  history_must(ck_store_commit(store, batches, (size_t)count, &err), &err, "commit");
  for (int i = 0; i < count; i++) {
    history_must(batches[i].status, &err, "commit a batch");
    history_apply(&sessions[(first + i) % SESSIONS], &steps[i]);
  }
  return power;
}

static bool resume(history *self) {
  bool lived = self->count > 0;
  if (lived) history_resume(self, dice_pick(&dice, self->count));
  return lived;
}

/* Not synced; the inventory of the store changes with it. */
static void put_fact(ck_store *store) {
  ck_error err = CK_ERROR_INIT;
  ck_value *value;
  history_must(ck_value_new(&value, ck_bytes_text("1"), &err), &err, "a value");
  ck_fact fact = {.owner = "o", .key = "k", .value = value, .at_ms = (int64_t)++facts};
  history_must(ck_store_put_fact(store, &fact, &err), &err, "a fact");
  ck_value_free(value);
}

/* A second user of the store comes and goes: the log is folded under the first one. */
static bool rest_of_another(const char *url) {
  ck_store *store = fixture_open(url);
  watch(store);
  put_fact(store);
  ck_store_close(store);
  return true;
}

/* Whether all that was said is durable now. */
static bool live(ck_store *store) {
  ck_error err = CK_ERROR_INIT;
  int session = (int)dice_pick(&dice, SESSIONS);
  uint64_t what = quiet > 0 ? 60 : dice_pick(&dice, 100);
  if (quiet > 0) quiet--;
  if (what < 50) return commit_some(store, session, 1, true);
  if (what < 60) put_fact(store);
  if (what < 75) return commit_some(store, session, 1, false);
  if (what < 87)
    return commit_some(store, session, 2 + (int)dice_pick(&dice, SESSIONS - 1), what < 82);
  if (what < 91) return resume(&sessions[session]);
  if (what < 93) {
    quiet = (int)dice_pick(&dice, 6);
    history_must(ck_store_recover(store, &err), &err, "recover");
  } else if (what < 95)
    history_must(ck_store_sync(store, &err), &err, "sync");
  else if (what < 97)
    return rest_of_another(ck_store_url(store));
  else
    history_must(ck_store_idle(store, &err), &err, "idle");
  return what < 95;
}

/* A store of its own is made first: how one appears is not what is attacked here. */
static void make_tape(const char *url, const char *path) {
  ck_store_close(fixture_open(url));
  power_record(path);
  ck_store *store = fixture_open(url);
  watch(store);
  for (int i = 0; i < SESSIONS; i++) {
    char id[16];
    snprintf(id, sizeof id, "s%d", i);
    history_begin(&sessions[i], store, id, dice_pick(&dice, UINT32_MAX));
    if (i % 2) sessions[i].value_max = 12000; /* the log goes round */
    promise_all(true);
  }
  for (int i = 0; i < STEPS; i++) promise_all(live(store));
  for (int i = 0; i < SESSIONS; i++) ck_store_release(store, sessions[i].lease);
  ck_store_close(store);
  power_stop();
}

/* ---- what is found ---- */

typedef struct findings {
  int points, passed, lost, damaged, unsynced, set_back;
} findings;

typedef struct listing {
  const history *of;
  int64_t seqs[LOADED]; /* the last ones */
  size_t count;
  bool strange;
} listing;

static size_t find_seq(const history *of, int64_t seq) {
  for (size_t i = 0; i < of->count; i++) {
    if (of->seqs[i] == seq) return i;
  }
  return of->count;
}

static bool note_checkpoint(void *to, const ck_checkpoint_info *info) {
  listing *self = to;
  self->seqs[self->count++ % LOADED] = info->seq;
  self->strange = self->strange || find_seq(self->of, info->seq) == self->of->count;
  return true;
}

static bool holds(ck_store *store, const listing *list, int64_t session, int64_t seq) {
  ck_state *state = NULL;
  ck_error err = CK_ERROR_INIT;
  size_t index = find_seq(list->of, seq);
  ck_status status = ck_store_get_state(&state, store, session, seq, &err);
  bool same = status == CK_OK && history_equal(state, list->of->states[index]);
  if (!same)
    tap_diag("the state at %lld: %s", (long long)seq, status ? err.text : "is another one");
  ck_state_free(state);
  return same;
}

static bool checkpoints_hold(ck_store *store, const history *of, int64_t session) {
  listing list = {.of = of};
  ck_error err = CK_ERROR_INIT;
  ck_status status = ck_store_list_checkpoints(store, session, note_checkpoint, &list, &err);
  bool good = status == CK_OK && !list.strange;
  for (size_t i = 0; i < list.count && i < LOADED && good; i++)
    good = holds(store, &list, session, list.seqs[i]);
  return good;
}

/* `before`: what was promised; `then`: what was said next, and may be there already. */
static bool check_session(findings *found, ck_store *store, int at, const promise *before,
                          const promise *then) {
  ck_head head;
  ck_error err = CK_ERROR_INIT;
  ck_status status = ck_store_get_head(&head, store, sessions[at].id, &err);
  if (status == CK_E_NOT_FOUND && before->durable[at] == 0) return true;
  int64_t last = head.last_seq, number = head.session.no;
  ck_head_clear(&head);
  if (status != CK_OK) {
    tap_diag("%s: %s", sessions[at].id, err.text);
    found->damaged++;
    return false;
  }
  bool lost = last < before->durable[at],
       good = last <= then->said[at] && checkpoints_hold(store, &sessions[at], number);
  if (lost)
    tap_diag("%s ends at %lld: %lld was durable", sessions[at].id, (long long)last,
             (long long)before->durable[at]);
  found->lost += lost;
  found->damaged += !good;
  found->unsynced += last < before->said[at];
  return good && !lost;
}

static bool goes_on(ck_store *store, const char *id) {
  fixture session;
  ck_error err = CK_ERROR_INIT;
  ck_status status = fixture_acquire(&session, store, id, &err);
  if (status == CK_E_NOT_FOUND) return true;
  if (status == CK_OK)
    status = fixture_commit(&session, &(fixture_step){.text = "t", .key = "memory.k", .value = "1"},
                            &err);
  if (status != CK_OK) tap_diag("%s does not go on: %s", id, err.text);
  return status == CK_OK;
}

static void check_image(findings *found, const char *url, size_t at) {
  size_t now = 0;
  static const promise nothing;
  ck_store *store;
  ck_error err = CK_ERROR_INIT;
  while (now < promise_count && promises[now].at <= at) now++;
  const promise *before = now ? &promises[now - 1] : &nothing,
                *then = now < promise_count ? &promises[now] : before;
  found->points++;
  if (ck_store_open(&store, url, &(ck_store_options){0}, &err) != CK_OK) {
    tap_diag("the power went before entry %zu: %s", at, err.text);
    found->damaged++;
    return;
  }
  bool good = !is_set_back(store, at);
  found->set_back += !good;
  for (int i = 0; i < SESSIONS; i++) good = check_session(found, store, i, before, then) && good;
  if (good && found->points % GOES_ON == 0)
    good = goes_on(store, sessions[found->points / GOES_ON % SESSIONS].id);
  good = fixture_verify(store) == 0 && good;
  if (!good) tap_diag("when the power went before entry %zu of %zu", at, power_count());
  found->passed += good;
  ck_store_close(store);
}

static void forget(void) {
  for (int i = 0; i < SESSIONS; i++) {
    for (size_t n = 0; n < sessions[i].count; n++) ck_state_free(sessions[i].states[n]);
    ck_state_free(sessions[i].state);
    free(sessions[i].states);
    free(sessions[i].seqs);
  }
  power_clear();
}

static int compare(const void *a, const void *b) {
  size_t x = *(const size_t *)a, y = *(const size_t *)b;
  return (x > y) - (x < y);
}

/* Half of the moments are anywhere, half where the log has just started again: old frames lie
 * behind the new ones there. */
static size_t *choose_moments(size_t count) {
  size_t restarts[STEPS], found = 0, *moments = calloc(count, sizeof *moments);
  tap_must(moments != NULL, "there is memory");
  for (size_t at = power_find_restart(0); at < power_count() && found < STEPS;
       at = power_find_restart(at + 1))
    restarts[found++] = at;
  for (size_t i = 0; i < count; i++) {
    moments[i] = dice_pick(&dice, power_count() + 1);
    if (i % 2 == 0 || found == 0) continue;
    moments[i] = restarts[dice_pick(&dice, found)] + dice_pick(&dice, 12);
    if (moments[i] > power_count()) moments[i] = power_count();
  }
  qsort(moments, count, sizeof *moments, compare);
  tap_diag("the log starts again %zu times", found);
  return moments;
}

static uint64_t number_from(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

int main(void) {
  uint64_t seed = number_from("POWER_SEED", (uint64_t)time(NULL)),
           images = number_from("POWER_IMAGES", IMAGES);
  char url[500], image_url[500];
  const char *path = tap_tmpfile("power.db"), *image = tap_tmpfile("image.db");
  snprintf(url, sizeof url, "sqlite:%s", path);
  snprintf(image_url, sizeof image_url, "sqlite:%s", image);
  tap_diag("POWER_SEED=%llu", (unsigned long long)seed);
  dice.state = seed;
  power_install();
  make_tape(url, path);
  findings found = {0};
  size_t *moments = choose_moments(images);
  for (size_t i = 0; i < images; i++) {
    power_make_image(image, moments[i], dice_pick(&dice, UINT64_MAX));
    check_image(&found, image_url, moments[i]);
  }
  free(moments);
  tap_diag("power loss: points %d, passed %d, lost %d, damaged %d, unsynced %d", found.points,
           found.passed, found.lost, found.damaged, found.unsynced);
  tap_is_int(found.lost, 0, "what was durable is there, in each of %d images", found.points);
  tap_is_int(found.set_back, 0, "none is older than its counter knows, which was told %zu times",
             told_count);
  tap_is_int(found.passed, found.points,
             "what is there is whole: verify is clean, checkpoints load, sessions go on");
  tap_ok(found.unsynced > 0, "the images do lose what was not synced");
  forget();
  return tap_done();
}
