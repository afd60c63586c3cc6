/* notifications.h - progress that is kept back until it is durable. */
#ifndef CK_RUNTIME_EXECUTION_NOTIFICATIONS_H
#define CK_RUNTIME_EXECUTION_NOTIFICATIONS_H

#include "core/runtime/execution/execution.h"

/* Zero-initialise. A bounded FIFO by ticket; when it is full the oldest is dropped: progress is for
 * people, the transcript is the record. */
enum { CK_NOTIFICATIONS_MAX = 64 };
typedef struct ck_notifications {
  struct {
    uint64_t ticket;
    const char *what; /* a literal */
    char key[CK_STATE_KEY_MAX], text[CK_ERROR_TEXT_MAX];
    ck_saved saved;
    bool has_saved;
  } items[CK_NOTIFICATIONS_MAX];
  size_t first, count;
} ck_notifications;

/* Copies what `progress` points to. */
void ck_notifications_push(ck_notifications *self, const ck_progress *progress, uint64_t ticket);
/* Calls `report` with all progress whose ticket is durable by now. */
void ck_notifications_deliver(ck_notifications *self, ck_session *session,
                              void (*report)(void *to, const ck_progress *progress), void *to);

#endif
