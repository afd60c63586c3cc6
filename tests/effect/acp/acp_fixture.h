/* acp_fixture.h - the tests' agent, prompted through the driver as the runtime would, with a rule
 * and a session that answer it. */
#ifndef CK_TESTS_EFFECT_ACP_ACP_FIXTURE_H
#define CK_TESTS_EFFECT_ACP_ACP_FIXTURE_H

#include "core/effect/acp/acp.h"
#include "tests/effect/drive.h"

enum { ACP_SCENE_SHORT_MS = 100 };

typedef struct acp_fixture {
  drive drive; /* first: the sink is the acp_fixture */
  const char *argv[4];
  ck_process process;
  ck_acp_options options;
  ck_effect_driver *driver;
  ck_effect effect;
  ck_buffer request, updates; /* updates: one a line */
  ck_permit rule;
  char kind[64]; /* the last one that the rule decided on */
  /* The session, whose policies or person answer with this word, or not yet. */
  ck_action_word word;
  bool silent;
  int asked, dropped;
  char question[512]; /* what is asked about */
  void (*answered)(void *to, ck_action_word word, bool person, const char *why);
  void *to;
  ck_loop_task task;
} acp_fixture;

/* Must be called first: finds the agent's program, or ends the test as skipped. */
void acp_fixture_init(ck_loop *loop);
/* `mode` may be NULL. The driver is made by acp_fixture_open_driver; options may be changed
 * before. */
void acp_fixture_begin(acp_fixture *self, const char *mode);
void acp_fixture_open_driver(acp_fixture *self);
/* From now on there is a session that can be asked. */
void acp_fixture_ask_session(acp_fixture *self);
/* Begin and open_driver. */
void acp_fixture_open(acp_fixture *self, const char *mode);
/* Sets the effect; `session` may be NULL. */
void acp_fixture_set(acp_fixture *self, ck_effect_class class, const char *prompt,
                     const char *session);
/* Sets and carries out the effect; the outcome is borrowed until the next one. */
const ck_outcome *acp_fixture_prompt(acp_fixture *self, const char *prompt, const char *session);
void acp_fixture_close(acp_fixture *self);
/* A member of the result as text; lives until the next call. */
const char *acp_fixture_result(const ck_outcome *outcome, const char *member);

#endif
