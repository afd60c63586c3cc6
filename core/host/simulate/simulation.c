/* simulation.c - sums the decisions of policies over recorded sessions, and the work that crashes
 * would have lost. */
#include "core/host/simulate/simulation.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lua/policy/policy.h"

const char *const ck_loss_names[CK_LOSS_COUNT] = {
#define X(name, json, text, member) text,
    CK_LOSS_TABLE(X)
#undef X
};
const char *const ck_loss_members[CK_LOSS_COUNT] = {
#define X(name, json, text, member) json,
    CK_LOSS_TABLE(X)
#undef X
};

int64_t ck_loss_of(const ck_work *work, ck_loss_kind kind) {
  switch (kind) {
#define X(name, json, text, member) \
  case name:                        \
    return work->member;
    CK_LOSS_TABLE(X)
#undef X
    default:
      return 0;
  }
}

/* ---- reasons ---- */

/* What was passed so far, as far as it decides whether digits are a figure or a part of a name. */
typedef struct passed {
  bool word; /* what is before, but for what joins, is a word: "agent#", "pay", "gpt-" */
  bool file; /* that has a dot: a line may follow, "bad.lua:" */
} passed;

static void pass(passed *self, char c) {
  bool letter = isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
  bool joins = strchr("-.#@/", c) || (c == ':' && self->file);
  self->file = self->word && (self->file || c == '.') && (letter || joins);
  self->word = letter || (self->word && joins);
}

/* Behind the digits at `at`, with all that makes one number of them. */
static const char *skip_figure(const char *at) {
  while (isdigit((unsigned char)*at) ||
         ((*at == '.' || *at == ',') && isdigit((unsigned char)at[1])) ||
         (*at == 'e' && (at[1] == '-' || at[1] == '+') && isdigit((unsigned char)at[2]))) {
    at += *at == 'e' ? 2 : 1;
  }
  return at;
}

/* "3d_view" is a name, "3ms" is none. */
static bool is_name(const char *behind) {
  static const char *const units[] = {"ms", "us", "s",  "min", "h",  "d",   "k",   "x",
                                      "B",  "kB", "KB", "MB",  "GB", "KiB", "MiB", "GiB"};
  size_t len = 0;
  while (isalnum((unsigned char)behind[len]) || behind[len] == '_') len++;
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (strlen(units[i]) == len && strncmp(behind, units[i], len) == 0) return false;
  return len > 0;
}

char *ck_reason_without_figures(const char *reason) {
  passed before = {0};
  char *made = strdup(reason), *to = made;
  if (!made) return NULL;
  for (const char *at = made; *at;) {
    bool digit = isdigit((unsigned char)*at);
    const char *behind = digit ? skip_figure(at) : at;
    if (digit && !before.word && !is_name(behind)) {
      *to++ = '#';
      at = behind;
      continue;
    }
    pass(&before, *at);
    *to++ = *at++;
  }
  *to = '\0';
  return made;
}

static bool same_text(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

/* NULL: it has no row yet. */
static ck_reason_count *find_reason(const ck_simulation_sum *self, const char *policy,
                                    const char *reason) {
  for (size_t i = 0; i < self->reason_count; i++) {
    ck_reason_count *row = &self->reasons[i];
    if (same_text(row->policy, policy) && strcmp(row->reason, reason) == 0) return row;
  }
  return NULL;
}

/* Takes both texts. */
static ck_status count_reason(ck_simulation_sum *self, char *policy, char *reason, ck_error *err) {
  ck_status status = reason ? CK_OK : ck_error_no_memory(err);
  ck_reason_count *row = reason ? find_reason(self, policy, reason) : NULL, *rows = NULL;
  if (row) row->count++;
  if (status == CK_OK && !row) {
    rows = reallocarray(self->reasons, self->reason_count + 1, sizeof *rows);
    if (!rows) status = ck_error_no_memory(err);
  }
  if (rows) {
    self->reasons = rows;
    rows[self->reason_count++] = (ck_reason_count){policy, reason, 1};
    return CK_OK;
  }
  free(policy);
  free(reason);
  return status;
}

static ck_status count_one(ck_simulation_sum *self, ck_bytes given, ck_error *err) {
  ck_bytes why = ck_json_get(given, "reason");
  char *policy = ck_json_dup_string(ck_json_get(given, "policy"));
  char *text = ck_json_type_of(why) == CK_JSON_STRING ? ck_json_dup_string(why)
                                                      : strdup("(no reason given)");
  char *reason = policy && text ? ck_reason_without_figures(text) : NULL;
  free(text);
  return count_reason(self, policy, reason, err);
}

static ck_status count_reasons(ck_simulation_sum *self, const ck_recording *recording,
                               const ck_simulated_decision *decision, ck_error *err) {
  ck_status status = CK_OK;
  if (decision->reasons) {
    ck_json_iterator it = ck_json_iterate(ck_value_bytes(decision->reasons));
    while (status == CK_OK && ck_json_next(&it)) status = count_one(self, it.value, err);
  }
  if (status == CK_OK && decision->failed)
    status = count_reason(self, NULL, strdup("a policy failed"), err);
  if (status != CK_OK || decision->reasons || decision->failed) return status;
  ck_buffer text = {0};
  ck_buffer_append_format(&text, "always at %s",
                          ck_boundary_kind_name(recording->boundaries[decision->boundary].at.kind));
  return count_reason(self, NULL, ck_buffer_take(&text), err);
}

/* ---- one session ---- */

ck_status ck_simulate_profile(ck_simulation *out, const ck_recording *recording,
                              const ck_profile *profile, bool prunes, ck_error *err) {
  ck_policy_engine policies;
  *out = (ck_simulation){0};
  ck_status status = ck_policy_engine_open(&policies, profile, err);
  if (status != CK_OK) return status;
  const ck_shown_as as = ck_shown_as_profile(profile);
  const ck_prune_rules rules = ck_prune_rules_of(profile);
  status = ck_simulate(out, recording, &policies, &as, prunes ? &rules : NULL, err);
  policies.free(policies.self);
  return status;
}

static bool records(const ck_recording *recording, ck_loss_kind kind) {
  size_t count = recording->event_count;
  return count && ck_loss_of(&recording->events[count - 1].work, kind);
}

ck_status ck_simulation_measure(ck_simulation_figures *out, const ck_recording *recording,
                                const ck_simulation *simulation, ck_error *err) {
  size_t count = simulation->lost_count;
  *out = (ck_simulation_figures){.boundaries = (int64_t)simulation->decision_count,
                                 .checkpoints = simulation->checkpoints,
                                 .kept = simulation->kept,
                                 .failures = simulation->failures,
                                 .bytes_written = simulation->bytes_written,
                                 .bytes_kept = simulation->bytes_kept};
  int64_t *list = calloc(count + 1, sizeof *list);
  if (!list) return ck_error_no_memory(err);
  for (ck_loss_kind kind = 0; kind < CK_LOSS_COUNT; kind++) {
    out->known[kind] = records(recording, kind);
    for (size_t i = 0; i < count; i++) list[i] = ck_loss_of(&simulation->lost[i], kind);
    ck_loss_measure(&out->lost[kind], list, count);
  }
  free(list);
  return CK_OK;
}

/* ---- losses ---- */

static ck_status add_losses(ck_simulation_sum *self, const ck_recording *recording,
                            const ck_simulation *simulation, ck_loss_kind kind, ck_error *err) {
  size_t count = simulation->lost_count, had = self->lost_count[kind];
  if (!records(recording, kind)) return CK_OK;
  int64_t *list = reallocarray(self->lost[kind], had + count, sizeof *list);
  if (!list) return ck_error_no_memory(err);
  for (size_t i = 0; i < count; i++) list[had + i] = ck_loss_of(&simulation->lost[i], kind);
  self->lost[kind] = list;
  self->lost_count[kind] = had + count;
  return CK_OK;
}

ck_status ck_simulation_sum_add(ck_simulation_sum *self, const ck_recording *recording,
                                const ck_simulation *simulation, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; status == CK_OK && i < simulation->decision_count; i++) {
    if (simulation->decisions[i].taken)
      status = count_reasons(self, recording, &simulation->decisions[i], err);
  }
  for (ck_loss_kind kind = 0; status == CK_OK && kind < CK_LOSS_COUNT; kind++) {
    status = add_losses(self, recording, simulation, kind, err);
  }
  if (simulation->failures && !self->failures) self->failure = simulation->failure;
  self->sessions++;
  self->boundaries += (int64_t)simulation->decision_count;
  self->checkpoints += simulation->checkpoints;
  self->as_recorded += simulation->as_recorded;
  self->failures += simulation->failures;
  self->bytes_written += simulation->bytes_written;
  self->kept += simulation->kept;
  self->bytes_kept += simulation->bytes_kept;
  return status;
}

void ck_simulation_sum_clear(ck_simulation_sum *self) {
  for (size_t i = 0; i < self->reason_count; i++) {
    free(self->reasons[i].policy);
    free(self->reasons[i].reason);
  }
  for (int kind = 0; kind < CK_LOSS_COUNT; kind++) free(self->lost[kind]);
  free(self->reasons);
  *self = (ck_simulation_sum){0};
}

/* ---- plots ---- */

ck_loss_kind ck_simulation_select(const ck_recording *recording) {
  static const ck_loss_kind order[] = {CK_LOSS_COST, CK_LOSS_MS, CK_LOSS_TOKENS,
                                       CK_LOSS_TOOL_CALLS};
  for (size_t i = 0; i < CK_LOSS_COUNT; i++) {
    if (records(recording, order[i])) return order[i];
  }
  return CK_LOSS_MS;
}

void ck_simulation_plot(int64_t *out, size_t width, const ck_recording *recording,
                        const ck_simulation *simulation, ck_loss_kind kind) {
  size_t count = recording->event_count, next = 0;
  int64_t end = count ? recording->events[count - 1].work.active_ms : 0, last = 0;
  for (size_t column = 0; column < width; column++) {
    out[column] = last; /* without events in a stretch, the work at risk stays the same */
    for (; next < count; next++) {
      size_t at = end ? (size_t)((double)recording->events[next].work.active_ms / (double)end *
                                 (double)width)
                      : next * width / count;
      if (at > column && column + 1 < width) break;
      last = ck_loss_of(&simulation->lost[next], kind);
      if (last > out[column]) out[column] = last;
    }
  }
}

void ck_simulation_append_bars(ck_buffer *out, const int64_t *values, size_t width, int64_t full) {
  static const char *const bars[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  for (size_t i = 0; i < width; i++) {
    double share = full > 0 ? (double)values[i] / (double)full : 0;
    int height = values[i] > 0 ? 1 + (int)(share * 7.999) : 0;
    ck_buffer_append_text(out, bars[height > 8 ? 8 : height]);
  }
}
