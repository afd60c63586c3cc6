/* search.c - a search by chance, then around the best settings so far. */
#include "core/host/tune/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/host/tune/random.h"

/* Of the score: the worst kind of work counts more than the mean of all; the first one recorded has
 * to be better than the others by this much. */
static const double worst_weight = 0.7, first_margin = 0.25;
/* Settings with nearly as many checkpoints as are asked for are compared with each other. */
static const double band = 0.85;
enum { ELITE = 5 };

typedef struct searching {
  const ck_tune_search *of;
  ck_tune_found *out;
  uint64_t state;
  size_t tried;
} searching;

/* ---- what a setting is worth ---- */

static bool is_first(const ck_tune_figures *figures, ck_loss_kind kind) {
  static const ck_loss_kind order[] = {CK_LOSS_COST, CK_LOSS_MS, CK_LOSS_TOKENS,
                                       CK_LOSS_TOOL_CALLS};
  for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
    if (figures->recorded[order[i]]) return order[i] == kind;
  }
  return false;
}

/* Both nothing: equal. */
static double log_ratio(double ours, double theirs) {
  const double least = 1e-9;
  return log((ours > least ? ours : least) / (theirs > least ? theirs : least));
}

/* Of each kind of work both the mean over sessions and that over events: neither a great session
 * nor the many small ones decide alone. */
static double score_of(const ck_tune_search *self, const ck_tune_figures *figures) {
  ck_tune_between at = ck_tune_reference_find(self->reference, figures->checkpoints);
  double worst = -INFINITY, sum = 0, count = 0;
  for (ck_loss_kind kind = 0; kind < CK_LOSS_COUNT; kind++) {
    if (!figures->recorded[kind]) continue;
    double margin = is_first(figures, kind) ? first_margin : 0;
    double ratios[] = {
        log_ratio(figures->share[kind], ck_tune_reference_share(self->reference, at, kind)),
        log_ratio(figures->mean[kind], ck_tune_reference_mean(self->reference, at, kind))};
    for (int i = 0; i < 2; i++) {
      if (ratios[i] + margin > worst) worst = ratios[i] + margin;
      sum += ratios[i] + margin;
      count++;
    }
  }
  return count > 0 ? worst_weight * worst + (1 - worst_weight) * sum / count : 0;
}

static double loss_of(const ck_tune_figures *figures) {
  double sum = 0, count = 0;
  for (ck_loss_kind kind = 0; kind < CK_LOSS_COUNT; kind++) {
    if (!figures->recorded[kind]) continue;
    sum += figures->share[kind];
    count++;
  }
  return count > 0 ? sum / count : 0;
}

/* ---- settings ---- */

static bool same_values(const ck_tune_space *space, const double *a, const double *b) {
  for (size_t i = 0; i < space->count; i++) {
    char left[CK_TUNE_VALUE_SIZE], right[CK_TUNE_VALUE_SIZE];
    ck_tune_space_value(left, &space->options[i], a[i]);
    ck_tune_space_value(right, &space->options[i], b[i]);
    if (strcmp(left, right) != 0) return false;
  }
  return true;
}

/* The point with these values; `count` of them: none has. */
static size_t find_point(const searching *self, const double *places) {
  size_t at = 0;
  while (at < self->out->count &&
         !same_values(self->of->space, self->out->points[at].places, places))
    at++;
  return at;
}

static ck_status measure(searching *self, ck_error *err) {
  const ck_tune_search *of = self->of;
  ck_tune_point *made = &self->out->points[self->out->count];
  ck_tune_figures figures;
  ck_status status = ck_tune_figures_take(&figures, of->space->profile, of->part, err);
  if (status != CK_OK) return status;
  made->checkpoints = figures.checkpoints;
  made->bytes = figures.bytes;
  memcpy(made->mean, figures.mean, sizeof made->mean);
  made->loss = loss_of(&figures);
  made->score = score_of(of, &figures);
  ck_tune_figures_clear(&figures);
  self->out->count++;
  return CK_OK;
}

/* A point more, unless there is one with these values or a policy refuses them. */
static ck_status add_point(searching *self, const double *places, ck_error *err) {
  const ck_tune_search *of = self->of;
  if (find_point(self, places) < self->out->count) return CK_OK;
  memcpy(self->out->points[self->out->count].places, places, of->space->count * sizeof *places);
  ck_error failure = CK_ERROR_INIT;
  ck_status status = ck_tune_space_apply(of->space, places, err);
  if (status != CK_OK) return status;
  status = measure(self, &failure);
  if (status == CK_E_PARSE) return CK_OK;
  if (status != CK_OK && err) *err = failure;
  return status;
}

/* A setting that was tried already costs a try, so that a search of few values ends, too; so does
 * one that its policy refuses. */
static ck_status try_places(searching *self, const double *places, ck_error *err) {
  const ck_tune_search *of = self->of;
  self->tried++;
  if (of->progress) of->progress(of->to, self->tried, of->tries);
  return add_point(self, places, err);
}

/* ---- where to look ---- */

static bool in_band(const searching *self, const ck_tune_point *point) {
  double target = (double)self->of->target;
  return (double)point->checkpoints >= band * target && (double)point->checkpoints <= target;
}

static double distance(const searching *self, const ck_tune_point *point) {
  return fabs(log((double)(point->checkpoints + 1) / (double)(self->of->target + 1)));
}

/* In the band, the lower score; outside of it, what is nearer. */
static bool is_better(const searching *self, const ck_tune_point *a, const ck_tune_point *b) {
  bool inside = in_band(self, a);
  if (inside != in_band(self, b)) return inside;
  return inside ? a->score < b->score : distance(self, a) < distance(self, b);
}

/* The points from the best one on, at most ELITE. */
static size_t rank(const searching *self, size_t best[ELITE]) {
  size_t count = 0;
  for (size_t i = 0; i < self->out->count; i++) {
    size_t at = count < ELITE ? count++ : ELITE;
    while (at > 0 && is_better(self, &self->out->points[i], &self->out->points[best[at - 1]])) {
      if (at < ELITE) best[at] = best[at - 1];
      at--;
    }
    if (at < ELITE) best[at] = i;
  }
  return count;
}

static void mark_frontier(ck_tune_found *found) {
  for (size_t i = 0; i < found->count; i++) {
    ck_tune_point *point = &found->points[i];
    point->frontier = true;
    for (size_t k = 0; k < found->count; k++) {
      const ck_tune_point *other = &found->points[k];
      bool no_worse = other->checkpoints <= point->checkpoints && other->loss <= point->loss;
      bool differs = other->checkpoints < point->checkpoints || other->loss < point->loss;
      if (no_worse && (differs || k < i)) point->frontier = false;
    }
  }
}

static size_t pick_frontier(searching *self) {
  size_t count = 0, wanted;
  mark_frontier(self->out);
  for (size_t i = 0; i < self->out->count; i++) count += self->out->points[i].frontier;
  wanted = ck_tune_random_index(&self->state, count);
  for (size_t i = 0; i < self->out->count; i++) {
    if (self->out->points[i].frontier && wanted-- == 0) return i;
  }
  return 0;
}

/* Half of the time the best setting, else one of the good ones, and now and then one from anywhere
 * on the frontier. */
static size_t pick(searching *self) {
  size_t best[ELITE], count = rank(self, best);
  if (self->tried % 2) return best[0];
  if (self->tried % 8 == 0) return pick_frontier(self);
  return best[ck_tune_random_index(&self->state, count)];
}

/* Nearly a normal distribution of deviation 1. */
static double bell(uint64_t *state) {
  double sum = -2;
  for (int i = 0; i < 4; i++) sum += ck_tune_random_real(state);
  return sum * sqrt(3);
}

static double moved(const ck_tune_option *option, double place, double step, uint64_t *state) {
  double chance = bell(state), to = place + step * chance;
  if (option->type == CK_TUNE_CHOICE) return ck_tune_random_real(state);
  return to < 0 ? 0 : to > 1 ? 1 : to;
}

static void change(searching *self, double *places) {
  const ck_tune_space *space = self->of->space;
  double done = (double)self->tried / (double)self->of->tries, step = 0.15 * pow(0.5, 3 * done);
  memcpy(places, self->out->points[pick(self)].places, space->count * sizeof *places);
  if (self->tried % 3) {
    size_t at = ck_tune_random_index(&self->state, space->count);
    places[at] = moved(&space->options[at], places[at], 2 * step, &self->state);
    return;
  }
  for (size_t i = 0; i < space->count; i++)
    places[i] = moved(&space->options[i], places[i], step, &self->state);
}

static ck_status look(searching *self, ck_error *err) {
  const ck_tune_search *of = self->of;
  double places[CK_TUNE_OPTIONS_MAX];
  for (size_t i = 0; i < of->space->count; i++) places[i] = of->space->options[i].start;
  ck_status status = try_places(self, places, err);
  while (status == CK_OK && self->tried < of->tries) {
    if (self->tried <= of->tries / 4) {
      for (size_t i = 0; i < of->space->count; i++) places[i] = ck_tune_random_real(&self->state);
    } else {
      change(self, places);
    }
    status = try_places(self, places, err);
  }
  return status;
}

/* The best one in the band; without any, what loses least with fewer checkpoints; without these,
 * the one with the fewest. */
static bool is_preferred(const searching *self, const ck_tune_point *a, const ck_tune_point *b) {
  bool fits = a->checkpoints <= self->of->target, other = b->checkpoints <= self->of->target;
  bool inside = in_band(self, a);
  return fits != other                ? fits
         : !fits                      ? a->checkpoints < b->checkpoints
         : inside != in_band(self, b) ? inside
         : inside                     ? a->score < b->score
                                      : a->loss < b->loss;
}

static size_t choose(const searching *self) {
  size_t best = 0;
  const ck_tune_point *points = self->out->points;
  for (size_t i = 1; i < self->out->count; i++) {
    if (is_preferred(self, &points[i], &points[best])) best = i;
  }
  return best;
}

/* What makes nothing better keeps the value that was given: the sessions say nothing about it. */
static ck_status keep_given(searching *self, ck_error *err) {
  const ck_tune_space *space = self->of->space;
  ck_tune_found *found = self->out;
  double places[CK_TUNE_OPTIONS_MAX];
  ck_status status = CK_OK;
  for (size_t i = 0; status == CK_OK && i < space->count; i++) {
    memcpy(places, found->points[found->chosen].places, space->count * sizeof *places);
    places[i] = space->options[i].start;
    status = add_point(self, places, err);
    size_t at = find_point(self, places);
    if (status != CK_OK || at == found->count) continue;
    if (!is_preferred(self, &found->points[found->chosen], &found->points[at])) found->chosen = at;
  }
  return status;
}

ck_status ck_tune_search_run(ck_tune_found *out, const ck_tune_search *self, ck_error *err) {
  *out = (ck_tune_found){0};
  searching search = {.of = self, .out = out, .state = self->seed};
  out->points = calloc(self->tries + self->space->count + 1, sizeof *out->points);
  ck_status status = out->points ? look(&search, err) : ck_error_no_memory(err);
  if (status == CK_OK) out->chosen = choose(&search);
  if (status == CK_OK) status = keep_given(&search, err);
  if (status != CK_OK) {
    ck_tune_found_clear(out);
    return status;
  }
  mark_frontier(out);
  return ck_tune_space_apply(self->space, out->points[out->chosen].places, err);
}

void ck_tune_found_clear(ck_tune_found *self) {
  free(self->points);
  *self = (ck_tune_found){0};
}
