/* facts.c - reads and keeps facts in the store of the session. */
#include "core/host/run/facts.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/effect/reply.h"

typedef struct facts_driver {
  ck_effect_driver driver;
  ck_facts_options options;
  ck_replies replies;
} facts_driver;

static bool serves(void *self, const ck_effect *effect) {
  (void)self;
  return effect->kind == CK_EFFECT_READ &&
         ck_json_is_text(ck_json_get(effect->request, "what"), "fact");
}

static ck_status check_secret(ck_redactor *redactor, const char *what, const char *name,
                              ck_error *err) {
  ck_buffer kept = {0};
  ck_bytes text = ck_bytes_text(name);
  ck_status status = ck_redactor_apply_text(&kept, redactor, CK_SINK_STATE, text, err);
  if (status == CK_OK && !ck_bytes_equal(text, ck_buffer_bytes(&kept)))
    status = ck_error_set(err, CK_E_REFUSED, "a fact's %s must not hold a secret", what);
  ck_buffer_clear(&kept);
  return status;
}

/* The policies are asked about a name as about the value of facts.key or facts.agent. */
static ck_status ask(bool *masked, ck_redactor *redactor, const char *what, const char *name,
                     ck_error *err) {
  char key[32];
  ck_value *value, *kept = NULL;
  snprintf(key, sizeof key, "facts.%s", what);
  ck_status status = ck_value_text(&value, ck_bytes_text(name), err);
  if (status == CK_OK) status = ck_redactor_apply(&kept, redactor, CK_SINK_STATE, key, value, err);
  *masked =
      status == CK_OK && (!kept || !ck_bytes_equal(ck_value_bytes(value), ck_value_bytes(kept)));
  ck_value_free(kept);
  ck_value_free(value);
  return status;
}

/* Names are written as they are. A policy that masks whatever name there is says nothing of it. */
static ck_status check_name(ck_redactor *redactor, const char *what, const char *name,
                            ck_error *err) {
  bool masked = false, always = false;
  ck_status status = check_secret(redactor, what, name, err);
  if (status == CK_OK && *name) status = ask(&masked, redactor, what, name, err);
  if (status == CK_OK && masked) status = ask(&always, redactor, what, "some-name", err);
  if (status != CK_OK || !masked || always) return status;
  return ck_error_set(err, CK_E_REFUSED,
                      "a fact's %s must not hold what a policy masks, for it is written as it is: "
                      "take a key that tells nothing",
                      what);
}

static ck_status mask(ck_value **out, ck_redactor *redactor, const ck_fact *fact, ck_error *err) {
  ck_buffer key = {0};
  ck_buffer_append_format(&key, "facts.%s", fact->key);
  ck_status status = ck_buffer_check(&key, err);
  if (status == CK_OK)
    status = ck_redactor_apply(out, redactor, CK_SINK_STATE, key.data, fact->value, err);
  ck_buffer_clear(&key);
  return status;
}

ck_status ck_facts_keep(ck_value **kept, ck_store *store, ck_redactor *redactor,
                        const ck_fact *fact, ck_error *err) {
  ck_value *value = NULL;
  ck_fact masked = *fact;
  if (kept) *kept = NULL;
  if (fact->value && ck_value_bytes(fact->value).len > CK_FACT_MAX)
    return ck_error_set(err, CK_E_OVERSIZE, "fact '%.100s' has more than %d bytes", fact->key,
                        CK_FACT_MAX);
  /* One that was kept before can be removed. */
  ck_status (*check)(ck_redactor *, const char *, const char *, ck_error *) =
      fact->value ? check_name : check_secret;
  ck_status status = check(redactor, "key", fact->key, err);
  if (status == CK_OK) status = check(redactor, "agent", fact->owner, err);
  if (status == CK_OK && fact->value) status = mask(&value, redactor, fact, err);
  masked.value = value;
  if (status == CK_OK) status = ck_store_put_fact(store, &masked, err);
  if (status == CK_OK && kept) *kept = ck_value_share(value);
  ck_value_free(value);
  return status;
}

ck_status ck_facts_none(const char *key, const char *agent, ck_error *err) {
  return ck_error_set(err, CK_E_NOT_FOUND,
                      agent ? "agent %2$s has no fact '%1$.100s': see 'ckrun facts list'"
                            : "there is no fact '%1$.100s' for all agents: see 'ckrun facts list'",
                      key, agent);
}

static ck_status keep(facts_driver *self, const char *owner, const char *key, ck_bytes given,
                      ck_error *err) {
  const ck_facts_options *with = &self->options;
  ck_value *value = NULL;
  ck_status status = CK_OK;
  if (ck_json_type_of(given) != CK_JSON_NULL) status = ck_value_copy(&value, given, err);
  ck_fact fact = {
      .owner = owner, .key = key, .value = value, .at_ms = with->clock.wall_ms(with->clock.self)};
  if (status == CK_OK) status = ck_facts_keep(NULL, with->store, with->redactor, &fact, err);
  ck_value_free(value);
  return status;
}

static ck_status act(ck_value **out, facts_driver *self, ck_bytes request, ck_error *err) {
  char *owner = ck_json_dup_string(ck_json_get(request, "owner")),
       *key = ck_json_dup_string(ck_json_get(request, "key"));
  ck_bytes given = ck_json_get(request, "value");
  ck_status status = CK_OK;
  *out = NULL;
  if (!owner || !key || !*key)
    status = ck_error_set(err, CK_E_FLOW, "a fact needs an owner and a key");
  else if (given.len)
    status = keep(self, owner, key, given, err);
  else
    status = ck_store_get_fact(out, self->options.store, owner, key, err);
  if (status == CK_OK && !*out) status = ck_value_copy(out, ck_bytes_text("null"), err);
  free(key);
  free(owner);
  return status;
}

static ck_status start(ck_effect_run **out, void *to, const ck_effect *effect, ck_effect_sink *sink,
                       ck_error *err) {
  facts_driver *self = to;
  ck_error failure = CK_ERROR_INIT;
  ck_outcome *outcome = NULL;
  ck_value *value;
  *out = NULL;
  if (act(&value, self, effect->request, &failure) != CK_OK)
    return ck_reply_failed(out, &self->replies, &failure, sink, err);
  ck_status status = ck_outcome_new(&outcome, CK_OUTCOME_OK, value, NULL, err);
  ck_value_free(value);
  return status == CK_OK ? ck_reply(out, &self->replies, outcome, sink, err) : status;
}

/* Nothing to do: the outcome is already on its way. */
static void cancel(void *self, ck_effect_run *run) { (void)self, (void)run; }

static void free_driver(void *to) {
  facts_driver *self = to;
  ck_replies_clear(&self->replies);
  free(self);
}

ck_status ck_facts_driver_new(ck_effect_driver **out, const ck_facts_options *options,
                              ck_error *err) {
  *out = NULL;
  facts_driver *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->options = *options;
  self->replies.loop = options->loop;
  self->driver = (ck_effect_driver){.name = "long_term",
                                    .self = self,
                                    .serves = serves,
                                    .start = start,
                                    .cancel = cancel,
                                    .free = free_driver};
  *out = &self->driver;
  return CK_OK;
}
