/* targets.c - reads the targets of a delegation in each of the ways that they are written. */
#include "core/runtime/session/tail/targets.h"

/* One target: its name, or an object that has it. */
static bool visit_target(ck_bytes target, ck_target_visit visit, void *to) {
  static const char *const members[] = {"agent", "target", "agentId"};
  if (ck_json_type_of(target) == CK_JSON_STRING) return visit(to, target);
  if (ck_json_type_of(target) != CK_JSON_OBJECT) return true;
  for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
    ck_bytes name = ck_json_get(target, members[i]);
    if (ck_json_type_of(name) == CK_JSON_STRING && !visit(to, name)) return false;
  }
  return true;
}

static bool visit_list(ck_bytes targets, ck_target_visit visit, void *to) {
  if (ck_json_type_of(targets) != CK_JSON_ARRAY) return visit_target(targets, visit, to);
  for (ck_json_iterator it = ck_json_iterate(targets); ck_json_next(&it);)
    if (!visit_target(it.value, visit, to)) return false;
  return true;
}

bool ck_targets_visit(ck_bytes body, ck_target_visit visit, void *to) {
  static const char *const members[] = {"target", "targets", "parallel", "sequential"};
  for (size_t i = 0; i < sizeof members / sizeof *members; i++)
    if (!visit_list(ck_json_get(body, members[i]), visit, to)) return false;
  return true;
}
