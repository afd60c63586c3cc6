/* test_options.c - the command line: valid options are read, others are refused with the nearest
 * word. */
#include <stdlib.h>
#include <string.h>

#include "core/host/cli/options.h"
#include "core/base/suggest.h"
#include "tests/tap.h"

typedef struct values {
  const char *name, *kind, *first, *second;
  bool flag, other;
  int64_t count;
  ck_words many;
} values;

static const char *const kinds[] = {"message", "boundary", NULL};

static const ck_option options[] = {
    {.name = "name",
     .letter = 'n',
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, name),
     .value = "NAME"},
    {.name = "kind",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, kind),
     .value = "KIND",
     .choices = kinds},
    {.name = "flag", .letter = 'f', .offset = offsetof(values, flag)},
    {.name = "other", .letter = 'o', .offset = offsetof(values, other)},
    {.name = "count", .type = CK_OPTION_NUMBER, .offset = offsetof(values, count), .value = "N"},
    {.name = "many",
     .letter = 'm',
     .type = CK_OPTION_LIST,
     .offset = offsetof(values, many),
     .value = "WORD"},
    {0},
};
static const ck_operand operands[] = {
    {.name = "FIRST", .offset = offsetof(values, first)},
    {.name = "SECOND", .optional = true, .offset = offsetof(values, second), .choices = kinds},
    {0},
};
static const ck_command command = {.name = "thing", .operands = operands, .options = options};

enum { WORDS_MAX = 16 };

/* Splits at '|', so that an empty word can be written. */
static int split(char *text, char *words[WORDS_MAX]) {
  int count = 1;
  words[0] = (char *)(uintptr_t) "ckrun";
  if (!*text) return count;
  words[count++] = text;
  for (; *text; text++)
    if (*text == '|') {
      *text = 0;
      words[count++] = text + 1;
    }
  return count;
}

static ck_status read_line(values *v, const char *line, ck_error *err) {
  static char text[256];
  char *words[WORDS_MAX];
  snprintf(text, sizeof text, "%s", line);
  *v = (values){0};
  ck_option_reader reader = {
      .argc = split(text, words), .argv = words, .at = 1, .targets = {{options, v}}};
  for (size_t index = 0;; index++) {
    const char *word;
    ck_status status = ck_option_reader_next(&word, &reader, err);
    if (status == CK_OK && !word) return ck_operands_check(&command, index, err);
    if (status == CK_OK) status = ck_operand_put(v, &command, index, word, err);
    if (status != CK_OK) return status;
  }
}

static void accepts_every_spelling(void) {
  ck_error err = CK_ERROR_INIT;
  values v;
  tap_is_status(read_line(&v, "a|--name|x|--flag", &err), CK_OK, &err, "a value as the next word");
  tap_is_text(v.name, "x", "it arrives");
  tap_ok(v.flag && !v.other, "a flag is set, another is not");
  tap_is_status(read_line(&v, "--name=x=y|a", &err), CK_OK, &err, "a value behind '='");
  tap_is_text(v.name, "x=y", "only the first '=' divides");
  tap_is_text(v.first, "a", "operands may follow options");
  tap_is_status(read_line(&v, "--name=|a", &err), CK_OK, &err, "an empty value");
  tap_is_text(v.name, "", "stays empty");
  tap_is_status(read_line(&v, "--name|--flag|a", &err), CK_OK, &err,
                "a value that looks like an option");
  tap_is_text(v.name, "--flag", "is the value");
  tap_is_status(read_line(&v, "-fo|-nx|a", &err), CK_OK, &err, "bundled letters");
  tap_ok(v.flag && v.other, "set both flags");
  tap_is_text(v.name, "x", "a letter's value may be attached");
  tap_is_status(read_line(&v, "-fn|x|a", &err), CK_OK, &err, "a bundle that ends with a value");
  tap_is_text(v.name, "x", "takes the next word");
  tap_is_status(read_line(&v, "--name|1|--name|2|a", &err), CK_OK, &err, "an option given twice");
  tap_is_text(v.name, "2", "counts the last time");
  tap_is_status(read_line(&v, "--|--flag", &err), CK_OK, &err, "'--' ends the options");
  tap_is_text(v.first, "--flag", "what follows is a word");
  tap_is_status(read_line(&v, "-", &err), CK_OK, &err, "'-' alone");
  tap_is_text(v.first, "-", "is a word");
  tap_is_status(read_line(&v, "a|message|--count|9223372036854775807", &err), CK_OK, &err,
                "choices and the largest number");
  tap_is_int(v.count, INT64_MAX, "arrive");
  tap_is_status(read_line(&v, "--many|x|a|-my|--many=x", &err), CK_OK, &err,
                "a list option, three times");
  tap_ok(v.many.count == 3 && strcmp(v.many.list[1], "y") == 0 && strcmp(v.many.list[2], "x") == 0,
         "has all of them, in order");
  free(v.many.list);
  tap_is_status(read_line(&v, "a|--many", &err), CK_E_USAGE, &err,
                "one without its value is refused");
}

typedef struct refusal {
  const char *line, *says;
} refusal;

static const refusal refusals[] = {
    {"a|--nmae|x", "did you mean --name?"},
    {"a|--fla", "did you mean --flag?"},
    {"a|--zzzzzz", "unknown option --zzzzzz"},
    {"a|--", NULL},
    {"a|--name", "--name needs a value: --name NAME"},
    {"a|-n", "--name needs a value"},
    {"a|--flag=1", "--flag takes no value"},
    {"a|-fx", "unknown option -x in '-fx'"},
    {"a|--kind|mesage", "did you mean message?"},
    {"a|--kind|zzzzzzzz", "is none of message, boundary"},
    {"a|--kind=", "is none of"},
    {"a|--count|0", "whole number from 1"},
    {"a|--count|-1", "whole number from 1"},
    {"a|--count|1x", "whole number from 1"},
    {"a|--count|", "whole number from 1"},
    {"a|--count| 1", "whole number from 1"},
    {"a|--count|9223372036854775808", "whole number from 1"},
    {"", "FIRST is missing; see 'ckrun thing --help'"},
    {"a|message|more", "'more' is one word too many for 'ckrun thing'"},
    {"a|massage", "did you mean message?"},
    {"a|--=x", "unknown option --"},
};

static void refuses_with_the_word_that_was_meant(void) {
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
    ck_error err = CK_ERROR_INIT;
    values v;
    if (!refusals[i].says) {
      tap_is_status(read_line(&v, refusals[i].line, &err), CK_OK, &err, "'%s' is fine",
                    refusals[i].line);
      continue;
    }
    tap_is_status(read_line(&v, refusals[i].line, &err), CK_E_USAGE, &err, "'%s' is refused",
                  refusals[i].line);
    if (!tap_ok(strstr(err.text, refusals[i].says) != NULL, "'%s' is told: %s", refusals[i].line,
                refusals[i].says))
      tap_diag("got: %s", err.text);
  }
}

static void survives_long_words(void) {
  static char line[240];
  ck_error err = CK_ERROR_INIT;
  values v;
  memset(line, 'x', sizeof line - 1);
  memcpy(line, "a|--", 4);
  tap_is_status(read_line(&v, line, &err), CK_E_USAGE, &err, "an option of 230 letters is refused");
  memcpy(line, "a|--kind=", 9);
  tap_is_status(read_line(&v, line, &err), CK_E_USAGE, &err, "a choice of 230 letters is refused");
}

static const char *nearest(const char *typed, const char *a, const char *b) {
  ck_suggestion near = {.typed = typed};
  ck_suggestion_check(&near, a);
  ck_suggestion_check(&near, b);
  return near.best ? near.best : "";
}

static void suggests_only_what_is_near(void) {
  tap_is_text(nearest("resmue", "run", "resume"), "resume", "swapped neighbours are one mistake");
  tap_is_text(nearest("rn", "resume", "run"), "run", "a letter left out");
  tap_is_text(nearest("se", "session", "store"), "session", "a beginning");
  tap_is_text(nearest("banana", "run", "resume"), "", "nothing near: no guess");
  tap_is_text(nearest("", "run", "resume"), "", "an empty word: no guess");
  tap_is_text(nearest("x", "y", "z"), "", "one letter against another: no guess");
}

int main(void) {
  accepts_every_spelling();
  refuses_with_the_word_that_was_meant();
  survives_long_words();
  suggests_only_what_is_near();
  return tap_done();
}
