/* notifications.c - the FIFO of progress that waits for its ticket. */
#include "core/runtime/execution/notifications.h"

#include <stdio.h>

#include "core/base/text.h"
void ck_notifications_push(ck_notifications *self, const ck_progress *progress, uint64_t ticket) {
  if (self->count == CK_NOTIFICATIONS_MAX) {
    self->first = (self->first + 1) % CK_NOTIFICATIONS_MAX;
    self->count--;
  }
  size_t at = (self->first + self->count++) % CK_NOTIFICATIONS_MAX;
  self->items[at].ticket = ticket;
  self->items[at].what = progress->what;
  self->items[at].has_saved = progress->saved != NULL;
  if (progress->saved) self->items[at].saved = *progress->saved;
  snprintf(self->items[at].key, sizeof self->items[at].key, "%s",
           progress->key ? progress->key : "");
  ck_text_format(self->items[at].text, sizeof self->items[at].text, "%s",
                 progress->text ? progress->text : "");
}

void ck_notifications_deliver(ck_notifications *self, ck_session *session,
                              void (*report)(void *to, const ck_progress *progress), void *to) {
  ck_error ignored = CK_ERROR_INIT;
  while (self->count > 0 &&
         ck_session_peek(session, self->items[self->first].ticket, &ignored) == CK_OK &&
         !ck_session_is_unsaved(session, self->items[self->first].ticket)) {
    size_t at = self->first;
    ck_progress progress = {.what = self->items[at].what,
                            .key = *self->items[at].key ? self->items[at].key : NULL,
                            .text = *self->items[at].text ? self->items[at].text : NULL,
                            .saved = self->items[at].has_saved ? &self->items[at].saved : NULL};
    self->first = (self->first + 1) % CK_NOTIFICATIONS_MAX;
    self->count--;
    if (report) report(to, &progress);
  }
}
