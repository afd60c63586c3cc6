/* resources.c - sessions, their transcripts and checkpoints as resources: what the command line
 * prints of them as JSON, under an address each. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/host/cli/options.h"
#include "core/host/inspect/inspect.h"
#include "core/host/mcp/bound.h"
#include "core/host/mcp/failure.h"
#include "core/host/mcp/request.h"
#include "core/store/session_query.h"

#define SESSIONS "ckrun://sessions/"
#define LINES "application/x-ndjson"
#define DOCUMENT "application/json"

enum { PAGE = 50, WORDS_MAX = 8, WORD_SIZE = 128 };

typedef struct kind {
  const char *name, *path; /* behind the session's id */
  const char *title;       /* of the resource of one session; %s: its id */
  const char *command;     /* whose JSON it is */
  const char *type, *help;
  const char *options[3]; /* that its query may have; the first has a default */
  const char *least;      /* that default */
  bool part;              /* another word follows the path: a checkpoint */
} kind;

static const kind kinds[] = {
    {.name = "session",
     .path = "",
     .title = "%s",
     .command = "sessions show",
     .type = DOCUMENT,
     .help = "How a session stands: status, totals, runs, what it waits for."},
    {.name = "log",
     .path = "/log",
     .title = "%s: transcript",
     .command = "sessions log",
     .type = LINES,
     .options = {"last", "before"},
     .least = "1000",
     .help = "The transcript of a session: its events, one a line, the last 1000 unless `last` "
             "says how many, and `before` before which seq."},
    {.name = "checkpoints",
     .path = "/checkpoints",
     .title = "%s: checkpoints",
     .command = "sessions checkpoints",
     .type = LINES,
     .options = {"limit", "before"},
     .least = "1000",
     .help = "The checkpoints of a session, one a line, the last 1000 unless `limit` says how "
             "many, and `before` before which."},
    {.name = "checkpoint",
     .path = "/checkpoints/",
     .command = "sessions inspect",
     .type = DOCUMENT,
     .part = true,
     .help =
         "A checkpoint, and the state that it restores; `checkpoint` is an id, a seq, \"first\" "
         "or \"latest\"."},
    {0},
};

/* ---- the list ---- */

typedef struct listing {
  ck_store *store;
  const ck_session_filter *filter;
  int64_t before; /* the number of the last session of the page before; 0: it is the first page */
  char (*ids)[CK_ID_SIZE];
  size_t count;
  bool more;
} listing;

static bool take_session(void *to, const ck_session_record *record) {
  listing *self = to;
  if (self->before && record->no >= self->before) return true;
  if (!ck_session_filter_has(self->filter, self->store, record)) return true;
  self->more = self->count == PAGE;
  if (!self->more) memcpy(self->ids[self->count++], record->id, CK_ID_SIZE);
  return !self->more;
}

static void write_resource(ck_json_writer *w, const kind *of, const char *id) {
  ck_buffer uri = {0}, title = {0};
  ck_buffer_append_format(&uri, SESSIONS "%s%s", id, of->path);
  ck_buffer_append_format(&title, of->title, id);
  w->out->failed |= uri.failed | title.failed;
  ck_json_begin(w, '{');
  ck_json_member_string(w, "uri", ck_buffer_bytes(&uri));
  ck_json_member_string(w, "name", ck_buffer_bytes(&title));
  ck_json_member_text(w, "description", of->help);
  ck_json_member_text(w, "mimeType", of->type);
  ck_json_end(w, '}');
  ck_buffer_clear(&uri);
  ck_buffer_clear(&title);
}

static void write_page(ck_json_writer *w, const listing *page) {
  ck_json_name(w, "resources");
  ck_json_begin(w, '[');
  for (size_t i = 0; i < page->count; i++)
    for (const kind *it = kinds; it->name; it++)
      if (!it->part) write_resource(w, it, page->ids[i]);
  ck_json_end(w, ']');
  if (page->more) ck_json_member_text(w, "nextCursor", page->ids[page->count - 1]);
}

/* A cursor is the last session's id: numbers would tell how many there are of others. */
static ck_status find_cursor(listing *self, ck_bytes cursor, ck_error *err) {
  ck_session_record record = {0};
  char *id = ck_json_type_of(cursor) == CK_JSON_STRING ? ck_json_dup_string(cursor) : NULL;
  bool found = id && self->store && ck_store_get_session(&record, self->store, id, err) == CK_OK &&
               ck_session_filter_has(self->filter, self->store, &record);
  self->before = record.no;
  ck_session_record_clear(&record);
  free(id);
  if (found) return CK_OK;
  return ck_error_set(err, CK_E_USAGE,
                      "the cursor is of no session that is there: begin again without one");
}

static ck_status read_page(listing *self, ck_bytes cursor, ck_error *err) {
  ck_session_query all = {0};
  ck_status status = cursor.len ? find_cursor(self, cursor, err) : CK_OK;
  if (status != CK_OK || !self->store) return status;
  status = ck_store_find_sessions(self->store, &all, take_session, self, err);
  if (status == CK_OK || !self->filter) return status;
  return ck_error_set(err, status, "the list of sessions cannot be read: %s",
                      ck_status_text(status)); /* its text may name one of somebody else */
}

static int code_of(ck_status status) {
  return status == CK_OK ? 0 : status == CK_E_USAGE ? CK_RPC_INVALID_PARAMS : CK_RPC_INTERNAL_ERROR;
}

/* The text of an error goes through the redactor like all output. */
static int fail(ck_mcp_request *self, int code) {
  ck_buffer text = {0};
  ck_mcp_append_failure(&text, self->mcp, self->err);
  if (code) ck_error_set(self->err, self->err->status, "%s", text.data ? text.data : "");
  ck_buffer_clear(&text);
  return code;
}

int ck_mcp_list_resources(ck_mcp_request *self) {
  ck_inspection inspection;
  ck_status status = ck_inspection_open(&inspection, self->mcp->host, self->err);
  listing page = {.store = inspection.store,
                  .filter = self->mcp->host->filter,
                  .ids = calloc(PAGE, sizeof *page.ids)};
  if (status == CK_OK && !page.ids) status = ck_error_no_memory(self->err);
  ck_bytes cursor = ck_json_get(self->params, "cursor");
  if (status == CK_OK) status = read_page(&page, cursor, self->err);
  if (status == CK_OK) write_page(&self->w, &page);
  free(page.ids);
  ck_inspection_close(&inspection);
  return fail(self, code_of(status));
}

/* ---- templates ---- */

static void append_template(ck_buffer *out, const kind *of) {
  ck_buffer_append_format(out, SESSIONS "{session}%s%s", of->path, of->part ? "{checkpoint}" : "");
  for (size_t i = 0; of->options[i]; i++)
    ck_buffer_append_format(out, "%s%s", i ? "," : "{?", of->options[i]);
  if (*of->options) ck_buffer_append_char(out, '}');
}

bool ck_mcp_is_template(ck_bytes uri) {
  bool found = false;
  for (const kind *it = kinds; it->name && !found; it++) {
    ck_buffer known = {0};
    append_template(&known, it);
    ck_buffer_append_char(&known, '\0');
    found = !known.failed && ck_json_is_text(uri, known.data);
    ck_buffer_clear(&known);
  }
  return found;
}

int ck_mcp_list_templates(ck_mcp_request *self) {
  ck_json_writer *w = &self->w;
  ck_json_name(w, "resourceTemplates");
  ck_json_begin(w, '[');
  for (const kind *it = kinds; it->name; it++) {
    ck_buffer uri = {0};
    append_template(&uri, it);
    w->out->failed |= uri.failed;
    ck_json_begin(w, '{');
    ck_json_member_string(w, "uriTemplate", ck_buffer_bytes(&uri));
    ck_json_member_text(w, "name", it->name);
    ck_json_member_text(w, "description", it->help);
    ck_json_member_text(w, "mimeType", it->type);
    ck_json_end(w, '}');
    ck_buffer_clear(&uri);
  }
  ck_json_end(w, ']');
  return 0;
}

/* ---- an address ---- */

/* The words of a command line: options first, then "--" and the operands. */
typedef struct address {
  const kind *of;
  char words[WORDS_MAX][WORD_SIZE];
  char *argv[WORDS_MAX];
  int count;
} address;

static size_t word_len(const char *at) {
  return strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-");
}

static bool put_word(address *self, const char *before, const char *word, size_t len) {
  size_t at = (size_t)self->count;
  if (at == WORDS_MAX || strlen(before) + len >= WORD_SIZE) return false;
  snprintf(self->words[at], WORD_SIZE, "%s%.*s", before, (int)len, word);
  self->argv[at] = self->words[at];
  self->count++;
  return true;
}

/* "last=10&before=7": each option of the kind once at most. */
static bool read_query(address *self, const char *query) {
  bool given[3] = {false};
  for (size_t len, name; *query; query += len + (query[len] == '&' && query[len + 1])) {
    len = strcspn(query, "&");
    name = strcspn(query, "=");
    size_t i = 0;
    const char *const *options = self->of->options;
    while (options[i] && (strlen(options[i]) != name || memcmp(options[i], query, name) != 0)) i++;
    bool sound = options[i] && !given[i] && name + 1 < len &&
                 word_len(query + name + 1) == len - name - 1 && put_word(self, "--", query, len);
    if (!sound || (query[len] && !query[len + 1])) return false;
    given[i] = true;
  }
  const char *first = *self->of->options;
  char standard[WORD_SIZE];
  if (!first || given[0]) return true;
  int len = snprintf(standard, sizeof standard, "%s=%s", first, self->of->least);
  return put_word(self, "--", standard, (size_t)len);
}

/* The kind whose path this is, up to the query; *word is what its path is followed by. */
static const kind *find_kind(const char **query, ck_bytes *word, const char *path) {
  for (const kind *it = kinds; it->name; it++) {
    size_t len = strlen(it->path);
    if (strncmp(path, it->path, len) != 0) continue;
    *word = (ck_bytes){path + len, it->part ? word_len(path + len) : 0};
    *query = word->data + word->len;
    bool ends = !**query || (**query == '?' && (*query)[1]);
    if (ends && it->part == (word->len > 0)) return it;
  }
  return NULL;
}

static bool read_address(address *out, const char *uri) {
  const char *session = uri + sizeof SESSIONS - 1, *query;
  ck_bytes word;
  *out = (address){0};
  if (strncmp(uri, SESSIONS, sizeof SESSIONS - 1) != 0) return false;
  size_t id = word_len(session);
  out->of = find_kind(&query, &word, session + id);
  if (!id || !out->of || (*query && !*out->of->options)) return false;
  if (!read_query(out, *query ? query + 1 : query)) return false;
  if (!put_word(out, "", "--", 2) || !put_word(out, "", session, id)) return false;
  return !word.len || put_word(out, "", word.data, word.len);
}

/* ---- what is there ---- */

typedef struct values {
  unsigned char bytes[CK_COMMAND_VALUES_MAX];
  max_align_t align;
} values;

static ck_status run_command(ck_host *host, const address *self, ck_error *err) {
  values given = {{0}, {0}};
  const ck_command *command = ck_command_get(host->commands, self->of->command);
  ck_option_reader reader = {.argc = self->count, .argv = self->argv};
  reader.targets[1] = (ck_option_target){command->options, given.bytes};
  ck_status status = CK_OK;
  const char *word = NULL;
  for (size_t i = 0; status == CK_OK; i++) {
    status = ck_option_reader_next(&word, &reader, err);
    if (status != CK_OK || !word) break;
    status = ck_operand_put(given.bytes, command, i, word, err);
  }
  return status == CK_OK ? command->run(host, given.bytes, err) : status;
}

/* What the command would print. */
static ck_status keep_output(ck_buffer *out, const ck_mcp *self, const address *of, ck_error *err) {
  ck_host host = *self->host;
  ck_output *output = host.output;
  ck_error late = CK_ERROR_INIT;
  bool json = output->json;
  output->json = true;
  output->kept = out;
  ck_status status = run_command(&host, of, err);
  ck_status kept = ck_output_flush(output, status == CK_OK ? err : &late);
  output->json = json;
  output->kept = NULL;
  ck_buffer_reset(&output->problems);
  return status == CK_OK ? kept : status;
}

static void write_content(ck_mcp_request *self, ck_bytes uri, const char *type, ck_bytes text) {
  ck_json_writer *w = &self->w;
  ck_json_name(w, "contents");
  ck_json_begin(w, '[');
  ck_json_begin(w, '{');
  ck_json_member_raw(w, "uri", uri);
  ck_json_member_text(w, "mimeType", type);
  ck_json_member_string(w, "text", text);
  ck_json_end(w, '}');
  ck_json_end(w, ']');
}

static int refuse(ck_mcp_request *self, ck_bytes uri) {
  ck_json_writer w = {.out = &self->data};
  ck_json_begin(&w, '{');
  ck_json_member_raw(&w, "uri", uri);
  ck_json_end(&w, '}');
  return fail(self, self->modern ? CK_RPC_INVALID_PARAMS : CK_MCP_RESOURCE_NOT_FOUND);
}

int ck_mcp_read_resource(ck_mcp_request *self) {
  address of;
  ck_buffer text = {0}, bounded = {0};
  ck_bytes uri = ck_json_get(self->params, "uri");
  if (ck_json_type_of(uri) != CK_JSON_STRING) {
    ck_error_set(self->err, CK_E_USAGE, "params.uri must be a string");
    return CK_RPC_INVALID_PARAMS;
  }
  char *plain = ck_json_dup_string(uri);
  bool sound = plain && read_address(&of, plain);
  ck_status status = plain ? CK_OK : ck_error_no_memory(self->err);
  if (plain && !sound)
    status = ck_error_set(self->err, CK_E_NOT_FOUND,
                          "there is no such resource: resources/templates/list has their forms");
  if (status == CK_OK) status = keep_output(&text, self->mcp, &of, self->err);
  if (status == CK_OK)
    status = ck_mcp_bound(&bounded, &self->cut, ck_buffer_bytes(&text), self->err);
  if (status == CK_OK) write_content(self, uri, of.of->type, ck_buffer_bytes(&bounded));
  self->stored = status == CK_OK;
  free(plain);
  ck_buffer_clear(&text);
  ck_buffer_clear(&bounded);
  if (status == CK_E_NOT_FOUND || status == CK_E_USAGE) return refuse(self, uri);
  return fail(self, code_of(status));
}
