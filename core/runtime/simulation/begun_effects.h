/* begun_effects.h - what a transcript tells of effects so far, by key: as each was begun last. */
#ifndef CK_RUNTIME_SIMULATION_BEGUN_EFFECTS_H
#define CK_RUNTIME_SIMULATION_BEGUN_EFFECTS_H

#include "core/base/map.h"
#include "core/model/effect.h"
#include "core/model/event.h"

typedef struct ck_begun_effect {
  char *key, *agent, *scope; /* agent: NULL: nobody */
  ck_value *intent;
  bool masked;      /* policies took something out of it */
  bool open;        /* without an outcome since */
  bool lost;        /* that outcome says that its own was lost */
  int64_t timeline; /* on which it was begun last */
  int64_t seq;      /* of that intent */
} ck_begun_effect;

typedef struct ck_begun_effects {
  ck_map by_key;
} ck_begun_effects;
void ck_begun_effects_clear(ck_begun_effects *self);

/* An intent or an outcome; others leave all as it is. */
CK_CHECKED ck_status ck_begun_effects_take(ck_begun_effects *self, const ck_event *event,
                                           ck_error *err);
/* NULL: it was never begun. */
const ck_begun_effect *ck_begun_effects_get(const ck_begun_effects *self, const char *key);

/* An effect as an object says it: kind, class, request, untrusted, attempt and reserve, where they
 * are there. Borrows the object. */
void ck_begun_effect_read(ck_effect *out, ck_bytes object);
/* It holds a placeholder: something was taken out of it. */
bool ck_begun_effect_is_masked(ck_bytes request);

#endif
