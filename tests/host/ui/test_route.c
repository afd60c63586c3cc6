/* test_route.c - what the page asks for becomes words of a command, whatever the values say. */
#include <stdio.h>
#include <string.h>

#include "core/host/command_table.h"
#include "core/host/ui/route.h"
#include "tests/tap.h"

static const char *const hostile[] = {"--help",          "-",           "--", "", "-x", "a b\n",
                                      "--allow-actions", "@/etc/passwd"};
enum { HOSTILE = sizeof hostile / sizeof *hostile };

static const char *give(void *from, const char *name) {
  const size_t *which = from;
  (void)name;
  return hostile[*which];
}

static const char *give_nothing(void *from, const char *name) {
  (void)from, (void)name;
  return NULL;
}

static const ck_command *command_of(const ck_ui_route *route) {
  ck_buffer name = {0};
  const ck_command *found = NULL;
  for (const char *const *word = route->words; *word && **word != '-'; word++) {
    ck_buffer_append_format(&name, "%s%s", name.len ? " " : "", *word);
    const ck_command *longer = ck_command_get(&ck_program_commands, name.data);
    if (longer) found = longer;
  }
  ck_buffer_clear(&name);
  return found;
}

/* "--limit", or "--limit=tokens", which is the same option with the beginning of its value. */
static bool has_option(const ck_command *command, const char *option) {
  size_t len = strcspn(option + 2, "=");
  for (const ck_option *o = command->options; o && o->name; o++)
    if (strlen(o->name) == len && strncmp(o->name, option + 2, len) == 0) return true;
  return false;
}

/* An option that a route names, alone or with its value, is one of its command. */
static bool knows_options(const ck_ui_route *route, const ck_command *command) {
  bool good = true;
  for (const char *const *word = route->words; *word; word++)
    if (strncmp(*word, "--", 2) == 0) good &= has_option(command, *word);
  for (const ck_ui_parameter *p = route->parameters; p->name; p++)
    if (p->option) good &= has_option(command, p->option);
  return good;
}

/* Behind "--" there are as many words as operands; before it none that was given. */
static bool keeps_values_apart(const ck_ui_route *route, const ck_ui_words *words) {
  size_t dashes = 0, operands = 0;
  while (words->list[dashes] && strcmp(words->list[dashes], "--") != 0) dashes++;
  for (const ck_ui_parameter *p = route->parameters; p->name; p++) operands += !p->option;
  return words->list[dashes] && words->count == dashes + 1 + operands && !words->list[words->count];
}

static bool stands_as_one_word(const ck_ui_words *words, const char *option, const char *value) {
  char word[128];
  snprintf(word, sizeof word, "%s=%s", option, value);
  for (size_t i = 0; i < words->count && strcmp(words->list[i], "--") != 0; i++)
    if (strcmp(words->list[i], word) == 0) return true;
  return false;
}

static void check_values(const ck_ui_route *route, const ck_host *host) {
  bool apart = true, whole = true;
  for (size_t i = 0; i < HOSTILE; i++) {
    ck_ui_words words;
    ck_error err = CK_ERROR_INIT;
    ck_status status = ck_ui_route_write(&words, route, host, give, &i, &err);
    apart &= status == CK_OK && keeps_values_apart(route, &words);
    for (const ck_ui_parameter *p = route->parameters; p->name; p++)
      if (p->option) whole &= stands_as_one_word(&words, p->option, hostile[i]);
    ck_ui_words_clear(&words);
  }
  tap_ok(apart, "%s: values stand behind the dashes", route->path);
  tap_ok(whole, "%s: or in one word with their option", route->path);
}

static void check_missing(const ck_ui_route *route, const ck_host *host) {
  ck_ui_words words;
  ck_error err = CK_ERROR_INIT;
  ck_status status = ck_ui_route_write(&words, route, host, give_nothing, NULL, &err);
  tap_ok(status == CK_E_USAGE && strstr(err.text, route->path), "%s: what is missing is named: %s",
         route->path, err.text);
  ck_ui_words_clear(&words);
}

int main(void) {
  const ck_host host = {.store = "sqlite:x.db", .key = "env:KEY"};
  for (const ck_ui_route *route = ck_ui_routes; route->path; route++) {
    const ck_command *command = command_of(route);
    tap_ok(command && knows_options(route, command), "%s is a command with its options",
           route->path);
    tap_ok(ck_ui_route_find(route->path) == route, "%s is found by its path", route->path);
    check_values(route, &host);
    check_missing(route, &host);
  }
  tap_ok(!ck_ui_route_find("delete") && !ck_ui_route_find(""), "there are no others");
  return tap_done();
}
