/* test_data.c - every recorded session becomes as many events as an independent count of its file
 * finds, in the right hands. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/session/tail/tail.h"
#include "core/store/verify.h"
#include "tests/lua/import/imports.h"
#include "tests/tap.h"

static imports f;

/* ---- independent counts ---- */

typedef struct counts {
  int64_t lines, models, calls, results, users, systems, delegations, thoughts;
  double cost;
} counts;

static void count_chat(counts *to, ck_bytes messages) {
  for (ck_json_iterator it = ck_json_iterate(messages); ck_json_next(&it);) {
    ck_bytes role = ck_json_get(it.value, "role");
    double cost = 0;
    to->lines++;
    to->models += ck_json_is_text(role, "assistant");
    to->users += ck_json_is_text(role, "user");
    to->systems += ck_json_is_text(role, "system");
    to->results += ck_json_is_text(role, "tool");
    to->calls += (int64_t)ck_json_count(ck_json_get(it.value, "tool_calls"));
    if (ck_json_read_double(&cost, ck_json_get(it.value, "cost"))) to->cost += cost;
  }
}

/* Sums over the sessions of the last import. */
static ck_import_report sum(void) {
  ck_import_report all = {0};
  for (size_t i = 0; i < f.count; i++) {
    const ck_import_report *one = &f.sessions[i].report;
    all.events += one->events;
    all.boundaries += one->boundaries;
    all.delegations += one->delegations;
    all.model_calls += one->model_calls;
    all.tool_calls += one->tool_calls;
    all.cost_micros += one->cost_micros;
    all.first_ms |= one->first_ms;
  }
  return all;
}

static int64_t count_all(ck_event_kind kind, const char *member, const char *text) {
  int64_t count = 0;
  for (size_t i = 0; i < f.count; i++)
    count += imports_count(&f, f.sessions[i].id, kind, member, text);
  return count;
}

static ck_buffer import_file(const char *rest, const char *format) {
  ck_buffer text = {0};
  const char *path = imports_path(tap_data_dir(), rest);
  imports_read(&text, path);
  imports_reset(&f);
  tap_is_status(imports_import(&f, path, NULL), CK_OK, &f.err, "%s is imported", rest);
  tap_is_text(f.format, format, "%s: its format is told apart", rest);
  tap_is_int((int64_t)f.lost, 0, "%s: nothing is left out", rest);
  return text;
}

/* ---- promises ---- */

static void check_tau_bench(void) {
  ck_buffer text = import_file("tau_bench/gpt-4o-airline.task00-24.trial0-1.json", "tau_bench");
  counts want = {0};
  for (ck_json_iterator it = ck_json_iterate(ck_buffer_bytes(&text)); ck_json_next(&it);)
    count_chat(&want, ck_json_get(it.value, "traj"));
  ck_import_report got = sum();
  tap_is_int((int64_t)f.count, 50, "tau_bench: 50 sessions");
  tap_is_int(got.model_calls, want.models, "tau_bench: each assistant message is a model call");
  tap_is_int(want.models, 702, "tau_bench: which are 702");
  tap_is_int(count_all(CK_EVENT_INTENT, "kind", "tool"), want.calls,
             "tau_bench: each call is an intent");
  tap_is_int(count_all(CK_EVENT_OUTCOME, "kind", "tool"), want.results,
             "tau_bench: each result is an outcome");
  tap_is_int(count_all(CK_EVENT_MESSAGE, NULL, NULL), want.users + want.systems,
             "tau_bench: user and system text are messages");
  tap_is_int(want.users, 439, "tau_bench: 439 of the user");
  tap_is_int(got.events, want.lines + want.calls + got.boundaries + 2 * 50,
             "tau_bench: nothing else is added but boundaries");
  tap_is_int(got.first_ms, 0, "tau_bench: no time is made up");
  ck_buffer_clear(&text);
}

static void check_tau2_bench(void) {
  ck_buffer text = import_file("tau2_bench/gpt-4.1_telecom.json", "tau2_bench");
  size_t i = 0;
  for (ck_json_iterator it = ck_json_iterate(ck_json_get(ck_buffer_bytes(&text), "simulations"));
       ck_json_next(&it); i++) {
    counts want = {0};
    double agent = 0, user = 0;
    count_chat(&want, ck_json_get(it.value, "messages"));
    ck_json_read_double(&agent, ck_json_get(it.value, "agent_cost"));
    ck_json_read_double(&user, ck_json_get(it.value, "user_cost"));
    const ck_import_report *got = &f.sessions[i].report;
    bool same = got->model_calls == want.models + want.users && got->tool_calls == want.calls &&
                got->cost_micros == llround((agent + user) * 1e6) &&
                got->cost_micros == llround(want.cost * 1e6);
    bool timed = got->first_ms > 1754000000000 && got->last_ms > got->first_ms &&
                 got->last_ms - got->first_ms < 90000;
    tap_ok(same, "tau2_bench: simulation %zu has its calls and its costs to the micro-dollar", i);
    tap_ok(timed, "tau2_bench: and its times");
  }
  tap_is_int((int64_t)f.count, (int64_t)i, "tau2_bench: one session a simulation");
  ck_buffer_clear(&text);
}

static void check_agentdojo(void) {
  ck_buffer text = import_file("agentdojo/gpt-4o-2024-05-13.jsonl", "agentdojo");
  counts want = {0};
  int64_t lines = 0;
  char *rest = text.data;
  for (char *line; (line = strsep(&rest, "\n"));) {
    if (!*line) continue;
    lines++;
    count_chat(&want, ck_json_get(ck_bytes_text(line), "messages"));
  }
  ck_import_report got = sum();
  tap_is_int((int64_t)f.count, lines, "agentdojo: one session a line");
  tap_is_int(got.model_calls, want.models, "agentdojo: each assistant message is a model call");
  tap_is_int(count_all(CK_EVENT_INTENT, "kind", "tool"), want.calls,
             "agentdojo: each call is an intent");
  tap_is_int(count_all(CK_EVENT_OUTCOME, "kind", "tool"), want.results,
             "agentdojo: each result is an outcome");
  tap_is_int(got.events, want.lines + want.calls + got.boundaries + 2 * lines,
             "agentdojo: nothing is lost and nothing added");
  ck_buffer_clear(&text);
}

static int64_t count_blocks(ck_bytes content, const char *type) {
  int64_t count = 0;
  for (ck_json_iterator it = ck_json_iterate(content); ck_json_next(&it);)
    count += ck_json_is_text(ck_json_get(it.value, "type"), type);
  return count;
}

static void check_pi(void) {
  ck_buffer text = import_file("pi/large-session.jsonl", "pi");
  counts want = {0};
  char *rest = text.data;
  for (char *line; (line = strsep(&rest, "\n"));) {
    if (!*line) continue;
    ck_bytes message = ck_json_get(ck_bytes_text(line), "message"),
             role = ck_json_get(message, "role");
    double cost = 0;
    want.lines++;
    want.models += ck_json_is_text(role, "assistant");
    want.results += ck_json_is_text(role, "toolResult");
    want.users += ck_json_is_text(role, "user");
    want.calls += count_blocks(ck_json_get(message, "content"), "toolCall");
    if (ck_json_read_double(
            &cost, ck_json_get(ck_json_get(ck_json_get(message, "usage"), "cost"), "total")))
      want.cost += cost;
  }
  ck_import_report got = sum();
  tap_is_int(got.model_calls, want.models, "pi: each reply is a model call");
  tap_is_int(count_all(CK_EVENT_INTENT, "kind", "tool"), want.calls, "pi: each call is an intent");
  tap_is_int(count_all(CK_EVENT_OUTCOME, "kind", "tool"), want.results,
             "pi: each result is an outcome");
  tap_is_int(count_all(CK_EVENT_OUTCOME, "orphan", NULL), 0, "pi: and each belongs to its call");
  tap_is_int(count_all(CK_EVENT_MESSAGE, NULL, NULL), want.users, "pi: the user's messages");
  tap_is_int(got.cost_micros, llround(want.cost * 1e6), "pi: costs sum up to the micro-dollar");
  tap_is_int(got.events, want.lines + want.calls + got.boundaries + 2, "pi: every line is kept");
  ck_buffer_clear(&text);
}

static void check_swe_agent(const char *rest) {
  ck_buffer text = import_file(rest, "swe_agent");
  ck_bytes document = ck_buffer_bytes(&text);
  counts want = {0};
  double cost = 0;
  count_chat(&want, ck_json_get(document, "history"));
  ck_json_read_double(&cost, ck_json_get(ck_json_get(ck_json_get(document, "info"), "model_stats"),
                                         "instance_cost"));
  int64_t steps = (int64_t)ck_json_count(ck_json_get(document, "trajectory"));
  ck_import_report got = sum();
  tap_is_int(got.model_calls, want.models, "%s: each assistant message is a model call", rest);
  tap_is_int(got.tool_calls, steps, "%s: each step is a call", rest);
  tap_is_int(count_all(CK_EVENT_OUTCOME, "kind", "tool"), steps, "%s: with its result", rest);
  tap_is_int(count_all(CK_EVENT_NOTE, "type", "state"), steps, "%s: and the state after it", rest);
  tap_is_int(got.cost_micros, llround(cost * 1e6), "%s: costs what the source says", rest);
  int64_t unseen = steps - (want.lines - want.models - count_all(CK_EVENT_MESSAGE, NULL, NULL) -
                            count_all(CK_EVENT_NOTE, "type", "meta"));
  tap_is_int(got.events, want.lines + unseen + 2 * steps + got.boundaries + 2,
             "%s: every entry is kept", rest);
  ck_buffer_clear(&text);
}

static void check_crafted(const char *rest) {
  ck_buffer text = import_file(rest, "who_and_when");
  counts want = {0};
  for (ck_json_iterator it = ck_json_iterate(ck_json_get(ck_buffer_bytes(&text), "history"));
       ck_json_next(&it);) {
    ck_bytes role = ck_json_get(it.value, "role");
    want.lines++;
    want.delegations += memmem(role.data, role.len, "(->", 3) != NULL;
    want.thoughts += memmem(role.data, role.len, "(thought)", 9) != NULL;
    want.users += ck_json_is_text(role, "human");
    want.systems += memmem(role.data, role.len, "(termination", 12) != NULL;
  }
  int64_t answers = want.lines - want.delegations - want.thoughts - want.users - want.systems;
  ck_import_report got = sum();
  tap_is_int(got.delegations, want.delegations, "%s: each Orchestrator (-> X) is a delegation",
             rest);
  tap_is_int(count_all(CK_EVENT_NOTE, "type", "thought"), want.thoughts, "%s: thoughts", rest);
  tap_is_int(count_all(CK_EVENT_NOTE, "type", "delegation_result"), answers, "%s: answers", rest);
  tap_is_int(got.events, want.lines + answers + got.boundaries + 2, "%s: every entry is kept",
             rest);
  ck_buffer_clear(&text);
}

static void check_generated(const char *rest) {
  ck_buffer text = import_file(rest, "who_and_when");
  counts want = {0};
  for (ck_json_iterator it = ck_json_iterate(ck_json_get(ck_buffer_bytes(&text), "history"));
       ck_json_next(&it);) {
    want.lines++;
    want.results += ck_json_is_text(ck_json_get(it.value, "name"), "Computer_terminal");
  }
  ck_import_report got = sum();
  tap_is_int(got.model_calls, want.lines - want.results, "%s: each expert's entry is a model call",
             rest);
  tap_is_int(count_all(CK_EVENT_OUTCOME, "kind", "tool"), want.results,
             "%s: the terminal's are results", rest);
  tap_is_int(got.events,
             want.lines + 1 + count_all(CK_EVENT_INTENT, "kind", "tool") + got.boundaries + 2,
             "%s: every entry is kept", rest);
  ck_buffer_clear(&text);
}

/* ---- Claude Code ---- */

typedef struct seen {
  bool line[4096];
  int64_t highest;
  int64_t strangers;
} seen;

static void mark_source(seen *to, ck_bytes source) {
  int64_t line;
  if (ck_json_read_int(&line, source) && line < 4096) to->line[line] = true;
  for (ck_json_iterator it = ck_json_iterate(source); ck_json_next(&it);) mark_source(to, it.value);
}

static bool mark_event(void *to, const ck_event *event) {
  seen *self = to;
  if (event->seq != self->highest + 1) self->strangers++;
  self->highest = event->seq;
  mark_source(self, ck_json_get(ck_value_bytes(event->body), "source"));
  return true;
}

/* Every line of the main file, and no gap between seqs. */
static void check_lines(const char *rest, int64_t lines) {
  seen found = {0};
  ck_session_record record;
  int64_t missing = 0;
  tap_must(ck_store_get_session(&record, f.store, f.sessions[0].id, &f.err) == CK_OK,
           "the session is there");
  ck_event_query query = {.session = record.no};
  ck_session_record_clear(&record);
  tap_must(ck_store_read_events(f.store, &query, mark_event, &found, &f.err) == CK_OK,
           "its events are read");
  for (int64_t i = 1; i <= lines; i++) missing += !found.line[i];
  tap_is_int(missing, 0, "%s: each of %d lines is the source of an event", rest, (int)lines);
  tap_is_int(found.strangers, 0, "%s: seqs rise by one", rest);
}

/* What is in an agent's tail that is neither its own nor passes between it and the main agent. */
static int64_t count_strangers(const char *agent, int64_t *own) {
  ck_session_record record;
  ck_tail tail;
  int64_t strangers = 0;
  tap_must(ck_store_get_session(&record, f.store, f.sessions[0].id, &f.err) == CK_OK,
           "the session is there");
  ck_tail_query query = {.session = record.no, .agent = agent, .n = 10000};
  tap_must(ck_tail_read(&tail, f.store, &query, &f.err) == CK_OK, "the tail is read: %s",
           f.err.text);
  *own = 0;
  for (size_t i = 0; i < tail.count; i++) {
    const ck_event *event = tail.events[i];
    bool mine = event->agent && strcmp(event->agent, agent) == 0;
    *own += mine;
    bool passes = ck_json_is_text(ck_json_get(ck_value_bytes(event->body), "childAgentId"), agent);
    strangers += !mine && !passes;
  }
  ck_tail_clear(&tail);
  ck_session_record_clear(&record);
  return strangers;
}

static void check_inline(void) {
  static const char *const agents[] = {
      "6690d10e-f521-4ac0-800d-e5eb7a2d8072", "60dade70-20bb-4edb-9dad-9f08267e0cc2",
      "f4546a51-ea10-47e0-b4e0-76802974f8a9", "0d692b0f-17cb-4fd0-94fb-215dabcef803",
      "f4ab2bf6-d642-431a-85cb-66691f24c404"};
  ck_buffer text =
      import_file("claude_code_inline/fe5e1c67-53e7-4862-81ae-d0e013e3270b.jsonl", "claude_code");
  const ck_import_report *got = &f.sessions[0].report;
  tap_is_int(got->delegations, 5, "inline: 5 delegations");
  tap_is_int(got->agents, 6, "inline: the main agent and 5 others");
  tap_is_int(got->tool_calls, 162, "inline: 167 calls, of which 5 are delegations");
  tap_is_int(got->model_calls, 170, "inline: a reply that is split over lines is one");
  for (size_t i = 0; i < 5; i++) {
    int64_t own, strangers = count_strangers(agents[i], &own);
    tap_is_int(imports_count(&f, f.sessions[0].id, CK_EVENT_DELEGATION, "target", agents[i]), 1,
               "inline: one went to %s", agents[i]);
    tap_is_int(imports_count(&f, f.sessions[0].id, CK_EVENT_NOTE, "childAgentId", agents[i]), 1,
               "inline: which gave one result");
    tap_ok(own > 10, "inline: it has events of its own");
    tap_is_int(strangers, 0, "inline: and none of another agent in its tail");
  }
  check_lines("inline", 438);
  ck_buffer_clear(&text);
}

static void check_claude_code(void) {
  ck_buffer text =
      import_file("claude_code/ae4a77f8-aedd-4bc1-888f-c94edc91af04.jsonl", "claude_code");
  const ck_import_report *got = &f.sessions[0].report;
  int64_t own;
  tap_is_int(got->model_calls, 217 + 3 + 1,
             "claude_code: the replies of the main file and of both sub-agents' files");
  tap_is_int(got->tool_calls, 241 + 12, "claude_code: and their calls");
  tap_is_int(got->delegations, 1, "claude_code: one delegation");
  tap_is_int(got->agents, 3, "claude_code: three agents");
  tap_is_int(imports_count(&f, f.sessions[0].id, CK_EVENT_DELEGATION, "childAgentId", "aac57f5"), 1,
             "claude_code: to the one with a file");
  tap_is_int(count_strangers("aac57f5", &own), 0, "claude_code: none of another agent in its tail");
  tap_is_int(count_strangers("acompact-946d2b", &own), 0,
             "claude_code: nor in that of the one that compacts");
  tap_is_int(imports_count(&f, f.sessions[0].id, CK_EVENT_NOTE, "type", "compaction"), 1,
             "claude_code: one compaction");
  check_lines("claude_code", 2385);
  ck_buffer_clear(&text);
  text =
      import_file("claude_code/ae4a77f8-aedd-4bc1-888f-c94edc91af04/subagents/agent-aac57f5.jsonl",
                  "claude_code");
  tap_is_int(f.sessions[0].report.tool_calls, 12, "claude_code: a sub-agent's file alone");
  check_lines("sub-agent", 40);
  ck_buffer_clear(&text);
}

static void check_folder(const char *folder, void (*check)(const char *rest)) {
  struct dirent **names;
  char path[512];
  int count = scandir(imports_path(tap_data_dir(), folder), &names, NULL, alphasort);
  tap_ok(count > 2, "%s has files", folder);
  for (int i = 0; i < count; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
    if (names[i]->d_name[0] != '.') check(path);
    free(names[i]);
  }
  if (count >= 0) free(names);
}

int main(void) {
  if (!tap_data_dir()) tap_skip_all("the recorded sessions ($CKRUN_DATA) are not there");
  imports_open(&f);
  check_tau_bench();
  check_tau2_bench();
  check_agentdojo();
  check_pi();
  check_folder("swe_agent", check_swe_agent);
  check_folder("who_and_when/hand_crafted", check_crafted);
  check_folder("who_and_when/algorithm_generated", check_generated);
  check_inline();
  check_claude_code();
  ck_verify_report report;
  tap_is_status(ck_store_verify(&report, f.store, NULL, NULL, NULL, &f.err), CK_OK, &f.err,
                "the store can be verified");
  tap_is_int(report.problems, 0, "and all of it is well");
  imports_close(&f);
  return tap_done();
}
