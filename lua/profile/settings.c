/* settings.c - the settings of a profile: shapes, defaults, and the member of ck_profile that each
 * sets. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lua/vm/names.h"
#include "lua/profile/foreign.h"
#include "lua/profile/settings.h"

enum { WORDS_MAX = 3, NAMES_MAX = 256 };

/* A limit may be false; the words of a truth are false and true. */
typedef enum { LIMIT, COUNT, WORD, TRUTH, RULE, PERMIT, NAMES } shape;

typedef struct {
  const char *path;
  shape shape;
  size_t offset; /* in ck_profile */
  double scale;  /* of a limit; 1: a whole number */
  const char *words[WORDS_MAX + 1];
  const char *built_in;
} setting;

#define OF(field) offsetof(ck_profile, field)
#define NO_LIMIT_SET(path, field, scale) \
  { path, LIMIT, OF(field), scale, {NULL}, "null" }
#define RULE_SET(path, field) \
  { path, RULE, OF(field), 1, {"continue", "reset", "refuse"}, "null" }
#define PERMIT_ROW(path, member, built_in) \
  {path, PERMIT, OF(permissions.member), 1, {"reject", "allow", "ask"}, built_in},
#define PERMIT_SET(member, name) PERMIT_ROW("permissions." name, member, "null")
static const setting settings[] = {
    NO_LIMIT_SET("constraints.budget_usd", budget_micros, 1e6),
    NO_LIMIT_SET("constraints.time_s", time_ms, 1e3),
    NO_LIMIT_SET("constraints.rounds", rounds, 1),
    NO_LIMIT_SET("constraints.tokens", tokens, 1),
    NO_LIMIT_SET("constraints.tool_calls", tool_calls, 1),
    NO_LIMIT_SET("constraints.model_calls", model_calls, 1),
    {"constraints.transcript_replay_depth", LIMIT, OF(replay_depth), 1, {NULL}, "50"},
    {"constraints.on_limit", WORD, OF(on_limit), 1, {"pause", "fail", "ask"}, "\"pause\""},
    NO_LIMIT_SET("minimums.budget_usd", minimum.budget_micros, 1e6),
    NO_LIMIT_SET("minimums.time_s", minimum.time_ms, 1e3),
    NO_LIMIT_SET("minimums.rounds", minimum.rounds, 1),
    NO_LIMIT_SET("minimums.tokens", minimum.tokens, 1),
    NO_LIMIT_SET("minimums.tool_calls", minimum.tool_calls, 1),
    NO_LIMIT_SET("minimums.model_calls", minimum.model_calls, 1),
    RULE_SET("resume.budget", resume.budget),
    RULE_SET("resume.time", resume.time),
    RULE_SET("resume.rounds", resume.rounds),
    RULE_SET("resume.tokens", resume.tokens),
    RULE_SET("resume.tool_calls", resume.tool_calls),
    RULE_SET("resume.model_calls", resume.model_calls),
    {"exclude_memory_keys", NAMES, 0, 1, {NULL}, "[]"},
    {"checkpoints", WORD, OF(single_checkpoint), 1, {"many", "single"}, "\"many\""},
    {"durability", WORD, OF(replicated), 1, {"power", "replicated"}, "\"power\""},
    {"on_success", WORD, OF(delete_on_success), 1, {"keep", "delete"}, "\"keep\""},
    {"on_save_failure", WORD, OF(continue_on_save_failure), 1, {"pause", "continue"}, "\"pause\""},
    {"unsaved.checkpoints", COUNT, OF(unsaved_checkpoints), 1, {NULL}, "10"},
    {"unsaved.time_s", COUNT, OF(unsaved_ms), 1e3, {NULL}, "300"},
    {"compress", TRUTH, OF(compress), 1, {NULL}, "true"},
    {"compression_threshold_bytes", COUNT, OF(compression_threshold), 1, {NULL}, "512"},
    {"on_unreadable", WORD, OF(fallback_on_unreadable), 1, {"stop", "fallback"}, "\"stop\""},
    {"resume_context", WORD, OF(resume_with_tail), 1, {"conversation", "tail"}, "\"conversation\""},
    {"models_see", WORD, OF(models_unmasked), 1, {"masked", "unmasked"}, "\"masked\""},
    {"message_text", TRUTH, OF(message_text), 1, {NULL}, "false"},
    {"documents.memory", TRUTH, OF(document_memory), 1, {NULL}, "true"},
    {"documents.conversations", TRUTH, OF(document_conversations), 1, {NULL}, "true"},
    {"checkpoint_tool.enabled", TRUTH, OF(checkpoint_tool), 1, {NULL}, "false"},
    {"checkpoint_tool.subagents", TRUTH, OF(checkpoint_tool_subagents), 1, {NULL}, "false"},
    CK_TOOL_KIND_TABLE(PERMIT_SET) PERMIT_ROW("permissions.*", any, "\"reject\""){
        "agent_files", TRUTH, OF(agent_files), 1, {NULL}, "false"},
    {"prune_every_n_nodes", COUNT, OF(prune_every_n_nodes), 1, {NULL}, "0"},
};
enum { SETTING_COUNT = sizeof settings / sizeof settings[0] };

static const char *const sections[] = {"constraints", "minimums", "resume",    "checkpoint_tool",
                                       "permissions", "unsaved",  "documents", NULL};
static const char *const other_keys[] = {"name",   "extends", "policies", "agents", "secrets",
                                         "models", "prices",  "encrypt",  "key",    NULL};
void ck_profile_visit_settings(profile_visit visit, void *to) {
  for (size_t i = 0; i < SETTING_COUNT; i++) visit(to, settings[i].path, settings[i].built_in);
}

/* ---- unknown keys ---- */

/* The names that can stand in `section` (NULL: at the top), ended by NULL. */
static void list_names(const char *out[NAMES_MAX], const char *section, bool of_agent) {
  size_t count = 0, skip = section ? strlen(section) + 1 : 0;
  for (size_t i = 0; i < SETTING_COUNT; i++) {
    const char *dot = strchr(settings[i].path, '.');
    bool inside = section ? dot && (size_t)(dot + 1 - settings[i].path) == skip &&
                                strncmp(settings[i].path, section, skip - 1) == 0
                          : !dot;
    if (inside && !(of_agent && (!section || settings[i].shape != LIMIT)))
      out[count++] = settings[i].path + skip;
  }
  for (int i = 0; !section && !of_agent && sections[i]; i++) out[count++] = sections[i];
  for (int i = 0; !section && !of_agent && other_keys[i]; i++) out[count++] = other_keys[i];
  if (!section && of_agent)
    out[count++] = "constraints", out[count++] = "policies", out[count++] = "unmetered",
    out[count++] = "extend";
  out[count] = NULL;
}

ck_status ck_profile_refuse_key(const profile_target *to, const char *section, const char *key,
                                ck_bytes value, ck_error *err) {
  bool of_agent = to->agent;
  const char *names[NAMES_MAX];
  char hint[CK_NAMES_HINT_SIZE];
  if (ck_profile_refuse_foreign(key, value, err)) return CK_E_PARSE;
  for (size_t i = 0; of_agent && !section && i < SETTING_COUNT; i++) {
    if (strcmp(settings[i].path, key) == 0)
      return ck_error_set(
          err, CK_E_PARSE,
          "key '%s' holds for the whole session: it stands beside agents, not in one", key);
  }
  list_names(names, section, of_agent);
  ck_names_hint(hint, key, names);
  if (!section) return ck_error_set(err, CK_E_PARSE, "unknown key '%s'%s", key, hint);
  return ck_error_set(err, CK_E_PARSE, "%s: unknown key '%s'%s", section, key, hint);
}

/* ---- one setting ---- */

static ck_status read_number(int64_t *out, const setting *row, ck_bytes value, ck_error *err) {
  bool truth;
  double number;
  if (row->shape == LIMIT && ck_json_read_bool(&truth, value) && !truth) {
    *out = -1;
    return CK_OK;
  }
  if (!ck_json_read_double(&number, value)) {
    return ck_error_set(err, CK_E_PARSE, "%s: a number is expected%s", row->path,
                        row->shape == LIMIT ? ", or false for no limit" : "");
  }
  double scaled = number * row->scale;
  if (!(scaled >= 0) || scaled > 9e15 || (row->scale == 1 && scaled != floor(scaled))) {
    return ck_error_set(err, CK_E_PARSE, "%s: %.14g is not %s", row->path, number,
                        row->scale == 1 ? "a whole number from 0" : "a number from 0");
  }
  *out = llround(scaled);
  return CK_OK;
}

static ck_status read_word(int *out, const setting *row, ck_bytes value, ck_error *err) {
  for (*out = 0; row->words[*out]; (*out)++) {
    if (ck_json_is_text(value, row->words[*out])) return CK_OK;
  }
  const char *third = row->words[2];
  return ck_error_set(err, CK_E_PARSE, "%s: \"%s\"%s\"%s\"%s%s%s is expected", row->path,
                      row->words[0], third ? ", " : " or ", row->words[1], third ? " or \"" : "",
                      third ? third : "", third ? "\"" : "");
}

static ck_status read_names(ck_profile *self, const setting *row, ck_bytes value, ck_error *err) {
  char *names[NAMES_MAX];
  size_t count = 0;
  ck_status status = CK_OK;
  ck_json_iterator it = ck_json_iterate(value);
  bool empty = ck_json_type_of(value) == CK_JSON_OBJECT && ck_json_count(value) == 0; /* Lua's {} */
  if (ck_json_type_of(value) != CK_JSON_ARRAY && !empty) status = CK_E_PARSE;
  while (status == CK_OK && ck_json_next(&it)) {
    if (ck_json_type_of(it.value) != CK_JSON_STRING || count == NAMES_MAX) {
      status = CK_E_PARSE;
    } else {
      names[count] = ck_json_dup_string(it.value);
      if (names[count])
        count++;
      else
        status = CK_E_NO_MEMORY;
    }
  }
  if (status == CK_OK)
    status = ck_profile_put_excluded(self, (const char *const *)names, count, err);
  else if (status == CK_E_PARSE)
    ck_error_set(err, status, "%s: a list of at most %d names is expected", row->path, NAMES_MAX);
  else
    ck_error_no_memory(err);
  while (count-- > 0) free(names[count]);
  return status;
}

/* A limit of an agent is a member of ck_profile_agent, with the same name as in ck_profile. */
static int64_t *find_limit(const profile_target *to, const setting *row) {
  static const struct {
    size_t profile, agent;
  } limits[] = {
#define LIMIT_OF(field) {OF(field), offsetof(ck_profile_agent, field)}
      LIMIT_OF(budget_micros), LIMIT_OF(time_ms),     LIMIT_OF(rounds),       LIMIT_OF(tokens),
      LIMIT_OF(tool_calls),    LIMIT_OF(model_calls), LIMIT_OF(replay_depth),
  };
  char *base = to->agent ? (char *)to->agent : (char *)to->profile;
  size_t offset = row->offset;
  for (size_t i = 0; to->agent && i < sizeof limits / sizeof limits[0]; i++) {
    if (limits[i].profile == row->offset) offset = limits[i].agent;
  }
  return (int64_t *)(void *)(base + offset);
}

static ck_status put_word(const profile_target *to, const setting *row, ck_bytes value,
                          ck_error *err) {
  int word;
  ck_status status = read_word(&word, row, value, err);
  if (status != CK_OK) return status;
  char *base = (char *)to->profile;
  if (row->shape == RULE) {
    static const ck_rule rules[] = {CK_RULE_CONTINUE, CK_RULE_RESET, CK_RULE_REFUSE};
    *(ck_rule *)(void *)(base + row->offset) = rules[word];
    return CK_OK;
  }
  if (row->shape == PERMIT) {
    static const ck_permit rules[] = {CK_PERMIT_REJECT, CK_PERMIT_ALLOW, CK_PERMIT_ASK};
    *(ck_permit *)(void *)(base + row->offset) = rules[word];
    return CK_OK;
  }
  if (row->words[2])
    *(int *)(void *)(base + row->offset) = word; /* an enum of them all */
  else
    *(bool *)(base + row->offset) = word > 0;
  return CK_OK;
}

static ck_status put_truth(const profile_target *to, const setting *row, ck_bytes value,
                           ck_error *err) {
  bool truth;
  if (!ck_json_read_bool(&truth, value))
    return ck_error_set(err, CK_E_PARSE, "%s: true or false is expected", row->path);
  *(bool *)((char *)to->profile + row->offset) = truth;
  return CK_OK;
}

static ck_status put_setting(const profile_target *to, const setting *row, ck_bytes value,
                             ck_error *err) {
  switch (row->shape) {
    case LIMIT:
    case COUNT:
      return read_number(find_limit(to, row), row, value, err);
    case WORD:
    case RULE:
    case PERMIT:
      return put_word(to, row, value, err);
    case TRUTH:
      return put_truth(to, row, value, err);
    default:
      return read_names(to->profile, row, value, err);
  }
}

ck_status ck_profile_set_origin(const profile_target *to, const char *path, ck_bytes json,
                                ck_error *err) {
  char full[2 * PROFILE_PATH_MAX];
  ck_value *value;
  snprintf(full, sizeof full, "%s%s%s%s", to->agent ? "agents." : "",
           to->agent ? to->agent->name : "", to->agent ? "." : "", path);
  ck_status status = ck_value_copy(&value, json, err);
  if (status != CK_OK) return status;
  status = ck_profile_put_origin(to->profile, full, to->source->name, value, err);
  ck_value_free(value);
  return status;
}

bool ck_profile_is_section(const char *name) {
  for (const char *const *section = sections; *section; section++) {
    if (strcmp(*section, name) == 0) return true;
  }
  return false;
}

bool ck_profile_has_setting(const char *name) {
  for (size_t i = 0; i < SETTING_COUNT; i++)
    if (strcmp(settings[i].path, name) == 0) return !strchr(name, '.');
  return false;
}

static const setting *find_setting(const profile_target *to, const char *path) {
  for (size_t i = 0; i < SETTING_COUNT; i++) {
    if (strcmp(settings[i].path, path) == 0)
      return to->agent && settings[i].shape != LIMIT ? NULL : &settings[i];
  }
  return NULL;
}

ck_status ck_profile_put_setting(bool *known, const profile_target *to, const char *path,
                                 ck_bytes value, ck_error *err) {
  const setting *row = find_setting(to, path);
  *known = row != NULL;
  if (!row) return CK_OK;
  ck_status status = put_setting(to, row, value, err);
  return status == CK_OK ? ck_profile_set_origin(to, row->path, value, err) : status;
}
