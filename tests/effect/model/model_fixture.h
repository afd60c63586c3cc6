/* model_fixture.h - a model's driver, its profile, a conversation and the server that it talks
 * to. */
#ifndef CK_TESTS_EFFECT_MODEL_MODEL_FIXTURE_H
#define CK_TESTS_EFFECT_MODEL_MODEL_FIXTURE_H

#include "core/effect/model/model.h"
#include "core/model/conversation.h"
#include "tests/effect/drive.h"
#include "tests/effect/model/model_server.h"

/* The key that the profile names, as it must stand in no text. */
#define MODEL_SCENE_KEY "sk-canary-0123456789"

typedef struct model_scene {
  model_server server;
  ck_loop *loop;
  ck_profile *profile;
  ck_profile_model *model;  /* "m"; change it before the first call */
  ck_model_options options; /* likewise */
  ck_effect_driver *driver; /* NULL before the first call */
  ck_conversation *conversation;
  ck_effect effect;
  drive drive;
} model_scene;

/* Prices are 3, 15, 1 and 4 dollars for input, output, cache reads and writes; two retries that
 * wait a millisecond at most. */
void model_scene_open(model_scene *self, const char *api, const char *script);
void model_scene_close(model_scene *self);

void model_scene_say(model_scene *self, const char *role, const char *text);
void model_scene_append(model_scene *self, const ck_value *message);
/* `content` is JSON. */
void model_scene_result(model_scene *self, const char *call_id, const char *content);

/* Begins without waiting; the driver is made. */
ck_status model_scene_begin(model_scene *self, ck_effect_run **run, const char *request);
/* To its outcome, borrowed until the next call. */
const ck_outcome *model_scene_call(model_scene *self, const char *request);

#endif
