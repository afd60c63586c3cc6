/* subject_names.c - looks names up in the tables of the core. */
#include "lua/policy_tool/subject_names.h"

#include <string.h>

#include "core/model/checkpoint.h"
#include "core/model/effect.h"
#include "core/model/event.h"

int ck_subject_find_boundary(const char *name) { return (int)ck_boundary_kind_of(name); }
int ck_subject_find_event(const char *name) { return (int)ck_event_kind_of(name); }
int ck_subject_find_session(const char *name) { return (int)ck_session_status_of(name); }
int ck_subject_find_status(const char *name) {
  for (int i = 0; i < CK_STATUS_COUNT; i++) {
    if (strcmp(ck_status_name((ck_status)i), name) == 0) return i;
  }
  return 0;
}
int ck_subject_find_effect(const char *name) {
  ck_effect_kind kind;
  return ck_effect_kind_of(&kind, name) ? (int)kind + 1 : 0;
}
int ck_subject_find_class(const char *name) {
  ck_effect_class class;
  return ck_effect_class_of(&class, name) ? (int)class + 1 : 0;
}
