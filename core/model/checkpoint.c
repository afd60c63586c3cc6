/* checkpoint.c - names boundary kinds, frees checkpoints. */
#include "core/model/checkpoint.h"

#include <stdlib.h>
#include <string.h>

const char *ck_boundary_kind_name(ck_boundary_kind kind) {
  switch (kind) {
#define X(name, number, text, ...) \
  case name:                       \
    return text;
    CK_BOUNDARY_TABLE(X)
#undef X
  }
  return NULL;
}

ck_boundary_kind ck_boundary_kind_of(const char *name) {
  if (!name) return 0;
#define X(kind, number, text, ...) \
  if (strcmp(name, text) == 0) return kind;
  CK_BOUNDARY_TABLE(X)
#undef X
  return 0;
}

bool ck_boundary_kind_always(ck_boundary_kind kind) {
  switch (kind) {
#define X(name, number, text, always, ...) \
  case name:                               \
    return always;
    CK_BOUNDARY_TABLE(X)
#undef X
  }
  return false;
}

ck_boundary_count ck_boundary_kind_counted(ck_boundary_kind kind) {
  switch (kind) {
#define X(name, number, text, always, counted) \
  case name:                                   \
    return counted;
    CK_BOUNDARY_TABLE(X)
#undef X
  }
  return CK_COUNT_NONE;
}

void ck_checkpoint_free(ck_checkpoint *self) {
  if (!self) return;
  for (size_t i = 0; i < self->change_count; i++) {
    free(self->changes[i].key);
    ck_value_free(self->changes[i].value);
  }
  free(self->changes);
  ck_value_free(self->info);
  free(self);
}

void ck_checkpoint_info_clear(ck_checkpoint_info *self) {
  ck_value_free(self->info);
  *self = (ck_checkpoint_info){0};
}
