/* test_plan.c - every cell of the table of how effects go on, against the documents' own words. */
#include "core/runtime/ledger/plan.h"

#include <stdio.h>
#include <string.h>

#include "tests/tap.h"

/* A grid: the columns before ":" are words of the dimensions ("*": any, "a|b": either), those
 * behind it what follows for pure, idempotent, reconcilable, once. "!": the other request is
 * noted. Every cell must be in exactly one row. */

/* What lua/README.md says of effects that are asked for: after a crash ("crash"), or after a
 * failure, an edit, or from an older checkpoint ("later"); "act": a tool, program or agent. */
static const char *const asked[] = {
    "nothing   *              *      *     : run run run run",
    "failed    *              *      *     : run run run run",
    "settled   same|renamed   *      *     : resolve resolve resolve resolve",
    "settled   other          crash  *     : run! run! diverge! diverge!",
    "settled   other          later  act   : run! run! block! block!",
    "settled   other          later  wait  : run! run! diverge! diverge!",
    "released  same           *      *     : run run run run",
    "released  renamed|other  *      *     : run! run! run! run!",
    "lost      same           *      *     : run run run run",
    "lost      renamed|other  *      *     : run! run! run! run!",
    /* begun, and no outcome is recorded */
    "open      same           *      *     : run run doubt doubt",
    "open      renamed|other  crash  *     : run! run! diverge! diverge!",
    "open      renamed|other  later  act   : run! run! doubt! doubt!",
    "open      renamed|other  later  wait  : run! run! diverge! diverge!",
    /* never begun: another action was done in its place, before the session went back */
    "blocked   same           *      *     : run run doubt doubt",
    "blocked   renamed|other  crash  *     : run! run! diverge! diverge!",
    "blocked   renamed|other  later  act   : run! run! block! block!",
    "blocked   renamed|other  later  wait  : run! run! diverge! diverge!",
    /* an outcome is recorded: after a crash it is replayed, whatever it is */
    "ok        same           crash  *     : replay replay replay replay",
    "ok        renamed|other  crash  *     : run! run! diverge! diverge!",
    "acted-on  same           *      *     : replay replay replay replay",
    "acted-on  renamed|other  crash  *     : run! run! diverge! diverge!",
    "error     same           crash  *     : replay replay replay replay",
    "error     renamed|other  crash  *     : run! run! diverge! diverge!",
    "unknown   same           crash  *     : replay replay replay replay",
    "unknown   renamed|other  crash  *     : run! run! diverge! diverge!",
    /* later: what is pure is asked for anew, and so are errors */
    "ok        same           later  *     : run replay replay replay",
    "ok        renamed        later  act   : run run! replay replay",
    "ok        other          later  act   : run run! block! block!",
    "ok        renamed|other  later  wait  : run run! diverge! diverge!",
    "acted-on  renamed        later  act   : run run! replay replay",
    "acted-on  other          later  act   : run run! block! block!",
    "acted-on  renamed|other  later  wait  : run run! diverge! diverge!",
    "error     *              later  *     : run run run run",
    /* an unknown outcome of what must not be repeated is never asked for again under its key */
    "unknown   same           later  *     : run run replay replay",
    "unknown   renamed        later  act   : run run replay replay",
    "unknown   other          later  act   : run run block! block!",
    "unknown   renamed|other  later  wait  : run run diverge! diverge!",
};

/* What it says of endings that tell nothing: who asked for it, whether its driver can probe, and
 * whether it has tries left. */
static const char *const ended[] = {
    "unknown   *      probe  *     : probe probe probe probe",
    "unknown   model  none   left  : run run tell tell",
    "unknown   model  none   used  : tell tell tell tell",
    "unknown   node   none   *     : tell tell doubt doubt",
    "cut       *      probe  *     : probe probe probe probe",
    "cut       model  none   left  : run run tell tell",
    "cut       model  none   used  : fail fail tell tell",
    "cut       node   none   left  : run run doubt doubt",
    "cut       node   none   used  : fail fail doubt doubt",
    "cancelled *      *      *     : leave leave doubt doubt",
    "absent    *      *      left  : run run run run",
    "absent    *      *      used  : tell tell tell tell",
    "untold    model  *      left  : run run tell tell",
    "untold    model  *      used  : tell tell tell tell",
    "untold    node   *      left  : run run doubt doubt",
    "untold    node   *      used  : tell tell doubt doubt",
    /* an earlier process had begun it: a person is asked, whoever called it */
    "earlier   *      *      left  : run run doubt doubt",
    "earlier   *      *      used  : tell tell doubt doubt",
};

/* ---- the words ---- */

static const char *const states[] = {"nothing",  "open",  "blocked", "settled", "released", "ok",
                                     "acted-on", "error", "unknown", "failed",  "lost"};
static const char *const requests[] = {"same", "renamed", "other"};
static const char *const endings[] = {NULL,     "unknown", "cut",    "cancelled",
                                      "absent", "untold",  "earlier"};
static const char *const actions[] = {"run",  "replay", "resolve", "probe",   "doubt",
                                      "tell", "fail",   "block",   "diverge", "leave"};
_Static_assert(sizeof states / sizeof *states == CK_LEDGER_STATE_COUNT, "a word for each state");
_Static_assert(sizeof requests / sizeof *requests == CK_REQUEST_MATCH_COUNT, "and each request");
_Static_assert(sizeof endings / sizeof *endings == CK_ENDING_COUNT, "and each ending");
_Static_assert(sizeof actions / sizeof *actions == CK_PLAN_ACTION_COUNT, "and each action");

/* True when `word` is "*", or `of` is among its alternatives. */
static bool means(const char *word, const char *of) {
  size_t len = strlen(of);
  if (strcmp(word, "*") == 0) return true;
  for (const char *one = word; one; one = strchr(one, '|')) {
    one += *one == '|';
    if (strncmp(one, of, len) == 0 && (!one[len] || one[len] == '|')) return true;
  }
  return false;
}

/* Counts the rows that hold the cell; `out` is what the last of them says of the class. */
static int find_rows(char out[16], const char *const *rows, size_t count, const char *const cell[4],
                     int class) {
  int found = 0;
  char words[4][32], follows[4][16];
  for (size_t i = 0; i < count; i++) {
    int n = sscanf(rows[i], "%31s %31s %31s %31s : %15s %15s %15s %15s", words[0], words[1],
                   words[2], words[3], follows[0], follows[1], follows[2], follows[3]);
    tap_must(n == 8, "row \"%s\" has %d words", rows[i], n);
    bool holds = true;
    for (int w = 0; w < 4; w++) holds = holds && means(words[w], cell[w]);
    if (holds) strcpy(out, follows[class]);
    found += holds;
  }
  return found;
}

static int cells, wrong;

static void check(const ck_ledger_case *of, const char *const *rows, size_t count,
                  const char *const cell[4]) {
  char want[16] = "", got[16];
  ck_plan plan = ck_ledger_plan(of);
  int found = find_rows(want, rows, count, cell, of->class);
  snprintf(got, sizeof got, "%s%s", actions[plan.action], plan.diverged ? "!" : "");
  cells++;
  if (found == 1 && strcmp(got, want) == 0) return;
  wrong++;
  tap_diag("class %d, %s %s %s %s: %s, %d rows say %s", of->class, cell[0], cell[1], cell[2],
           cell[3], got, found, want);
}

/* Whoever asks, and whatever tries it has: that is of endings. A probe counts for the same open
 * request alone. */
static void check_asked(ck_ledger_case of) {
  const char *cell[] = {states[of.state], requests[of.request], of.later ? "later" : "crash",
                        of.acts ? "act" : "wait"};
  if (of.probes && of.state == CK_LEDGER_OPEN && of.request == CK_REQUEST_SAME) {
    cells++;
    wrong += ck_ledger_plan(&of).action != CK_PLAN_PROBE;
  } else {
    check(&of, asked, sizeof asked / sizeof *asked, cell);
  }
}

static void check_ended(ck_ledger_case of) {
  const char *cell[] = {endings[of.ending], of.called ? "model" : "node",
                        of.probes ? "probe" : "none", of.tries_left ? "left" : "used"};
  check(&of, ended, sizeof ended / sizeof *ended, cell);
}

/* The four answers to yes or no, in all combinations. */
static ck_ledger_case with_flags(ck_ledger_case of, int bits) {
  of.acts = (bits & 1) != 0;
  of.called = (bits & 2) != 0;
  of.probes = (bits & 4) != 0;
  of.tries_left = (bits & 8) != 0;
  return of;
}

int main(void) {
  for (int class = 0; class < CK_EFFECT_CLASS_COUNT; class ++)
    for (int bits = 0; bits < 16; bits++) {
      ck_ledger_case of = {.class = (ck_effect_class) class};
      for (int state = 0; state < CK_LEDGER_STATE_COUNT; state++)
        for (int request = 0; request < CK_REQUEST_MATCH_COUNT * 2; request++) {
          of.state = (ck_ledger_state)state;
          of.request = (ck_request_match)(request / 2);
          of.later = request % 2 == 1;
          check_asked(with_flags(of, bits));
        }
      of = (ck_ledger_case){.class = (ck_effect_class) class, .state = CK_LEDGER_OPEN};
      for (int ending = CK_ENDING_NONE + 1; ending < CK_ENDING_COUNT; ending++) {
        of.ending = (ck_effect_ending)ending;
        check_ended(with_flags(of, bits));
      }
    }
  tap_is_int(cells, 4 * 16 * (11 * 3 * 2 + 6), "every cell was walked");
  tap_is_int(wrong, 0, "and each does what the documents say");
  return tap_done();
}
