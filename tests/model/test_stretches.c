/* test_stretches.c - stretches hold every event that they were given, leave out what lies between
 * far ones, stay few, and are read as they were written, or not at all. */
#include <stdlib.h>
#include <string.h>

#include "core/model/stretches.h"
#include "tests/tap.h"

enum { ROUNDS = 300, EVENTS_MAX = 400 };

static bool holds(const ck_stretches *self, int64_t seq) {
  for (size_t i = 0; i < self->count; i++)
    if (seq >= self->list[i].first && seq <= self->list[i].last) return true;
  return false;
}

static bool ascends(const ck_stretches *self) {
  for (size_t i = 0; i < self->count; i++)
    if (self->list[i].first > self->list[i].last ||
        (i && self->list[i].first <= self->list[i - 1].last + CK_STRETCHES_GAP))
      return false;
  return self->count <= CK_STRETCHES_MAX;
}

static ck_buffer write(const ck_stretches *self) {
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  ck_stretches_write(&w, self);
  tap_must(!text.failed, "it is written");
  return text;
}

/* What was read goes on as what was written. */
static bool is_read(const ck_stretches *self, int64_t next) {
  ck_buffer text = write(self);
  ck_stretches read, on = *self;
  bool same = ck_stretches_read(&read, ck_buffer_bytes(&text)) && read.count == self->count;
  ck_stretches_take(&on, next);
  ck_stretches_take(&read, next);
  ck_buffer a = write(&on), b = write(&read);
  same = same && ck_bytes_equal(ck_buffer_bytes(&a), ck_buffer_bytes(&b));
  ck_buffer_clear(&text);
  ck_buffer_clear(&a);
  ck_buffer_clear(&b);
  return same;
}

static void test_random(void) {
  int64_t seqs[EVENTS_MAX];
  int lost = 0, wrong = 0, unread = 0;
  for (int round = 0; round < ROUNDS; round++) {
    ck_stretches self = {0};
    int64_t seq = 0, wide = rand() % 300 + 1;
    int count = rand() % EVENTS_MAX;
    for (int i = 0; i < count; i++) {
      seqs[i] = seq += 1 + (rand() % 8 ? 0 : rand() % wide);
      ck_stretches_take(&self, seq);
      wrong += !ascends(&self);
    }
    for (int i = 0; i < count; i++) lost += !holds(&self, seqs[i]);
    unread += !is_read(&self, seq + 1 + rand() % 200);
  }
  tap_is_int(lost, 0, "no event lies outside");
  tap_is_int(wrong, 0, "they ascend, stay apart, and stay few");
  tap_is_int(unread, 0, "and are read as they were written");
}

static void test_nearest(void) {
  ck_stretches self = {0};
  int64_t seq = 1;
  for (int i = 0; i < CK_STRETCHES_MAX; i++) ck_stretches_take(&self, seq += i == 7 ? 100 : 1000);
  ck_stretches_take(&self, seq += 1000);
  tap_is_int((int64_t)self.count, CK_STRETCHES_MAX, "one more than there may be joins two");
  tap_ok(self.list[6].last - self.list[6].first == 100, "the two that are nearest");
  tap_ok(self.list[CK_STRETCHES_MAX - 1].first == seq, "the last is the new one");
}

/* Each byte, changed to a digit or something else. */
static void test_damage(void) {
  ck_stretches self = {0}, read;
  ck_stretches_take(&self, 17);
  ck_stretches_take(&self, 60);
  ck_stretches_take(&self, 4711);
  ck_buffer text = write(&self);
  int taken = 0, tries = 0;
  for (size_t i = 0; i < text.len; i++)
    for (const char *c = "0123456789, []x"; *c; c++) {
      char was = text.data[i];
      if (was == *c) continue;
      text.data[i] = *c;
      tries++;
      taken += ck_stretches_read(&read, ck_buffer_bytes(&text)) && read.count;
      text.data[i] = was;
    }
  tap_is_int(taken, 0, "of %d with one other byte none is taken", tries);
  ck_buffer_clear(&text);
  tap_ok(!ck_stretches_read(&read, ck_bytes_text("{}")), "nor is another kind of value");
}

int main(void) {
  srand(3);
  test_random();
  test_nearest();
  test_damage();
  return tap_done();
}
