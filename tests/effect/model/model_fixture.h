/* model_fixture.h - a driver of models, its profile, a conversation and the server that it
 * calls. */
#ifndef CK_TESTS_EFFECT_MODEL_MODEL_FIXTURE_H
#define CK_TESTS_EFFECT_MODEL_MODEL_FIXTURE_H

#include "core/effect/model/model.h"
#include "core/model/conversation.h"
#include "tests/effect/drive.h"
#include "tests/effect/model/model_server.h"

/* The key that the profile names; it must appear in no text. */
#define MODEL_SCENE_KEY "sk-canary-0123456789"

typedef struct model_fixture {
  model_server server;
  ck_loop *loop;
  ck_profile *profile;
  ck_profile_model *model;  /* "m"; change it before the first call */
  ck_model_options options; /* likewise */
  ck_effect_driver *driver; /* NULL before the first call */
  ck_conversation *conversation;
  ck_effect effect;
  drive drive;
} model_fixture;

/* Prices are 3, 15, 1 and 4 dollars for input, output, cache reads and writes; two retries that
 * wait a millisecond at most. */
void model_fixture_open(model_fixture *self, const char *api, const char *script);
void model_fixture_close(model_fixture *self);

void model_fixture_add(model_fixture *self, const char *role, const char *text);
void model_fixture_append(model_fixture *self, const ck_value *message);
/* `content` is JSON. */
void model_fixture_result(model_fixture *self, const char *call_id, const char *content);

/* Begins without waiting; the driver is made. */
ck_status model_fixture_begin(model_fixture *self, ck_effect_run **run, const char *request);
/* To its outcome, borrowed until the next call; lost attempts are made again, and counted in it. */
const ck_outcome *model_fixture_call(model_fixture *self, const char *request);

#endif
