/* test_simulation.c - the figures of one simulated session. */
#include "core/host/simulate/simulation.h"

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

int main(void) {
  ck_recording recording = {
      .events = events, .event_count = 4, .boundaries = boundaries, .boundary_count = 1};
  ck_simulation simulation;
  ck_simulation_figures figures;
  ck_error err = CK_ERROR_INIT;
  tap_is_status(ck_simulate(&simulation, &recording, &ck_policy_always, -1, &err), CK_OK, &err,
                "simulated");
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
