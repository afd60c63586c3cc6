/* policy_list.c - policy list: which there are, shipped and in a folder. */
#include "core/host/command/commands.h"
#include "core/host/print/source_list.h"
#include "lua/policy_tool/policy_tool.h"

typedef struct values {
  const char *folder;
} values;

static const ck_column columns[] = {{"NAME", CK_COLUMN_PATH},
                                    {"HOOKS", CK_COLUMN_CUT | CK_COLUMN_SPARE(1)},
                                    {"SUMMARY", CK_COLUMN_WIDE},
                                    {NULL, false}};

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_source_list list = {.kind = "policy", .parts = "hooks", .part = "hook"};
  ck_source_list_init(&list, host->output, columns);
  ck_status status =
      ck_policy_tool_list(v->folder ? v->folder : ".", ck_source_list_take, &list, err);
  if (status == CK_OK) status = ck_source_list_print(&list, err);
  ck_source_list_clear(&list);
  return status;
}

static const ck_operand operands[] = {
    {.name = "DIR",
     .offset = offsetof(values, folder),
     .optional = true,
     .help = "where to look for more than the shipped ones (default: the current folder)",
     .complete = CK_COMPLETE_FILE},
    {0},
};

static const ck_example examples[] = {
    {"ckrun policy list", "the shipped ones, and those of this folder"},
    {0},
};

const ck_command ck_command_policy_list = {
    .name = "policy list",
    .summary = "list the policies that are shipped, and those of a folder",
    .details = "The shipped ones first, by the names that profiles use; then the files of "
               "DIR, and of the folder policies in it, that a session could load, tests "
               "(_test.lua) left out. Columns: name or path, as a profile names it; the hooks "
               "that it has; what the comment at its beginning says. Files that are no "
               "policies are left out; those with a mistake are named on stderr, and have a "
               "'problem' with --json.",
    .operands = operands,
    .examples = examples,
    .run = run,
};
