/* test_no_memory.c - whichever allocation fails, loading and asking policies says so, gives nothing
 * out and leaks nothing. */
/* link: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray,--wrap=strdup */
#include <stdlib.h>

#include "lua/policy/policy.h"
#include "lua/profile/overrides.h"
#include "lua/profile/profile.h"
#include "tests/lua/vm/vm_script.h"
#include "tests/starve.h"
#include "tests/tap.h"

enum { ALLOCATIONS_MAX = 20000 };

WRAP(malloc, (size_t size), (size))
WRAP(calloc, (size_t count, size_t size), (count, size))
WRAP(realloc, (void *old, size_t size), (old, size))
WRAP(reallocarray, (void *old, size_t count, size_t size), (old, count, size))
WRAP(strdup, (const char *text), (text))

#define CHECKPOINT                                                                \
  "local t = {} pcall(function() for i = 1, 9 do t[i] = opt.text .. i end end)\n" \
  "return table.concat(t, at.kind) end,\n"

static int broken; /* promises that did not hold after a failure */

static ck_status ask(const ck_policy_engine *engine, ck_error *err) {
  ck_decision decision = {0};
  ck_boundary at = {
      .kind = CK_BOUNDARY_TOOL_ROUND, .scope = "main", .agent = "a", .budget = {0, -1}};
  ck_status status = engine->checkpoint(&decision, engine->self, &at, err);
  broken += status != CK_OK && !(decision.take && decision.sync);
  ck_value_free(decision.reasons);
  ck_checkpoint_info infos[] = {{.id = "c1", .seq = 1, .kind = CK_BOUNDARY_TOOL_ROUND},
                                {.id = "c2", .seq = 2, .kind = CK_BOUNDARY_TOOL_ROUND}};
  bool drop[2] = {false, false}, keep[2] = {false, false};
  if (status == CK_OK) {
    status = engine->prune(&(ck_prune_plan){.drop = drop, .keep = keep}, engine->self,
                           &(ck_history){infos, 2, 3}, err);
    broken += drop[0] != (status == CK_OK) || drop[1];
  }
  ck_redaction redaction = {0};
  ck_value *value = NULL;
  if (status == CK_OK) status = ck_value_new(&value, ck_bytes_text("{\"a\":\"x\"}"), err);
  if (status == CK_OK) {
    status = engine->redact(&redaction, engine->self, &(ck_item){.key = "memory.k", .value = value},
                            err);
    broken += redaction.verdict != (status == CK_OK ? CK_REDACT_REF : CK_REDACT_DROP);
  }
  free(redaction.ref);
  ck_value_free(value);
  return status;
}

static ck_status use(const char *path, ck_error *err) {
  ck_profile *profile = NULL;
  ck_policy_engine engine = {0};
  ck_value *description = NULL;
  ck_status status = ck_profile_load(&profile, path, err);
  broken += (profile == NULL) != (status != CK_OK);
  if (status == CK_OK) status = ck_profile_add_policy(profile, "every_n", err);
  if (status == CK_OK) status = ck_profile_set_option(profile, "every_n", "n", "3", err);
  if (status == CK_OK) status = ck_profile_set_option(profile, "p", "text", "b", err);
  if (status == CK_OK) status = ck_profile_describe_run(&description, profile, err);
  broken += status == CK_OK && !description;
  ck_value_free(description);
  description = NULL;
  if (status == CK_OK) {
    status = ck_policy_engine_open(&engine, profile, err);
    broken += (engine.self == NULL) != (status != CK_OK);
  }
  if (status == CK_OK) status = ck_profile_describe(&description, profile, "a", err);
  broken += status == CK_OK && !description;
  ck_value_free(description);
  ck_profile_free(profile);
  if (status != CK_OK) {
    if (engine.free) engine.free(engine.self);
    return status;
  }
  status = ask(&engine, err);
  engine.free(engine.self);
  return status;
}

int main(void) {
  vm_script_file(
      "policy.lua",
      "return { name = 'p', version = 1, options = { list = {1}, text = 'a' }, checkpoint = "
      "function(at, opt)\n" CHECKPOINT
      "prune = function(history) return { drop = { history[1].id } } end,\n"
      "redact = function(item) if ck.match(item.value.a, '(x)') then return ck.ref 'env:X' end end "
      "}");
  vm_script_file("own.lua", "return { name = 'own', version = 1, options = { text = 'a' }, "
                            "checkpoint = function(at, opt)\n" CHECKPOINT "}");
  const char *path = vm_script_file(
      "profile.lua",
      "return { name = 'x', extends = 'default', policies = { { './policy.lua', text = 'b\"' } }, "
      "exclude_memory_keys = { 'z' },\n"
      "secrets = { s = 'env:S' }, models = { m = { api = 'openai', model = 'gpt', key = 's', "
      "base_url = 'http://h', max_tokens = 5, options = { top_p = 1 },\n"
      "price = { input = 1 }, headers = { ['X-A'] = 'b', ['X-C'] = { secret = 's' } } } },\n"
      "agents = { a = { constraints = { rounds = 1 }, policies = { { './own.lua', text = 'c' } "
      "} } } }");
  ck_error err = CK_ERROR_INIT;
  ck_status status = CK_E_NO_MEMORY;
  long failed = 0;
  int other = 0;
  for (; failed < ALLOCATIONS_MAX && status != CK_OK; failed++) {
    budget = failed;
    status = use(path, &err);
    budget = -1;
    /* Also where the script's own pcall stands around it. */
    other += status != CK_OK && status != CK_E_NO_MEMORY;
  }
  tap_is_status(status, CK_OK, &err, "it works as soon as there is memory for all of it");
  tap_is_int(other, 0, "each of %ld failing allocations is reported as what it is", failed - 1);
  tap_is_int(broken, 0, "and gives nothing out, or the closed answer");
  tap_ok(failed > 300, "%ld allocations were failed", failed - 1);
  return tap_done();
}
