/* command_table.h - the table of commands that main, help, man page and completions work from. */
#ifndef CK_HOST_COMMAND_TABLE_H
#define CK_HOST_COMMAND_TABLE_H

#include "core/host/cli/command.h"

extern const ck_command_table ck_program_commands;

#endif
