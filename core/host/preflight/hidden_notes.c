/* hidden_notes.c - gathers what is hidden by pairs of policies, and says it. */
#include "core/host/preflight/hidden_notes.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/json.h"

/* The arguments that a note names; more are counted. */
enum { NAMED = 3 };

typedef struct arguments {
  const char *list[CK_HIDDEN_ARGUMENTS];
  size_t count;
  bool any;
  const char *sample;
} arguments;

struct ck_hidden_pair {
  int masking;
  char *permits; /* owned */
  arguments of[CK_HIDDEN_FROM_COUNT];
};

void ck_hidden_notes_clear(ck_hidden_notes *self) {
  for (size_t i = 0; i < self->count; i++) free(self->list[i].permits);
  free(self->list);
  *self = (ck_hidden_notes){0};
}

static ck_hidden_pair *find_pair(ck_hidden_notes *self, const ck_hidden_seen *seen) {
  for (size_t i = 0; i < self->count; i++)
    if (self->list[i].masking == seen->masking && strcmp(self->list[i].permits, seen->permits) == 0)
      return &self->list[i];
  ck_hidden_pair *list = ck_array_grow(self->list, self->count, &self->cap, sizeof *list);
  if (!list) return NULL;
  self->list = list;
  ck_hidden_pair *made = &list[self->count];
  *made = (ck_hidden_pair){.masking = seen->masking, .permits = strdup(seen->permits)};
  if (!made->permits) return NULL;
  self->count++;
  return made;
}

bool ck_hidden_notes_add(ck_hidden_notes *self, const ck_hidden_seen *seen) {
  ck_hidden_pair *pair = find_pair(self, seen);
  if (!pair) return false;
  arguments *to = &pair->of[seen->from];
  if (!to->sample) to->sample = seen->sample;
  if (!seen->argument) to->any = true;
  bool known = !seen->argument || to->count == CK_HIDDEN_ARGUMENTS;
  for (size_t i = 0; !known && i < to->count; i++) known = strcmp(to->list[i], seen->argument) == 0;
  if (!known) to->list[to->count++] = seen->argument;
  return true;
}

static void append_arguments(ck_buffer *out, const arguments *of) {
  if (of->sample)
    ck_buffer_append_format(out, "values such as \"%s\" of ", of->sample);
  else
    ck_buffer_append_text(out, "some values of ");
  if (of->any) {
    ck_buffer_append_text(out, "any argument");
    return;
  }
  size_t named = of->count > NAMED + 1 ? NAMED : of->count;
  for (size_t i = 0; i < named; i++) {
    bool last = i + 1 == of->count;
    ck_buffer_append_format(out, "%s'%s'", i == 0 ? "" : last ? " and " : ", ", of->list[i]);
  }
  if (named < of->count) ck_buffer_append_format(out, " and %zu more arguments", of->count - named);
}

static bool is_there(const arguments *of) { return of->any || of->count > 0; }

static void write_note(ck_buffer *out, const ck_hidden_pair *pair) {
  const arguments *person = &pair->of[CK_HIDDEN_FROM_PERSON];
  const arguments *policy = &pair->of[CK_HIDDEN_FROM_POLICY];
  bool several = strchr(pair->permits, ',') != NULL;
  const char *noun = several ? "policies" : "policy";
  ck_buffer_append_text(out, " masks ");
  if (is_there(person)) {
    append_arguments(out, person);
    ck_buffer_append_format(out, " in the question of %s %s: a person answers without seeing them",
                            noun, pair->permits);
  }
  if (is_there(person) && is_there(policy)) ck_buffer_append_text(out, "; and ");
  if (is_there(policy)) {
    append_arguments(out, policy);
    ck_buffer_append_format(
        out,
        " in stored calls: asked again about one after a kill or an answer, %s %s %s otherwise",
        noun, pair->permits, several ? "answer" : "answers");
  }
  ck_buffer_append(out, "", 1);
}

void ck_hidden_notes_write(ck_buffer *out, const ck_hidden_notes *self, ck_bytes described) {
  int place = 0;
  for (ck_json_iterator it = ck_json_iterate(described); ck_json_next(&it); place++)
    for (size_t i = 0; i < self->count; i++) {
      if (self->list[i].masking != place) continue;
      ck_buffer_append_text(out, "policy ");
      ck_json_read_string(out, ck_json_get(it.value, "name"));
      write_note(out, &self->list[i]);
    }
}
