/* hidden.c - asks redact about calls of tools, and permit about what it leaves of them: a person
 * who is asked, and a policy that decides after a kill, have what was stored. */
#include "core/host/preflight/hidden.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/host/preflight/hidden_notes.h"
#include "core/redact/redact.h"
#include "lua/vm/vm.h"

enum { WORDS = CK_HIDDEN_ARGUMENTS, WORD = 64, AGENTS = 8 };

/* What holds of an argument that no policy can have in mind holds of any. */
static const char of_no_file[] = "of_no_file";

/* What can be a name or a value in a policy's file. */
typedef struct words {
  char list[WORDS][WORD];
  size_t count;
} words;

/* A call with one argument. */
typedef struct call {
  const char *tool, *argument, *value; /* argument NULL: of_no_file */
  const char *sample;                  /* the value, where it may be printed; NULL: not */
} call;

typedef struct looking {
  ck_hidden_notes notes;
  const ck_policy_engine *policies;
  ck_bytes described;
  ck_redactor *redactor;
  words members, texts; /* behind a dot; in quotes */
  char *agents[AGENTS];
  size_t agent_count;
  const char *agent; /* who acts; NULL: nobody */
  uint64_t masking;  /* who masked something of what was last asked about */
  ck_error *err;
} looking;

/* ---- words of the files ---- */

static void add_word(words *self, const char *text, size_t len) {
  if (len == 0 || len >= WORD || self->count == WORDS) return;
  for (size_t i = 0; i < self->count; i++)
    if (strlen(self->list[i]) == len && memcmp(self->list[i], text, len) == 0) return;
  memcpy(self->list[self->count], text, len);
  self->list[self->count++][len] = 0;
}

static bool is_name(char byte) { return isalnum((unsigned char)byte) || byte == '_'; }

static size_t name_length(const char *text) {
  size_t len = 0;
  while (is_name(text[len])) len++;
  return len;
}

/* Up to the quote that ends it, in its line. */
static size_t quoted_length(const char *text) {
  size_t len = 0;
  while (text[len + 1] && text[len + 1] != text[0] && text[len + 1] != '\n') len++;
  return text[len + 1] == text[0] ? len : 0;
}

static void take_words(looking *self, const char *text) {
  for (const char *at = text; *at; at++) {
    if (*at == '.' && !isdigit((unsigned char)at[1]))
      add_word(&self->members, at + 1, name_length(at + 1));
    if (*at != '"' && *at != '\'') continue;
    size_t len = quoted_length(at);
    add_word(&self->texts, at + 1, len);
    if (len == name_length(at + 1)) add_word(&self->members, at + 1, len);
    at += len ? len + 1 : 0;
  }
}

static ck_status read_file(looking *self, ck_bytes policy) {
  ck_buffer text = {0};
  char *path = ck_json_dup_string(ck_json_get(policy, "file"));
  bool read = path && ck_vm_read_file(&text, path, NULL) == CK_OK;
  ck_buffer_append(&text, "", 1);
  if (read && !text.failed) take_words(self, text.data);
  ck_status status = ck_buffer_check(&text, self->err);
  ck_buffer_clear(&text);
  free(path);
  return status;
}

static void add_agent(looking *self, char *name) {
  bool known = !name || self->agent_count == AGENTS;
  for (size_t i = 0; !known && i < self->agent_count; i++)
    known = strcmp(self->agents[i], name) == 0;
  if (known)
    free(name);
  else
    self->agents[self->agent_count++] = name;
}

/* ---- asking ---- */

static ck_status ask_redact(ck_redact_answer *out, void *of, const char *key, const ck_value *value,
                            ck_error *err) {
  looking *self = of;
  ck_redaction said = {0};
  ck_item item = {.key = key, .kind = CK_EVENT_INTENT, .agent = self->agent, .value = value};
  ck_status status = self->policies->redact(&said, self->policies->self, &item, err);
  for (int i = 1; i < CK_ANSWER_FAILED; i++) self->masking |= said.answers.policies[i];
  *out = (ck_redact_answer){said.verdict, said.ref, said.value};
  return status;
}

/* What the store has of the request; NULL in *out: the same, or it cannot be told. */
static ck_status mask(ck_value **out, looking *self, ck_bytes request) {
  ck_buffer text = {0};
  ck_value *body = NULL, *kept = NULL;
  ck_error failure = CK_ERROR_INIT;
  ck_json_writer w = {.out = &text};
  *out = NULL;
  self->masking = 0;
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "key", "main/start/tool/1");
  ck_json_member_text(&w, "kind", "tool");
  ck_json_member_raw(&w, "request", request);
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(&body, &text, self->err);
  bool masked =
      status == CK_OK &&
      ck_redactor_apply_event(&kept, self->redactor, CK_EVENT_INTENT, body, &failure) == CK_OK &&
      kept && self->masking;
  ck_bytes left = masked ? ck_json_get(ck_value_bytes(kept), "request") : (ck_bytes){0};
  if (left.len && !ck_bytes_equal(left, request)) status = ck_value_new(out, left, self->err);
  ck_value_free(kept);
  ck_value_free(body);
  ck_buffer_clear(&text);
  return status;
}

static ck_status ask_permit(ck_leave *out, looking *self, ck_bytes request) {
  const ck_effect effect = {.scope = "main",
                            .key = "main/start/tool/1",
                            .attempt = 1,
                            .kind = CK_EFFECT_TOOL,
                            .class = CK_EFFECT_ONCE,
                            .agent = self->agent,
                            .untrusted = ck_bytes_text("[\"web\"]"),
                            .request = request};
  const ck_boundary at = {.scope = "main", .agent = self->agent, .seq = 1, .clean = true};
  ck_error failure = CK_ERROR_INIT;
  ck_status status = self->policies->permit(out, self->policies->self, &effect, &at, &failure);
  return status == CK_E_NO_MEMORY ? ck_error_no_memory(self->err) : CK_OK;
}

/* ---- what is found ---- */

/* Each that masks is named in a note of its own. */
static ck_status tell(looking *self, const call *of, ck_hidden_from from, const char *permits) {
  ck_hidden_seen seen = {
      .permits = permits, .from = from, .argument = of->argument, .sample = of->sample};
  for (; seen.masking < CK_ANSWERS_POLICIES; seen.masking++)
    if ((self->masking >> seen.masking & 1) && !ck_hidden_notes_add(&self->notes, &seen))
      return ck_error_no_memory(self->err);
  return CK_OK;
}

static bool same_leave(const ck_leave *a, const ck_leave *b) {
  const char *one = a->text ? a->text : "", *other = b->text ? b->text : "";
  return a->word == b->word && strcmp(one, other) == 0;
}

static bool shows(ck_bytes text, const char *value) {
  return memmem(text.data, text.len, value, strlen(value)) != NULL;
}

/* A question is masked as its event is. `told`: it had the value, and is stored without. */
static ck_status look_at_question(bool *told, looking *self, const ck_leave *said, const call *of) {
  ck_buffer text = {0};
  ck_value *kept = NULL;
  ck_json_writer w = {.out = &text};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "question", said->text);
  ck_json_end(&w, '}');
  ck_status status = ck_buffer_check(&text, self->err);
  ck_bytes asked = ck_buffer_bytes(&text);
  if (status == CK_OK && shows(asked, of->value)) status = mask(&kept, self, asked);
  *told = kept && !shows(ck_value_bytes(kept), of->value);
  if (*told) status = tell(self, of, CK_HIDDEN_FROM_PERSON, said->policies);
  ck_value_free(kept);
  ck_buffer_clear(&text);
  return status;
}

/* `masked`: the request as it is stored. */
static ck_status compare(looking *self, const call *of, ck_bytes request, ck_bytes masked) {
  ck_leave said = {0}, then = {0};
  uint64_t masking = self->masking;
  bool told = false;
  ck_status status = ask_permit(&said, self, request);
  if (status == CK_OK) status = ask_permit(&then, self, masked);
  bool same = status != CK_OK || same_leave(&said, &then);
  if (!same && said.word == CK_LEAVE_ASK) status = look_at_question(&told, self, &said, of);
  self->masking = masking;
  const char *whose = then.word > said.word ? then.policies : said.policies;
  if (status == CK_OK && whose && !told && !same)
    status = tell(self, of, CK_HIDDEN_FROM_POLICY, whose);
  ck_leave_clear(&said);
  ck_leave_clear(&then);
  return status;
}

/* ---- calls ---- */

static ck_status write_request(ck_value **out, const call *of, ck_error *err) {
  ck_buffer arguments = {0}, text = {0};
  ck_json_writer inner = {.out = &arguments}, w = {.out = &text};
  ck_json_begin(&inner, '{');
  ck_json_member_text(&inner, of->argument ? of->argument : of_no_file, of->value);
  ck_json_end(&inner, '}');
  ck_buffer_append(&arguments, "", 1);
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "name", of->tool);
  ck_json_member_text(&w, "call_id", "call_1");
  ck_json_member_int(&w, "index", 0);
  ck_json_member_text(&w, "arguments", arguments.failed ? "{}" : arguments.data);
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &text, err);
  ck_buffer_clear(&arguments);
  ck_buffer_clear(&text);
  return status;
}

static ck_status try_call(bool *hides, looking *self, const call *of) {
  ck_value *request, *masked = NULL;
  ck_status status = write_request(&request, of, self->err);
  if (status != CK_OK) return status;
  status = mask(&masked, self, ck_value_bytes(request));
  *hides = masked != NULL;
  if (status == CK_OK && masked)
    status = compare(self, of, ck_value_bytes(request), ck_value_bytes(masked));
  ck_value_free(masked);
  ck_value_free(request);
  return status;
}

/* Whether it is masked is taken to be the same of all tools. */
static ck_status try_tools(looking *self, call of) {
  bool hides;
  of.tool = "anything";
  ck_status status = try_call(&hides, self, &of);
  for (size_t i = 0; status == CK_OK && hides && i < self->texts.count; i++) {
    bool also;
    of.tool = self->texts.list[i];
    status = try_call(&also, self, &of);
  }
  return status;
}

/* What personal data look like, and what the files have in quotes. */
static ck_status try_values(looking *self, const char *argument) {
  static const char *const samples[] = {"anything", "ann@example.com", "4111 1111 1111 1111",
                                        "+49 30 901820", "DE89 3704 0044 0532 0130 00"};
  ck_status status = CK_OK;
  for (size_t i = 0; status == CK_OK && i < sizeof samples / sizeof *samples; i++)
    status =
        try_tools(self, (call){.argument = argument, .value = samples[i], .sample = samples[i]});
  for (size_t i = 0; status == CK_OK && i < self->texts.count; i++)
    status = try_tools(self, (call){.argument = argument, .value = self->texts.list[i]});
  return status;
}

static ck_status try_agents(looking *self) {
  ck_status status = CK_OK;
  for (size_t i = 0; status == CK_OK && i <= self->agent_count; i++) {
    self->agent = i ? self->agents[i - 1] : NULL;
    status = try_values(self, NULL);
    for (size_t k = 0; status == CK_OK && k < self->members.count; k++)
      status = try_values(self, self->members.list[k]);
  }
  return status;
}

ck_status ck_hidden_find(ck_buffer *out, const ck_policy_engine *policies,
                         const ck_value *described, ck_error *err) {
  if (!policies->redact || !policies->permit) return CK_OK;
  looking *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  *self = (looking){.policies = policies, .described = ck_value_bytes(described), .err = err};
  ck_status status = ck_redactor_new(&self->redactor, err);
  if (status == CK_OK) ck_redactor_set_hook(self->redactor, ask_redact, self);
  for (ck_json_iterator it = ck_json_iterate(self->described);
       status == CK_OK && ck_json_next(&it);) {
    add_agent(self, ck_json_dup_string(ck_json_get(it.value, "agent")));
    status = read_file(self, it.value);
  }
  if (status == CK_OK) status = try_agents(self);
  if (status == CK_OK) ck_hidden_notes_write(out, &self->notes, self->described);
  if (status == CK_OK) status = ck_buffer_check(out, err);
  ck_hidden_notes_clear(&self->notes);
  for (size_t i = 0; i < self->agent_count; i++) free(self->agents[i]);
  ck_redactor_free(self->redactor);
  free(self);
  return status;
}
