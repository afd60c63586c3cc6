/* environment.c - copies the allowed variables. */
#include "core/effect/process/environment.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A name that ends with '*' stands for all names with that beginning. */
static const char *const usual[] = {"PATH",   "HOME",          "LANG",      "LC_*", "TZ",
                                    "TMPDIR", "CKRUN_SESSION", "CKRUN_RUN", NULL};

static bool is_named(const char *variable, const char *const *names, bool patterns) {
  size_t length = strcspn(variable, "=");
  for (; names && *names; names++) {
    size_t known = strlen(*names);
    bool open = patterns && known > 0 && (*names)[known - 1] == '*';
    known -= open;
    if ((open ? length >= known : length == known) && strncmp(variable, *names, known) == 0)
      return true;
  }
  return false;
}

ck_status ck_environment_take(ck_environment *out, const char *const *names, ck_error *err) {
  size_t count = 0;
  *out = (ck_environment){0};
  while (environ && environ[count]) count++;
  out->list = calloc(count + 1, sizeof *out->list);
  if (!out->list) return ck_error_no_memory(err);
  for (size_t i = 0; i < count; i++) {
    if (!is_named(environ[i], usual, true) && !is_named(environ[i], names, false)) continue;
    char *copy = strdup(environ[i]);
    if (!copy) {
      ck_environment_clear(out);
      return ck_error_no_memory(err);
    }
    out->list[out->count++] = copy;
  }
  return CK_OK;
}

void ck_environment_clear(ck_environment *self) {
  for (size_t i = 0; i < self->count; i++) free(self->list[i]);
  free(self->list);
  *self = (ck_environment){0};
}
