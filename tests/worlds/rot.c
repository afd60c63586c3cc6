/* rot.c - one bit of a store at rest flips: it is found, or what can be read is what was written.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/store/verify.h"
#include "tests/worlds/cover.h"
#include "tests/worlds/world.h"

enum { PLACES_MAX = 1 << 24 };

typedef struct reading {
  ck_store *store;
  int64_t session;
  uint64_t sum;
  bool failed;
} reading;

static void add(reading *self, const void *data, size_t len) {
  for (size_t i = 0; i < len; i++)
    self->sum = (self->sum ^ ((const unsigned char *)data)[i]) * 1099511628211u;
}

static bool add_event(void *to, const ck_event *event) {
  ck_bytes body = ck_value_bytes(event->body);
  add(to, &event->seq, sizeof event->seq);
  add(to, &event->kind, sizeof event->kind);
  add(to, &event->timeline, sizeof event->timeline);
  add(to, body.data, body.len);
  return true;
}

static bool add_state(void *to, const ck_checkpoint_info *checkpoint) {
  reading *self = to;
  ck_error err = CK_ERROR_INIT;
  ck_state *state = NULL;
  ck_state_entry *entries = NULL;
  size_t count = 0;
  ck_status status = ck_store_get_state(&state, self->store, self->session, checkpoint->seq, &err);
  if (status == CK_OK) status = ck_state_list(&entries, &count, state, &err);
  for (size_t i = 0; i < count; i++) {
    ck_bytes bytes = ck_value_bytes(entries[i].value);
    add(self, entries[i].key, strlen(entries[i].key));
    add(self, bytes.data, bytes.len);
  }
  self->failed |= status != CK_OK;
  free(entries);
  ck_state_free(state);
  return true;
}

static bool add_session(void *to, const ck_session_record *record) {
  reading *self = to;
  ck_error err = CK_ERROR_INIT;
  ck_event_query query = {.session = record->no};
  self->session = record->no;
  add(self, record->id, strlen(record->id));
  add(self, &record->status, sizeof record->status);
  self->failed |=
      ck_store_read_events(self->store, &query, add_event, self, &err) != CK_OK ||
      ck_store_list_checkpoints(self->store, record->no, add_state, self, &err) != CK_OK;
  return true;
}

/* All that can be read, as a sum; false: it says that something is wrong. */
static bool read_all(uint64_t *out, const char *url) {
  ck_error err = CK_ERROR_INIT;
  ck_verify_report report = {0};
  reading self = {0};
  ck_store_options options = world_store(false);
  if (ck_store_open(&self.store, url, &options, &err) != CK_OK) return false;
  self.failed = ck_store_verify(&report, self.store, NULL, NULL, NULL, &err) != CK_OK;
  if (ck_store_list_sessions(self.store, 0, add_session, &self, &err) != CK_OK) self.failed = true;
  ck_store_close(self.store);
  *out = self.sum;
  return !self.failed && report.problems == 0;
}

static void flip(const char *path, uint32_t at, uint32_t bit) {
  unsigned char byte = 0;
  struct stat found;
  int fd = open(path, O_RDWR | O_CLOEXEC);
  bool good = fd >= 0 && fstat(fd, &found) == 0 && found.st_size > 0;
  off_t place = good ? (off_t)at % found.st_size : 0;
  good = good && pread(fd, &byte, 1, place) == 1;
  byte ^= (unsigned char)(1u << bit);
  tap_must(good && pwrite(fd, &byte, 1, place) == 1 && close(fd) == 0, "a bit of %s flips", path);
}

void rot_check(world *self) {
  uint64_t before, after;
  uint32_t at = chance_pick(CHANCE_ROT, PLACES_MAX), bit = chance_pick(CHANCE_ROT, 8);
  if (at % 4 != 1) return; /* of one history in four */
  if (!read_all(&before, self->url)) {
    model_fail(&self->model, "the store is not sound before a bit flips");
    return;
  }
  flip(self->path, at / 4, bit);
  bool sound = read_all(&after, self->url);
  cover("bit flipped%s: %s", self->key ? ", sealed" : "",
        !sound            ? "found"
        : before == after ? "harmless"
                          : "wrong in silence");
  if (sound && before != after)
    model_fail(&self->model, "bit %u of byte %u flips, and what is read is wrong in silence", bit,
               at / 4);
}
