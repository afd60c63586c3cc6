/* chance.h - every decision of a simulated history: drawn from a seed, or read from a script.
 *
 * A decision has a kind and a number of its own: the how-manieth of its kind it is, or the place
 * that it belongs to. What is drawn depends on seed, kind and number alone, so a decision can be
 * taken out of a history without moving the others. Zero is always the quiet answer: nothing
 * fails, nobody interferes, everyone has a turn. A script lists the decisions that are not zero. */
#ifndef CK_TESTS_WORLDS_CHANCE_H
#define CK_TESTS_WORLDS_CHANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(enumerator, name in scripts) */
/* clang-format off */
#define CHANCE_TABLE(X) \
  X(CHANCE_WEATHER, "weather")   /* how often things go wrong in this history */ \
  X(CHANCE_STEP, "step")         /* by place: what the flow does */ \
  X(CHANCE_CLASS, "class")       /* by place: of which class */ \
  X(CHANCE_LENGTH, "length")     /* by place: how many */ \
  X(CHANCE_BYTES, "bytes")       /* random bytes that the program asks for */ \
  X(CHANCE_CRASH, "crash")       /* at a write to the disk */ \
  X(CHANCE_DISK, "disk")         /* how the disk fails a call */ \
  X(CHANCE_POWER, "power")       /* a crash takes the machine with it */ \
  X(CHANCE_TEAR, "tear")         /* of what was being written, this much is there */ \
  X(CHANCE_LOSE, "lose")         /* what the disk keeps of what was not synced */ \
  X(CHANCE_SWITCH, "switch")     /* another thread goes on here */ \
  X(CHANCE_NEXT, "next")         /* which */ \
  X(CHANCE_LATE, "late")         /* the writer does not come to its turn */ \
  X(CHANCE_ACTION, "action")     /* what happens between two turns */ \
  X(CHANCE_WHICH, "which")       /* to which effect */ \
  X(CHANCE_ENDING, "ending")     /* how an effect ends */ \
  X(CHANCE_HAPPENED, "happened") /* an effect under way at a crash was carried out */ \
  X(CHANCE_PROBE, "probe")       /* what a probe tells */ \
  X(CHANCE_COST, "cost")         /* what a call of a model costs */ \
  X(CHANCE_TAKE, "take")         /* no checkpoint here */ \
  X(CHANCE_SYNC, "sync")         /* nobody waits for it */ \
  X(CHANCE_VISIT, "visit")       /* what another process wants */ \
  X(CHANCE_ROT, "rot")           /* a bit that flips at rest */ \
  X(CHANCE_PERSON, "person")     /* what a person says */ \
  X(CHANCE_HERE, "here")         /* by life: a lone session commits in its own thread */ \
  X(CHANCE_WORD, "word")         /* what other processes ask the run for, and answer */ \
  X(CHANCE_SIGN, "sign")         /* at a write of what the database says of its use */ \
  X(CHANCE_ANEW, "anew")         /* the power goes behind the header of a log that begins */
/* clang-format on */
typedef enum {
#define X(name, text) name,
  CHANCE_TABLE(X)
#undef X
      CHANCE_KINDS
} chance_kind;
const char *chance_name(chance_kind kind);

/* One decision that was not zero. */
typedef struct chance_choice {
  chance_kind kind;
  uint32_t number, value;
} chance_choice;
/* Zero-initialise; the holder frees `list`. */
typedef struct chance_script {
  chance_choice *list;
  size_t count, cap;
} chance_script;
void chance_script_add(chance_script *self, chance_choice choice);

/* Until the next of these two: decisions come from the seed, or from the script (borrowed). */
void chance_begin(uint64_t seed);
void chance_begin_script(const chance_script *script);
/* The decisions since then that were not zero. Borrowed until the next beginning. */
const chance_script *chance_made(void);
/* While calm nothing but zero is drawn. */
void chance_set_calm(bool calm);

/* The numbers go on from the next multiple of a great one, so that what is taken out of one life
 * does not move the decisions of the next. */
void chance_begin_scene(void);

/* 0 to below - 1. The _at forms answer for a place: always the same. */
uint32_t chance_pick(chance_kind kind, uint32_t below);
uint32_t chance_pick_at(chance_kind kind, uint32_t place, uint32_t below);
/* True in `per_mille` of 1,000 draws. */
bool chance_happens(chance_kind kind, uint32_t per_mille);
/* The same, and what: 1 to `outcomes`, or 0. */
uint32_t chance_pick_rarely(chance_kind kind, uint32_t per_mille, uint32_t outcomes);

#endif
