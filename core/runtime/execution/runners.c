/* runners.c - lists of a session's coroutines, kept up to date as they move. */
#include "core/runtime/execution/runners.h"

#include "core/runtime/execution/call_private.h"

/* ---- those that are due ---- */

void ck_runner_wake(ck_runner *self) {
  ck_runners *all = &self->execution->runners;
  if (self->place.is_due) return;
  self->place.is_due = true;
  self->place.previous_due = all->last_due;
  *(all->last_due ? &all->last_due->place.next_due : &all->due) = self;
  all->last_due = self;
}

static void unlink_due(ck_runners *all, ck_runner *runner) {
  ck_place *place = &runner->place;
  if (!place->is_due) return;
  *(place->previous_due ? &place->previous_due->place.next_due : &all->due) = place->next_due;
  *(place->next_due ? &place->next_due->place.previous_due : &all->last_due) = place->previous_due;
  place->next_due = place->previous_due = NULL;
  place->is_due = false;
}

ck_runner *ck_runners_take_due(ck_runners *self) {
  ck_runner *taken = self->due;
  if (taken) unlink_due(self, taken);
  return taken;
}

/* ---- those that wait for a ticket ---- */

static void unlink_saving(ck_runners *all, ck_runner *runner) {
  ck_place *place = &runner->place;
  if (!place->is_saving) return;
  *(place->previous_saving ? &place->previous_saving->place.next_saving : &all->saving) =
      place->next_saving;
  *(place->next_saving ? &place->next_saving->place.previous_saving : &all->last_saving) =
      place->previous_saving;
  place->next_saving = place->previous_saving = NULL;
  place->is_saving = false;
}

/* Tickets ascend, so its place is at the end, or a few steps before it. */
static void link_saving(ck_runners *all, ck_runner *runner, uint64_t ticket) {
  ck_place *place = &runner->place;
  ck_runner *before = all->last_saving;
  while (before && before->place.ticket > ticket) before = before->place.previous_saving;
  place->ticket = ticket;
  place->is_saving = true;
  place->previous_saving = before;
  place->next_saving = before ? before->place.next_saving : all->saving;
  *(before ? &before->place.next_saving : &all->saving) = runner;
  *(place->next_saving ? &place->next_saving->place.previous_saving : &all->last_saving) = runner;
}

/* 0: none. */
static uint64_t awaited_ticket(const ck_runner *self) {
  uint64_t first = self->phase == CK_PHASE_SAVE ? self->ticket : 0;
  if (self->phase != CK_PHASE_CALLS) return first;
  for (size_t i = 0; i < self->call_count; i++) {
    const ck_call *call = self->calls[i];
    bool tells = call->phase == CK_CALL_DRIVER && call->kept;
    uint64_t ticket = call->phase == CK_CALL_INTENT ? call->ticket : tells ? call->told : 0;
    if (ticket && (first == 0 || ticket < first)) first = ticket;
  }
  return first;
}

ck_status ck_runners_wake_saved(ck_execution *execution, ck_error *err) {
  ck_runners *all = &execution->runners;
  ck_status status = CK_OK;
  while (all->saving && status == CK_OK) {
    ck_runner *next = all->saving;
    status = ck_session_peek(execution->session, next->place.ticket, err);
    if (status == CK_OK) unlink_saving(all, next);
    if (status == CK_OK) ck_runner_wake(next);
  }
  return status == CK_E_PENDING ? CK_OK : status;
}

/* ---- after a turn ---- */

static void set_restless(ck_runners *all, ck_runner *runner, bool is_restless) {
  if (is_restless && !runner->place.is_restless) all->restless++;
  if (!is_restless && runner->place.is_restless) all->restless--;
  runner->place.is_restless = is_restless;
}

void ck_runner_settle(ck_runner *self) {
  ck_runners *all = &self->execution->runners;
  uint64_t ticket = awaited_ticket(self);
  set_restless(all, self, !ck_runner_rests(self));
  unlink_saving(all, self);
  if (ticket != 0) link_saving(all, self, ticket);
}

/* ---- families ---- */

/* True when it was not, and now is. */
static bool becomes_over(ck_runner *self) {
  bool over = self->phase == CK_PHASE_ENDED && self->place.open_children == 0;
  if (!over || self->place.over) return false;
  self->place.over = true;
  return true;
}

static void count_for_join(ck_runner *parent, const ck_runner *child) {
  if (child->join_part != CK_JOIN_WANTED) return;
  parent->joining.open--;
  if (ck_runner_join_is_over(parent)) ck_runner_wake(parent);
}

void ck_runner_set_ended(ck_runner *self) {
  self->phase = CK_PHASE_ENDED;
  while (becomes_over(self) && self->parent) {
    self->parent->place.open_children--;
    count_for_join(self->parent, self);
    self = self->parent;
  }
}

static void link_child(ck_runner *parent, ck_runner *child) {
  ck_place *place = &parent->place;
  child->place.previous_sibling = place->last_child;
  *(place->last_child ? &place->last_child->place.next_sibling : &place->child) = child;
  place->last_child = child;
  place->open_children++;
}

static void unlink_child(ck_runner *parent, ck_runner *child) {
  ck_place *place = &child->place;
  *(place->previous_sibling ? &place->previous_sibling->place.next_sibling : &parent->place.child) =
      place->next_sibling;
  *(place->next_sibling ? &place->next_sibling->place.previous_sibling
                        : &parent->place.last_child) = place->previous_sibling;
  if (!place->over) parent->place.open_children--;
}

/* ---- all of them ---- */

ck_status ck_runners_add(ck_runner *runner, ck_error *err) {
  ck_runners *all = &runner->execution->runners;
  ck_status status = ck_map_add(&all->by_scope, runner->scope, runner, err);
  if (status != CK_OK) return status;
  runner->place.previous = all->last;
  *(all->last ? &all->last->place.next : &all->first) = runner;
  all->last = runner;
  if (runner->parent) link_child(runner->parent, runner);
  set_restless(all, runner, true);
  ck_runner_wake(runner);
  return CK_OK;
}

void ck_runners_remove(ck_runner *runner) {
  ck_runners *all = &runner->execution->runners;
  ck_place *place = &runner->place;
  ck_map_remove(&all->by_scope, runner->scope);
  *(place->previous ? &place->previous->place.next : &all->first) = place->next;
  *(place->next ? &place->next->place.previous : &all->last) = place->previous;
  if (runner->parent) unlink_child(runner->parent, runner);
  unlink_due(all, runner);
  unlink_saving(all, runner);
  set_restless(all, runner, false);
}
