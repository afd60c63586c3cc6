/* asked_hooks.c - whether policies have the hooks that a command asks. */
#include "core/host/inspect/asked_hooks.h"

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

ck_status ck_asked_hooks_check(const ck_profile *policy, const char *given, bool redact,
                               ck_error *err) {
  ck_policy_engine engine;
  ck_buffer hooks = {0};
  ck_status status = ck_policy_engine_open(&engine, policy, err);
  if (status != CK_OK) return status;
  if (redact ? !engine.redact : !engine.checkpoint && !engine.prune) {
    ck_asked_hooks_append(&hooks, &engine);
    status =
        ck_error_set(err, CK_E_USAGE, "--policy %s: it has %s, which --hook %s asks; %s", given,
                     redact ? "no redact hook" : "neither a checkpoint nor a prune hook",
                     redact ? "redact" : "checkpoint", hooks.data ? hooks.data : "");
  }
  ck_buffer_clear(&hooks);
  engine.free(engine.self);
  return status;
}
