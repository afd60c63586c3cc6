/* guests.h - who is connected to a server of this folder. Those that have not shown yet that they
 * may ask are few, and the oldest of them makes room for the next: however many hold their
 * connections open and say nothing, whoever has the link gets in. For this folder only. */
#ifndef CK_HOST_UI_GUESTS_H
#define CK_HOST_UI_GUESTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { CK_UI_STRANGERS_MAX = 32, CK_UI_KNOWN_MAX = 64 };

typedef struct ck_ui_guest {
  struct ck_ui_guest *older, *newer; /* among the strangers */
  int fd;
  bool known, leaving;
} ck_ui_guest;

/* Thread-safe from init on. */
typedef struct ck_ui_guests {
  pthread_mutex_t lock;
  ck_ui_guest *oldest, *newest; /* strangers */
  size_t strangers, known;
} ck_ui_guests;

void ck_ui_guests_init(ck_ui_guests *self);
void ck_ui_guests_clear(ck_ui_guests *self);
/* NULL: no memory. The oldest stranger's connection is shut down when there are too many. */
ck_ui_guest *ck_ui_guests_arrive(ck_ui_guests *self, int fd);
/* It may ask: from here on nobody takes its place. False: so many are there that it is too many. */
bool ck_ui_guests_admit(ck_ui_guests *self, ck_ui_guest *guest);
/* Before its descriptor is closed. Frees the guest; NULL is fine. */
void ck_ui_guests_leave(ck_ui_guests *self, ck_ui_guest *guest);

#endif
