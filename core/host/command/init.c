/* init.c - init: a project that runs, from the texts of policies/project. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/embed.h"
#include "core/host/command/commands.h"
#include "core/host/print/document.h"
#include "core/host/print/editor.h"
#include "core/host/print/write_file.h"
#include "core/host/session/next_command.h"

typedef struct values {
  const char *folder;
} values;

static const char *const files[] = {"flow.lua", "profile.lua", "policy.lua", "policy_test.lua",
                                    "cassette.jsonl"};
enum { FILES = sizeof files / sizeof *files };

/* What to do with it, after "cd FOLDER". */
static const char *const commands[] = {
    "ckrun run flow.lua --profile ./profile.lua --cassette cassette.jsonl",
    "ckrun sessions show latest",
    "ckrun policy explain latest",
    "ckrun policy test policy.lua",
};
enum { COMMANDS = sizeof commands / sizeof *commands };

/* The folder becomes the current one. */
static ck_status enter(const char *folder, ck_error *err) {
  if (mkdir(folder, 0777) != 0 && errno != EEXIST)
    return ck_error_set(err, CK_E_IO, "%s: the folder cannot be made: %s", folder, strerror(errno));
  return chdir(folder) == 0 ? CK_OK
                            : ck_error_set(err, errno == ENOTDIR ? CK_E_EXISTS : CK_E_IO,
                                           "%s cannot be entered: %s", folder, strerror(errno));
}

static ck_status check_absent(const char *folder, ck_error *err) {
  struct stat found;
  for (size_t i = 0; i < FILES; i++)
    if (lstat(files[i], &found) == 0)
      return ck_error_set(err, CK_E_EXISTS, "%s is in %s already: nothing is written over it",
                          files[i], folder);
  return CK_OK;
}

/* All of them, or none. */
static ck_status write_files(ck_error *err) {
  ck_status status = CK_OK;
  size_t count = 0;
  for (; count < FILES && status == CK_OK; count++) {
    char name[64];
    snprintf(name, sizeof name, "policies/project/%s", files[count]);
    status = ck_write_file(files[count], ck_embedded_get(name), err);
  }
  for (size_t i = 0; status != CK_OK && i + 1 < count; i++) unlink(files[i]);
  return status;
}

static ck_status print_json(ck_output *output, const char *folder, const char *cd, ck_error *err) {
  ck_document document;
  ck_document_init(&document, output);
  ck_document_put_text(&document, NULL, "folder", folder);
  struct cJSON *list = ck_document_put_array(&document, NULL, "files");
  for (size_t i = 0; i < FILES; i++) ck_document_put_text(&document, list, NULL, files[i]);
  list = ck_document_put_array(&document, NULL, "commands");
  if (*cd) ck_document_put_text(&document, list, NULL, cd);
  for (size_t i = 0; i < COMMANDS; i++) ck_document_put_text(&document, list, NULL, commands[i]);
  ck_status status = ck_document_print(&document, err);
  ck_document_clear(&document);
  return status;
}

/* Each command is a line of its own: it is to be copied, or run by a script. */
static void print_lines(ck_output *output, const char *cd) {
  ck_buffer line = {0};
  for (size_t i = 0; i < FILES; i++) ck_output_notice(output, "made %s", files[i]);
  ck_output_notice(output, "next:");
  ck_output_append_lines(output, &line, ck_bytes_text(cd));
  if (*cd) ck_buffer_append_char(&line, '\n');
  ck_output_write(output, ck_buffer_bytes(&line));
  output->failed |= line.failed;
  ck_buffer_clear(&line);
  for (size_t i = 0; i < COMMANDS; i++) ck_output_print(output, "%s\n", commands[i]);
}

/* Nothing where nobody has to go anywhere. */
static void append_cd(ck_buffer *out, const char *folder) {
  if (strcmp(folder, ".") != 0) {
    ck_buffer_append_text(out, "cd");
    ck_next_command_append_option(out, *folder == '-' ? "--" : NULL, folder);
  }
  ck_buffer_append_char(out, '\0');
}

static ck_status report(ck_output *output, const char *folder, ck_error *err) {
  ck_buffer cd = {0};
  append_cd(&cd, folder);
  ck_status status = ck_buffer_check(&cd, err);
  if (status == CK_OK && output->json)
    status = print_json(output, folder, cd.data, err);
  else if (status == CK_OK)
    print_lines(output, cd.data);
  ck_buffer_clear(&cd);
  return status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  const char *folder = v->folder ? v->folder : ".";
  bool for_editor;
  ck_status status = enter(folder, err);
  if (status == CK_OK) status = check_absent(folder, err);
  if (status == CK_OK) status = write_files(err);
  if (status == CK_OK) status = ck_editor_write(&for_editor, err);
  return status == CK_OK ? report(host->output, folder, err) : status;
}

static const ck_operand operands[] = {
    {.name = "DIR",
     .optional = true,
     .offset = offsetof(values, folder),
     .help = "the folder, which is made; the current one without it",
     .complete = CK_COMPLETE_FILE},
    {0},
};

static const ck_example examples[] = {
    {"ckrun init shop", "make a project in a new folder"},
    {0},
};

const ck_command ck_command_init = {
    .name = "init",
    .summary = "make a project that runs",
    .details =
        "Writes flow.lua (an agent with a tool), profile.lua (what it may spend), policy.lua and "
        "policy_test.lua (when a checkpoint is taken), cassette.jsonl (a recording that answers in "
        "the place of a model), and prints the commands that run it, look at it and test it. Files "
        "that are there are left as they are, and refused. For the Lua language server it writes "
        ".luarc.json, too, where there is none.",
    .operands = operands,
    .examples = examples,
    .run = run,
};
