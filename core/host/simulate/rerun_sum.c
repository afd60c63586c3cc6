/* rerun_sum.c - counts what policies answer to a hook over recorded sessions. */
#include "core/host/simulate/rerun_sum.h"

#include <stdlib.h>
#include <string.h>

#include "core/host/simulate/simulation.h"
#include "lua/policy/policy.h"

/* ---- counts ---- */

static ck_rerun_count *find(const ck_rerun_counts *self, const char *name) {
  for (size_t i = 0; i < self->count; i++)
    if (strcmp(self->list[i].name, name) == 0) return &self->list[i];
  return NULL;
}

int64_t ck_rerun_counts_get(const ck_rerun_counts *self, const char *name) {
  const ck_rerun_count *found = find(self, name);
  return found ? found->count : 0;
}

/* Takes `name`; NULL: no memory. */
static ck_status count(ck_rerun_counts *self, char *name, ck_error *err) {
  ck_rerun_count *found = name ? find(self, name) : NULL;
  if (found) {
    found->count++;
    free(name);
    return CK_OK;
  }
  ck_rerun_count *list = name ? reallocarray(self->list, self->count + 1, sizeof *list) : NULL;
  if (!list) {
    free(name);
    return ck_error_no_memory(err);
  }
  self->list = list;
  list[self->count++] = (ck_rerun_count){.name = name, .count = 1};
  return CK_OK;
}

static void clear_counts(ck_rerun_counts *self) {
  for (size_t i = 0; i < self->count; i++) free(self->list[i].name);
  free(self->list);
  *self = (ck_rerun_counts){0};
}

/* ---- the sum ---- */

/* "deny: careful: no refunds above $#". */
static char *make_reason(const ck_rerun_said *said) {
  ck_buffer name = {0};
  ck_buffer_append_format(&name, "%s: %s%s", said->word, said->policies ? said->policies : "",
                          said->policies && said->text ? ": " : "");
  if (said->text) ck_buffer_append_text(&name, said->text);
  char *whole = ck_buffer_take(&name);
  char *made = whole ? ck_reason_without_figures(whole) : NULL;
  free(whole);
  return made;
}

static ck_status add_place(ck_rerun_sum *self, const ck_rerun_place *place, ck_error *err) {
  const ck_rerun_said *now = &place->now;
  self->asked++;
  self->questions += place->asks;
  if (!now->word) {
    self->untold++;
    return count(&self->unknown, strdup(place->unknown ? place->unknown : "its event"), err);
  }
  if (!place->then.word)
    self->not_recorded++;
  else if (ck_hook_rerun_differs(place))
    self->otherwise++;
  else
    self->as_recorded++;
  ck_status status = count(&self->answers, strdup(now->word), err);
  bool why = now->text || now->policies;
  return status == CK_OK && why ? count(&self->reasons, make_reason(now), err) : status;
}

ck_status ck_rerun_sum_add(ck_rerun_sum *self, const ck_hook_rerun *of, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; status == CK_OK && i < of->count; i++)
    status = add_place(self, &of->list[i], err);
  if (of->failures && !self->failures) self->failure = of->failure;
  self->failures += of->failures;
  self->sessions++;
  return status;
}

void ck_rerun_sum_clear(ck_rerun_sum *self) {
  clear_counts(&self->answers);
  clear_counts(&self->reasons);
  clear_counts(&self->unknown);
  *self = (ck_rerun_sum){0};
}

/* ---- one session ---- */

static ck_status open_engine(ck_policy_engine *out, void *to, ck_error *err) {
  return ck_policy_engine_open(out, to, err);
}

ck_status ck_rerun_profile(ck_hook_rerun *out, ck_store *store, const char *session_id,
                           ck_rerun_hook hook, const ck_profile *profile, ck_error *err) {
  const ck_rerun_source source = {
      .open = open_engine, .to = (ck_profile *)profile, .profile = profile};
  return ck_hook_rerun_ask(out, store, session_id, hook, &source, err);
}
