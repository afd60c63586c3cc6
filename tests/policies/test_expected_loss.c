/* test_expected_loss.c - a checkpoint is taken where the work at risk is worth more than it costs,
 * and nowhere before. */
#include "tests/policies/policy_case.h"
#include "tests/tap.h"

#define TIME_ALONE "{\"work_usd_per_hour\":5}"
static const policy_boundary_case rows[] = {
    /* Nothing was done. */
    {NULL, {.kind = CK_BOUNDARY_TOOL_ROUND, .clean = true, .checkpoint_cost_us = 1}, NULL},
    {NULL, {.kind = CK_BOUNDARY_TOOL_ROUND, .checkpoint_cost_us = 1}, NULL},
    /* Time alone, where time is all that work comes to, is Young and Daly: sqrt(2 * 0.5 s * 7200 s)
     * = 84.9 s for half a second. */
    {TIME_ALONE,
     {.kind = CK_BOUNDARY_TOOL_ROUND,
      .clean = true,
      .checkpoint_cost_us = 500000,
      .since = {.ms = 84800}},
     NULL},
    {TIME_ALONE,
     {.kind = CK_BOUNDARY_TOOL_ROUND,
      .clean = true,
      .checkpoint_cost_us = 500000,
      .since = {.ms = 84900}},
     "work worth 0.117…"},
    /* sqrt(2 * 0.5 s * 720 s) = 26.8 s after a failure. */
    {TIME_ALONE,
     {.kind = CK_BOUNDARY_TOOL_ROUND, .checkpoint_cost_us = 500000, .since = {.ms = 26800}},
     NULL},
    {TIME_ALONE,
     {.kind = CK_BOUNDARY_TOOL_ROUND, .checkpoint_cost_us = 500000, .since = {.ms = 26900}},
     "work worth 0.037…"},
    /* Four times the checkpoint's cost, twice the interval. */
    {TIME_ALONE,
     {.kind = CK_BOUNDARY_TOOL_ROUND,
      .clean = true,
      .checkpoint_cost_us = 2000000,
      .since = {.ms = 169600}},
     NULL},
    {TIME_ALONE,
     {.kind = CK_BOUNDARY_TOOL_ROUND,
      .clean = true,
      .checkpoint_cost_us = 2000000,
      .since = {.ms = 169800}},
     "work worth 0.23…"},
    /* Out of the box half a second is worth 0.00069 dollars, which is due at sqrt(2 * 0.00069 * 25
     * / 0.5) = 0.2635 dollars of work. */
    {NULL,
     {.kind = CK_BOUNDARY_TOOL_ROUND,
      .clean = true,
      .checkpoint_cost_us = 500000,
      .since = {.cost_micros = 263000}},
     NULL},
    {NULL,
     {.kind = CK_BOUNDARY_TOOL_ROUND,
      .clean = true,
      .checkpoint_cost_us = 500000,
      .since = {.cost_micros = 264000}},
     "work worth 0.264 dollars is at risk"},
    /* Dollars, time and tokens add up: 0.1 + 0.1 + 0.1. */
    {NULL,
     {.kind = CK_BOUNDARY_TOOL_ROUND,
      .clean = true,
      .checkpoint_cost_us = 500000,
      .since = {.ms = 72000, .cost_micros = 100000}},
     NULL},
    {NULL,
     {.kind = CK_BOUNDARY_TOOL_ROUND,
      .clean = true,
      .checkpoint_cost_us = 500000,
      .since = {.ms = 72000, .cost_micros = 100000, .tokens = 200000}},
     "work worth 0.3…"},
    /* Four times the failures, half the work. */
    {"{\"failures_per_hour\":2}",
     {.kind = CK_BOUNDARY_TOOL_ROUND,
      .clean = true,
      .checkpoint_cost_us = 500000,
      .since = {.cost_micros = 131000}},
     NULL},
    {"{\"failures_per_hour\":2}",
     {.kind = CK_BOUNDARY_TOOL_ROUND,
      .clean = true,
      .checkpoint_cost_us = 500000,
      .since = {.cost_micros = 132000}},
     "work worth 0.132…"},
    /* What was not measured costs what the options say: sqrt(2 * 0.0000014 * 25 / 0.5) = 0.0118
     * dollars. */
    {NULL, {.kind = CK_BOUNDARY_TOOL_ROUND, .clean = true, .since = {.cost_micros = 11700}}, NULL},
    {NULL,
     {.kind = CK_BOUNDARY_TOOL_ROUND, .clean = true, .since = {.cost_micros = 11900}},
     "work worth 0.0119…"},
    /* Without a price a call of a tool is worth 0.008 dollars: the second one is worth the check of
     * 0.0118. With a price, it is in that. */
    {NULL, {.kind = CK_BOUNDARY_TOOL_ROUND, .clean = true, .since = {.tool_calls = 1}}, NULL},
    {NULL,
     {.kind = CK_BOUNDARY_TOOL_ROUND, .clean = true, .since = {.tool_calls = 2}},
     "work worth 0.016…"},
    {"{\"usd_per_tool_call\":0.012}",
     {.kind = CK_BOUNDARY_TOOL_ROUND, .clean = true, .since = {.tool_calls = 1}},
     "work worth 0.012…"},
    {"{\"usd_per_tool_call\":0}",
     {.kind = CK_BOUNDARY_TOOL_ROUND, .clean = true, .since = {.tool_calls = 900}},
     NULL},
    {NULL,
     {.kind = CK_BOUNDARY_TOOL_ROUND,
      .clean = true,
      .since = {.cost_micros = 1, .tool_calls = 900}},
     NULL},
    /* One failure in a million events alone: half of 10 times W is due at the checkpoint's 0.00069
     * dollars, W = 138.9 for ten events, 69.4 for twenty. */
    {"{\"failures_per_hour\":0,\"failures_per_event\":0.000001}",
     {.kind = CK_BOUNDARY_TOOL_ROUND,
      .clean = true,
      .checkpoint_cost_us = 500000,
      .since = {.cost_micros = 138800000, .events = 10}},
     NULL},
    {"{\"failures_per_hour\":0,\"failures_per_event\":0.000001}",
     {.kind = CK_BOUNDARY_TOOL_ROUND,
      .clean = true,
      .checkpoint_cost_us = 500000,
      .since = {.cost_micros = 139000000, .events = 10}},
     "work worth 139…"},
    {"{\"failures_per_hour\":0,\"failures_per_event\":0.000001}",
     {.kind = CK_BOUNDARY_TOOL_ROUND,
      .clean = true,
      .checkpoint_cost_us = 500000,
      .since = {.cost_micros = 69500000, .events = 20}},
     "work worth 69.5…"},
    /* After a failure ten times as many of them. */
    {"{\"failures_per_hour\":0,\"failures_per_event\":0.000001}",
     {.kind = CK_BOUNDARY_TOOL_ROUND,
      .checkpoint_cost_us = 500000,
      .since = {.cost_micros = 13900000, .events = 10}},
     "work worth 13.9…"},
    {"{\"failures_per_hour\":0}",
     {.kind = CK_BOUNDARY_TOOL_ROUND,
      .clean = true,
      .since = {.ms = 9000000, .cost_micros = 9000000}},
     NULL},
};

int main(void) {
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    policy_case_boundary("expected_loss", &rows[i]);
  return tap_done();
}
