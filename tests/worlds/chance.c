/* chance.c - draws by seed, kind and number, or looks them up. */
#include "tests/worlds/chance.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

enum { SCENE = 10000 };

static struct {
  uint64_t seed;
  const chance_script *script; /* NULL: by the seed */
  chance_script made;
  uint32_t next[CHANCE_KINDS], scene;
  bool calm;
} drawing;

const char *chance_name(chance_kind kind) {
  static const char *const names[] = {
#define X(name, text) text,
      CHANCE_TABLE(X)
#undef X
  };
  return names[kind];
}

void chance_script_add(chance_script *self, chance_choice choice) {
  if (self->count == self->cap) {
    self->cap = self->cap * 2 + 64;
    self->list = reallocarray(self->list, self->cap, sizeof *self->list);
    tap_must(self->list != NULL, "there is memory");
  }
  self->list[self->count++] = choice;
}

static void begin(uint64_t seed, const chance_script *script) {
  chance_script made = drawing.made;
  made.count = 0;
  memset(&drawing, 0, sizeof drawing);
  drawing.seed = seed;
  drawing.script = script;
  drawing.made = made;
}

void chance_begin(uint64_t seed) { begin(seed, NULL); }
void chance_begin_script(const chance_script *script) { begin(0, script); }
const chance_script *chance_made(void) { return &drawing.made; }
void chance_set_calm(bool calm) { drawing.calm = calm; }

void chance_begin_scene(void) {
  drawing.scene++;
  for (int kind = 0; kind < CHANCE_KINDS; kind++) drawing.next[kind] = drawing.scene * SCENE;
}

/* The finaliser of splitmix64: Steele, Lea, Flood 2014. */
static uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

static uint32_t look_up(chance_kind kind, uint32_t number) {
  for (size_t i = 0; i < drawing.script->count; i++) {
    const chance_choice *choice = &drawing.script->list[i];
    if (choice->kind == kind && choice->number == number) return choice->value;
  }
  return 0;
}

/* Places are asked for again and again; what was decided of them is noted once. */
static void note(chance_choice choice, bool placed) {
  if (choice.value == 0) return;
  for (size_t i = 0; placed && i < drawing.made.count; i++)
    if (drawing.made.list[i].kind == choice.kind && drawing.made.list[i].number == choice.number)
      return;
  chance_script_add(&drawing.made, choice);
}

static uint32_t draw(chance_kind kind, uint32_t number, uint32_t below, bool placed) {
  if (below < 2 || (drawing.calm && !placed)) return 0;
  uint64_t from = mix(mix(drawing.seed ^ (uint64_t)kind << 56) + number);
  uint32_t value = drawing.script ? look_up(kind, number) % below : (uint32_t)(from % below);
  note((chance_choice){kind, number, value}, placed);
  return value;
}

uint32_t chance_pick(chance_kind kind, uint32_t below) {
  return draw(kind, drawing.next[kind]++, below, false);
}

uint32_t chance_pick_at(chance_kind kind, uint32_t place, uint32_t below) {
  return draw(kind, place, below, true);
}

uint32_t chance_pick_rarely(chance_kind kind, uint32_t per_mille, uint32_t outcomes) {
  uint32_t number = drawing.next[kind]++, value;
  if (drawing.calm) return 0;
  if (drawing.script) {
    value = look_up(kind, number) % (outcomes + 1);
  } else {
    uint64_t from = mix(mix(drawing.seed ^ (uint64_t)kind << 56) + number);
    value = from % 1000 < per_mille ? (uint32_t)(from / 1000 % outcomes) + 1 : 0;
  }
  note((chance_choice){kind, number, value}, false);
  return value;
}

bool chance_happens(chance_kind kind, uint32_t per_mille) {
  return chance_pick_rarely(kind, per_mille, 1) != 0;
}
