/* guests.c - a queue of strangers, of which the oldest goes first. */
#include "core/host/ui/guests.h"

#include <stdlib.h>
#include <sys/socket.h>

void ck_ui_guests_init(ck_ui_guests *self) {
  *self = (ck_ui_guests){0};
  pthread_mutex_init(&self->lock, NULL);
}

void ck_ui_guests_clear(ck_ui_guests *self) { pthread_mutex_destroy(&self->lock); }

/* ---- behind the lock ---- */

static void take_out(ck_ui_guests *self, ck_ui_guest *guest) {
  *(guest->older ? &guest->older->newer : &self->oldest) = guest->newer;
  *(guest->newer ? &guest->newer->older : &self->newest) = guest->older;
  guest->older = guest->newer = NULL;
  self->strangers--;
}

static void put_last(ck_ui_guests *self, ck_ui_guest *guest) {
  guest->older = self->newest;
  *(self->newest ? &self->newest->newer : &self->oldest) = guest;
  self->newest = guest;
  self->strangers++;
}

/* Its thread sees the end of the connection, and closes it. */
static void turn_out(ck_ui_guests *self, ck_ui_guest *guest) {
  take_out(self, guest);
  guest->leaving = true;
  shutdown(guest->fd, SHUT_RDWR);
}

ck_ui_guest *ck_ui_guests_arrive(ck_ui_guests *self, int fd) {
  ck_ui_guest *guest = calloc(1, sizeof *guest);
  if (!guest) return NULL;
  guest->fd = fd;
  pthread_mutex_lock(&self->lock);
  if (self->strangers >= CK_UI_STRANGERS_MAX) turn_out(self, self->oldest);
  put_last(self, guest);
  pthread_mutex_unlock(&self->lock);
  return guest;
}

bool ck_ui_guests_admit(ck_ui_guests *self, ck_ui_guest *guest) {
  if (!guest) return false;
  pthread_mutex_lock(&self->lock);
  bool there = guest->known || (!guest->leaving && self->known < CK_UI_KNOWN_MAX);
  if (there && !guest->known) {
    take_out(self, guest);
    guest->known = true;
    self->known++;
  }
  pthread_mutex_unlock(&self->lock);
  return there;
}

void ck_ui_guests_leave(ck_ui_guests *self, ck_ui_guest *guest) {
  if (!guest) return;
  pthread_mutex_lock(&self->lock);
  if (guest->known)
    self->known--;
  else if (!guest->leaving)
    take_out(self, guest);
  pthread_mutex_unlock(&self->lock);
  free(guest);
}
