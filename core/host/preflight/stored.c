/* stored.c - a resume with the files that the store kept of the last run, because somebody asked
 * for them by name: from a store with a key, or each by its digest. */
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/host/preflight/preflight.h"

static bool is_trusted(const ck_preflight *self, const char *digest) {
  for (size_t i = 0; i < self->options.trusted.count; i++)
    if (strcmp(self->options.trusted.list[i], digest) == 0) return true;
  return false;
}

/* Whether this run asks for the policy on its own command line. */
static bool is_asked(const ck_preflight *self, const char *asked) {
  const ck_settings_words *settings = self->options.settings;
  bool found = false;
  for (size_t i = 0; settings && i < settings->policies.count && !found; i++) {
    char *name = NULL;
    ck_error ignored = CK_ERROR_INIT;
    ck_status status = ck_launch_take_profile(&name, settings->policies.list[i], &ignored);
    found = status == CK_OK && strcmp(name, asked) == 0;
    free(name);
  }
  return found;
}

/* A policy that the run before had set for itself alone is not this one's. */
static bool was_for_that_run(const ck_preflight *self, const ck_kept_file *file) {
  ck_bytes settings = self->settings_before ? ck_value_bytes(self->settings_before) : (ck_bytes){0};
  if (strcmp(file->kind, "policy") != 0) return false;
  for (ck_json_iterator it = ck_json_iterate(ck_json_get(settings, "policies")); ck_json_next(&it);)
    if (ck_json_is_text(it.value, file->asked)) return !is_asked(self, file->asked);
  return false;
}

/* A profile of the command line is a file, with its policies. Shipped ones are the program's. */
static bool is_run(const ck_preflight *self, const ck_kept_file *file) {
  if (file->shipped || was_for_that_run(self, file)) return false;
  bool of_flow = strcmp(file->kind, "flow") == 0 || strcmp(file->kind, "flow_module") == 0;
  return of_flow || !self->options.profile;
}

static void check_trust(ck_preflight *self, const ck_engine *engine) {
  bool has_key = engine->runtime->key;
  for (size_t i = 0; i < self->files.count; i++) {
    const ck_kept_file *file = &self->files.list[i];
    if (!is_run(self, file)) continue;
    ck_output_notice(engine->output, "from the store: %s %s, digest %s", file->kind, file->file,
                     file->digest);
    if (has_key || is_trusted(self, file->digest)) continue;
    self->untrusted = true;
    ck_preflight_add(self, CK_E_REFUSED,
                     "%s %s would be run from a store without a key, where whoever can write the "
                     "store can have put it: --trust-flow %s, if that is the digest of what you "
                     "want to run",
                     file->kind, file->file, file->digest);
  }
}

/* A digest that somebody trusts, and that is not there, is not what would be run. */
static void check_words(ck_preflight *self) {
  for (size_t i = 0; i < self->options.trusted.count; i++) {
    const char *word = self->options.trusted.list[i];
    bool found = false;
    for (size_t k = 0; k < self->files.count && !found; k++)
      found = strcmp(self->files.list[k].digest, word) == 0;
    if (!found)
      ck_preflight_add(self, CK_E_REFUSED, "--trust-flow %s: no file that the session ran has it",
                       word);
  }
}

static ck_status take_text(ck_preflight *self, ck_engine *engine, const ck_kept_file *file,
                           ck_error *err) {
  ck_buffer text = {0};
  ck_error failure = CK_ERROR_INIT;
  bool is_flow = strcmp(file->kind, "flow") == 0;
  ck_status status = ck_kept_files_get_text(&text, engine->runtime->store, file, &failure);
  if (status == CK_OK)
    status = ck_scripts_put(&engine->scripts, file->kind, is_flow ? file->file : file->asked,
                            file->file, ck_buffer_bytes(&text), &failure);
  if (status != CK_OK) self->untrusted = true;
  ck_buffer_clear(&text);
  return ck_preflight_take(self, status, &failure, err);
}

static const ck_kept_file *find(const ck_kept_files *files, const char *kind) {
  for (size_t i = 0; i < files->count; i++)
    if (strcmp(files->list[i].kind, kind) == 0) return &files->list[i];
  return NULL;
}

bool ck_preflight_has_stored(const ck_preflight *self, const ck_engine *engine) {
  ck_kept_files files = {0};
  ck_error ignored = CK_ERROR_INIT;
  bool found =
      ck_kept_files_read(&files, engine->runtime->store, &self->head, 0, &ignored) == CK_OK &&
      find(&files, "flow");
  ck_kept_files_clear(&files);
  return found;
}

ck_status ck_preflight_take_stored(ck_preflight *self, ck_engine *engine, ck_error *err) {
  ck_error failure = CK_ERROR_INIT;
  ck_status status =
      ck_kept_files_read(&self->files, engine->runtime->store, &self->head, 0, &failure);
  if (status != CK_OK) return ck_preflight_take(self, status, &failure, err);
  const ck_kept_file *flow = find(&self->files, "flow"), *top = find(&self->files, "profile");
  self->untrusted = !flow;
  if (!flow)
    ck_preflight_add(self, CK_E_REFUSED, "the store has not kept the flow of session %s",
                     self->head.session.id);
  if (!flow) return CK_OK;
  check_trust(self, engine);
  check_words(self);
  for (size_t i = 0; i < self->files.count && status == CK_OK; i++)
    if (is_run(self, &self->files.list[i]))
      status = take_text(self, engine, &self->files.list[i], err);
  if (status == CK_OK) status = ck_text_replace(&self->launch.flow, flow->file, err);
  if (status == CK_OK && top && !self->options.profile)
    status = ck_text_replace(&self->launch.profile, top->asked, err);
  engine->scripts.closed = true;
  return status;
}

ck_status ck_preflight_take_signed(ck_preflight *self, ck_engine *engine, ck_error *err) {
  ck_signed_flow *from = self->options.signed_flow;
  engine->scripts = from->scripts;
  from->scripts = (ck_scripts){0};
  ck_status status = ck_text_replace(&self->launch.flow, from->flow, err);
  free(self->launch.profile);
  self->launch.profile = from->profile;
  from->profile = NULL;
  return status;
}
