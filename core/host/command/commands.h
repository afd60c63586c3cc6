/* commands.h - one declaration per command file. */
#ifndef CK_HOST_COMMAND_COMMANDS_H
#define CK_HOST_COMMAND_COMMANDS_H

#include "core/host/cli/command.h"

extern const ck_command ck_command_answer;
extern const ck_command ck_command_cancel;
extern const ck_command ck_command_checkpoint;
extern const ck_command ck_command_doctor;
extern const ck_command ck_command_facts_delete;
extern const ck_command ck_command_facts_get;
extern const ck_command ck_command_facts_list;
extern const ck_command ck_command_facts_set;
extern const ck_command ck_command_help;
extern const ck_command ck_command_init;
extern const ck_command ck_command_key_list;
extern const ck_command ck_command_key_new;
extern const ck_command ck_command_key_rotate;
extern const ck_command ck_command_key_unseal;
extern const ck_command ck_command_mcp;
extern const ck_command ck_command_submit;
extern const ck_command ck_command_worker;
extern const ck_command ck_command_flow_sign;
extern const ck_command ck_command_flow_key;
extern const ck_command ck_command_pause;
extern const ck_command ck_command_policy_bench;
extern const ck_command ck_command_policy_check;
extern const ck_command ck_command_policy_explain;
extern const ck_command ck_command_policy_eval;
extern const ck_command ck_command_policy_list;
extern const ck_command ck_command_policy_new;
extern const ck_command ck_command_policy_simulate;
extern const ck_command ck_command_policy_test;
extern const ck_command ck_command_policy_tune;
extern const ck_command ck_command_profile_check;
extern const ck_command ck_command_profile_list;
extern const ck_command ck_command_profile_show;
extern const ck_command ck_command_resolve;
extern const ck_command ck_command_resume;
extern const ck_command ck_command_run;
extern const ck_command ck_command_sessions_checkpoints;
extern const ck_command ck_command_sessions_delete;
extern const ck_command ck_command_sessions_diff;
extern const ck_command ck_command_sessions_export;
extern const ck_command ck_command_sessions_fork;
extern const ck_command ck_command_sessions_import;
extern const ck_command ck_command_sessions_inspect;
extern const ck_command ck_command_sessions_list;
extern const ck_command ck_command_sessions_log;
extern const ck_command ck_command_sessions_watch;
extern const ck_command ck_command_sessions_pin;
extern const ck_command ck_command_sessions_prune;
extern const ck_command ck_command_sessions_rewind;
extern const ck_command ck_command_sessions_scrub;
extern const ck_command ck_command_sessions_show;
extern const ck_command ck_command_sessions_tail;
extern const ck_command ck_command_sessions_output;
extern const ck_command ck_command_sessions_undo;
extern const ck_command ck_command_store_accept_rollback;
extern const ck_command ck_command_store_backup;
extern const ck_command ck_command_store_copy;
extern const ck_command ck_command_store_stats;
extern const ck_command ck_command_store_verify;
extern const ck_command ck_command_ui;
extern const ck_command ck_command_store_salvage;

#endif
