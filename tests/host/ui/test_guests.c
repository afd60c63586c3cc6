/* test_guests.c - of connections that have shown nothing the oldest goes; one that may ask stays,
 * in whatever order they come, show themselves and go. */
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/host/ui/guests.h"
#include "tests/tap.h"

enum { PLACES = 400 };

typedef struct place {
  ck_ui_guest *guest; /* NULL: nobody is there */
  int ends[2];
  bool admitted;
} place;

static bool is_cut(const place *at) {
  struct pollfd there = {.fd = at->ends[1], .events = POLLIN};
  return poll(&there, 1, 0) > 0;
}

static void come(ck_ui_guests *guests, place *at) {
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, at->ends) != 0) return;
  at->guest = ck_ui_guests_arrive(guests, at->ends[0]);
  at->admitted = false;
}

static void go(ck_ui_guests *guests, place *at) {
  ck_ui_guests_leave(guests, at->guest);
  close(at->ends[0]);
  close(at->ends[1]);
  *at = (place){0};
}

static void check_queue(void) {
  ck_ui_guests guests;
  place places[CK_UI_STRANGERS_MAX + 2] = {0};
  ck_ui_guests_init(&guests);
  for (int i = 0; i < CK_UI_STRANGERS_MAX; i++) come(&guests, &places[i]);
  tap_ok(ck_ui_guests_admit(&guests, places[0].guest), "the first shows that it may ask");
  for (int i = CK_UI_STRANGERS_MAX; i < CK_UI_STRANGERS_MAX + 2; i++) come(&guests, &places[i]);
  tap_ok(!is_cut(&places[0]), "and stays, when there are too many");
  tap_ok(is_cut(&places[1]) && !is_cut(&places[2]), "the oldest of the others goes");
  tap_ok(!ck_ui_guests_admit(&guests, places[1].guest), "and is not let in any more");
  for (int i = 0; i < CK_UI_STRANGERS_MAX + 2; i++) go(&guests, &places[i]);
  tap_ok(!guests.strangers && !guests.known && !guests.oldest && !guests.newest, "nobody is left");
  ck_ui_guests_clear(&guests);
}

/* One step of a random life; false: a promise was broken. */
static bool step(ck_ui_guests *guests, place *places) {
  place *at = &places[rand() % PLACES];
  size_t strangers = 0, known = 0;
  if (!at->guest)
    come(guests, at);
  else if (rand() % 3 == 0)
    go(guests, at);
  else if (rand() % 4 == 0 && !at->admitted)
    at->admitted = ck_ui_guests_admit(guests, at->guest);
  for (int i = 0; i < PLACES; i++) {
    if (!places[i].guest) continue;
    if (places[i].admitted && is_cut(&places[i])) return false;
    known += places[i].admitted;
    strangers += !places[i].admitted && !is_cut(&places[i]);
  }
  return strangers == guests->strangers && known == guests->known &&
         strangers <= CK_UI_STRANGERS_MAX && known <= CK_UI_KNOWN_MAX;
}

static void check_lives(void) {
  static place places[PLACES];
  ck_ui_guests guests;
  ck_ui_guests_init(&guests);
  bool good = true;
  srand(7);
  for (int i = 0; i < 3000 && good; i++) good = step(&guests, places);
  tap_ok(good, "whoever comes and goes, those that may ask stay, and the others are few");
  for (int i = 0; i < PLACES; i++)
    if (places[i].guest) go(&guests, &places[i]);
  tap_ok(!guests.strangers && !guests.known, "and nobody is left");
  ck_ui_guests_clear(&guests);
}

int main(void) {
  check_queue();
  check_lives();
  return tap_done();
}
