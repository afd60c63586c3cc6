/* options.c - reads the command line against the tables of command.h. */
#include "core/host/cli/options.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/id.h"
#include "core/base/suggest.h"

enum { TARGETS = 2 };

/* The option that is being read, and its value when it was written together with the name. */
typedef struct reading {
  const ck_option *option;
  void *values;
  const char *spelt; /* as it stands in argv, for messages */
  const char *attached;
} reading;

static bool has_name(const ck_option *option, const char *name, size_t len) {
  return strncmp(option->name, name, len) == 0 && option->name[len] == 0;
}

/* The command's own options come first: behind its name they are meant. */
static bool find_long(reading *out, const ck_option_reader *self, const char *name, size_t len) {
  for (size_t i = TARGETS; i-- > 0;)
    for (const ck_option *o = self->targets[i].options; o && o->name; o++)
      if (has_name(o, name, len)) {
        out->option = o;
        out->values = self->targets[i].values;
        return true;
      }
  return false;
}

static bool find_letter(reading *out, const ck_option_reader *self, char letter) {
  for (size_t i = TARGETS; i-- > 0;)
    for (const ck_option *o = self->targets[i].options; o && o->name; o++)
      if (o->letter == letter) {
        out->option = o;
        out->values = self->targets[i].values;
        return true;
      }
  return false;
}

static ck_status unknown_long(const ck_option_reader *self, const char *name, size_t len,
                              ck_error *err) {
  char typed[64];
  if (len < sizeof typed) {
    memcpy(typed, name, len);
    typed[len] = 0;
    ck_suggestion near = {.typed = typed};
    for (size_t i = 0; i < TARGETS; i++)
      for (const ck_option *o = self->targets[i].options; o && o->name; o++)
        ck_suggestion_check(&near, o->name);
    if (near.best)
      return ck_error_set(err, CK_E_USAGE, "unknown option --%s; did you mean --%s?", typed,
                          near.best);
  }
  return ck_error_set(err, CK_E_USAGE, "unknown option --%.*s", (int)(len < 200 ? len : 200), name);
}

static ck_status check_choice(const char *what, const char *const *choices, const char *value,
                              ck_error *err) {
  if (!choices) return CK_OK;
  ck_suggestion near = {.typed = value};
  ck_buffer list = {0};
  for (size_t i = 0; choices[i]; i++) {
    if (strcmp(choices[i], value) == 0) {
      ck_buffer_clear(&list);
      return CK_OK;
    }
    ck_suggestion_check(&near, choices[i]);
    ck_buffer_append_format(&list, "%s%s", i ? ", " : "", choices[i]);
  }
  if (near.best)
    ck_error_set(err, CK_E_USAGE, "%s: '%.100s' is not known; did you mean %s?", what, value,
                 near.best);
  else
    ck_error_set(err, CK_E_USAGE, "%s: '%.100s' is none of %s", what, value,
                 list.data ? list.data : "them");
  ck_buffer_clear(&list);
  return CK_E_USAGE;
}

/* What a word means that is the id or the name of something. A file may begin with '-', after "--"
 * or as "./-". */
static ck_status check_id(const char *what, const char *means, const char *word, ck_error *err) {
  static const char *const ids[] = {"SESSION", "SESSION#SEQ",      "CHECKPOINT", "SEQ|CHECKPOINT",
                                    "EFFECT",  "POLICY",           "PROFILE",    "ID",
                                    "A",       "POLICY.KEY=VALUE", "B"};
  for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
    if (strcmp(ids[i], means) == 0) return ck_id_check_begin(what, word, err);
  return CK_OK;
}

static ck_status put_number(int64_t *into, const char *spelt, const char *value, ck_error *err) {
  char *end = NULL;
  errno = 0;
  long long number = strtoll(value, &end, 10);
  bool digits = value[0] >= '0' && value[0] <= '9';
  if (!digits || *end || errno || number < 1)
    return ck_error_set(err, CK_E_USAGE, "%s: '%.100s' is not a whole number from 1", spelt, value);
  *into = number;
  return CK_OK;
}

static ck_status put_word(ck_words *to, const char *word, ck_error *err) {
  const char **list = reallocarray(to->list, to->count + 1, sizeof *list);
  if (!list) return ck_error_no_memory(err);
  list[to->count++] = word;
  to->list = list;
  return CK_OK;
}

static ck_status put_value(const reading *read, const char *value, ck_error *err) {
  char *field = (char *)read->values + read->option->offset;
  if (read->option->type == CK_OPTION_NUMBER)
    return put_number((int64_t *)(void *)field, read->spelt, value, err);
  ck_status status = check_choice(read->spelt, read->option->choices, value, err);
  if (status == CK_OK) status = check_id(read->spelt, read->option->value, value, err);
  if (status == CK_OK && read->option->type == CK_OPTION_LIST)
    return put_word((ck_words *)(void *)field, value, err);
  if (status == CK_OK) memcpy(field, &value, sizeof value);
  return status;
}

static ck_status take(ck_option_reader *self, const reading *read, ck_error *err) {
  const ck_option *option = read->option;
  if (option->type == CK_OPTION_FLAG) {
    if (read->attached) return ck_error_set(err, CK_E_USAGE, "--%s takes no value", option->name);
    *((bool *)(void *)((char *)read->values + option->offset)) = true;
    return CK_OK;
  }
  const char *value = read->attached;
  if (!value && self->at < self->argc) value = self->argv[self->at++];
  if (!value)
    return ck_error_set(err, CK_E_USAGE, "--%s needs a value: --%s %s", option->name, option->name,
                        option->value);
  return put_value(read, value, err);
}

static ck_status read_long(ck_option_reader *self, const char *name, ck_error *err) {
  const char *equals = strchr(name, '=');
  size_t len = equals ? (size_t)(equals - name) : strlen(name);
  reading read = {.attached = equals ? equals + 1 : NULL};
  if (!find_long(&read, self, name, len)) return unknown_long(self, name, len, err);
  char spelt[64];
  snprintf(spelt, sizeof spelt, "--%s", read.option->name);
  read.spelt = spelt;
  return take(self, &read, err);
}

static ck_status read_letters(ck_option_reader *self, const char *letters, ck_error *err) {
  for (const char *letter = letters; *letter; letter++) {
    char spelt[3] = {'-', *letter, 0};
    reading read = {.spelt = spelt};
    if (!find_letter(&read, self, *letter))
      return ck_error_set(err, CK_E_USAGE, "unknown option -%c in '-%.60s'", *letter, letters);
    bool valued = read.option->type != CK_OPTION_FLAG;
    if (valued && letter[1]) read.attached = letter + 1;
    ck_status status = take(self, &read, err);
    if (status != CK_OK || valued) return status;
  }
  return CK_OK;
}

ck_status ck_option_reader_next(const char **word, ck_option_reader *self, ck_error *err) {
  *word = NULL;
  while (self->at < self->argc) {
    const char *arg = self->argv[self->at++];
    if (self->literal || arg[0] != '-' || !arg[1]) {
      *word = arg;
      return CK_OK;
    }
    if (strcmp(arg, "--") == 0) {
      self->literal = true;
      continue;
    }
    ck_status status =
        arg[1] == '-' ? read_long(self, arg + 2, err) : read_letters(self, arg + 1, err);
    if (status != CK_OK) return status;
  }
  return CK_OK;
}

ck_status ck_operand_put(void *values, const ck_command *command, size_t index, const char *word,
                         ck_error *err) {
  const ck_operand *operand = command->operands;
  for (size_t i = 0; operand && operand->name && !operand->many && i < index; i++) operand++;
  if (!operand || !operand->name)
    return ck_error_set(err, CK_E_USAGE, "'%.100s' is one word too many for 'ckrun %s'", word,
                        command->name);
  ck_status status = check_choice(operand->name, operand->choices, word, err);
  if (status == CK_OK) status = check_id(operand->name, operand->name, word, err);
  char *field = (char *)values + operand->offset;
  if (status == CK_OK && operand->many) return put_word((ck_words *)(void *)field, word, err);
  if (status == CK_OK) memcpy(field, &word, sizeof word);
  return status;
}

ck_status ck_operands_check(const ck_command *command, size_t count, ck_error *err) {
  const ck_operand *operand = command->operands;
  for (size_t i = 0; operand && operand->name; i++, operand++)
    if (i >= count && !operand->optional)
      return ck_error_set(err, CK_E_USAGE, "%s is missing; see 'ckrun %s --help'", operand->name,
                          command->name);
  return CK_OK;
}
