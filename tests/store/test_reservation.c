/* test_reservation.c - of several workers one begins a session: two handles of a store reserve what
 * both see. One that stands still keeps the others away for a while only. */
#include "core/store/format/reservation_place.h"
#include "core/store/reservation.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/store/fixture.h"
#include "tests/store/postgres_server.h"
#include "tests/tap.h"

static ck_store *open_one(const char *url) {
  ck_store *store;
  ck_error err = CK_ERROR_INIT;
  ck_store_options options = {.create = true};
  tap_must(ck_store_open(&store, url, &options, &err) == CK_OK, "a store: %s", err.text);
  return store;
}

/* A server notices the end of a connection a little later. */
static bool comes_free(ck_reservation *out, ck_store *store, ck_lease as_of) {
  for (int tries = 0; tries < 3000; tries++) {
    if (ck_store_reserve(out, store, as_of)) return true;
    nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL);
  }
  return false;
}

static void test_two(const char *name, const char *url) {
  ck_store *one = open_one(url), *two = open_one(url);
  ck_reservation first, second, third;
  const ck_lease as_of = {7, 3};
  tap_ok(ck_store_reserve(&first, one, as_of), "%s: one worker reserves a session", name);
  tap_ok(!ck_store_reserve(&second, two, as_of), "%s: the other one does not", name);
  tap_ok(!second.ticket, "%s: and has nothing to give back", name);
  tap_ok(!ck_store_reserve(&second, two, as_of), "%s: nor when it asks again", name);
  tap_ok(ck_store_reserve(&third, two, (ck_lease){8, 3}), "%s: but another session", name);
  ck_store_unreserve(two, &third);
  tap_ok(ck_store_reserve(&third, two, (ck_lease){7, 4}),
         "%s: and the same one when somebody has had it since", name);
  ck_store_unreserve(one, &first);
  tap_ok(ck_store_reserve(&second, two, as_of), "%s: what is given back is free", name);
  tap_ok(!ck_store_reserve(&first, one, as_of), "%s: for one of them", name);
  ck_store_close(two);
  tap_ok(comes_free(&first, one, as_of), "%s: what ended holds nothing", name);
  ck_store_unreserve(one, &first);
  ck_store_close(one);
}

static int64_t step_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return ((int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000) / CK_RESERVATION_MS;
}

/* Whether it can be reserved beside somebody who did so that many steps ago, and stands still. */
static bool beside(ck_store *store, int fd, int64_t ago) {
  const ck_lease as_of = {9, 1};
  ck_reservation mine;
  int64_t step;
  bool can;
  do {
    step = step_now();
    struct flock held = {.l_type = F_WRLCK,
                         .l_whence = SEEK_SET,
                         .l_start = ck_reservation_place("", as_of) + step - ago,
                         .l_len = 1};
    tap_must(fcntl(fd, F_OFD_SETLK, &held) == 0, "a lock of somebody else");
    can = ck_store_reserve(&mine, store, as_of);
    ck_store_unreserve(store, &mine);
    held.l_type = F_UNLCK;
    tap_must(fcntl(fd, F_OFD_SETLK, &held) == 0, "which is given back");
  } while (step != step_now());
  return can;
}

static void test_still(const char *path) {
  char url[400], place[400];
  ck_reservation any;
  snprintf(url, sizeof url, "sqlite:%s", path);
  snprintf(place, sizeof place, "%s.sessions/reserved", path);
  ck_store *store = open_one(url);
  tap_must(ck_store_reserve(&any, store, (ck_lease){1, 1}), "any reservation");
  int fd = open(place, O_RDWR | O_CLOEXEC);
  tap_must(fd >= 0, "the file of reservations");
  tap_ok(!beside(store, fd, 0), "one that has just stopped keeps others away");
  tap_ok(!beside(store, fd, 1), "also behind the next step of the time");
  tap_ok(beside(store, fd, 2), "but not behind the second one");
  close(fd);
  ck_store_close(store);
}

static void test_server(void) {
  char url[600];
  const char *store = postgres_server_store("reservations_", "postgres");
  if (!store) return;
  snprintf(url, sizeof url, "%s", store);
  test_two("postgres", url);
}

int main(void) {
  char url[400];
  snprintf(url, sizeof url, "sqlite:%s", tap_tmpfile("two.db"));
  test_two("sqlite", url);
  test_still(tap_tmpfile("still.db"));
  test_server();
  ck_store *memory = open_one("memory:");
  ck_reservation any;
  tap_ok(ck_store_reserve(&any, memory, (ck_lease){1, 1}), "a store in memory has one worker");
  ck_store_close(memory);
  return tap_done();
}
