/* parked.c - an older server asks in the midst of a call, which then waits for the answer: its
 * outcome is what it asks, and the next call brings the answer.
 *
 * The server has the question in its memory, and this process the call that waits. Where one of
 * them is gone when the answer comes, nobody can tell what the call has done by then: its class
 * decides. Who is called anew is told at once what was answered to the same question before. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/digest.h"
#include "core/effect/mcp/private.h"

static const char cancelled[] = "{\"action\":\"cancel\"}", elicits[] = "elicitation/create";

enum { REJECTED = -1 }; /* as the protocol has it for sampling */

/* ---- what waits ---- */

static void on_answered(void *to, const ck_peer_answer *answer) {
  (void)answer; /* an answer before that to its question tells nothing for certain */
  ((ck_mcp_parked *)to)->lost = true;
}

static void free_parked(ck_mcp_parked *self) {
  ck_buffer_clear(&self->id);
  free(self);
}

void ck_mcp_clear_parked(ck_mcp_server *self) {
  while (self->parked) {
    ck_mcp_parked *it = self->parked;
    self->parked = it->next;
    free_parked(it);
  }
}

/* Taken out of the list; NULL: there is none of that token. */
static ck_mcp_parked *take_parked(ck_mcp_server *self, ck_bytes token) {
  ck_mcp_parked **at = &self->parked;
  while (*at && !ck_json_is_text(token, (*at)->token)) at = &(*at)->next;
  ck_mcp_parked *found = *at;
  if (found) *at = found->next;
  return found;
}

static size_t count_parked(const ck_mcp_server *self) {
  size_t count = 0;
  for (const ck_mcp_parked *it = self->parked; it; it = it->next) count++;
  return count;
}

/* ---- a question ---- */

/* The entries [params, response, method] of earlier questions in the same call; those of earlier
 * versions, of persons alone, have no method. */
static void write_known(ck_json_writer *w, ck_bytes input) {
  ck_bytes of = ck_json_get(input, "of"), given = ck_json_get(input, "responses");
  for (ck_json_iterator it = ck_json_iterate(ck_json_get(of, "known")); ck_json_next(&it);)
    ck_json_put_raw(w, it.value);
  ck_bytes last = ck_json_get(ck_json_get(of, "requests"), "it"),
           params = ck_json_get(last, "params"), response = ck_json_get(given, "it");
  if (!params.len || !response.len) return;
  ck_json_begin(w, '[');
  ck_json_put_raw(w, params);
  ck_json_put_raw(w, response);
  ck_json_put_raw(w, ck_json_get(last, "method"));
  ck_json_end(w, ']');
}

/* A person has answered in this call before, or is about to. */
static bool has_person(const ck_effect_run *run) {
  ck_bytes input = ck_json_get(run->pending.effect->request, "input");
  return ck_json_get(ck_json_get(input, "of"), "person").len > 0;
}

static ck_status make_outcome(ck_outcome **out, const ck_effect_run *run, const char *token,
                              const ck_rpc_message *message, ck_error *err) {
  ck_buffer json = {0};
  ck_json_writer w = {.out = &json};
  ck_value *value = NULL;
  ck_json_begin(&w, '{');
  ck_json_name(&w, "requests");
  ck_json_begin(&w, '{');
  ck_json_name(&w, "it");
  ck_json_begin(&w, '{');
  ck_json_member_raw(&w, "method", message->method);
  ck_json_member_raw(&w, "params", message->params);
  ck_json_end(&w, '}');
  ck_json_end(&w, '}');
  ck_json_member_text(&w, "waits", token);
  if (ck_json_is_text(message->method, elicits) || has_person(run))
    ck_json_member_bool(&w, "person", true);
  ck_json_name(&w, "known");
  ck_json_begin(&w, '[');
  write_known(&w, ck_json_get(run->pending.effect->request, "input"));
  ck_json_end(&w, ']');
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(&value, &json, err);
  if (status == CK_OK) status = ck_outcome_new(out, CK_OUTCOME_OK, value, NULL, err);
  if (status == CK_OK) (*out)->wants = true;
  ck_value_free(value);
  ck_buffer_clear(&json);
  return status;
}

static void write_token(char out[CK_MCP_TOKEN_SIZE]) {
  unsigned char bytes[16];
  ck_random_bytes(bytes, sizeof bytes);
  for (size_t i = 0; i < sizeof bytes; i++) snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

static bool park(ck_mcp_server *self, ck_effect_run *run, const ck_rpc_message *message) {
  ck_error ignored = CK_ERROR_INIT;
  ck_outcome *outcome = NULL;
  ck_mcp_parked *made = count_parked(self) < CK_MCP_PARKED_MAX ? calloc(1, sizeof *made) : NULL;
  if (!made) return false;
  write_token(made->token);
  ck_buffer_append_bytes(&made->id, message->id);
  if (made->id.failed || make_outcome(&outcome, run, made->token, message, &ignored) != CK_OK) {
    free_parked(made);
    return false;
  }
  ck_peer_move(&made->call, &run->call);
  made->call.answered = on_answered;
  made->call.to = made;
  made->call.silence_ms = 0;
  ck_peer_suspend(self->service.peer, &made->call, true);
  made->next = self->parked;
  self->parked = made;
  ck_mcp_deliver(run, outcome);
  return true;
}

static bool is_question(ck_bytes method, ck_bytes params, const ck_rpc_message *message) {
  bool same = method.len ? ck_bytes_equal(method, message->method)
                         : ck_json_is_text(message->method, elicits);
  return same && params.len > 0 && ck_mcp_is_same(params, message->params);
}

/* What was answered to the same question, before the call was made anew; no bytes: nothing. */
static ck_bytes find_known(const ck_effect_run *run, const ck_rpc_message *message) {
  ck_bytes input = ck_json_get(run->pending.effect->request, "input"),
           of = ck_json_get(input, "of"),
           response = ck_json_get(ck_json_get(input, "responses"), "it"),
           last = ck_json_get(ck_json_get(of, "requests"), "it");
  if (response.len &&
      is_question(ck_json_get(last, "method"), ck_json_get(last, "params"), message))
    return response;
  for (ck_json_iterator it = ck_json_iterate(ck_json_get(of, "known")); ck_json_next(&it);) {
    ck_bytes entry[3] = {{0}};
    ck_json_iterator members = ck_json_iterate(it.value);
    for (size_t i = 0; i < 3 && ck_json_next(&members); i++) entry[i] = members.value;
    if (entry[1].len && is_question(entry[2], entry[0], message)) return entry[1];
  }
  return (ck_bytes){0};
}

/* A server does not say in which call it asks: the oldest that waits. */
static ck_effect_run *find_asking(ck_mcp_server *self) {
  ck_effect_run *run = ck_pending_calls_next(&self->runs, NULL);
  while (run && (!run->call.id || run->list || run->probe || run->cancelled))
    run = ck_pending_calls_next(&self->runs, run);
  return run;
}

/* A question that nobody is asked: a person has not answered it; a model would have cost money. */
static void give_up(ck_mcp_server *self, const ck_rpc_message *message) {
  if (ck_json_is_text(message->method, elicits))
    ck_peer_reply(self->service.peer, message->id, ck_bytes_text(cancelled));
  else
    ck_peer_refuse(self->service.peer, message->id, REJECTED,
                   "sampling is for what is asked in a call of a tool, and not without end");
}

/* A result, or why there is none: {refused: TEXT}. */
static void reply(ck_mcp_server *self, ck_bytes id, ck_bytes response) {
  char *why = ck_json_dup_string(ck_json_get(response, "refused"));
  if (why)
    ck_peer_refuse(self->service.peer, id, REJECTED, why);
  else
    ck_peer_reply(self->service.peer, id, response.len ? response : ck_bytes_text(cancelled));
  free(why);
}

void ck_mcp_take_wish(ck_mcp_server *self, const ck_rpc_message *message) {
  char text[200];
  ck_bytes method = message->method;
  const char *how = ck_mcp_not_offered(self, method, message->params);
  ck_effect_run *run = find_asking(self);
  if (how) {
    snprintf(text, sizeof text, "this client does not offer %.*s%s", (int)ck_peer_cut(method, 60),
             method.data, how);
    ck_peer_refuse(self->service.peer, message->id, CK_RPC_INVALID_PARAMS, text);
    return;
  }
  if (message->params.len > CK_MCP_WANTED_MAX) run = NULL;
  ck_bytes known = run ? find_known(run, message) : (ck_bytes){0};
  if (known.len)
    reply(self, message->id, known);
  else if (!run || !park(self, run, message))
    give_up(self, message);
}

/* ---- its answer ---- */

static void attach(ck_effect_run *run, ck_mcp_parked *parked, ck_bytes response) {
  ck_mcp_server *self = run->server;
  const ck_peer_call wanted = run->call;
  ck_peer_move(&run->call, &parked->call);
  run->call.answered = wanted.answered;
  run->call.to = wanted.to;
  run->call.silence_ms = wanted.silence_ms;
  run->call.subject = wanted.subject;
  run->call.deadline_ms = wanted.deadline_ms;
  run->pending.sent = true;
  ck_peer_suspend(self->service.peer, &run->call, false);
  ck_peer_touch(self->service.peer, &run->call);
  reply(self, ck_buffer_bytes(&parked->id), response);
}

/* As after a crash in the midst of it; and a model that is told would go on without what a person
 * has said. */
static void end_in_doubt(ck_effect_run *run) {
  ck_pending_call_end(
      &run->pending, CK_OUTCOME_UNKNOWN, CK_E_UNAVAILABLE,
      "its server asked in the midst of it, and was gone when the answer came, which a call that "
      "is made anew is told");
  run->pending.outcome->to_person = has_person(run);
}

bool ck_mcp_go_on(ck_effect_run *run) {
  const ck_effect *effect = run->pending.effect;
  ck_bytes input = ck_json_get(effect->request, "input"),
           token = ck_json_get(ck_json_get(input, "of"), "waits");
  if (run->list || run->probe || !token.len) return false;
  ck_mcp_parked *parked = take_parked(run->server, token);
  bool alive = parked && !parked->lost && parked->call.id && run->server->service.peer;
  bool anew = effect->tried || ck_effect_class_repeats(effect->class);
  if (alive)
    attach(run, parked, ck_json_get(ck_json_get(input, "responses"), "it"));
  else if (!anew)
    end_in_doubt(run);
  if (parked) free_parked(parked);
  return alive || !anew;
}
