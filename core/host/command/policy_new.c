/* policy_new.c - policy new: a policy and its test to begin with, which run as they are. */
#include <string.h>
#include <unistd.h>

#include "core/base/embed.h"
#include "core/host/command/commands.h"
#include "core/host/print/document.h"
#include "core/host/print/editor.h"
#include "core/host/print/write_file.h"
#include "lua/policy/load.h"

/* policies/new/HOOK.lua and HOOK_test.lua: one policy for each hook, called so. */
static const char template_name[] = "my_policy";

typedef struct values {
  const char *name, *hook;
} values;

static const char *const hooks[] = {
#define X(name, ...) #name,
    CK_POLICY_HOOK_TABLE(X)
#undef X
        NULL};

static ck_status check_name(const char *name, ck_error *err) {
  static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
  size_t len = strlen(name);
  if (len && len < POLICY_NAME_SIZE && strspn(name, allowed) == len) return CK_OK;
  return ck_error_set(
      err, CK_E_USAGE,
      "'%s' is no name of a policy: 1 to %d of a to z, 0 to 9 and _ are; it is made "
      "in the current folder, as NAME.lua",
      name, POLICY_NAME_SIZE - 1);
}

/* The template under the policy's own name. */
static void append_named(ck_buffer *to, ck_bytes text, const char *name) {
  const size_t len = sizeof template_name - 1;
  const char *found;
  while ((found = memmem(text.data, text.len, template_name, len))) {
    ck_buffer_append_bytes(to, (ck_bytes){text.data, (size_t)(found - text.data)});
    ck_buffer_append_text(to, name);
    text.len -= (size_t)(found + len - text.data);
    text.data = found + len;
  }
  ck_buffer_append_bytes(to, text);
}

typedef struct new_file {
  ck_buffer path, text;
} new_file;

static ck_status prepare(new_file *file, const values *v, const char *end, ck_error *err) {
  ck_buffer_append_format(&file->path, "policies/new/%s%s.lua", v->hook ? v->hook : "checkpoint",
                          end);
  ck_status status = ck_buffer_check(&file->path, err);
  if (status != CK_OK) return status;
  append_named(&file->text, ck_embedded_get(file->path.data), v->name);
  ck_buffer_reset(&file->path);
  ck_buffer_append_format(&file->path, "%s%s.lua", v->name, end);
  status = ck_buffer_check(&file->path, err);
  if (status == CK_OK) status = ck_buffer_check(&file->text, err);
  if (status == CK_OK && access(file->path.data, F_OK) == 0)
    status = ck_error_set(err, CK_E_EXISTS, "%s is there already: nothing is written over it",
                          file->path.data);
  return status;
}

static ck_status report(ck_output *output, const new_file *policy, const new_file *test,
                        ck_error *err) {
  if (!output->json) {
    ck_output_print(output, "%s\n%s\n", policy->path.data, test->path.data);
    ck_output_notice(output, "next: ckrun policy test %s; a profile names it \"./%s\"",
                     policy->path.data, policy->path.data);
    return CK_OK;
  }
  ck_document document;
  ck_document_init(&document, output);
  ck_document_put_text(&document, NULL, "file", policy->path.data);
  ck_document_put_text(&document, NULL, "test", test->path.data);
  ck_status status = ck_document_print(&document, err);
  ck_document_clear(&document);
  return status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  new_file policy = {{0}, {0}}, test = {{0}, {0}};
  ck_status status = check_name(v->name, err);
  if (status == CK_OK) status = prepare(&policy, v, "", err);
  if (status == CK_OK) status = prepare(&test, v, "_test", err);
  bool for_editor;
  if (status == CK_OK) status = ck_editor_write(&for_editor, err);
  if (status == CK_OK) status = ck_write_file(policy.path.data, ck_buffer_bytes(&policy.text), err);
  if (status == CK_OK) {
    status = ck_write_file(test.path.data, ck_buffer_bytes(&test.text), err);
    if (status != CK_OK) unlink(policy.path.data);
  }
  if (status == CK_OK) status = report(host->output, &policy, &test, err);
  ck_buffer_clear(&policy.path);
  ck_buffer_clear(&policy.text);
  ck_buffer_clear(&test.path);
  ck_buffer_clear(&test.text);
  return status;
}

static const ck_operand operands[] = {
    {.name = "NAME", .offset = offsetof(values, name), .help = "what it is called"},
    {0},
};

static const ck_option options[] = {
    {.name = "hook",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, hook),
     .value = "HOOK",
     .help = "what it decides (default: checkpoint)",
     .choices = hooks},
    {0},
};

static const ck_example examples[] = {
    {"ckrun policy new careful --hook permit", "careful.lua and careful_test.lua, which pass"},
    {0},
};

const ck_command ck_command_policy_new = {
    .name = "policy new",
    .summary = "make a policy to begin with, and its test",
    .details = "Writes NAME.lua and NAME_test.lua into the current folder, or neither: a policy "
               "with one hook, which works, and tests that pass. Files that are there are left as "
               "they are, and refused. For the Lua language server it writes .luarc.json, too, "
               "where there is none: completion and types of all that a policy or a flow sees.",
    .operands = operands,
    .options = options,
    .examples = examples,
    .run = run,
};
