/* cmd_sessions_tail.c - sessions tail: what an agent will be given of its past when its session goes on. */
#include <stdlib.h>
#include <string.h>

#include "core/host/commands.h"
#include "core/host/errand.h"
#include "core/host/snapshot.h"
#include "core/runtime/choose.h"
#include "core/runtime/tail_section.h"

typedef struct values {
  const char *session, *agent, *last, *profile;
} values;

typedef struct tailing {
  ck_output *output;
  ck_look look;
  ck_view view;
  ck_profile *profile; /* NULL: the session names none */
  ck_policy_engine policies;
  ck_tail_query query;
  ck_tail tail;
} tailing;

static ck_status read_depth(size_t *out, const tailing *self, const values *v, ck_error *err) {
  enum { DEPTH_DEFAULT = 50 };
  const ck_profile_agent *agent = self->profile ? ck_profile_get_agent(self->profile, v->agent) : NULL;
  int64_t depth = agent ? agent->replay_depth : self->profile ? self->profile->replay_depth : DEPTH_DEFAULT;
  *out = depth > 0 ? (size_t)depth : 0;
  if (!v->last) return CK_OK;
  size_t digits = strspn(v->last, "0123456789");
  if (!digits || digits > 9 || v->last[digits])
    return ck_error_set(err, CK_E_USAGE, "--last: '%s' is not a number of events (0 to 999999999)", v->last);
  *out = strtoul(v->last, NULL, 10);
  return CK_OK;
}

/* A stopped session goes on from a checkpoint, its flow from the top when there is none: what lies behind is given again only as
 * far as it is not done again. */
static ck_status find_cut(tailing *self, ck_error *err) {
  const ck_head *head = &self->look.head;
  if (self->look.live || !ck_session_status_resumable(head->session.status)) return CK_OK;
  ck_checkpoint_info from;
  ck_status status = ck_choose_checkpoint(&from, self->look.store, head, &(ck_choice){0}, err);
  self->query.cut = from.seq ? from.seq : head->session.flow ? 1 : 0;
  ck_checkpoint_info_clear(&from);
  return status;
}

static ck_status read_tail(tailing *self, const values *v, ck_error *err) {
  const ck_head *head = &self->look.head;
  ck_status status = ck_errand_hide_secrets(self->output, self->look.store, head->session.id, err);
  if (status == CK_OK) status = ck_snapshot_load_profile(&self->profile, &self->policies, &head->session, v->profile, err);
  if (status == CK_OK) status = ck_view_make(&self->view, head->timelines, head->timeline_count, head->session.timeline, err);
  if (status == CK_OK) status = find_cut(self, err);
  if (status == CK_OK) status = read_depth(&self->query.n, self, v, err);
  self->query.session = head->session.no;
  self->query.view = &self->view;
  self->query.agent = v->agent;
  self->query.policies = self->profile ? &self->policies : NULL;
  return status == CK_OK ? ck_tail_read(&self->tail, self->look.store, &self->query, err) : status;
}

static ck_status print_json(tailing *self, ck_bytes section, ck_error *err) {
  ck_document document;
  ck_value *text = NULL;
  ck_status status = ck_value_text(&text, section, err);
  if (status != CK_OK) return status;
  ck_document_init(&document, self->output);
  ck_document_put_text(&document, NULL, "session", self->look.head.session.id);
  ck_document_put_text(&document, NULL, "agent", self->query.agent);
  ck_document_put_int(&document, NULL, "depth", (int64_t)self->query.n);
  ck_document_put_value(&document, NULL, "section", text);
  struct cJSON *events = ck_document_put_array(&document, NULL, "events");
  for (size_t i = 0; i < self->tail.count; i++)
    ck_look_put_event(&document, ck_document_put_object(&document, events, NULL), self->tail.events[i]);
  status = ck_document_print(&document, err);
  ck_document_clear(&document);
  ck_value_free(text);
  return status;
}

/* Line by line: a line break within one is escaped already. */
static void print_section(ck_output *output, ck_bytes section) {
  const char *end = section.data + section.len;
  for (const char *line = section.data; line && line < end;) {
    const char *stop = memchr(line, '\n', (size_t)(end - line));
    if (!stop) stop = end;
    ck_buffer safe = {0};
    ck_output_append_safe(output, &safe, (ck_bytes){line, (size_t)(stop - line)});
    ck_buffer_append_char(&safe, '\n');
    if (safe.failed) output->failed = true;
    ck_output_write(output, ck_buffer_bytes(&safe));
    ck_buffer_clear(&safe);
    line = stop + 1;
  }
}

static ck_status print_tail(tailing *self, ck_error *err) {
  ck_buffer section = {0};
  ck_tail_append_section(&section, &self->tail);
  ck_status status = ck_buffer_check(&section, err);
  if (status == CK_OK && self->output->json) status = print_json(self, ck_buffer_bytes(&section), err);
  else if (status == CK_OK) print_section(self->output, ck_buffer_bytes(&section));
  ck_buffer_clear(&section);
  return status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  tailing self = {.output = host->output};
  ck_status status = ck_look_open_session(&self.look, host, v->session, err);
  if (status != CK_OK) return status;
  status = read_tail(&self, v, err);
  if (status == CK_OK) status = print_tail(&self, err);
  ck_tail_clear(&self.tail);
  ck_view_clear(&self.view);
  if (self.policies.free) self.policies.free(self.policies.self);
  ck_profile_free(self.profile);
  ck_look_close(&self.look);
  return status;
}

static const ck_operand operands[] = {
  {.name = "SESSION", .offset = offsetof(values, session), .help = "its id", .complete = CK_COMPLETE_SESSION},
  {.name = "AGENT", .offset = offsetof(values, agent), .help = "whose tail"},
  {0},
};

static const ck_option options[] = {
  {.name = "last", .type = CK_OPTION_TEXT, .offset = offsetof(values, last), .value = "N",
   .help = "at most N events, 0 for none; transcript_replay_depth of the profile otherwise"},
  {.name = "profile", .type = CK_OPTION_TEXT, .offset = offsetof(values, profile), .value = "PROFILE",
   .complete = CK_COMPLETE_FILE, .help = "another profile than the one it was started with"},
  {0},
};

const ck_command ck_command_sessions_tail = {
  .name = "sessions tail",
  .summary = "print what an agent will be given of its past",
  .details = "The last N events in which the agent took part: its own, those whose body names it as childAgentId, delegations to it; "
             "and of those the ones that the tail hooks of the profile's policies agree to. An agent that took part in nothing has "
             "no tail, and nothing is printed.\n\n"
             "After three lines of heading one line for each event, oldest first: time (UTC), kind, agent (\"-\" for nobody), and "
             "behind a colon what happened. Line breaks and control characters are escaped; what is longer than 1000 bytes is cut "
             "and says by how much. Of a session that stopped, what lies behind the checkpoint it would go on from counts only "
             "as far as it is replayed. With --json one object: session, agent, depth, section (the text) and events.",
  .operands = operands,
  .options = options,
  .run = run,
};
