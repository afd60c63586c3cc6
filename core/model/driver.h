/* driver.h - what carries effects out: the functions of a driver, and the sink for its outcomes. */
#ifndef CK_MODEL_DRIVER_H
#define CK_MODEL_DRIVER_H

#include "core/model/action.h"
#include "core/model/effect.h"

/* Where a driver delivers the outcome. Loop thread only. */
typedef struct ck_effect_sink {
  /* Between start and done. `chunk`, a JSON object, becomes an `update` event. */
  void (*update)(struct ck_effect_sink *sink, ck_bytes chunk);
  /* NULL: nothing is kept. Between start and done, one at a time: `then` is called, once, when all
   * updates so far are in the store, or may stay unsaved; never behind done. */
  void (*when_kept)(struct ck_effect_sink *sink, void (*then)(void *to), void *to);
  /* NULL: it is not kept. Between start and done, when the driver waits before it delivers that a
   * try has failed whose cost and tokens are known: they are durable soon, and not lost with this
   * process. True: kept, and not to be in the outcome of `done`. Borrowed. */
  bool (*spent)(struct ck_effect_sink *sink, const ck_outcome *known);
  /* NULL: nobody but the driver decides. Between start and done: whether the policies, or a person
   * whom they ask, permit `action`, which is borrowed for the call. `action->answered` is called
   * once, later, unless the question is forgotten. NULL in *out: no policy has a word in it, nor
   * does the action's rule have a person asked: the driver decides by the rule. */
  CK_CHECKED ck_status (*permit)(ck_action_question **out, struct ck_effect_sink *sink,
                                 const ck_action *action, ck_error *err);
  /* The answer is not needed any more; before done, of every question that has none. */
  void (*forget)(struct ck_effect_sink *sink, ck_action_question *question);
  /* Exactly once, also after cancel. Takes `outcome`. */
  void (*done)(struct ck_effect_sink *sink, ck_outcome *outcome);
} ck_effect_sink;

/* What limits leave to an effect and everyone who pays for it; -1: no limit. */
typedef struct ck_allowance {
  int64_t micros, tokens;
} ck_allowance;

/* One started effect, owned by its driver until done was called. */
typedef struct ck_effect_run ck_effect_run;

/* What a driver provides. Loop thread only. Replayed outcomes never reach a driver. start and probe
 * never call the sink before they return; after an error status they never call it at all. */
typedef struct ck_effect_driver {
  const char *name; /* kept with each outcome as "via" */
  void *self;
  /* True when this driver serves `effect`; the first such driver of the list is used. */
  bool (*serves)(void *self, const ck_effect *effect);
  CK_CHECKED ck_status (*start)(ck_effect_run **out, void *self, const ck_effect *effect,
                                ck_effect_sink *sink, ck_error *err);
  /* NULL: not reconcilable. Delivers OK or ERROR (the effect had happened, with this outcome),
   * ABSENT or UNKNOWN. */
  CK_CHECKED ck_status (*probe)(ck_effect_run **out, void *self, const ck_effect *effect,
                                ck_effect_sink *sink, ck_error *err);
  /* True when `effect` can be probed: drivers may decide per tool. NULL means: whenever probe is
   * not NULL. */
  bool (*probes)(void *self, const ck_effect *effect);
  void (*cancel)(void *self, ck_effect_run *run);
  /* NULL: never. True while nothing of the run is under way: it waits to try again. A session that
   * is to end gives it up then at once, for what it has cost so far is known. */
  bool (*waits)(void *self, const ck_effect_run *run);
  /* NULL: never. A question was answered elsewhere with `answer`: the run ends, and `done` is not
   * called. False: the question cannot be withdrawn any more. */
  bool (*withdraw)(void *self, ck_effect_run *run, const char *answer);
  /* NULL: CK_EFFECT_TRIES. How often `effect`, when it may be repeated, is tried in one process
   * before its unknown endings count: see CK_OUTCOME_UNKNOWN. */
  unsigned (*tries)(void *self, const ck_effect *effect);
  /* NULL: free. The most that `effect` can cost, micro-dollars; or a CK_RESERVE_. */
  int64_t (*reserve)(void *self, const ck_effect *effect);
  /* NULL: as `reserve` says. Money or tokens are limited: sets the effect's reserves, output_max,
   * fitted and unfitted, so that it takes no more than is left; but not so little that it would be
   * of no use: then the reserves are more than is left, and it is not begun. */
  void (*fit)(void *self, ck_effect *effect, const ck_allowance *left);
  /* May be NULL. Called when the flow ended well in `scope`; CK_E_DIVERGED when the driver expected
   * more effects (a recording is not used up). */
  CK_CHECKED ck_status (*finish)(void *self, const char *scope, uint64_t consumed, ck_error *err);
  void (*free)(void *self);
} ck_effect_driver;

#endif
