/* world.c - a history: lives, one after the other, until the session is over; then what has come of
 * it is looked at. */
#include "tests/worlds/world.h"

#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/store/verify.h"
#include "tests/worlds/baton.h"
#include "tests/worlds/cover.h"
#include "tests/worlds/disk.h"
#include "tests/worlds/money.h"
#include "tests/worlds/requests.h"

enum { LIVES_MAX = 60, TROUBLED_LIVES = 14, LINE = 600 };

world the_world;

void world_log(const char *format, ...) {
  char line[LINE];
  va_list list;
  va_start(list, format);
  int len = vsnprintf(line, sizeof line, format, list);
  va_end(list);
  if (len >= LINE) len = LINE - 1;
  for (int i = 0; i < len; i++)
    the_world.digest = (the_world.digest ^ (unsigned char)line[i]) * 1099511628211u;
  ck_buffer_append_format(&the_world.log, "%s\n", line);
}

bool world_is_heard(void) {
  for (int i = 0; i < WORLD_PROCESSES; i++)
    if (the_world.processes[i].number == baton_process()) return !the_world.processes[i].replaced;
  return true;
}

/* ---- ids and random bytes, in the place of the program's ---- */

void __wrap_ck_random_bytes(void *out, size_t len);
void __wrap_ck_id_make_checkpoint(char out[CK_ID_SIZE], int64_t wall_ms);
void __wrap_ck_id_make_run(char out[CK_ID_SIZE]);
static unsigned made_ids;
static uint64_t made_bytes;

void __wrap_ck_random_bytes(void *out, size_t len) {
  for (size_t i = 0; i < len; i++) {
    made_bytes = made_bytes * 6364136223846793005u + 1442695040888963407u;
    ((unsigned char *)out)[i] = (unsigned char)(made_bytes >> 56);
  }
}
void __wrap_ck_id_make_checkpoint(char out[CK_ID_SIZE], int64_t wall_ms) {
  (void)wall_ms;
  snprintf(out, CK_ID_SIZE, "checkpoint_20231114_221320_%08x", ++made_ids);
}
void __wrap_ck_id_make_run(char out[CK_ID_SIZE]) {
  snprintf(out, CK_ID_SIZE, "run_00000000-0000-4000-8000-%012x", ++made_ids);
}

/* ---- a history ---- */

static void remove_files(const char *path) {
  static const char *const suffixes[] = {"",     "-wal",     "-shm",     ".lock",
                                         ".new", ".new-wal", ".new-shm", ".sessions/s.lock"};
  char name[440];
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
    snprintf(name, sizeof name, "%.400s%s", path, suffixes[i]);
    unlink(name);
  }
  snprintf(name, sizeof name, "%.400s.sessions", path);
  rmdir(name);
}

static void begin(const char *folder) {
  world *self = &the_world;
  ck_buffer log = self->log;
  ck_buffer_reset(&log);
  memset(self, 0, sizeof *self);
  self->log = log;
  self->digest = 14695981039346656037u;
  self->process = &self->processes[0];
  requests_begin();
  made_ids = 0;
  made_bytes = 1;
  snprintf(self->path, sizeof self->path, "%s/world.db", folder);
  snprintf(self->url, sizeof self->url, "sqlite:%.400s", self->path);
  baton_begin();
  disk_begin(self->path);
  remove_files(self->path);
  sqlite3_randomness(0, NULL);
}

/* Rare in one history, often in the next. */
static void choose_weather(void) {
  static const uint32_t crashes[] = {0, 1, 3, 8, 25}, faults[] = {0, 0, 0, 1, 4},
                        power[] = {0, 500, 1000};
  disk_set_weather(&(disk_weather){.crashes = crashes[chance_pick(CHANCE_WEATHER, 5)],
                                   .faults = faults[chance_pick(CHANCE_WEATHER, 5)],
                                   .power = power[chance_pick(CHANCE_WEATHER, 3)]});
}

/* Limits that are raised whenever they are met, a secret that flows talk of, saves that may fail.
 */
static void choose_profile(world *self) {
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_profile_new(&self->profile, "world", &err) == CK_OK, "a profile");
  self->limited = chance_pick(CHANCE_WEATHER, 3) == 1;
  self->saves_late = chance_pick(CHANCE_WEATHER, 3) == 1;
  self->profile->continue_on_save_failure = self->saves_late;
  self->profile->unsaved_checkpoints = 3;
  self->profile->secrets = calloc(1, sizeof *self->profile->secrets);
  self->profile->secret_count = 1;
  self->profile->secrets[0].name = strdup("word");
  self->profile->secrets[0].ref = strdup("env:WORLDS_SECRET");
  setenv("WORLDS_SECRET", WORLD_SECRET, 1);
}

ck_store_options world_store(bool create) {
  return (ck_store_options){.create = create, .key = the_world.key};
}

static ck_key *key_of(const char *digit) {
  char text[CK_KEY_TEXT_SIZE] = "";
  ck_error err = CK_ERROR_INIT;
  ck_key *key;
  for (int i = 1; i < CK_KEY_TEXT_SIZE; i++) strcat(text, digit);
  tap_must(ck_key_read(&key, ck_bytes_text(text), "a test", &err) == CK_OK, "%s", err.text);
  return key;
}

/* Nothing can be read without the key, nor with another one. */
static void check_key(world *self) {
  ck_error err = CK_ERROR_INIT;
  ck_key *other = key_of("b");
  ck_store_options with_other = {.key = other};
  ck_store *store;
  if (!self->key || self->model.problem[0]) return ck_key_free(other);
  ck_status without = ck_store_open(&store, self->url, &(ck_store_options){0}, &err);
  ck_store_close(store);
  ck_status wrong = ck_store_open(&store, self->url, &with_other, &err);
  ck_store_close(store);
  ck_key_free(other);
  cover("sealed: opened without its key, and with another one");
  if (without != CK_E_SECRET_MISSING || wrong != CK_E_OTHER_KEY)
    model_fail(&self->model, "the store is opened without its key: %s; with another one: %s",
               ck_status_name(without), ck_status_name(wrong));
}

bool world_live(const char *folder) {
  world *self = &the_world;
  begin(folder);
  choose_weather();
  choose_profile(self);
  if (chance_pick(CHANCE_WEATHER, 4) == 1) self->key = key_of("a");
  self->agents_limited = chance_pick(CHANCE_WEATHER, 3) == 1;
  money_set_limits(self);
  bool over = false;
  while (!over && !self->model.problem[0] && self->lives < LIVES_MAX) {
    self->calm = ++self->lives > TROUBLED_LIVES;
    chance_set_calm(self->calm);
    chance_begin_scene();
    world_log("life %d at %lld us", self->lives, (long long)baton_now_us());
    over = life_live(self);
    if (!over && !self->model.problem[0]) visit_at_rest(self);
  }
  chance_set_calm(true);
  if (!over) model_fail(&self->model, "the session does not end: %s", self->process->ending.text);
  disk_set_weather(&(disk_weather){0});
  if (!self->model.problem[0]) model_check_end(self);
  check_key(self);
  chance_set_calm(false);
  if (!self->model.problem[0]) rot_check(self);
  ck_profile_free(self->profile);
  self->profile = NULL;
  ck_key_free(self->key);
  self->key = NULL;
  world_log("%llu switches, %lld us", (unsigned long long)baton_switches(),
            (long long)baton_now_us());
  chance_set_calm(false);
  disk_end();
  remove_files(self->path);
  return !self->model.problem[0];
}
