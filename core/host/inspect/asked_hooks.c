/* asked_hooks.c - whether policies have the hooks that a command asks. */
#include "core/host/inspect/asked_hooks.h"

#include <string.h>

#include "lua/policy/hooks.h"
#include "lua/policy/policy.h"

void ck_asked_hooks_append(ck_buffer *out, const ck_policy_engine *engine) {
  size_t begin = out->len;
#define X(hook, ...) \
  if (engine->hook)  \
    ck_buffer_append_format(out, "%s%s", out->len > begin ? ", " : "its hooks: ", #hook);
  CK_POLICY_HOOK_TABLE(X)
#undef X
  if (out->len == begin) ck_buffer_append_text(out, "it has no hook at all");
}

static bool has_hook(const ck_policy_engine *engine, const char *name) {
#define X(hook, ...) \
  if (strcmp(name, #hook) == 0) return engine->hook != NULL;
  CK_POLICY_HOOK_TABLE(X)
#undef X
  return false;
}

ck_status ck_asked_hooks_check(const ck_profile *policy, const char *given, const char *hook,
                               ck_error *err) {
  ck_policy_engine engine;
  ck_buffer hooks = {0};
  ck_status status = ck_policy_engine_open(&engine, policy, err);
  if (status != CK_OK) return status;
  bool usual = !hook || strcmp(hook, "checkpoint") == 0;
  bool has = usual ? engine.checkpoint || engine.prune : has_hook(&engine, hook);
  if (!has) {
    ck_asked_hooks_append(&hooks, &engine);
    status =
        ck_error_set(err, CK_E_USAGE, "--policy %s: it has %s%s%s, which --hook %s asks; %s", given,
                     usual ? "neither a checkpoint nor a prune" : "no ", usual ? "" : hook, " hook",
                     usual ? "checkpoint" : hook, hooks.data ? hooks.data : "");
  }
  ck_buffer_clear(&hooks);
  engine.free(engine.self);
  return status;
}
