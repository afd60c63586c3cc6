/* tool_generated.c - prints a file with its generated regions made anew from the tables of hooks
 * and views: tool_generated FILE.
 *
 * A region lies between a line `-- generated: NAME` (in Markdown `<!-- generated: NAME -->`) and a
 * line `-- end` (`<!-- end -->`). Of lua/ck/meta.lua: words, views, plain, hooks; of
 * policies/README.md: hooks.composition, hooks.agents, hooks.failure, and the name of a view, such
 * as at.since. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lua/policy/load.h"
#include "lua/policy/plain_fields.h"
#include "lua/policy/view_fields.h"
#include "lua/policy/words.h"
#include "lua/vm/source.h"

enum { NAME_SIZE = 32 };

static bool has_words_in_front(const view_field *field) {
  return (!field->meaning[0] || field->meaning[0] == ';') && ck_view_words_of(field->type);
}

/* ---- annotations ---- */

static void print_words(void) {
  for (const view_words *list = ck_view_words; list->type; list++) {
    printf("---@alias %s\n", list->type);
    for (const char *const *word = list->words; *word; word++) printf("---| \"%s\"\n", *word);
  }
  for (const view_forms *keys = ck_view_forms; keys->type; keys++) {
    printf("--- %s It begins with", keys->meaning);
    for (const char *const *form = keys->forms; *form; form++)
      printf("%s `%s`", form == keys->forms ? "" : form[1] ? "," : " or", *form);
    printf(".\n---@alias %s string\n", keys->type);
  }
}

static void print_field(const view_field *field) {
  const char *meaning = field->meaning;
  if (has_words_in_front(field) && *meaning) meaning += 2;
  printf("---@field %s %s%s%s\n", field->name, field->type, *meaning ? "  " : "", meaning);
}

static void print_views(void) {
  for (int kind = 0; kind < CK_VIEW_COUNT; kind++) {
    printf("%s--- %s\n---@class %s\n", kind ? "\n" : "", ck_view_types[kind].meaning,
           ck_view_types[kind].class);
    for (const view_field *field = ck_view_fields[kind]; field->name; field++) print_field(field);
  }
}

static void print_plain(void) {
  for (const plain_class *of = ck_plain_classes; of->class; of++) {
    printf("%s--- %s\n---@class %s\n", of == ck_plain_classes ? "" : "\n", of->meaning, of->class);
    for (const plain_field *field = of->fields; field->name; field++)
      printf("---@field %s %s%s%s\n", field->name, field->type, *field->meaning ? "  " : "",
             field->meaning);
  }
}

static void print_hooks(void) {
  for (int i = 0; i < POLICY_HOOK_COUNT; i++) {
    const policy_hook_type *hook = &ck_policy_hooks[i];
    printf("---@alias ck.hook.%s fun(%s, opt: table): %s\n", hook->name, hook->parameters,
           hook->answer);
  }
  printf("\n%s\n%s\n%s\n%s\n%s\n%s\n",
         "--- What a policy's file returns. All but name and version may be left out; other keys "
         "are errors.",
         "---@class ck.Policy", "---@field name string", "---@field version integer",
         "---@field options table|nil  their defaults; a profile overrides them\n"
         "---@field allowed table<string, string[]|number[]>|nil  words, { least } or { least, "
         "most }\n"
         "---@field check nil|fun(opt: table): string|nil  what is wrong with the options",
         "---@field ranges table<string, any[]>|nil  what `policy tune` may set them to");
  for (int i = 0; i < POLICY_HOOK_COUNT; i++)
    printf("---@field %s nil|ck.hook.%s\n", ck_policy_hooks[i].name, ck_policy_hooks[i].name);
}

/* ---- tables of a document ---- */

/* A type as documents name it. */
static void print_type(const char *type) {
  size_t len = strcspn(type, "|");
  bool is_class = strncmp(type, "ck.", 3) == 0;
  if (strncmp(type, "string", len) == 0 || ck_view_words_of(type) || ck_view_forms_of(type))
    printf("text");
  else if (strcmp(type, "string[]") == 0)
    printf("list of texts");
  else if (strncmp(type, "ck.Json", len) == 0)
    printf("JSON");
  else if (strncmp(type, "table<", strlen("table<")) == 0)
    printf("table");
  else
    printf("%.*s", is_class ? 5 : (int)len, is_class ? "table" : type);
  if (type[len]) printf(" or %s", type + len + 1);
}

static void print_meaning(const view_field *field) {
  const char *const *words = ck_view_words_of(field->type);
  for (int i = 0; has_words_in_front(field) && words[i]; i++)
    printf("%s`%s`", !i ? "" : words[i + 1] ? ", " : " or ", words[i]);
  printf("%s", field->meaning);
}

static void print_fields(ck_view_kind kind) {
  printf("| field | type | meaning |\n|---|---|---|\n");
  for (const view_field *field = ck_view_fields[kind]; field->name; field++) {
    printf("| `%s` | ", field->name);
    print_type(field->type);
    printf(" | ");
    print_meaning(field);
    printf(" |\n");
  }
}

static void print_reach(void) {
  static const char *const words[] = {
      [HOOK_OF_AGENT] = "what the agent does: it replaces policies of the same name, adds others",
      [HOOK_ADDED] = "what the agent does, beside the profile's: it replaces none",
      [HOOK_OF_ALL] =
          "all that is written, beside every other list; a pad, `scratch.NAME`, is asked "
          "of NAME's list alone",
      [HOOK_OF_SESSION] = "the session only: in an agent's list it is a mistake"};
  printf("| hook | counts for |\n|---|---|\n");
  for (int i = 0; i < POLICY_HOOK_COUNT; i++)
    printf("| `%s` | %s |\n", ck_policy_hooks[i].name, words[ck_policy_hooks[i].reach]);
}

static void print_rules(bool failure) {
  printf("| hook | %s |\n|---|---|\n", failure ? "when it fails" : "composition");
  for (int i = 0; i < POLICY_HOOK_COUNT; i++)
    printf("| `%s` | %s |\n", ck_policy_hooks[i].name,
           failure ? ck_policy_hooks[i].failure : ck_policy_hooks[i].composition);
}

/* ---- the file ---- */

static bool print_region(const char *name) {
  for (int kind = 0; kind < CK_VIEW_COUNT; kind++) {
    if (strcmp(ck_view_types[kind].name, name) != 0) continue;
    print_fields((ck_view_kind)kind);
    return true;
  }
  if (strcmp(name, "words") == 0)
    print_words();
  else if (strcmp(name, "views") == 0)
    print_views();
  else if (strcmp(name, "plain") == 0)
    print_plain();
  else if (strcmp(name, "hooks") == 0)
    print_hooks();
  else if (strcmp(name, "hooks.composition") == 0)
    print_rules(false);
  else if (strcmp(name, "hooks.agents") == 0)
    print_reach();
  else if (strcmp(name, "hooks.failure") == 0)
    print_rules(true);
  else
    return false;
  return true;
}

static bool is_end(const char *line, size_t len) {
  return (len == 6 && memcmp(line, "-- end", 6) == 0) ||
         (len == 12 && memcmp(line, "<!-- end -->", 12) == 0);
}

/* The name of the region that a line begins; false: it begins none. */
static bool read_begin(char name[NAME_SIZE], const char *line, size_t len) {
  char text[2 * NAME_SIZE] = "";
  if (len < sizeof text) memcpy(text, line, len);
  return sscanf(text, "-- generated: %31s", name) == 1 ||
         sscanf(text, "<!-- generated: %31s", name) == 1;
}

/* False: a region has an unknown name or no end. */
static bool print_file(const char *text) {
  bool inside = false;
  char name[NAME_SIZE];
  while (*text) {
    size_t len = strcspn(text, "\n");
    if (inside) inside = !is_end(text, len);
    if (!inside) printf("%.*s\n", (int)len, text);
    if (!inside && read_begin(name, text, len)) {
      inside = true;
      if (!print_region(name)) return false;
    }
    text += len + (text[len] == '\n');
  }
  return !inside;
}

int main(int argc, char **argv) {
  ck_buffer text = {0};
  ck_error err = CK_ERROR_INIT;
  if (argc != 2) {
    fprintf(stderr, "usage: tool_generated FILE\n");
    return 64;
  }
  ck_status status = ck_vm_read_file(&text, argv[1], &err);
  bool done = status == CK_OK && print_file(text.data);
  if (!done)
    fprintf(stderr, "tool_generated: %s: %s\n", argv[1],
            status == CK_OK ? "a region has an unknown name or no end" : err.text);
  ck_buffer_clear(&text);
  return done ? 0 : 1;
}
