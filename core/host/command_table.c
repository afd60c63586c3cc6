/* command_table.c - lists the commands, their second names and groups, in the order of the help. */
#include "core/host/command_table.h"

#include "core/host/command/commands.h"

static const ck_command *const commands[] = {
    &ck_command_init,
    &ck_command_run,
    &ck_command_resume,
    &ck_command_submit,
    &ck_command_worker,
    &ck_command_flow_sign,
    &ck_command_flow_key,
    &ck_command_pause,
    &ck_command_checkpoint,
    &ck_command_cancel,
    &ck_command_answer,
    &ck_command_resolve,
    &ck_command_sessions_list,
    &ck_command_sessions_show,
    &ck_command_sessions_checkpoints,
    &ck_command_sessions_inspect,
    &ck_command_sessions_diff,
    &ck_command_sessions_log,
    &ck_command_sessions_watch,
    &ck_command_sessions_tail,
    &ck_command_sessions_output,
    &ck_command_sessions_export,
    &ck_command_sessions_fork,
    &ck_command_sessions_rewind,
    &ck_command_sessions_undo,
    &ck_command_sessions_pin,
    &ck_command_sessions_prune,
    &ck_command_sessions_scrub,
    &ck_command_sessions_delete,
    &ck_command_sessions_import,
    &ck_command_facts_list,
    &ck_command_facts_get,
    &ck_command_facts_set,
    &ck_command_facts_delete,
    &ck_command_policy_list,
    &ck_command_policy_new,
    &ck_command_policy_check,
    &ck_command_policy_test,
    &ck_command_policy_simulate,
    &ck_command_policy_tune,
    &ck_command_policy_explain,
    &ck_command_policy_eval,
    &ck_command_policy_bench,
    &ck_command_profile_list,
    &ck_command_profile_check,
    &ck_command_profile_show,
    &ck_command_store_verify,
    &ck_command_store_stats,
    &ck_command_store_accept_rollback,
    &ck_command_store_backup,
    &ck_command_store_copy,
    &ck_command_store_salvage,
    &ck_command_key_new,
    &ck_command_key_list,
    &ck_command_key_rotate,
    &ck_command_key_unseal,
    &ck_command_ui,
    &ck_command_doctor,
    &ck_command_mcp,
    &ck_command_help,
    NULL,
};

static const ck_command_alias aliases[] = {
    {"sessions resume", &ck_command_resume},
    {0},
};

static const char *const groups[] = {"flow",    "sessions", "facts", "policy",
                                     "profile", "store",    "key",   NULL};

const ck_command_table ck_program_commands = {
    .commands = commands, .aliases = aliases, .groups = groups};
