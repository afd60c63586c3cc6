/* foreign.c - the table of settings by their names in other systems: of checkpoints of graphs. */
#include "lua/profile/foreign.h"

#include <string.h>

/* `means`: what is written instead, "@" where the value stands. Else `says`: why nothing is. */
typedef struct foreign {
  const char *key, *means, *says;
} foreign;

#define BOUNDARY(option) "policies = { { \"every_boundary\", " option " } }"
#define NEWEST "policies = { { \"keep_recent\", count = @ } }"
#define EXCLUDE "exclude_memory_keys = { … }"
#define MEMORY "documents = { memory = @ }"
#define CONVERSATIONS "documents = { conversations = @ }"
static const foreign names[] = {
    {"on_node_start", BOUNDARY("on_node_start = @"), NULL},
    {"checkpoint_on_node_start", BOUNDARY("on_node_start = @"), NULL},
    {"on_node_complete", BOUNDARY("on_node_complete = @"), NULL},
    {"checkpoint_on_node_complete", BOUNDARY("on_node_complete = @"), NULL},
    {"on_edge", BOUNDARY("on_edge = @"), NULL},
    {"on_edge_transition", BOUNDARY("on_edge = @"), NULL},
    {"checkpoint_on_edge", BOUNDARY("on_edge = @"), NULL},
    {"checkpoint_on_edge_transition", BOUNDARY("on_edge = @"), NULL},
    {"every_n_iterations", BOUNDARY("every_n_iterations = @"), NULL},
    {"checkpoint_every_n_iterations", BOUNDARY("every_n_iterations = @"), NULL},
    {"on_loop_iteration", BOUNDARY("every_n_iterations = 1"), NULL},
    {"checkpoint_on_loop_iteration", BOUNDARY("every_n_iterations = 1"), NULL},
    {"on_failure", BOUNDARY("on_failure = @"), NULL},
    {"checkpoint_on_failure", BOUNDARY("on_failure = @"), NULL},
    {"async", BOUNDARY("async = @"), NULL},
    {"async_checkpoint", BOUNDARY("async = @"), NULL},
    {"checkpoint_async", BOUNDARY("async = @"), NULL},
    {"max_checkpoints_per_session", NEWEST, NULL},
    {"max_checkpoints", NEWEST, NULL},
    {"keep_count", NEWEST, NULL},
    {"keep_clean_only", "policies = { \"keep_clean\" }", NULL},
    {"keep_only_clean", "policies = { \"keep_clean\" }", NULL},
    {"max_age_days", "policies = { { \"keep_tiers\", all_s = …, hourly_s = … } }", NULL},
    {"checkpoint_max_age_days", "policies = { { \"keep_tiers\", all_s = …, hourly_s = … } }", NULL},
    {"checkpoint_prune_every_n_nodes", "prune_every_n_nodes = @", NULL},
    {"compress_checkpoints", "compress = @", NULL},
    {"compression", "compress = @", NULL},
    {"compression_threshold", "compression_threshold_bytes = @", NULL},
    {"exclude_keys", EXCLUDE, NULL},
    {"excluded_memory_keys", EXCLUDE, NULL},
    {"include_full_memory", MEMORY, NULL},
    {"include_memory", MEMORY, NULL},
    {"include_conversation_snapshots", CONVERSATIONS, NULL},
    {"include_conversations", CONVERSATIONS, NULL},
    {"include_metrics", NULL, "every checkpoint has its metrics_snapshot: leave it out"},
    {"encrypt_checkpoints", "encrypt = @", NULL},
    {"encryption_key", "key = \"env:VARIABLE\"", NULL},
    {"encryption_key_source", "key = \"env:VARIABLE\"", NULL},
    {"sign_checkpoints", NULL, "a store with a key signs everything: set key = \"env:VARIABLE\""},
    {"enabled", NULL,
     "checkpoints are what the policies take: with policies = {} none but at pauses, "
     "failures and the end"},
    {"checkpoint_enabled", NULL,
     "checkpoints are what the policies take: with policies = {} none but at pauses, failures and "
     "the end"},
};

/* A flag or a number as it is; anything else would be long. */
static void append_value(ck_buffer *to, ck_bytes value) {
  ck_json_type type = ck_json_type_of(value);
  if (type == CK_JSON_TRUE || type == CK_JSON_FALSE || type == CK_JSON_NUMBER)
    ck_buffer_append_bytes(to, value);
  else
    ck_buffer_append_text(to, "…");
}

static void set_meant(const foreign *row, ck_bytes value, ck_error *err) {
  ck_buffer text = {0};
  const char *at = strchr(row->means, '@');
  ck_buffer_append(&text, row->means, at ? (size_t)(at - row->means) : strlen(row->means));
  if (at) append_value(&text, value);
  if (at) ck_buffer_append_text(&text, at + 1);
  ck_error_set(err, CK_E_PARSE, "key '%s' is not known here; did you mean %s?", row->key,
               text.failed ? row->means : text.data);
  ck_buffer_clear(&text);
}

bool ck_profile_refuse_foreign(const char *key, ck_bytes value, ck_error *err) {
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(names[i].key, key) != 0) continue;
    if (names[i].means)
      set_meant(&names[i], value, err);
    else
      ck_error_set(err, CK_E_PARSE, "key '%s' is not known here: %s", key, names[i].says);
    return true;
  }
  return false;
}

bool ck_profile_is_foreign_table(const char *key, ck_bytes value) {
  static const char *const tables[] = {"checkpoint_config", "checkpointing", "checkpoint",
                                       "checkpoints"};
  bool known = false;
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) known |= strcmp(tables[i], key) == 0;
  return known && ck_json_type_of(value) == CK_JSON_OBJECT && ck_json_count(value) > 0;
}
