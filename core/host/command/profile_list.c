/* profile_list.c - profile list: which there are, shipped and in a folder. */
#include "core/host/command/commands.h"
#include "core/host/print/source_list.h"
#include "lua/profile/profile.h"

typedef struct values {
  const char *folder;
} values;

static const ck_column columns[] = {{"NAME", CK_COLUMN_PATH},
                                    {"POLICIES", CK_COLUMN_CUT | CK_COLUMN_SPARE(1)},
                                    {"SUMMARY", CK_COLUMN_WIDE},
                                    {NULL, false}};

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_source_list list = {.kind = "profile", .parts = "policies", .part = NULL};
  ck_source_list_init(&list, host->output, columns);
  ck_status status = ck_profile_list(v->folder ? v->folder : ".", ck_source_list_take, &list, err);
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
    {"ckrun profile list", "the shipped ones, and those of this folder"},
    {0},
};

const ck_command ck_command_profile_list = {
    .name = "profile list",
    .summary = "list the profiles that are shipped, and those of a folder",
    .details = "The shipped ones first, by the names that --profile takes; then the files of "
               "DIR, and of the folders profiles and policies/profiles in it, that a session "
               "could load. Columns: name or path, as --profile takes it; its policies, "
               "inherited ones too; what the comment at its beginning says. Files that are no "
               "profiles are left out; those with a mistake are named on stderr, and have a "
               "'problem' with --json.",
    .operands = operands,
    .examples = examples,
    .run = run,
};
