/* policy_bench.c - policy bench: microseconds and instructions of each hook, and the effect of a
 * failing one. */
#include "core/host/command/commands.h"
#include "core/host/print/document.h"
#include "core/host/print/table.h"
#include "core/host/run/chosen_policy.h"
#include "lua/policy_tool/policy_tool.h"
#include "lua/vm/sandbox.h"

enum { CALLS = 20000 };

typedef struct values {
  const char *file;
  int64_t calls;
  ck_policy_words options;
} values;

static const ck_column columns[] = {
    {"HOOK", false},        {"CALLS", CK_COLUMN_RIGHT | CK_COLUMN_SPARE(1)},
    {"TIME", true},         {"RATIO", true},
    {"INSTRUCTIONS", true}, {"FAILED", true},
    {"ANSWER", false},      {NULL, false}};

static int64_t get_int(ck_bytes row, const char *name) {
  int64_t number = 0;
  ck_json_read_int(&number, ck_json_get(row, name));
  return number;
}

/* The report of a failing hook: the first failure, and the rule that keeps it harmless. */
static void append_answer(ck_buffer *to, ck_bytes row) {
  if (!get_int(row, "failures")) return;
  ck_json_read_string(to, ck_json_get(row, "failure"));
  ck_buffer_append_text(to, "; contained: ");
  ck_json_read_string(to, ck_json_get(row, "contained"));
}

/* Microseconds with their fractions: a hook takes few of them. */
static void append_time(ck_buffer *to, ck_bytes ms) {
  double number;
  if (ck_json_read_double(&number, ms)) ck_buffer_append_format(to, "%.3f us", number * 1e3);
}

static void append_ratio(ck_buffer *to, ck_bytes ratio) {
  double number;
  if (ck_json_read_double(&number, ratio)) ck_buffer_append_format(to, "%.1f", number);
}

static void put_row(ck_table *table, ck_bytes row) {
  ck_buffer hook = {0}, time = {0}, ratio = {0}, answer = {0};
  ck_json_read_string(&hook, ck_json_get(row, "hook"));
  append_time(&time, ck_json_get(row, "call_ms"));
  append_ratio(&ratio, ck_json_get(row, "ratio"));
  append_answer(&answer, row);
  ck_table_put_text(table, ck_buffer_bytes(&hook));
  ck_table_put_count(table, get_int(row, "calls"));
  ck_table_put_word(table, time.data);
  ck_table_put_word(table, ratio.data);
  ck_table_put_count(table, get_int(row, "instructions"));
  ck_table_put_count(table, get_int(row, "failures"));
  ck_table_put_text(table, ck_buffer_bytes(&answer));
  ck_buffer_clear(&hook);
  ck_buffer_clear(&time);
  ck_buffer_clear(&ratio);
  ck_buffer_clear(&answer);
}

static void tell_stopped(ck_output *output, ck_bytes row) {
  ck_buffer hook = {0};
  ck_json_read_string(&hook, ck_json_get(row, "hook"));
  if (ck_json_get(row, "stopped").len && hook.data)
    ck_output_notice(output, "%s: stopped after a second of processor time, and %lld calls",
                     hook.data, (long long)get_int(row, "calls"));
  ck_buffer_clear(&hook);
}

static ck_status print_table(ck_output *output, ck_bytes rows, ck_error *err) {
  ck_table table;
  ck_table_init(&table, output, columns);
  ck_json_iterator it = ck_json_iterate(rows);
  while (ck_json_next(&it)) put_row(&table, it.value);
  ck_status status = ck_table_print(&table, err);
  ck_table_clear(&table);
  for (it = ck_json_iterate(rows); status == CK_OK && ck_json_next(&it);)
    tell_stopped(output, it.value);
  return status;
}

static ck_status print_json(ck_output *output, const ck_value *rows, ck_error *err) {
  ck_document document;
  ck_document_init(&document, output);
  ck_document_put_value(&document, NULL, "hooks", rows);
  ck_status status = ck_document_print(&document, err);
  ck_document_clear(&document);
  return status;
}

static ck_status bench(ck_value **rows, const values *v, ck_error *err) {
  ck_policy_tool_bench_options options = {.calls = v->calls ? v->calls : CALLS,
                                          .clock = ck_clock_thread()};
  ck_chosen_policy chosen;
  ck_status status = ck_chosen_policy_open(&chosen, &v->options, err);
  if (status == CK_OK) status = ck_chosen_policy_find(&chosen, &v->options, v->file, NULL, err);
  if (status == CK_OK) status = ck_policy_tool_bench(rows, chosen.policy, &options, err);
  ck_chosen_policy_clear(&chosen);
  return status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_sandbox_quiet_print(true);
  ck_value *rows;
  ck_status status = bench(&rows, v, err);
  if (status != CK_OK) return status;
  ck_bytes json = ck_value_bytes(rows);
  int64_t failing = 0;
  ck_json_iterator it = ck_json_iterate(json);
  while (ck_json_next(&it)) failing += get_int(it.value, "failures") > 0;
  status = host->output->json ? print_json(host->output, rows, err)
                              : print_table(host->output, json, err);
  if (status == CK_OK && failing)
    status = ck_error_set(err, CK_E_FAILED, "%s: %lld %s", v->file, (long long)failing,
                          failing == 1 ? "hook fails" : "hooks fail");
  ck_value_free(rows);
  return status;
}

static const ck_operand operands[] = {
    {.name = "FILE",
     .offset = offsetof(values, file),
     .help = "the policy's file, or the name of a shipped one",
     .complete = CK_COMPLETE_FILE},
    {0},
};

static const ck_option options_table[] = {
    {.name = "calls",
     .type = CK_OPTION_NUMBER,
     .offset = offsetof(values, calls),
     .value = "N",
     .help = "calls of each hook (20000)"},
    CK_POLICY_OPTIONS(values, options),
    {0},
};

static const ck_example examples[] = {
    {"ckrun policy bench policy.lua --calls 100", "the time that each hook takes"},
    {0},
};

const ck_command ck_command_policy_bench = {
    .name = "policy bench",
    .summary = "measure what each hook of a policy costs",
    .details =
        "Columns: hook, calls, the processor time of one (the median of batches over samples of "
        "everything the hook can meet, with all that a live call does), how many times as "
        "long that is as a call of an empty Lua function, measured between, the most "
        "instructions that one took (its budget is 1,000,000), samples at which it failed, "
        "and how. A hook is called until it has had a second of processor time. One that fails or "
        "overruns is not timed: what is told is what its failure comes to live, and the exit code "
        "is 1.",
    .operands = operands,
    .options = options_table,
    .examples = examples,
    .run = run,
};
