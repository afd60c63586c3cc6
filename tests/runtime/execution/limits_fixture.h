/* limits_fixture.h - flows of single model calls, for tests of limits. */
#ifndef CK_TESTS_RUNTIME_EXECUTION_LIMITS_FIXTURE_H
#define CK_TESTS_RUNTIME_EXECUTION_LIMITS_FIXTURE_H

#include "tests/runtime/execution/fake_flow.h"

#define HEAD "local flow = require 'ck.flow' return flow.custom { name = 'x', run = function(ctx) "
#define TAIL " end }"
#define MODEL "ctx.effect { kind = 'model', class = 'pure', request = { model = 'm' } } "

/* A model's answer. */
extern const char limits_reply[];
/* One model call and a boundary, for ever. */
extern const char limits_loop[];
ck_profile *limits_profile(void);
/* A person answers the only question of a session at rest. */
void limits_answer(fake_flow *s, const char *id, const char *json);
/* The same with an answer that is none: CK_E_USAGE. */
void limits_refuse(fake_flow *s, const char *id, const char *json);

#endif
