/* space.c - reads which options a search may set, and sets them in a profile. */
#include "core/host/tune/space.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lua/policy/policy.h"

/* ---- reading ---- */

static bool has_checkpoint(ck_bytes about) {
  ck_json_iterator it = ck_json_iterate(ck_json_get(about, "hooks"));
  while (ck_json_next(&it)) {
    if (ck_json_is_text(ck_json_get(it.value, "name"), "checkpoint")) return true;
  }
  return false;
}

static double clamp(double place) { return place < 0 ? 0 : place > 1 ? 1 : place; }

static double place_of(const ck_tune_option *option, double value) {
  double low = option->low, high = option->high;
  if (value <= low) return 0;
  return clamp(low > 0 ? log(value / low) / log(high / low) : (value - low) / (high - low));
}

/* Where the choice is that the profile has. */
static void place_choice(ck_tune_option *option, ck_bytes value) {
  ck_json_iterator it = ck_json_iterate(ck_value_bytes(option->choices));
  for (size_t i = 0; ck_json_next(&it); i++) {
    if (ck_bytes_equal(it.value, value))
      option->start = ((double)i + 0.5) / (double)option->choice_count;
  }
}

static ck_status read_choices(ck_tune_option *option, ck_bytes choices, ck_bytes value,
                              ck_error *err) {
  ck_status status = ck_value_copy(&option->choices, choices, err);
  option->type = CK_TUNE_CHOICE;
  option->choice_count = ck_json_count(choices);
  if (status == CK_OK) place_choice(option, value);
  return status;
}

/* [low, high] of numbers; whole when they and the option's own value are. */
static bool read_bounds(ck_tune_option *option, ck_bytes range, ck_bytes value) {
  ck_json_iterator it = ck_json_iterate(range);
  int64_t whole;
  bool all = ck_json_read_int(&whole, value);
  double *bounds[] = {&option->low, &option->high};
  for (size_t i = 0; i < 2; i++) {
    if (!ck_json_next(&it) || !ck_json_read_double(bounds[i], it.value)) return false;
    all = all && ck_json_read_int(&whole, it.value);
  }
  option->type = all ? CK_TUNE_WHOLE : CK_TUNE_REAL;
  return true;
}

static bool guess_bounds(ck_tune_option *option, double number, ck_bytes value) {
  int64_t whole;
  if (number <= 0) return false;
  option->type = ck_json_read_int(&whole, value) ? CK_TUNE_WHOLE : CK_TUNE_REAL;
  option->low = number / 100;
  option->high = number * 100;
  if (option->type == CK_TUNE_WHOLE && option->low < 1) option->low = 1;
  return true;
}

static ck_status add(ck_tune_space *self, ck_tune_option *made, const char *policy, ck_bytes name,
                     ck_bytes value, ck_error *err) {
  snprintf(made->given, sizeof made->given, "%.*s", (int)value.len, value.data);
  made->policy_name = strdup(policy);
  made->name = ck_json_dup_string(name);
  if (made->policy_name && made->name && self->count < CK_TUNE_OPTIONS_MAX) {
    self->options[self->count++] = *made;
    return CK_OK;
  }
  bool full = self->count == CK_TUNE_OPTIONS_MAX;
  free(made->policy_name);
  free(made->name);
  ck_value_free(made->choices);
  if (!full) return ck_error_no_memory(err);
  return ck_error_set(err, CK_E_USAGE,
                      "policy %s: more than %d options to set; name fewer in its 'ranges'", policy,
                      CK_TUNE_OPTIONS_MAX);
}

/* `range`: what the policy says of this option; `ranged`: it says it of some. */
static ck_status read_option(ck_tune_space *self, size_t policy, const char *policy_name,
                             const ck_json_iterator *it, ck_bytes range, bool ranged,
                             ck_error *err) {
  static const char both[] = "[false,true]";
  ck_tune_option made = {.policy = policy};
  double number = 0;
  bool is_number = ck_json_read_double(&number, it->value), take = false;
  ck_json_type type = ck_json_type_of(it->value);
  ck_status status = CK_OK;
  if (ranged && !range.len) return CK_OK;
  if (is_number) {
    take = ranged ? read_bounds(&made, range, it->value) : guess_bounds(&made, number, it->value);
    made.start = take ? place_of(&made, number) : 0;
  } else if (range.len || type == CK_JSON_TRUE || type == CK_JSON_FALSE) {
    status = read_choices(&made, range.len ? range : ck_bytes_text(both), it->value, err);
    take = status == CK_OK;
  }
  return take ? add(self, &made, policy_name, it->name, it->value, err) : status;
}

static ck_bytes range_of(ck_bytes ranges, ck_bytes name) {
  char *text = ck_json_dup_string(name);
  ck_bytes found = text ? ck_json_get(ranges, text) : (ck_bytes){0};
  free(text);
  return found;
}

static ck_status read_policy(ck_tune_space *self, size_t index, ck_error *err) {
  const ck_profile_policy *from = &self->profile->policies[index];
  ck_value *about;
  ck_status status =
      ck_policy_inspect(&about, from->name, from->options, self->profile->scripts, err);
  if (status != CK_OK) return status;
  ck_bytes json = ck_value_bytes(about), ranges = ck_json_get(json, "ranges");
  char *name = ck_json_dup_string(ck_json_get(json, "name"));
  ck_json_iterator it = ck_json_iterate(ck_json_get(json, "options"));
  if (!name) status = ck_error_no_memory(err);
  while (status == CK_OK && has_checkpoint(json) && ck_json_next(&it))
    status = read_option(self, index, name, &it, range_of(ranges, it.name), ranges.len > 0, err);
  free(name);
  ck_value_free(about);
  return status;
}

/* An agent's policy takes over the options that it does not set: which those are, a profile does
 * not tell any more. */
static ck_status check_agents(const ck_tune_space *self, ck_error *err) {
  const ck_profile *profile = self->profile;
  for (size_t i = 0; i < profile->agent_count; i++) {
    const ck_profile_agent *agent = &profile->agents[i];
    for (size_t k = 0; k < agent->policy_count * self->count; k++) {
      const ck_tune_option *option = &self->options[k % self->count];
      const char *name = agent->policies[k / self->count].name;
      if (strcmp(name, profile->policies[option->policy].name) != 0) continue;
      return ck_error_set(err, CK_E_UNSUPPORTED,
                          "profile %s: agents.%s.policies: %s is in the profile's own list, too; "
                          "tune a profile without the agent's, and give it the options found",
                          profile->name, agent->name, option->policy_name);
    }
  }
  return CK_OK;
}

ck_status ck_tune_space_open(ck_tune_space *out, ck_profile *profile, ck_error *err) {
  *out = (ck_tune_space){.profile = profile};
  out->base = calloc(profile->policy_count + 1, sizeof *out->base);
  if (!out->base) return ck_error_no_memory(err);
  ck_status status = CK_OK;
  for (size_t i = 0; status == CK_OK && i < profile->policy_count; i++) {
    out->base[i] = ck_value_share(profile->policies[i].options);
    status = read_policy(out, i, err);
  }
  if (status == CK_OK && !out->count)
    status =
        ck_error_set(err, CK_E_USAGE,
                     "profile %s: none of its policies that decide on checkpoints has a number "
                     "or a boolean among its options: there is nothing to tune",
                     profile->name);
  if (status == CK_OK) status = check_agents(out, err);
  if (status != CK_OK) ck_tune_space_close(out);
  return status;
}

void ck_tune_space_close(ck_tune_space *self) {
  for (size_t i = 0; i < self->count; i++) {
    free(self->options[i].policy_name);
    free(self->options[i].name);
    ck_value_free(self->options[i].choices);
  }
  for (size_t i = 0; self->base && i < self->profile->policy_count; i++)
    ck_value_free(self->base[i]);
  free(self->base);
  *self = (ck_tune_space){0};
}

/* ---- values ---- */

void ck_tune_space_value(char out[CK_TUNE_VALUE_SIZE], const ck_tune_option *option, double place) {
  if (option->type == CK_TUNE_CHOICE) {
    size_t index = (size_t)(clamp(place) * (double)option->choice_count), last;
    last = option->choice_count - 1;
    ck_json_iterator it = ck_json_iterate(ck_value_bytes(option->choices));
    for (size_t i = 0; i <= (index < last ? index : last); i++) (void)ck_json_next(&it);
    snprintf(out, CK_TUNE_VALUE_SIZE, "%.*s", (int)it.value.len, it.value.data);
    return;
  }
  double low = option->low, high = option->high, at = clamp(place);
  double number = low > 0 ? low * pow(high / low, at) : low + (high - low) * at;
  if (option->type == CK_TUNE_WHOLE) {
    snprintf(out, CK_TUNE_VALUE_SIZE, "%lld", (long long)llround(number));
    return;
  }
  snprintf(out, CK_TUNE_VALUE_SIZE, "%.3g", number); /* three digits are as exact as this gets */
  number = strtod(out, NULL);
  snprintf(out, CK_TUNE_VALUE_SIZE, "%.15g", number);
}

static const ck_tune_option *find(const ck_tune_space *self, size_t policy, ck_bytes name) {
  for (size_t i = 0; i < self->count; i++) {
    const ck_tune_option *option = &self->options[i];
    if (option->policy == policy && ck_json_is_text(name, option->name)) return option;
  }
  return NULL;
}

/* The profile's own options, those of the space aside, and then these. */
static ck_status merge(ck_value **out, const ck_tune_space *self, size_t policy,
                       const double *places, ck_error *err) {
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  ck_json_begin(&w, '{');
  if (self->base[policy]) {
    ck_json_iterator it = ck_json_iterate(ck_value_bytes(self->base[policy]));
    while (ck_json_next(&it)) {
      if (find(self, policy, it.name)) continue;
      ck_json_raw_name(&w, it.name);
      ck_json_put_raw(&w, it.value);
    }
  }
  for (size_t i = 0; i < self->count; i++) {
    char value[CK_TUNE_VALUE_SIZE];
    if (self->options[i].policy != policy) continue;
    ck_tune_space_value(value, &self->options[i], places[i]);
    ck_json_member_raw(&w, self->options[i].name, ck_bytes_text(value));
  }
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &text, err);
  ck_buffer_clear(&text);
  return status;
}

static bool is_set(const ck_tune_space *self, size_t policy) {
  for (size_t i = 0; i < self->count; i++) {
    if (self->options[i].policy == policy) return true;
  }
  return false;
}

ck_status ck_tune_space_apply(ck_tune_space *self, const double *places, ck_error *err) {
  for (size_t i = 0; i < self->profile->policy_count; i++) {
    ck_value *merged;
    if (!is_set(self, i)) continue;
    ck_status status = merge(&merged, self, i, places, err);
    if (status != CK_OK) return status;
    ck_value_free(self->profile->policies[i].options);
    self->profile->policies[i].options = merged;
  }
  return CK_OK;
}
