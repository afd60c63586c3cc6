/* flow_driver.h - drives a flow engine as the runtime does, from lists of answers, and writes down
 * what it was asked. */
#ifndef CK_TESTS_LUA_FLOW_FLOW_DRIVER_H
#define CK_TESTS_LUA_FLOW_FLOW_DRIVER_H

#include "lua/flow/flow.h"

/* Where a boundary left everything, to go back to. */
typedef struct flow_snapshot {
  ck_value *position;
  ck_state *state;
  ck_conversation *conversation;
  size_t given[CK_EFFECT_KIND_COUNT];
  size_t log; /* its length then */
} flow_snapshot;

typedef struct flow_driver {
  ck_flow_engine *engine;
  ck_flow *flow;
  ck_coroutine *coroutine;
  ck_outcome *outcome;
  ck_state *state;
  ck_conversation *conversation;
  ck_state *pending; /* changes since the last boundary ; removals are applied at once */
  ck_value *position, *input, *options, *value;
  const char *prompt;                               /* of the recording */
  const char *const *answers[CK_EFFECT_KIND_COUNT]; /* JSON; NULL-terminated. At their end: "ended".
                                                       "!text": an error */
  size_t given[CK_EFFECT_KIND_COUNT];
  flow_snapshot *snapshots;
  size_t snapshot_count;
  ck_buffer log;     /* a line for each step, message and change */
  ck_flow_step step; /* the last one */
} flow_driver;

/* A file with this text, of a name of its own that ends in ".lua"; lives until the program ends. */
const char *flow_file(const char *text);
/* Loads the file at `path`; ends the program when that fails. */
void flow_driver_load(flow_driver *self, const char *path, const ck_clock *clock);
/* The same with a flow.custom whose run function has this body, all on line 1 unless it has lines
 * of its own. */
void flow_driver_load_body(flow_driver *self, const char *body, const ck_clock *clock);
/* Opens the coroutine at self->position, if it is not open, and drives it until it is done or
 * pauses. */
ck_status flow_driver_run(flow_driver *self, ck_error *err);
/* A snapshot of the beginning, so that it can be gone back to as to a boundary. */
void flow_driver_mark_start(flow_driver *self);
/* One step; false when it was the last one. */
bool flow_driver_step(flow_driver *self, ck_status *status, ck_error *err);
/* Back to a snapshot: the coroutine is closed, all is as it was then. */
void flow_driver_rewind(flow_driver *self, size_t snapshot);
/* A message of a model, as answers of CK_EFFECT_MODEL. */
#define FLOW_CALL(id, name, arguments)                                      \
  "{\"id\":\"" id "\",\"type\":\"function\",\"function\":{\"name\":\"" name \
  "\",\"arguments\":" arguments "}}"
#define FLOW_CALLS(...) "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" __VA_ARGS__ "]}"
#define FLOW_SAYS(text) "{\"role\":\"assistant\",\"content\":\"" text "\"}"
/* The coroutine is closed after every step in turn, and goes on from the last boundary before it,
 * or from the start: each time it must ask for the same and come to the same conversation. `load`
 * begins a driver with its answers. */
void flow_driver_survives(void (*load)(flow_driver *), const char *promise);
/* The conversation, a message a line. Lives until the next call. */
const char *flow_driver_messages(flow_driver *self);
const char *flow_driver_log(flow_driver *self);
void flow_driver_clear(flow_driver *self);

#endif
