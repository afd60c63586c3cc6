/* shown_as.h - what a profile lets policies see of a boundary: its budget, the text of messages. */
#ifndef CK_RUNTIME_SIMULATION_SHOWN_AS_H
#define CK_RUNTIME_SIMULATION_SHOWN_AS_H

#include "core/model/profile.h"
#include "core/runtime/session/policy.h"

/* As a limit, also of a profile: the budget that each boundary was recorded with. Such a profile is
 * that of a policy alone, and the text of messages is shown as it was recorded, too. */
enum { CK_SIMULATE_AS_RECORDED = -2 };

typedef enum { CK_TEXT_AS_RECORDED, CK_TEXT_HIDDEN, CK_TEXT_SHOWN } ck_text_shown;

typedef struct ck_shown_as {
  int64_t limit_micros; /* -1: none; CK_SIMULATE_AS_RECORDED */
  ck_text_shown text;
} ck_shown_as;

/* As everything was recorded. */
ck_shown_as ck_shown_as_recorded(void);
/* As a run under that profile is shown it; NULL: as it was recorded. */
ck_shown_as ck_shown_as_profile(const ck_profile *profile);

/* A last message with the text, and without it: each a JSON object. Owned. */
typedef struct ck_shown_message {
  ck_bytes with, without; /* no bytes: none, or not known */
  bool recorded_with;
} ck_shown_message;
void ck_shown_message_clear(ck_shown_message *self);
/* Of a message as it was recorded, a JSON object or no bytes. */
CK_CHECKED ck_status ck_shown_message_read(ck_shown_message *out, ck_bytes recorded, ck_error *err);
/* Its text is that of `message` when it is as long as was recorded; NULL: no message. */
CK_CHECKED ck_status ck_shown_message_complete(ck_shown_message *self, const ck_value *message,
                                               ck_error *err);
/* Its text is not known, and would be shown. */
bool ck_shown_message_lacks(const ck_shown_message *self, const ck_shown_as *as);

/* Makes of a recorded boundary what is shown; `message`: its last message. Borrows it. */
void ck_shown_as_apply(ck_boundary *at, const ck_shown_as *as, const ck_shown_message *message);

#endif
