/* sessions_scrub.c - sessions scrub: takes a secret out of what is stored. */
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/host/command/commands.h"
#include "core/host/print/confirm.h"
#include "core/host/print/key_values.h"
#include "core/host/run/spills.h"
#include "core/host/session/key_source.h"
#include "core/host/session/resolve_session.h"
#include "core/host/session/scrub_rules.h"
#include "core/store/postgres/url.h"
#include "core/host/session/store_location.h"
#include "core/runtime/history/scrub.h"

typedef struct values {
  const char *session;
  ck_scrub_words words;
  bool all, dry_run, yes;
} values;

typedef struct scrubbing {
  ck_host *host;
  const values *given;
  ck_store_location location;
  ck_store *store;
  ck_scrub_means means;
  ck_scrub *scrub;
  ck_shelf spills;
  int64_t spill_files;
  int64_t refused; /* sessions that were left out */
  ck_key_values facts;
  struct cJSON *refusals;
} scrubbing;

/* ---- what to scrub ---- */

static ck_status check_words(const values *v, ck_error *err) {
  if (v->all == (v->session != NULL))
    return ck_error_set(err, CK_E_USAGE, "give either a session or --all");
  return CK_OK;
}

/* --key is the store's key in front of the command, and a reference here, too. Takes what is left
 * of the names; the caller frees it. */
static ck_status take_names(ck_words *names, ck_host *host, ck_error *err) {
  const char **list = calloc(names->count + 1, sizeof *list);
  ck_words left = {.list = list};
  if (!list) return ck_error_no_memory(err);
  for (size_t i = 0; i < names->count; i++)
    if (ck_key_source_is_ref(names->list[i]))
      host->key = names->list[i];
    else
      list[left.count++] = names->list[i];
  *names = left;
  return CK_OK;
}

static ck_status check_session(const scrubbing *self, ck_error *err) {
  char id[CK_ID_SIZE];
  const char *word = self->given->session;
  if (!word) return CK_OK;
  ck_status status = ck_resolve_session(id, self->store, word, err);
  if (status == CK_OK && strcmp(id, word) != 0)
    status =
        ck_error_set(err, CK_E_USAGE,
                     "'%s' is a part of session %s: what is scrubbed is named in full", word, id);
  return status;
}

static void refuse(void *to, const char *session, const ck_error *why) {
  scrubbing *self = to;
  self->refused++;
  if (!self->facts.json) {
    ck_output_notice(self->host->output, "%s", why->text);
    return;
  }
  ck_document *document = &self->facts.document;
  struct cJSON *at = ck_document_put_object(document, self->refusals, NULL);
  ck_document_put_text(document, at, "id", session);
  ck_document_put_text(document, at, "reason", why->text);
}

/* A server keeps what a row was in places of its own, so it is left to a file. */
static ck_status check_kind(const scrubbing *self, ck_error *err) {
  if (!ck_postgres_url_is(self->location.url)) return CK_OK;
  return ck_error_set(
      err, CK_E_UNSUPPORTED,
      "store %s is on a server, where nothing is scrubbed: 'ckrun store copy' makes "
      "a file of it; scrub that, copy it into a new ?schema=, and drop the old one",
      self->location.url);
}

static ck_status open_all(scrubbing *self, ck_error *err) {
  const values *v = self->given;
  ck_output *output = self->host->output;
  ck_status status = ck_store_location_find(&self->location, self->host, err);
  const ck_store_options options = {.key = self->location.key, .watch = &self->location.watch};
  if (status == CK_OK) status = check_kind(self, err);
  if (status == CK_OK) status = ck_store_open(&self->store, self->location.opens, &options, err);
  if (status == CK_OK) status = ck_scrub_means_take(&self->means, &v->words, output, err);
  if (status == CK_OK) status = check_session(self, err);
  if (status != CK_OK) return status;
  ck_output_set_fingerprint_key(output, ck_store_fingerprint_key(self->store));
  ck_redactor_set_fingerprint_key(self->means.redactor, ck_store_fingerprint_key(self->store));
  const ck_scrub_options how = {.session = v->session,
                                .redactor = self->means.redactor,
                                .expression = self->means.expression,
                                .rules = self->means.rules,
                                .refuse = refuse,
                                .to = self};
  status = ck_scrub_open(&self->scrub, self->store, &how, err);
  return status == CK_OK ? ck_spills_open(&self->spills, self->location.url, self->store, err)
                         : status;
}

/* ---- the scrub ---- */

static ck_status scrub_spills(scrubbing *self, const ck_spills_scrub_order *order, ck_error *err) {
  ck_status status = CK_OK;
  const char *id;
  self->spill_files = 0;
  for (size_t i = 0; status == CK_OK && (id = ck_scrub_session(self->scrub, i)); i++) {
    int64_t changed;
    status = ck_spills_scrub(&changed, &self->spills, id, order, err);
    self->spill_files += changed;
  }
  return status;
}

/* What the pattern matches is known before anything changes: a second call would not find it. */
static ck_status learn(scrubbing *self, ck_error *err) {
  if (!self->means.expression) return CK_OK;
  const ck_spills_scrub_order order = {.redactor = self->means.redactor,
                                       .key = ck_store_fingerprint_key(self->store),
                                       .expression = self->means.expression};
  ck_status status = ck_scrub_learn(self->scrub, err);
  if (status == CK_OK) status = scrub_spills(self, &order, err);
  return status == CK_OK
             ? ck_redactor_copy_secrets(self->host->output->redactor, self->means.redactor, err)
             : status;
}

static ck_status begin(const scrubbing *self, ck_error *err) {
  ck_buffer note = {0};
  ck_json_writer w = {.out = &note};
  ck_clock clock = ck_clock_system();
  ck_json_begin(&w, '{');
  ck_json_member_int(&w, "at_ms", clock.wall_ms(clock.self));
  ck_json_member_text(&w, "session", self->given->session);
  ck_json_member_raw(&w, "rules", ck_value_bytes(self->means.rules));
  ck_json_end(&w, '}');
  ck_status status = ck_buffer_check(&note, err);
  if (status == CK_OK) status = ck_store_begin_scrub(self->store, ck_buffer_bytes(&note), err);
  ck_buffer_clear(&note);
  return status;
}

/* The files first: what the pattern has matched in rows is still to be found when a kill comes
 * between the two. */
static ck_status scrub(scrubbing *self, ck_error *err) {
  bool dry_run = self->given->dry_run;
  const ck_spills_scrub_order order = {.redactor = self->means.redactor,
                                       .key = ck_store_fingerprint_key(self->store),
                                       .dry_run = dry_run};
  ck_status status = dry_run ? CK_OK : begin(self, err);
  if (status == CK_OK) status = scrub_spills(self, &order, err);
  if (status == CK_OK) status = ck_scrub_rows(self->scrub, dry_run, err);
  return status == CK_OK && !dry_run ? ck_store_end_scrub(self->store, err) : status;
}

static ck_status ask(const scrubbing *self, ck_error *err) {
  ck_buffer question = {0};
  const char *session = self->given->session;
  ck_buffer_append_format(&question, "take it out of %s%s for good?",
                          session ? "all that is kept of session " : "all sessions",
                          session ? session : "");
  ck_status status = ck_buffer_check(&question, err);
  if (status == CK_OK) status = ck_confirm(self->host->output, question.data, err);
  ck_buffer_clear(&question);
  return status;
}

/* ---- what came of it ---- */

/* What was not found is no line for people. */
static void put_count(ck_key_values *facts, const char *name, int64_t count) {
  if (count || facts->json) ck_key_values_put_count(facts, name, count);
}

/* The session's id is masked where it is what holds the secret. */
static void put_left(scrubbing *self, const ck_scrub_left *left) {
  ck_buffer text = {0};
  ck_buffer_append_format(&text, "%s", left->what);
  if (*left->session) ck_buffer_append_format(&text, " of session %s", left->session);
  if (left->seq) ck_buffer_append_format(&text, ", first at seq %lld", (long long)left->seq);
  if (left->count > 1) ck_buffer_append_format(&text, ", %lld times", (long long)left->count);
  if (!text.failed) ck_key_values_put_text(&self->facts, "left", text.data);
  ck_buffer_clear(&text);
}

static void put_lefts(scrubbing *self) {
  const ck_scrub_left_list *all = ck_scrub_get_left(self->scrub);
  ck_document *document = &self->facts.document;
  struct cJSON *list = ck_key_values_put_array(&self->facts, "left");
  for (size_t i = 0; i < all->count; i++) {
    const ck_scrub_left *left = &all->list[i];
    if (!self->facts.json) {
      put_left(self, left);
      continue;
    }
    struct cJSON *at = ck_document_put_object(document, list, NULL);
    ck_document_put_text(document, at, "what", left->what);
    ck_document_put_text(document, at, "session", left->session);
    if (left->seq) ck_document_put_int(document, at, "seq", left->seq);
    ck_document_put_int(document, at, "count", left->count);
  }
}

static ck_status print(scrubbing *self, ck_error *err) {
  ck_key_values *facts = &self->facts;
  const ck_scrub_counts *counts = ck_scrub_count(self->scrub);
  ck_key_values_put_text(facts, "session", self->given->session);
  ck_key_values_put_count(facts, "sessions", counts->rows.sessions);
  put_count(facts, "checkpoints", counts->rows.checkpoints);
  for (int i = 0; i < CK_SCRUB_FILE; i++)
    put_count(facts, ck_scrub_place_name((ck_scrub_place)i), counts->items[i]);
  put_count(facts, "files", counts->files);
  put_count(facts, "spill_files", self->spill_files);
  put_count(facts, "names_left", counts->items[CK_SCRUB_NAME]);
  put_count(facts, "files_left", counts->items[CK_SCRUB_FILE]);
  put_lefts(self);
  return ck_key_values_print(facts, err);
}

static ck_status check_left(const scrubbing *self, ck_error *err) {
  const int64_t *left = ck_scrub_count(self->scrub)->items;
  ck_output *output = self->host->output;
  if (!self->given->dry_run)
    ck_output_notice(output, "copies elsewhere are as they were: backups, exports, recordings, and "
                             "what programs and agents wrote");
  if (self->refused)
    return ck_error_set(err, CK_E_OWNED,
                        "%lld sessions were not scrubbed, with those that are "
                        "related to them: see above",
                        (long long)self->refused);
  if (left[CK_SCRUB_NAME] || left[CK_SCRUB_FILE])
    return ck_error_set(
        err, CK_E_REFUSED,
        "it still stands in %lld names (of sessions, scopes, agents, keys: see 'left'), which "
        "cannot change, and in %lld files that other sessions need: delete those "
        "sessions, or scrub --all",
        (long long)left[CK_SCRUB_NAME], (long long)left[CK_SCRUB_FILE]);
  return CK_OK;
}

static ck_status scrub_and_print(scrubbing *self, ck_error *err) {
  ck_status status = open_all(self, err);
  if (status == CK_OK) status = learn(self, err);
  if (status == CK_OK && !self->given->yes && !self->given->dry_run) status = ask(self, err);
  if (status == CK_OK) status = scrub(self, err);
  if (status == CK_OK) status = print(self, err);
  return status == CK_OK ? check_left(self, err) : status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  values v = *(const values *)given;
  scrubbing self = {.host = host, .given = &v};
  ck_status status = check_words(&v, err);
  if (status == CK_OK) status = take_names(&v.words.names, host, err);
  if (status != CK_OK) return status;
  ck_key_values_init(&self.facts, host->output);
  self.refusals = ck_key_values_put_array(&self.facts, "refused");
  status = scrub_and_print(&self, err);
  ck_key_values_clear(&self.facts);
  ck_scrub_close(self.scrub);
  ck_scrub_means_clear(&self.means);
  ck_store_close(self.store);
  ck_store_location_clear(&self.location);
  ck_shelf_close(&self.spills);
  free(v.words.names.list);
  return status;
}

static const ck_operand operands[] = {
    {.name = "SESSION",
     .optional = true,
     .offset = offsetof(values, session),
     .help = "its id",
     .complete = CK_COMPLETE_SESSION},
    {0},
};

static const ck_option options[] = {
    {.name = "all", .offset = offsetof(values, all), .help = "all sessions of the store"},
    {.name = "secret-file",
     .type = CK_OPTION_LIST,
     .offset = offsetof(values, words.secret_files),
     .value = "FILE",
     .complete = CK_COMPLETE_FILE,
     .help = "each line of this file is a secret"},
    {.name = "file",
     .type = CK_OPTION_LIST,
     .offset = offsetof(values, words.files),
     .value = "PATH",
     .complete = CK_COMPLETE_FILE,
     .help = "the text of this file is secret: as a whole, and each line of 16 bytes or more"},
    {.name = "key",
     .type = CK_OPTION_LIST,
     .offset = offsetof(values, words.names),
     .value = "NAME",
     .help = "what stands under this name is secret, as under password in {\"password\": …}; a "
             "reference, such as file:PATH, is the store's key, as everywhere"},
    {.name = "pattern",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, words.pattern),
     .value = "RE",
     .help = "what this regular expression (PCRE2) matches is secret, wherever it stands"},
    {.name = "dry-run",
     .offset = offsetof(values, dry_run),
     .help = "change nothing, and tell what would change"},
    {.name = "yes", .offset = offsetof(values, yes), .help = "do not ask on a terminal"},
    {0},
};

static const ck_example examples[] = {
    {"ckrun sessions scrub --all --key password --dry-run",
     "how often something stands under that name"},
    {0},
};

const ck_command ck_command_sessions_scrub = {
    .name = "sessions scrub",
    .summary = "take a secret out of all that is stored",
    .details =
        "For a secret that was not known to be one when it was written. It is found in the "
        "encodings in which known secrets are, and becomes a placeholder in events of all "
        "branches, in every checkpoint, in inputs, requests, facts and long outputs; a kept text "
        "of a flow, profile or policy that holds it is not kept any more. Digests are made again, "
        "so that nothing that stays depends on it; then the store's pages and its log are cleared. "
        "Sessions that were forked from each other are scrubbed together, at rest only.\n\n"
        "A session goes on from what is left: an effect whose request was scrubbed is known again "
        "when it is asked for with the placeholder; with the secret itself it is another request, "
        "and is not done again in silence. Killed, it is done as a whole or not at all for "
        "sessions that are related; until the same call has come to its end, 'ckrun store verify' "
        "tells of it.\n\n"
        "Exit code 5: it stands in names, which cannot change, such as a session's id; 76: a "
        "session is being run.",
    .operands = operands,
    .options = options,
    .examples = examples,
    .run = run,
};
