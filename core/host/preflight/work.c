/* work.c - makes a dry run of a resume, and checks that the flow still has the tools it calls. */
#include <stdlib.h>
#include <string.h>

#include "core/host/preflight/preflight.h"
#include "core/runtime/budget/usage.h"

static bool has_tool(const ck_flow_manifest *manifest, const char *name) {
  for (size_t i = 0; i < manifest->tool_count; i++)
    if (strcmp(name, manifest->tools[i].name) == 0) return true;
  return false;
}

typedef struct taking {
  ck_preflight *preflight;
  /* NULL: the flow could not be loaded, or is accepted as changed */
  const ck_flow_manifest *manifest;
  ck_store *store;
  bool failed;
} taking;

/* An earlier run had another flow, of which this one was accepted as a change. */
static bool was_accepted(taking *self) {
  char now[CK_DIGEST_HEX_SIZE];
  bool other = false;
  ck_error ignored = CK_ERROR_INIT;
  ck_digest_hex(now, &self->manifest->digest);
  if (ck_last_run_had_other_flow(&other, self->store, &self->preflight->head, now, &ignored) !=
      CK_OK)
    return false;
  return other;
}

/* A flow that is accepted as changed may have lost a tool: its calls are not requested again, or
 * diverge. */
static void check_tool(taking *self, const ck_dry_run_effect *effect) {
  if (!self->manifest || effect->kind != CK_EFFECT_TOOL || !effect->name ||
      has_tool(self->manifest, effect->name))
    return;
  if (self->manifest->process_count > 0) return; /* its servers offer tools of their own */
  if (was_accepted(self)) return;
  ck_preflight_add(self->preflight, CK_E_REFUSED,
                   "tool \"%s\", called at %s, is not in the flow any more", effect->name,
                   effect->key);
}

/* The sum with something unknown is unknown. */
static void add(int64_t *sum, int64_t micros) {
  *sum = *sum < 0 || micros < 0 ? -1 : ck_micros_add(*sum, micros);
}

void ck_preflight_effect_clear(ck_preflight_effect *self) {
  free(self->key);
  free(self->name);
  free(self->policy);
  free(self->words);
  free(self->failure);
  free(self->by);
  ck_value_free(self->dropped);
  *self = (ck_preflight_effect){0};
}

/* False: no memory. */
static bool copy_text(char **out, const char **shown, const char *text) {
  *shown = *out = text ? strdup(text) : NULL;
  return *out || !text;
}

static bool copy_effect(ck_preflight_effect *out, const ck_dry_run_effect *from) {
  *out = (ck_preflight_effect){.is = *from, .dropped = ck_value_share(from->dropped)};
  out->is.dropped = out->dropped;
  if (copy_text(&out->key, &out->is.key, from->key) &&
      copy_text(&out->name, &out->is.name, from->name) &&
      copy_text(&out->policy, &out->is.policy, from->policy) &&
      copy_text(&out->words, &out->is.words, from->words) &&
      copy_text(&out->by, &out->is.by, from->by) &&
      copy_text(&out->failure, &out->is.failure, from->failure))
    return true;
  ck_preflight_effect_clear(out);
  return false;
}

static void take_effect(void *to, const ck_dry_run_effect *effect) {
  taking *self = to;
  ck_preflight *into = self->preflight;
  ck_preflight_effect *effects =
      reallocarray(into->effects, into->effect_count + 1, sizeof *effects);
  if (effects) into->effects = effects;
  if (!effects || !copy_effect(&effects[into->effect_count], effect)) {
    self->failed = true;
    return;
  }
  into->effect_count++;
  into->counts[effect->what]++;
  bool anew = effect->what == CK_DRY_RUN_ANEW,
       again = effect->what == CK_DRY_RUN_AGAIN || effect->what == CK_DRY_RUN_REDO;
  if (anew) add(&into->cost_micros, effect->cost_micros);
  if (anew || again) add(&into->reserve_micros, effect->reserve_micros);
  check_tool(self, effect);
}

/* "rounds: 1 of 1 spent; --limit rounds=2 lifts it". */
static void take_limit(void *to, const ck_limit_hit *hit) {
  const taking *self = to;
  ck_buffer *limits = &self->preflight->limits;
  char text[CK_ERROR_TEXT_MAX], remedy[CK_STATE_KEY_MAX];
  ck_limits_describe(text, sizeof text, hit);
  ck_limits_write_remedy(remedy, sizeof remedy, hit);
  ck_buffer_append_format(limits, "%s; %s lifts it", text, remedy);
  ck_buffer_append_char(limits, 0);
  self->preflight->limit_count++;
}

static int compare(const void *a, const void *b) {
  return strcmp(((const ck_preflight_effect *)a)->key, ((const ck_preflight_effect *)b)->key);
}

/* A session that keeps dying is marked as failing by the resume itself. */
static void check_restarts(ck_preflight *self) {
  bool marked = ck_session_is_failing(&self->head.session);
  if (self->options.retry || !self->plan.failing || !(marked || self->options.dry_run)) return;
  ck_preflight_add(self, CK_E_REFUSED,
                   "it died %d times in a row soon after it was resumed, without getting anywhere: "
                   "find out why, then resume it with --retry",
                   CK_RESTARTS_MAX);
}

/* Missing secrets, and problems reported already, do not prevent the rest from being found. */
ck_status ck_preflight_dry_run(ck_preflight *self, ck_engine *engine, ck_error *err) {
  ck_resume_options options = {
      .checkpoint = self->checkpoint.seq ? self->checkpoint.id : NULL,
      .edits = self->options.edits,
      .flow_version = engine->flow ? ck_engine_manifest(engine)->version : 0,
      .profile = engine->profile,
      .policies = engine->profile ? &engine->policies : NULL,
      .seen = self->seen,
      .records_refusal = !self->options.dry_run,
      .takes_denial = self->problem_count == 0};
  bool accepted = !engine->flow || self->options.accept_changed;
  taking t = {.preflight = self,
              .manifest = accepted ? NULL : ck_engine_manifest(engine),
              .store = engine->runtime->store};
  const ck_dry_run_visitor visitor = {take_effect, take_limit, &t};
  ck_error failure = CK_ERROR_INIT;
  /* Without problems, and without --dry-run, the resume itself is the dry run. */
  bool wanted = self->options.dry_run || self->fell_back || self->problem_count > 0 ||
                ck_preflight_edits_memory(self);
  if (!wanted) return CK_OK;
  if (self->unreadable || (self->checkpoint.seq && !self->checkpoint.resumable)) return CK_OK;
  ck_status status = ck_session_dry_run(&self->plan, engine->runtime, self->options.session,
                                        &options, &visitor, &failure);
  if (status == CK_E_SECRET_MISSING) {
    options.profile = NULL;
    options.policies = NULL;
    status = ck_session_dry_run(&self->plan, engine->runtime, self->options.session, &options,
                                &visitor, &failure);
  }
  if (t.failed) return ck_error_no_memory(err);
  if (status == CK_OK) status = ck_buffer_check(&self->limits, &failure);
  if (status != CK_OK) return ck_preflight_take(self, status, &failure, err);
  self->planned = true;
  if (self->effect_count) qsort(self->effects, self->effect_count, sizeof *self->effects, compare);
  check_restarts(self);
  return CK_OK;
}
