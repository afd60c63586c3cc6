/* test_expected_loss.c - a checkpoint is taken where the work at risk is worth more than it costs, and nowhere before. */
#include "tests/policies/policy_case.h"
#include "tests/tap.h"

static const policy_boundary_case rows[] = {
    /* Nothing was done. */
    {NULL, {.kind = CK_BOUNDARY_TOOL_ROUND, .clean = true, .checkpoint_cost_us = 1}, NULL},
    {NULL, {.kind = CK_BOUNDARY_TOOL_ROUND, .checkpoint_cost_us = 1}, NULL},
    /* Time alone is Young and Daly: sqrt(2 * 0.5 s * 7200 s) = 84.9 s for a checkpoint of half a second. */
    {NULL, {.kind = CK_BOUNDARY_TOOL_ROUND, .clean = true, .checkpoint_cost_us = 500000, .since = {.ms = 84800}}, NULL},
    {NULL, {.kind = CK_BOUNDARY_TOOL_ROUND, .clean = true, .checkpoint_cost_us = 500000, .since = {.ms = 84900}}, "work worth 0.47…"},
    /* sqrt(2 * 0.5 s * 720 s) = 26.8 s after a failure. */
    {NULL, {.kind = CK_BOUNDARY_TOOL_ROUND, .checkpoint_cost_us = 500000, .since = {.ms = 26800}}, NULL},
    {NULL, {.kind = CK_BOUNDARY_TOOL_ROUND, .checkpoint_cost_us = 500000, .since = {.ms = 26900}}, "work worth 0.149…"},
    /* Four times the failures, half the interval. */
    {"{\"failures_per_hour\":2}", {.kind = CK_BOUNDARY_TOOL_ROUND, .clean = true, .checkpoint_cost_us = 500000, .since = {.ms = 42400}}, NULL},
    {"{\"failures_per_hour\":2}", {.kind = CK_BOUNDARY_TOOL_ROUND, .clean = true, .checkpoint_cost_us = 500000, .since = {.ms = 42500}}, "work worth 0.23…"},
    /* Dollars make it sooner: 10 s and 1 dollar against 0.0028 dollars for the checkpoint. */
    {NULL, {.kind = CK_BOUNDARY_TOOL_ROUND, .clean = true, .checkpoint_cost_us = 500000, .since = {.ms = 10000, .cost_micros = 1000000}}, NULL},
    {NULL, {.kind = CK_BOUNDARY_TOOL_ROUND, .clean = true, .checkpoint_cost_us = 500000, .since = {.ms = 10000, .cost_micros = 4000000}}, "work worth 4.05…"},
    /* The next step puts it at risk for as long as the last one took. */
    {NULL, {.kind = CK_BOUNDARY_TOOL_ROUND, .clean = true, .checkpoint_cost_us = 500000, .node_latency_ms = 20000, .since = {.ms = 10000, .cost_micros = 1000000}}, "work worth 1.05…"},
    /* What was not measured costs what the options say. */
    {NULL, {.kind = CK_BOUNDARY_TOOL_ROUND, .clean = true, .since = {.ms = 3700}}, NULL},
    {NULL, {.kind = CK_BOUNDARY_TOOL_ROUND, .clean = true, .since = {.ms = 3900}}, "work worth 0.021…"},
    {"{\"failures_per_hour\":0}", {.kind = CK_BOUNDARY_TOOL_ROUND, .clean = true, .since = {.ms = 9000000, .cost_micros = 9000000}}, NULL},
};

int main(void) {
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) policy_case_boundary("expected_loss", &rows[i]);
  return tap_done();
}
