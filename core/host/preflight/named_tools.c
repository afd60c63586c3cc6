/* named_tools.c - looks through the options of policies for names of tools. */
#include "core/host/preflight/named_tools.h"

#include <stdlib.h>
#include <string.h>

#include "lua/vm/names.h"

enum { NAMES_MAX = 256, SHOWN_MAX = 20 };

typedef struct naming {
  ck_buffer *out;
  const ck_flow_manifest *flow;
  const char *names[NAMES_MAX + 1]; /* the flow's tools */
  size_t count;
  const char *policy, *agent, *option; /* where the name stands; agent NULL: the profile's list */
} naming;

/* What flows carry out themselves, where they offer it. */
static const char *const own_tools[] = {"delegate", "note", "finish", "checkpoint", "rewind", NULL};

static void gather(naming *self) {
  const ck_flow_manifest *flow = self->flow;
  for (size_t i = 0; i < flow->tool_count && self->count < NAMES_MAX; i++)
    self->names[self->count++] = flow->tools[i].name;
  for (const char *const *name = flow->functions; name && *name && self->count < NAMES_MAX; name++)
    self->names[self->count++] = *name;
}

static bool ends_with(const char *text, const char *end) {
  size_t len = strlen(text), end_len = strlen(end);
  return len >= end_len && strcmp(text + len - end_len, end) == 0;
}

static bool names_nodes(const char *option) { return strcmp(option, "risky") == 0; }

static bool names_tools(const char *option) {
  return strcmp(option, "tool") == 0 || strcmp(option, "tools") == 0 || names_nodes(option) ||
         ends_with(option, "_tool") || ends_with(option, "_tools");
}

static bool is_pattern(const char *word) {
  return !*word || strpbrk(word, "*?[](){}|^$\\+ \t") != NULL;
}

static bool is_there(const naming *self, const char *word) {
  for (size_t i = 0; i < self->count; i++)
    if (strcmp(self->names[i], word) == 0) return true;
  for (const char *const *name = own_tools; *name; name++)
    if (strcmp(*name, word) == 0) return true;
  for (size_t i = 0; names_nodes(self->option) && i < self->flow->node_count; i++)
    if (strcmp(self->flow->nodes[i].name, word) == 0) return true;
  return false;
}

static void tell(const naming *self, const char *word) {
  char hint[CK_NAMES_HINT_SIZE];
  ck_names_hint(hint, word, self->names);
  ck_buffer_append_format(
      self->out,
      "policy %s%s%s, option %s: no tool%s of flow %s is called "
      "\"%s\"%s; it has ",
      self->policy, self->agent ? " of agent " : "", self->agent ? self->agent : "", self->option,
      names_nodes(self->option) ? " and no node" : "", self->flow->name, word, hint);
  for (size_t i = 0; i < self->count && i < SHOWN_MAX; i++)
    ck_buffer_append_format(self->out, "%s%s", i ? ", " : "", self->names[i]);
  ck_buffer_append_text(self->out, self->count == 0          ? "none"
                                   : self->count > SHOWN_MAX ? ", …"
                                                             : "");
  ck_buffer_append_char(self->out, '\0');
}

/* A text, or the name of a member. */
static void look_at(const naming *self, ck_bytes json) {
  char *word = ck_json_dup_string(json);
  if (word && !is_pattern(word) && !is_there(self, word)) tell(self, word);
  free(word);
}

static void look_at_value(const naming *self, ck_bytes value) {
  ck_json_type type = ck_json_type_of(value);
  if (type == CK_JSON_STRING) look_at(self, value);
  if (type != CK_JSON_ARRAY && type != CK_JSON_OBJECT) return;
  for (ck_json_iterator it = ck_json_iterate(value); ck_json_next(&it);) {
    if (type == CK_JSON_OBJECT)
      look_at(self, it.name);
    else if (ck_json_type_of(it.value) == CK_JSON_STRING)
      look_at(self, it.value);
  }
}

static void look_at_policy(naming *self, ck_bytes policy) {
  char *name = ck_json_dup_string(ck_json_get(policy, "name")),
       *agent = ck_json_dup_string(ck_json_get(policy, "agent"));
  self->policy = name;
  self->agent = agent;
  ck_json_iterator it = ck_json_iterate(ck_json_get(policy, "options"));
  while (name && ck_json_next(&it)) {
    char *option = ck_json_dup_string(it.name);
    self->option = option;
    if (option && names_tools(option)) look_at_value(self, it.value);
    free(option);
  }
  free(agent);
  free(name);
}

ck_status ck_named_tools_find(ck_buffer *out, const ck_value *described,
                              const ck_flow_manifest *flow, ck_error *err) {
  naming self = {.out = out, .flow = flow};
  if (strcmp(flow->kind, "custom") == 0 || flow->process_count > 0) return CK_OK;
  gather(&self);
  ck_json_iterator it = ck_json_iterate(ck_value_bytes(described));
  while (ck_json_next(&it)) look_at_policy(&self, it.value);
  return ck_buffer_check(out, err);
}
