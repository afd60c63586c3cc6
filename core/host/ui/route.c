/* route.c - the requests of the page as commands. */
#include "core/host/ui/route.h"

#include <stdlib.h>
#include <string.h>

#define SESSION \
  { "session", NULL, true }

const ck_ui_route ck_ui_routes[] = {
    /* ---- what is there ---- */
    {.path = "sessions",
     .words = {"sessions", "list"},
     .parameters = {{"limit", "--limit", true},
                    {"status", "--status", false},
                    {"agent", "--agent", false},
                    {"flow", "--flow", false},
                    {"since", "--since", false}}},
    {.path = "session", .words = {"sessions", "show"}, .parameters = {SESSION}},
    {.path = "events",
     .words = {"sessions", "log", "--all"},
     .parameters = {SESSION, {"last", "--last", true}, {"before", "--before", false}}},
    {.path = "event",
     .words = {"sessions", "log"},
     .parameters = {SESSION, {"seq", "--seq", true}}},
    {.path = "follow",
     .words = {"sessions", "log", "--all", "--follow", "--last", "1"},
     .parameters = {SESSION},
     .manner = CK_UI_STREAM},
    {.path = "checkpoints",
     .words = {"sessions", "checkpoints"},
     .parameters = {SESSION, {"limit", "--limit", true}, {"before", "--before", false}}},
    {.path = "state",
     .words = {"sessions", "inspect"},
     .parameters = {SESSION, {"at", "--checkpoint", true}}},
    {.path = "files",
     .words = {"sessions", "inspect", "--files"},
     .parameters = {SESSION, {"at", "--checkpoint", false}}},
    {.path = "difference",
     .words = {"sessions", "diff"},
     .parameters = {SESSION, {"from", NULL, true}, {"to", NULL, true}}},
    {.path = "why",
     .words = {"policy", "explain", "--all"},
     .parameters = {SESSION, {"at", NULL, true}}},
    {.path = "rehearsal",
     .words = {"resume", "--dry-run"},
     .parameters = {SESSION, {"at", "--checkpoint", false}}},
    /* ---- what changes something ---- */
    {.path = "answer",
     .words = {"answer"},
     .parameters = {SESSION, {"text", NULL, true}, {"effect", "--effect", false}},
     .acts = true,
     .text = true},
    {.path = "resolve",
     .words = {"resolve"},
     .parameters = {SESSION, {"effect", NULL, true}, {"verdict", NULL, true}},
     .acts = true},
    {.path = "pause", .words = {"pause", "--no-wait"}, .parameters = {SESSION}, .acts = true},
    {.path = "resume",
     .words = {"resume"},
     .parameters = {SESSION,
                    {"at", "--checkpoint", false},
                    {"limit", "--limit", false},
                    {"budget_usd", "--limit=budget_usd", false},
                    {"time_s", "--limit=time_s", false},
                    {"rounds", "--limit=rounds", false},
                    {"tokens", "--limit=tokens", false},
                    {"tool_calls", "--limit=tool_calls", false},
                    {"model_calls", "--limit=model_calls", false}},
     .manner = CK_UI_BEGIN,
     .acts = true},
    {.path = "fork",
     .words = {"sessions", "fork"},
     .parameters = {SESSION, {"at", "--checkpoint", false}, {"id", "--session", false}},
     .acts = true},
    {.path = "rewind",
     .words = {"sessions", "rewind"},
     .parameters = {SESSION, {"at", "--to", true}, {"report", "--report", true}},
     .acts = true},
    {.path = "pin",
     .words = {"sessions", "pin"},
     .parameters = {SESSION, {"at", NULL, true}},
     .acts = true},
    {.path = "unpin",
     .words = {"sessions", "pin", "--off"},
     .parameters = {SESSION, {"at", NULL, true}},
     .acts = true},
    {0},
};

const ck_ui_route *ck_ui_route_find(const char *path) {
  for (const ck_ui_route *route = ck_ui_routes; route->path; route++)
    if (strcmp(route->path, path) == 0) return route;
  return NULL;
}

static void put(ck_ui_words *to, const char *word) {
  if (to->count < CK_UI_WORDS_MAX) to->list[to->count++] = word;
}

static void put_pair(ck_ui_words *to, const char *option, const char *value) {
  if (!value) return;
  put(to, option);
  put(to, value);
}

/* In one word, so that no value is taken for an option. */
static ck_status put_option(ck_ui_words *to, const char *option, const char *value, ck_error *err) {
  ck_buffer text = {0};
  ck_buffer_append_format(&text, "%s=%s", option, value);
  char *word = ck_buffer_take(&text);
  if (!word) return ck_error_no_memory(err);
  to->options[to->option_count++] = word;
  put(to, word);
  return CK_OK;
}

static ck_status put_options(ck_ui_words *to, const ck_ui_route *route, ck_ui_get *get, void *from,
                             ck_error *err) {
  ck_status status = CK_OK;
  for (const ck_ui_parameter *p = route->parameters; status == CK_OK && p->name; p++) {
    const char *value = get(from, p->name);
    if (!value && p->required)
      return ck_error_set(err, CK_E_USAGE, "/api/%s needs %s=…", route->path, p->name);
    if (value && p->option) status = put_option(to, p->option, value, err);
  }
  return status;
}

ck_status ck_ui_route_write(ck_ui_words *out, const ck_ui_route *route, const ck_host *host,
                            ck_ui_get *get, void *from, ck_error *err) {
  *out = (ck_ui_words){0};
  put(out, "ckrun");
  for (const char *const *word = route->words; *word; word++) put(out, *word);
  put(out, "--json");
  put_pair(out, "--store", host->store);
  put_pair(out, "--key", host->key);
  ck_status status = put_options(out, route, get, from, err);
  put(out, "--");
  for (const ck_ui_parameter *p = route->parameters; p->name; p++) {
    const char *value = p->option ? NULL : get(from, p->name);
    if (value) put(out, value);
  }
  return status;
}

void ck_ui_words_clear(ck_ui_words *self) {
  for (size_t i = 0; i < self->option_count; i++) free(self->options[i]);
  self->option_count = 0;
}
