/* test_simulation.c - the figures of one simulated session. */
#include "core/host/simulate/simulation.h"

#include <stdlib.h>

#include "tests/tap.h"

/* A question of 4 h 11 min, answered; then a call of a tool. No prices. */
static ck_recorded_event events[] = {
    {.seq = 1, .boundary = SIZE_MAX},
    {.seq = 2, .boundary = SIZE_MAX, .work = {.ms = 2000, .active_ms = 2000, .tokens = 90}},
    {.seq = 3, .boundary = SIZE_MAX, .work = {.ms = 15062000, .active_ms = 2000, .tokens = 90}},
    {.seq = 4,
     .boundary = 0,
     .work = {.ms = 15063000, .active_ms = 3000, .tokens = 90, .tool_calls = 1}},
};
static ck_recorded_boundary boundaries[] = {
    {.at = {.kind = CK_BOUNDARY_TOOL_ROUND, .seq = 4}, .added_bytes = 100}};

/* Figures are merged; what tells one place or name from another is not. */
static void names_stay(void) {
  static const char *const rows[][2] = {
      {"3.25 dollars", "# dollars"},
      {"12 dollars", "# dollars"},
      {"spent 0.0019, of $5 (3 of 7), 1e-05 left", "spent #, of $# (# of #), # left"},
      {"ask: x.lua:12: attempt 3", "ask: x.lua:12: attempt #"},
      {".../bad.lua:1:7: no 9", ".../bad.lua:1:7: no #"},
      {"main/pay#1/exec/2 by agent#2", "main/pay#1/exec/2 by agent#2"},
      {"gpt-4o of bob2, tool_7, 3d_view", "gpt-4o of bob2, tool_7, 3d_view"},
      {"waits 500 ms, 5ms, 12KB, 3/4", "waits # ms, #ms, #KB, #/#"},
      {"at 10:30 on 2026-11-23", "at #:# on #-#-#"},
      {"tokens:5, x=6, list[7], -8, #9", "tokens:#, x=#, list[#], -#, ##"},
      {"caf\303\2511 7", "caf\303\2511 #"},
      {"", ""},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char *made = ck_reason_without_figures(rows[i][0]);
    tap_is_text(made, rows[i][1], "a reason of which only figures are merged");
    free(made);
  }
}

int main(void) {
  names_stay();
  ck_recording recording = {
      .events = events, .event_count = 4, .boundaries = boundaries, .boundary_count = 1};
  ck_simulation simulation;
  ck_simulation_figures figures;
  ck_error err = CK_ERROR_INIT;
  tap_is_status(ck_simulate(&simulation, &recording, &ck_policy_always,
                            &(ck_shown_as){.limit_micros = -1}, NULL, &err),
                CK_OK, &err, "simulated");
  tap_is_status(ck_simulation_measure(&figures, &recording, &simulation, &err), CK_OK, &err,
                "measured");
  tap_ok(figures.boundaries == 1 && figures.checkpoints == 1 && figures.kept == 1 &&
             figures.failures == 0,
         "a checkpoint at the one boundary");
  tap_is_int(figures.bytes_written, CK_SIMULATE_ROW_BYTES + 100, "its bytes");
  tap_is_int(figures.bytes_kept, CK_SIMULATE_ROW_BYTES + 100, "those kept");
  const ck_loss *time = &figures.lost[CK_LOSS_MS];
  tap_ok(time->mean > 1749 && time->mean < 1751, "of 0, 2, 2 and 3 seconds of work the mean");
  tap_ok(time->p95 == 3000 && time->worst == 3000, "and the worst: a question is no work");
  tap_is_int(figures.lost[CK_LOSS_TOKENS].worst, 90, "tokens");
  tap_is_int(figures.lost[CK_LOSS_TOOL_CALLS].worst, 1, "calls of tools");
  tap_ok(figures.known[CK_LOSS_MS] && figures.known[CK_LOSS_TOOL_CALLS] &&
             !figures.known[CK_LOSS_COST],
         "nothing had a price");
  ck_simulation_clear(&simulation);
  return tap_done();
}
