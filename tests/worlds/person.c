/* person.c - who finds out what became of effects in doubt, and answers what a session at rest
 * asks.
 */
#include <stdio.h>

#include "core/runtime/history/resolve.h"
#include "tests/worlds/cover.h"
#include "tests/worlds/world.h"

enum { DOUBTS_MAX = 32 };

typedef struct keys {
  char list[DOUBTS_MAX][CK_STATE_KEY_MAX];
  size_t count;
} keys;

static void keep_key(void *to, const ck_open_effect *effect) {
  keys *self = to;
  if (self->count < DOUBTS_MAX)
    snprintf(self->list[self->count++], CK_STATE_KEY_MAX, "%s", effect->key);
}

static ck_value *answer_to(const world_fact *fact, uint32_t word) {
  char json[64];
  ck_value *value;
  ck_error err = CK_ERROR_INIT;
  outside_text(json, fact->key, fact->kind);
  if (fact->kind == CK_EFFECT_ASK) outside_word(json, fact->key, word);
  tap_must(ck_value_new(&value, ck_bytes_text(json), &err) == CK_OK, "%s", err.text);
  return value;
}

/* A person finds out what became of it, and says the truth, or that it is to be given up. */
static bool resolve(world *self, world_fact *fact) {
  ck_error err = CK_ERROR_INIT;
  if (chance_happens(CHANCE_PERSON, 300)) return true;
  bool happened = fact->done > 0, gives_up = chance_pick(CHANCE_WORD, 8) == 1;
  ck_value *value = happened && !gives_up ? answer_to(fact, 0) : NULL;
  const char *verdict = gives_up ? "abort" : happened ? "done" : "retry";
  ck_status status =
      ck_session_resolve(self->process->runtime, world_session, fact->key, verdict, value, &err);
  ck_value_free(value);
  world_log("resolve %s: %s", fact->key, verdict);
  cover("doubt: resolved as %s", verdict);
  if (gives_up)
    fact->unknown = true, fact->open = false;
  else if (happened)
    fact->said = true;
  else
    fact->retry = true;
  return life_check(self, status, &err, "resolve");
}

/* What is told last counts, unless it may not have come to the disk. */
static bool reply(world *self, world_fact *fact) {
  ck_error err = CK_ERROR_INIT;
  uint32_t word = chance_pick(CHANCE_WORD, WORLD_WORDS);
  ck_value *value = answer_to(fact, word);
  ck_status status =
      ck_session_answer(self->process->runtime, world_session, fact->key, value, &err);
  ck_value_free(value);
  world_log("answer %s: %u, %s", fact->key, word, ck_status_name(status));
  /* behind the checkpoint it is asked once more before it can be answered */
  if (status == CK_E_REFUSED) return true;
  fact->said = true;
  fact->words = (status == CK_OK ? 0 : fact->words) | 1u << word;
  return life_check(self, status, &err, "answer");
}

/* And now and then something else. */
static bool reply_all(world *self, world_fact *fact) {
  if (chance_happens(CHANCE_PERSON, 300)) return true;
  bool good = reply(self, fact);
  if (!good || chance_pick(CHANCE_WORD, 4) != 1) return good;
  cover("question: answered anew before it was told");
  return reply(self, fact);
}

bool person_speaks(world *self) {
  ck_error err = CK_ERROR_INIT;
  static keys all;
  all.count = 0;
  ck_status status =
      ck_session_list_doubts(self->process->runtime, world_session, keep_key, &all, &err);
  if (!life_check(self, status, &err, "list doubts")) return false;
  for (size_t i = 0; i < all.count; i++)
    if (!resolve(self, model_fact(&self->model, all.list[i]))) return false;
  all.count = 0;
  status = ck_session_list_questions(self->process->runtime, world_session, keep_key, &all, &err);
  if (!life_check(self, status, &err, "list questions")) return false;
  for (size_t i = 0; i < all.count; i++)
    if (!reply_all(self, model_fact(&self->model, all.list[i]))) return false;
  return true;
}
