/* policy_check.c - policy check: loads a policy, finds faults that would occur live, shows its
 * hooks and options. */
#include <stdlib.h>

#include "core/host/command/commands.h"
#include "core/host/print/document.h"
#include "core/host/print/table.h"
#include "core/host/run/chosen_policy.h"
#include "lua/policy_tool/policy_tool.h"
#include "lua/vm/sandbox.h"

typedef struct values {
  const char *file;
  ck_policy_words options;
} values;

static const ck_column columns[] = {{"", false}, {"", false}, {NULL, false}};

static void put_json(ck_table *table, const char *name, ck_bytes json) {
  ck_buffer text = {0};
  if (!ck_json_read_string(&text, json)) ck_buffer_append_bytes(&text, json);
  if (name) ck_table_put_word(table, name);
  ck_table_put_text(table, ck_buffer_bytes(&text));
  ck_buffer_clear(&text);
}

static void put_members(ck_table *table, ck_bytes about) {
  static const char *const names[] = {"name", "version", "file", "digest"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    ck_bytes value = ck_json_get(about, names[i]);
    if (value.len) put_json(table, names[i], value);
  }
}

static void put_places(ck_table *table, const char *name, ck_bytes list) {
  for (ck_json_iterator it = ck_json_iterate(list); ck_json_next(&it);) {
    ck_buffer text = {0};
    ck_json_read_string(&text, ck_json_get(it.value, "place"));
    ck_buffer_append_text(&text, ": ");
    ck_json_read_string(&text, ck_json_get(it.value, "text"));
    ck_table_put_word(table, name);
    ck_table_put_text(table, ck_buffer_bytes(&text));
    ck_buffer_clear(&text);
  }
}

static ck_status print_table(ck_output *output, ck_bytes about, ck_error *err) {
  ck_table table;
  ck_table_init(&table, output, columns);
  put_members(&table, about);
  ck_json_iterator it = ck_json_iterate(ck_json_get(about, "hooks"));
  while (ck_json_next(&it)) put_json(&table, "hook", ck_json_get(it.value, "hook"));
  it = ck_json_iterate(ck_json_get(about, "options"));
  while (ck_json_next(&it)) {
    ck_buffer name = {0};
    ck_buffer_append_text(&name, "option ");
    ck_json_read_string(&name, it.name);
    ck_table_put_text(&table, ck_buffer_bytes(&name));
    put_json(&table, NULL, it.value);
    ck_buffer_clear(&name);
  }
  put_places(&table, "problem", ck_json_get(about, "problems"));
  put_places(&table, "note", ck_json_get(about, "notes"));
  ck_status status = ck_table_print(&table, err);
  ck_table_clear(&table);
  return status;
}

static ck_status print_json(ck_output *output, ck_bytes about, ck_error *err) {
  ck_document document;
  ck_document_init(&document, output);
  ck_status status = ck_document_put_members(&document, NULL, about, err);
  if (status == CK_OK) status = ck_document_print(&document, err);
  ck_document_clear(&document);
  return status;
}

static ck_status check(ck_value **about, const values *v, ck_error *err) {
  ck_chosen_policy chosen;
  ck_status status = ck_chosen_policy_open(&chosen, &v->options, err);
  if (status == CK_OK) status = ck_chosen_policy_find(&chosen, &v->options, v->file, NULL, err);
  if (status == CK_OK) status = ck_policy_tool_check(about, chosen.policy, err);
  ck_chosen_policy_clear(&chosen);
  return status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_sandbox_quiet_print(true);
  ck_value *about;
  ck_status status = check(&about, v, err);
  if (status != CK_OK) return status;
  ck_bytes json = ck_value_bytes(about);
  size_t problems = ck_json_count(ck_json_get(json, "problems"));
  status = host->output->json ? print_json(host->output, json, err)
                              : print_table(host->output, json, err);
  if (status == CK_OK && problems)
    status = ck_error_set(err, CK_E_FAILED, "%s: %zu %s found", v->file, problems,
                          problems == 1 ? "problem" : "problems");
  ck_value_free(about);
  return status;
}

static const ck_operand operands[] = {
    {.name = "FILE",
     .offset = offsetof(values, file),
     .help = "the policy's file, or the name of a shipped one",
     .complete = CK_COMPLETE_FILE},
    {0},
};

static const ck_option options[] = {
    CK_POLICY_OPTIONS(values, options),
    {0},
};

static const ck_example examples[] = {
    {"ckrun policy check policy.lua", "its hooks, its options and its mistakes"},
    {0},
};

const ck_command ck_command_policy_check = {
    .name = "policy check",
    .summary = "look for what would go wrong live in a policy",
    .details =
        "Shows its name, hooks and options: its defaults, or what --profile and --option make of "
        "them, which its hooks are called with. Problems are told by file and line, and the "
        "exit code is 1: text that is no policy; names that the sandbox does not have; "
        "fields that a view does not have, and words that a field never is; "
        "globals; what the file keeps and a function changes; a hook that fails or overruns "
        "its budget; a hook that answers differently in a used and in a fresh sandbox. Each "
        "hook is asked about samples of everything it can meet. What works under some profiles "
        "alone, such as the text of at.message, is a note: 'ckrun profile check' knows the "
        "profile.",
    .operands = operands,
    .options = options,
    .examples = examples,
    .run = run,
};
