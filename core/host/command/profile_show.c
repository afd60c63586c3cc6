/* profile_show.c - profile show: the effective settings, and the source of each. */
#include "core/host/command/commands.h"
#include "core/host/run/model_prices.h"
#include "core/host/run/settings.h"
#include "core/host/print/document.h"
#include "core/host/print/table.h"
#include "lua/profile/profile.h"

typedef struct values {
  const char *profile, *agent;
  ck_settings_words settings;
} values;

static const ck_column columns[] = {{"SETTING", false},
                                    {"VALUE", CK_COLUMN_CUT},
                                    {"FROM", false},
                                    {"WHERE", CK_COLUMN_PATH},
                                    {NULL, false}};

static void put_text(ck_table *table, ck_bytes json) {
  ck_buffer text = {0};
  if (!ck_json_read_string(&text, json)) ck_buffer_append_bytes(&text, json);
  ck_table_put_text(table, ck_buffer_bytes(&text));
  ck_buffer_clear(&text);
}

static void put_row(ck_table *table, ck_bytes row) {
  static const char *const names[] = {"key", "value", "from", "origin"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    put_text(table, ck_json_get(row, names[i]));
}

static ck_status print_table(ck_output *output, const ck_value *rows, ck_error *err) {
  ck_table table;
  ck_table_init(&table, output, columns);
  ck_json_iterator it = ck_json_iterate(ck_value_bytes(rows));
  while (ck_json_next(&it)) put_row(&table, it.value);
  ck_status status = ck_table_print(&table, err);
  ck_table_clear(&table);
  return status;
}

static ck_status print_json(ck_output *output, const ck_profile *profile, const values *v,
                            const ck_value *rows, ck_error *err) {
  ck_document document;
  ck_document_init(&document, output);
  ck_document_put_text(&document, NULL, "profile", profile->name);
  ck_document_put_text(&document, NULL, "file", profile->path);
  ck_document_put_text(&document, NULL, "agent", v->agent);
  ck_document_put_value(&document, NULL, "settings", rows);
  ck_status status = ck_document_print(&document, err);
  ck_document_clear(&document);
  return status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_profile *profile = NULL;
  ck_value *rows = NULL;
  ck_status status = ck_profile_load(&profile, v->profile, err);
  if (status == CK_OK) status = ck_settings_take(profile, &v->settings, err);
  if (status == CK_OK) status = ck_profile_describe(&rows, profile, v->agent, err);
  if (status == CK_OK) status = ck_model_prices_describe(&rows, profile, err);
  if (status == CK_OK && v->agent && !ck_profile_get_agent(profile, v->agent))
    ck_output_notice(host->output, "%s says nothing of agent '%s': the session's settings hold",
                     profile->name, v->agent);
  if (status == CK_OK)
    status = host->output->json ? print_json(host->output, profile, v, rows, err)
                                : print_table(host->output, rows, err);
  ck_value_free(rows);
  ck_profile_free(profile);
  return status;
}

static const ck_operand operands[] = {
    {.name = "PROFILE",
     .offset = offsetof(values, profile),
     .help = "a shipped profile, or the path of one",
     .complete = CK_COMPLETE_FILE},
    {0},
};

static const ck_option options[] = {
    {.name = "agent",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, agent),
     .value = "AGENT",
     .help = "as it holds for this agent"},
    CK_SETTINGS_OPTIONS(values, settings),
    {0},
};

static const ck_example examples[] = {
    {"ckrun profile show ./profile.lua", "the settings that hold, and where each is from"},
    {0},
};

const ck_command ck_command_profile_show = {
    .name = "profile show",
    .summary = "show the settings that hold, and where each came from",
    .details =
        "Columns: setting, value, from, where. From is 'default' (of ckrun or of the policy), "
        "'extends' (a profile that this one extends), 'profile', 'agent' (its section for "
        "the agent) or 'run' (--option and --policy, as for 'ckrun run'); where is a file, "
        "a text in the program, or, of a price that ships, its date and source. What a run sets "
        "beats an agent's setting, that beats the profile's, that the one of a profile it extends, "
        "and all of them a policy's defaults.",
    .operands = operands,
    .options = options,
    .examples = examples,
    .run = run,
};
