/* failed_scopes.c - how the scopes below a runner failed, each once, the newest first. */
#include <stdlib.h>
#include <string.h>

#include "core/runtime/execution/runner_private.h"

void ck_runner_clear_failures(ck_runner *self) {
  for (ck_failed_scope *one = self->failures, *next; one; one = next) {
    next = one->next;
    free(one);
  }
  self->failures = NULL;
}

static void forget_failure(ck_runner *self, const char *below) {
  ck_failed_scope **at = &self->failures;
  while (*at && strcmp((*at)->scope, below) != 0) at = &(*at)->next;
  ck_failed_scope *found = *at;
  if (found) *at = found->next;
  free(found);
}

ck_status ck_runner_keep_failure(ck_runner *self, const char *below, const ck_ending *how,
                                 ck_error *err) {
  size_t size = strlen(below) + 1;
  ck_failed_scope *made = malloc(sizeof *made + size);
  if (!made) return ck_error_no_memory(err);
  forget_failure(self, below);
  made->how = *how;
  memcpy(made->scope, below, size);
  made->next = self->failures;
  self->failures = made;
  return CK_OK;
}
