/* content.h - which parts of an event's body, or of a key's value, are content: what people, models
 * and programs said. All else is structure, which the runtime reads to go on: who acts, which
 * effect, how it ended, where a scope is. A policy is shown the content alone, and can change
 * nothing else. */
#ifndef CK_MODEL_CONTENT_H
#define CK_MODEL_CONTENT_H

#include "core/model/event.h"

/* The item is the body of an event (`key` NULL; of an unknown kind, 0, all is content), or the
 * value of a key of the state. */
typedef struct ck_content_of {
  ck_event_kind kind;
  const char *key;
} ck_content_of;

/* Whether events of that kind can have content, so that policies are asked about them. */
bool ck_content_has_kind(ck_event_kind kind);
/* The content of `whole`: objects without the members that are structure; `whole` itself, shared,
 * where all is content; NULL in *out: it has none. */
CK_CHECKED ck_status ck_content_pick(ck_value **out, ck_content_of of, const ck_value *whole,
                                     ck_error *err);
/* What a policy was asked about of a body as it was recorded: of session_started its input alone,
 * which is asked about before the event is there. */
CK_CHECKED ck_status ck_content_recorded(ck_value **out, ck_event_kind kind, const ck_value *body,
                                         ck_error *err);
/* `whole` with its content replaced by `changed`, which has the members of what was picked. */
CK_CHECKED ck_status ck_content_put(ck_value **out, ck_content_of of, const ck_value *whole,
                                    const ck_value *changed, ck_error *err);

#endif
