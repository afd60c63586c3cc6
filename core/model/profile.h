/* profile.h - how sessions of one kind are run: the settings after inheritance, without any Lua in
 * them. */
#ifndef CK_MODEL_PROFILE_H
#define CK_MODEL_PROFILE_H

#include "core/base/error.h"

typedef struct ck_profile ck_profile;

void ck_profile_free(ck_profile *self);

/* ---- within ckrun ---- */

#include "core/base/digest.h"
#include "core/model/verdict.h"
#include "core/model/permission.h"
#include "core/model/profile_model.h"

/* One policy of the list: what to load and the options that override its defaults. */
typedef struct ck_profile_policy {
  char *name;        /* shipped name or a path */
  ck_value *options; /* JSON object; NULL: defaults */
  bool set_by_run;   /* the run has changed them, from: */
  ck_value *own;     /* those of the profile */
  bool of_run;       /* of one run: the profile does not list it */
} ck_profile_policy;

/* What a resume does to each dimension, unless a policy says otherwise. */
typedef struct ck_profile_rules {
  ck_rule budget, time, rounds, tokens, tool_calls, model_calls;
} ck_profile_rules;

/* The settings of one agent. -1 in a limit: none of its own; the session's limits apply in any
 * case. */
typedef struct ck_profile_agent {
  char *name;
  int64_t budget_micros;
  int64_t time_ms;
  int64_t rounds;
  int64_t tokens;
  int64_t tool_calls;
  int64_t model_calls;
  int64_t replay_depth; /* events in its tail; the profile's where the agent sets none */
  bool unmetered; /* a process that may be used under a budget, though its price is not known */
  bool alone;     /* extend = false: the profile's policies are not asked of what it does */
  /* replace those of the same name in the profile's list, whose options are their defaults */
  ck_profile_policy *policies;
  size_t policy_count;
} ck_profile_agent;

/* A secret reference: never the secret's value. */
typedef struct ck_profile_secret {
  char *name;
  char *ref; /* "env:NAME" or "file:PATH" */
} ck_profile_secret;

/* The origin of a setting, such as "constraints.rounds" or "agents.x.policies". */
typedef struct ck_profile_origin {
  char *path;
  char *source; /* the profile's name in the program ("policies/profiles/graph.lua") or its file */
  ck_value *value; /* as written there, JSON */
} ck_profile_origin;

/* The action at a limit. */
typedef enum { CK_LIMIT_PAUSE, CK_LIMIT_FAIL, CK_LIMIT_ASK } ck_limit_action;

/* The least expected amounts; -1: none. Reaching a maximum while less than half of a minimum is met
 * is reported. */
typedef struct ck_profile_minimum {
  int64_t budget_micros, time_ms, rounds, tokens, tool_calls, model_calls;
} ck_profile_minimum;

/* -1 in a constraint means: no limit. */
/* encrypt: sealed when the store has a key; only stores with a key are accepted; signed, not
 * sealed. */
typedef enum { CK_ENCRYPT_WITH_KEY, CK_ENCRYPT_ALWAYS, CK_ENCRYPT_NEVER } ck_encrypt;

struct ck_profile {
  char *name;
  char *path;   /* of its file; NULL for a shipped one */
  char *source; /* of its own settings, as ck_profile_origin says it; NULL: made without files */
  ck_digest digest; /* of what its file and those it extends return; zeros: made without files */
  int64_t budget_micros;
  int64_t time_ms;
  int64_t rounds;
  int64_t tokens;
  int64_t tool_calls;
  int64_t model_calls;
  ck_profile_minimum minimum;
  ck_limit_action on_limit;
  int64_t replay_depth; /* transcript_replay_depth: events in a tail; 0 none; default 50 */
  ck_profile_policy *policies;
  size_t policy_count;
  ck_profile_rules resume;
  /* names below memory. that are never written; NULL-terminated; NULL: none */
  char **exclude_memory_keys;
  /* each is resolved at run and at resume, and then known to every redactor */
  ck_profile_secret *secrets;
  size_t secret_count;
  ck_encrypt encrypt;
  /* the source of the key of a store that is created with this profile: "env:NAME", "file:PATH";
   * NULL */
  char *key_ref;
  ck_profile_model *models; /* by the name that flows use */
  size_t model_count;
  ck_profile_agent *agents;
  size_t agent_count;
  ck_permissions permissions; /* of agents that run as processes of their own */
  bool agent_files; /* they may read and write the text files of the working folder through ckrun */
  int64_t prune_every_n_nodes; /* boundaries with a checkpoint; 0: only at the end of a run */
  bool checkpoint_tool,
      checkpoint_tool_subagents; /* models may call checkpoint and rewind; those of subagents too */
  bool single_checkpoint; /* checkpoints = "single": a new checkpoint replaces the previous one */
  bool delete_on_success; /* on_success = "delete" */
  bool replicated;        /* durability = "replicated" */
  bool continue_on_save_failure;                /* on_save_failure = "continue" */
  bool document_memory, document_conversations; /* what a checkpoint holds as a document */
  bool compress;
  int64_t compression_threshold; /* bytes: shorter bodies and payloads are stored uncompressed */
  int64_t unsaved_checkpoints,
      unsaved_ms; /* how far a session may continue unsaved; see core/runtime/commit/backlog.h */
  bool fallback_on_unreadable; /* on_unreadable = "fallback" */
  /* resume_context = "tail": every agent continues with its tail instead of its conversation */
  bool resume_with_tail;
  bool models_unmasked; /* models_see = "unmasked": what policies mask is hidden from the store
                           alone */
  bool message_text;    /* message_text = true: policies see the text of at.message */
  struct ck_scripts
      *scripts; /* its text and what it reads from files is put there; borrowed; NULL */
  /* Options that one run sets, over all others, by the name that the policy gives itself. */
  ck_profile_policy *run_options;
  size_t run_option_count;
  ck_profile_origin *origins; /* of all settings of the profile and those it extends, in no order */
  size_t origin_count;
};

/* No limits, replay depth 50, no policies, the given name. */
CK_CHECKED ck_status ck_profile_new(ck_profile **out, const char *name, ck_error *err);
/* Copies `name`, shares `options` (may be NULL). */
CK_CHECKED ck_status ck_profile_append_policy(ck_profile *self, const char *name,
                                              const ck_value *options, ck_error *err);

/* The agent of that name, created when there is none; valid until the next one is created. */
CK_CHECKED ck_status ck_profile_put_agent(ck_profile_agent **out, ck_profile *self,
                                          const char *name, ck_error *err);
/* NULL when the profile has no such agent. */
const ck_profile_agent *ck_profile_get_agent(const ck_profile *self, const char *name);
CK_CHECKED ck_status ck_profile_append_agent_policy(ck_profile_agent *self, const char *name,
                                                    const ck_value *options, ck_error *err);
/* Behind all others, for one run. Copies `name`. */
CK_CHECKED ck_status ck_profile_append_run_policy(ck_profile *self, const char *name,
                                                  ck_error *err);
/* What the run sets for the policies that call themselves `policy`: a JSON object, shared; replaces
 * the previous one. */
CK_CHECKED ck_status ck_profile_put_run_options(ck_profile *self, const char *policy,
                                                const ck_value *options, ck_error *err);
/* NULL: the run sets none. */
const ck_value *ck_profile_get_run_options(const ck_profile *self, const char *policy);
/* The lists become empty. */
void ck_profile_clear_policies(ck_profile *self);
void ck_profile_clear_agent_policies(ck_profile_agent *self);
/* Copies a list of texts; replaces the previous one. */
CK_CHECKED ck_status ck_profile_put_excluded(ck_profile *self, const char *const *names,
                                             size_t count, ck_error *err);
/* Copies the texts; replaces the secret of that name. */
CK_CHECKED ck_status ck_profile_put_secret(ck_profile *self, const char *name, const char *ref,
                                           ck_error *err);

/* The model of that name, created when there is none; valid until the next one is created. */
CK_CHECKED ck_status ck_profile_put_model(ck_profile_model **out, ck_profile *self,
                                          const char *name, ck_error *err);
/* NULL when the profile has none of that name. */
const ck_profile_model *ck_profile_get_model(const ck_profile *self, const char *name);
/* NULL when the profile has none of that name. */
const ck_profile_secret *ck_profile_get_secret(const ck_profile *self, const char *name);

/* Copies the texts, shares the value; replaces the origin of that path. */
CK_CHECKED ck_status ck_profile_put_origin(ck_profile *self, const char *path, const char *source,
                                           const ck_value *value, ck_error *err);
/* NULL: not set, the built-in default applies. */
const ck_profile_origin *ck_profile_get_origin(const ck_profile *self, const char *path);

#endif
