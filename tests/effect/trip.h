/* trip.h - runs an agent's loop against a cassette and builds the conversation on the way, as the
 * runtime would. */
#ifndef CK_TESTS_EFFECT_TRIP_H
#define CK_TESTS_EFFECT_TRIP_H

#include "core/effect/cassette/cassette.h"
#include "tests/effect/drive.h"

typedef struct trip {
  drive drive;
  ck_effect_driver *driver;
  const ck_cassette *cassette;
  ck_conversation *conversation;
  const char *prompt; /* sent as system message; NULL: none */
  uint64_t consumed;
  int64_t models, tools, asks;
  int64_t cost_micros, input_tokens, output_tokens;
  const ck_outcome *last; /* borrowed */
  int64_t
      spoil_message; /* a message of this number (from 0) is changed before it is sent; -1: none */
  bool backwards;    /* the calls of a message are made last first */
} trip;

void trip_init(trip *self, ck_loop *loop, const ck_cassette *cassette);
void trip_clear(trip *self);
/* Until an outcome is not OK or ERROR: ended, or failed. */
void trip_run(trip *self);

#endif
