/* breakdown.c - simulates a profile over sessions, and sums up by agent and kind of boundary. */
#include "core/host/tune/breakdown.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"

void ck_tune_breakdown_clear(ck_tune_breakdown *self) {
  free(self->list);
  *self = (ck_tune_breakdown){0};
}

static bool same(const char *left, const char *right) {
  return left && right ? strcmp(left, right) == 0 : left == right;
}

static ck_tune_group *find(ck_tune_breakdown *self, const char *agent, const char *kind) {
  for (size_t i = 0; i < self->count; i++)
    if (same(self->list[i].agent, agent) && same(self->list[i].kind, kind)) return &self->list[i];
  ck_tune_group *list = ck_array_grow(self->list, self->count, &self->cap, sizeof *list);
  if (!list) return NULL;
  self->list = list;
  list[self->count] = (ck_tune_group){.agent = agent, .kind = kind};
  return &list[self->count++];
}

/* The events from `first` on, before `behind`. Of the given profile what is the same of both is
 * counted, too. */
static bool add_events(ck_tune_group *to, const ck_recording *recording,
                       const ck_simulation *simulation, const size_t *range, bool tuned) {
  if (!to) return false;
  ck_tune_group_sum *sum = tuned ? &to->tuned : &to->given;
  for (ck_loss_kind kind = 0; kind < CK_LOSS_COUNT; kind++) {
    if (ck_tune_work(recording, kind) <= 0) continue;
    if (!tuned) to->events[kind] += (int64_t)(range[1] - range[0]);
    for (size_t i = range[0]; i < range[1]; i++)
      sum->lost[kind] += (double)ck_loss_of(&simulation->lost[i], kind);
  }
  return true;
}

static bool add_boundary(ck_tune_breakdown *self, const ck_recording *recording,
                         const ck_simulation *simulation, const size_t *range, bool tuned) {
  size_t place = recording->events[range[1] - 1].boundary;
  const ck_boundary *at = &recording->boundaries[place].at;
  ck_tune_group *group = find(self, at->agent, ck_boundary_kind_name(at->kind));
  if (!add_events(group, recording, simulation, range, tuned)) return false;
  if (!tuned) group->boundaries++;
  (tuned ? &group->tuned : &group->given)->checkpoints += simulation->decisions[place].taken;
  return true;
}

static bool add_session(ck_tune_breakdown *self, const ck_recording *recording,
                        const ck_simulation *simulation, bool tuned) {
  size_t range[2] = {0};
  bool added = true;
  for (size_t i = 0; added && i < simulation->lost_count; i++) {
    if (recording->events[i].boundary == SIZE_MAX) continue;
    range[1] = i + 1;
    added = add_boundary(self, recording, simulation, range, tuned);
    range[0] = range[1];
  }
  range[1] = simulation->lost_count;
  if (!added || range[0] == range[1]) return added;
  return add_events(find(self, NULL, NULL), recording, simulation, range, tuned);
}

ck_status ck_tune_breakdown_add(ck_tune_breakdown *self, const ck_profile *profile,
                                ck_tune_part part, bool tuned, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; status == CK_OK && i < part.count; i++) {
    ck_simulation simulation;
    status = ck_simulate_profile(&simulation, part.list[i], profile, false, err);
    if (status != CK_OK) return status;
    if (!add_session(self, part.list[i], &simulation, tuned)) status = ck_error_no_memory(err);
    ck_simulation_clear(&simulation);
  }
  return status;
}

static int compare_texts(const char *left, const char *right) {
  return left && right ? strcmp(left, right) : (left == NULL) - (right == NULL);
}

static int compare(const void *left, const void *right) {
  const ck_tune_group *a = left, *b = right;
  if ((a->kind == NULL) != (b->kind == NULL)) return a->kind ? -1 : 1;
  int agents = compare_texts(a->agent, b->agent);
  return agents ? agents : compare_texts(a->kind, b->kind);
}

void ck_tune_breakdown_sort(ck_tune_breakdown *self) {
  if (self->count) qsort(self->list, self->count, sizeof *self->list, compare);
}
