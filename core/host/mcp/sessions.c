/* sessions.c - the tools of `ckrun mcp` that read: sessions, their checkpoints and differences,
 * tails of agents. */
#include <stdlib.h>
#include <string.h>

#include "core/host/inspect/agent_tail.h"
#include "core/host/inspect/checkpoint_fields.h"
#include "core/host/inspect/compare.h"
#include "core/host/inspect/failed_node.h"
#include "core/host/inspect/inspect.h"
#include "core/host/inspect/updated.h"
#include "core/host/mcp/tools.h"
#include "core/host/inspect/resolve_checkpoint.h"
#include "core/host/session/checkpoint_words.h"
#include "core/host/session/fields.h"
#include "core/host/session/profile_secrets.h"
#include "core/host/session/standing.h"
#include "core/runtime/session/tail/tail_section.h"
#include "core/store/session_query.h"

enum { SESSIONS_DEFAULT = 20, SESSIONS_MAX = 1000 };

static void put_text(ck_document *document, struct cJSON *at, const char *name, const char *text) {
  if (text)
    ck_document_put_text(document, at, name, text);
  else
    ck_document_put_null(document, at, name);
}

/* ---- list_resumable_sessions ---- */

typedef struct listing {
  ck_store *store;
  const ck_session_filter *filter;
  char (*ids)[CK_ID_SIZE];
  size_t count, limit;
  int64_t total;
} listing;

/* A running session counts when its owner is dead. */
static bool take_session(void *to, const ck_session_record *record) {
  listing *self = to;
  ck_error owned = CK_ERROR_INIT;
  if (!ck_session_status_resumable(record->status)) return true;
  if (!ck_session_filter_has(self->filter, self->store, record)) return true;
  if (record->status == CK_SESSION_RUNNING &&
      ck_store_check_owner(self->store, record->id, &owned) != CK_OK)
    return true;
  if (self->count < self->limit) memcpy(self->ids[self->count++], record->id, CK_ID_SIZE);
  self->total++;
  return true;
}

static ck_status put_session(ck_document *document, struct cJSON *list, ck_store *store,
                             const char *id, ck_error *err) {
  ck_head head;
  ck_status status = ck_store_get_head(&head, store, id, err);
  if (status != CK_OK) return status;
  struct cJSON *at = ck_document_put_object(document, list, NULL);
  ck_document_put_text(document, at, "session_id", head.session.id);
  ck_document_put_text(document, at, "status", ck_session_status_name(head.session.status));
  ck_stop stop = {0};
  ck_standing standing = 0;
  status = ck_standing_read(&standing, store, &head.session, err);
  if (ck_standing_awaits(standing))
    ck_document_put_text(document, at, "awaits", ck_standing_awaits(standing));
  if (status == CK_OK) status = ck_updated_read(&head.session, store, err);
  if (status == CK_OK) status = ck_stop_read(&stop, store, &head, err);
  ck_stop_put(document, at, &stop);
  ck_stop_clear(&stop);
  ck_document_put_time(document, at, "created_at", head.session.created_ms);
  ck_document_put_time(document, at, "updated_at", head.session.updated_ms);
  ck_head_clear(&head);
  return status;
}

static ck_status put_sessions(ck_document *out, listing *self, const ck_session_query *query,
                              ck_error *err) {
  self->ids = calloc(self->limit + 1, sizeof *self->ids);
  if (!self->ids) return ck_error_no_memory(err);
  ck_status status =
      self->store ? ck_store_find_sessions(self->store, query, take_session, self, err) : CK_OK;
  if (status != CK_OK && self->filter) /* its text may name a session of somebody else */
    status = ck_error_set(err, status, "the list of sessions cannot be read: %s",
                          ck_status_text(status));
  struct cJSON *list = ck_document_put_array(out, NULL, "sessions");
  for (size_t i = 0; status == CK_OK && i < self->count; i++)
    status = put_session(out, list, self->store, self->ids[i], err);
  ck_document_put_int(out, NULL, "total", self->total);
  free(self->ids);
  return status;
}

static ck_status list_sessions(ck_mcp *self, ck_document *out, const ck_mcp_value *values,
                               ck_error *err) {
  ck_inspection inspection;
  int64_t limit = values[1].count;
  ck_status status = ck_inspection_open(&inspection, self->host, err);
  listing l = {.store = inspection.store,
               .filter = self->host->filter,
               .limit = limit < 0              ? SESSIONS_DEFAULT
                        : limit > SESSIONS_MAX ? SESSIONS_MAX
                                               : (size_t)limit};
  ck_session_query query = {0};
  ck_session_status wanted = values[0].text ? ck_session_status_of(values[0].text) : 0;
  for (ck_session_status i = CK_SESSION_RUNNING; ck_session_status_name(i); i++)
    if (wanted ? i == wanted : ck_session_status_resumable(i)) query.statuses |= UINT64_C(1) << i;
  if (status == CK_OK) status = put_sessions(out, &l, &query, err);
  ck_inspection_close(&inspection);
  return status;
}

static const char *const resumable[] = {
#define X(name, number, text, resumable) resumable ? text : NULL,
    /* statuses that are not resumable come last in the table: the first NULL ends the list */
    CK_SESSION_STATUS_TABLE(X)
#undef X
};

const ck_mcp_tool ck_mcp_list_resumable_sessions = {
    .name = "list_resumable_sessions",
    .help =
        "Lists sessions that stopped and can go on, newest first: what they stopped for and "
        "their last checkpoint; awaits is there where workers go on with one, and says what for: "
        "queued, sleeping or retrying.",
    .read_only = true,
    .arguments = {{"status", CK_MCP_TEXT, false, "only those of this status", resumable},
                  {"limit", CK_MCP_COUNT, false, "at most so many: 20 unless given, 1000 at most",
                   NULL},
                  CK_MCP_AGENT_WORK_DIR},
    .output = "sessions:[session_id:string status:string awaits?:string error:string|null "
              "failed_at_node:string|null last_checkpoint:string|null created_at?:string "
              "updated_at?:string] total:integer",
    .run = list_sessions,
};

/* ---- list_session_checkpoints ---- */

typedef struct checkpoints {
  ck_document *out;
  struct cJSON *list;
  ck_boundary_kind kind; /* 0: all */
  bool clean_only;
  int64_t total, all; /* those that are listed; before the filters */
} checkpoints;

static bool put_checkpoint(void *to, const ck_checkpoint_info *checkpoint) {
  checkpoints *self = to;
  self->all++;
  if ((self->kind && checkpoint->kind != self->kind) || (self->clean_only && !checkpoint->clean))
    return true;
  struct cJSON *at = ck_document_put_object(self->out, self->list, NULL);
  ck_document_put_text(self->out, at, "checkpoint_id", checkpoint->id);
  ck_document_put_text(self->out, at, "type", ck_boundary_kind_name(checkpoint->kind));
  ck_document_put_text(self->out, at, "checkpoint_type", ck_boundary_kind_name(checkpoint->kind));
  ck_checkpoint_words_put_nodes(self->out, at, checkpoint);
  ck_checkpoint_words_put(self->out, at, checkpoint);
  ck_document_put_time(self->out, at, "created_at", checkpoint->created_ms);
  ck_document_put_int(self->out, at, "seq", checkpoint->seq);
  ck_document_put_bool(self->out, at, "is_clean", checkpoint->clean);
  ck_document_put_bool(self->out, at, "can_resume_from", checkpoint->resumable);
  ck_fields_put_info(self->out, at, checkpoint);
  self->total++;
  return true;
}

static ck_status list_checkpoints(ck_mcp *self, ck_document *out, const ck_mcp_value *values,
                                  ck_error *err) {
  ck_inspection inspection;
  ck_status status = ck_inspection_open_session(&inspection, self->host, values[0].text, err);
  if (status != CK_OK) return status;
  ck_document_put_text(out, NULL, "session_id", inspection.head.session.id);
  checkpoints c = {.out = out,
                   .list = ck_document_put_array(out, NULL, "checkpoints"),
                   .clean_only = values[2].flag,
                   .kind = ck_boundary_kind_of(values[1].text ? values[1].text : "")};
  status = ck_profile_secrets_hide(self->host->output, inspection.store, inspection.head.session.id,
                                   err);
  if (status == CK_OK)
    status = ck_store_list_checkpoints(inspection.store, inspection.head.session.no, put_checkpoint,
                                       &c, err);
  ck_document_put_int(out, NULL, "total", c.total);
  put_text(out, NULL, "latest_checkpoint_id",
           inspection.head.has_checkpoint ? inspection.head.checkpoint.id : NULL);
  ck_document_put_int(out, NULL, "total_checkpoints", c.all);
  ck_inspection_close(&inspection);
  return status;
}

static const char *const kinds[] = {
#define X(name, number, text, ...) text,
    CK_BOUNDARY_TABLE(X)
#undef X
        NULL,
};

const ck_mcp_tool ck_mcp_list_session_checkpoints = {
    .name = "list_session_checkpoints",
    .help = "Lists the checkpoints of a session, oldest first.",
    .read_only = true,
    .arguments = {{"session_id", CK_MCP_ID, true, "the session", NULL},
                  {"checkpoint_type", CK_MCP_TEXT, false, "only those of this kind", kinds},
                  {"clean_only", CK_MCP_FLAG, false,
                   "only those before which nothing was tried again or failed", NULL},
                  CK_MCP_AGENT_WORK_DIR},
    .output = "session_id:string checkpoints:[checkpoint_id:string type:string "
              "checkpoint_type:string current_node:string|null next_node:string|null "
              "description:string reasons:array created_at?:string seq:integer is_clean:boolean "
              "can_resume_from:boolean info?:object] total:integer "
              "latest_checkpoint_id:string|null total_checkpoints:integer",
    .run = list_checkpoints,
};

/* ---- inspect_checkpoint ---- */

static ck_status inspect(ck_mcp *self, ck_document *out, const ck_mcp_value *values,
                         ck_error *err) {
  ck_inspection inspection;
  ck_snapshot snapshot = {0};
  ck_status status = ck_inspection_open_session(&inspection, self->host, values[0].text, err);
  if (status != CK_OK) return status;
  status = ck_snapshot_open(&snapshot, &inspection, self->host->output, values[1].text, err);
  if (status == CK_OK) status = ck_checkpoint_fields_put(out, NULL, &snapshot, values[2].flag, err);
  ck_snapshot_clear(&snapshot);
  ck_inspection_close(&inspection);
  return status;
}

const ck_mcp_tool ck_mcp_inspect_checkpoint = {
    .name = "inspect_checkpoint",
    .help = "Shows where a checkpoint stands, its outputs and, with include_memory, what else it "
            "restores: memory and conversations.",
    .read_only = true,
    .arguments = {{"session_id", CK_MCP_ID, true, "the session", NULL},
                  {"checkpoint_id", CK_MCP_ID, false,
                   "the latest unless given: " CK_RESOLVE_CHECKPOINT_HELP, NULL},
                  {"include_memory", CK_MCP_FLAG, false, "with what it restores", NULL},
                  CK_MCP_AGENT_WORK_DIR},
    .output = "checkpoint_id:string|null session_id:string checkpoint_type:string|null "
              "created_at?:string current_node:string|null next_node:string|null "
              "execution_path:array shared_memory?:object branch_memory?:object "
              "conversation_states?:object accumulated_outputs:object metrics_snapshot:object "
              "is_clean:boolean can_resume_from:boolean description:string|null "
              "reasons?:array signature:string|null",
    .run = inspect,
};

/* ---- diff_checkpoints ---- */

static ck_status diff(ck_mcp *self, ck_document *out, const ck_mcp_value *values, ck_error *err) {
  ck_inspection inspection;
  ck_compare compare = {0};
  ck_output *output = self->host->output;
  ck_status status = ck_inspection_open_session(&inspection, self->host, values[0].text, err);
  if (status != CK_OK) return status;
  status = ck_profile_secrets_hide(output, inspection.store, inspection.head.session.id, err);
  if (status == CK_OK)
    status = ck_compare_read(&compare, &inspection, output->redactor, values[1].text,
                             values[2].text, err);
  if (status == CK_OK) ck_compare_put(out, NULL, &compare, inspection.head.session.id);
  ck_compare_clear(&compare);
  ck_inspection_close(&inspection);
  return status;
}

const ck_mcp_tool ck_mcp_diff_checkpoints = {
    .name = "diff_checkpoints",
    .help = "Tells what lies between two checkpoints of a session: keys of the state as JSON "
            "patches, nodes, spending, events.",
    .read_only = true,
    .own = true,
    .arguments = {{"session_id", CK_MCP_ID, true, "the session", NULL},
                  {"from", CK_MCP_ID, true, CK_RESOLVE_CHECKPOINT_HELP, NULL},
                  {"to", CK_MCP_ID, true, CK_RESOLVE_CHECKPOINT_HELP, NULL}},
    .output = "session:string common:integer from:object to:object keys:array spent:object",
    .run = diff,
};

/* ---- agent_tail ---- */

static ck_status put_tail(ck_document *out, const ck_agent_tail *tail, ck_error *err) {
  ck_buffer section = {0};
  ck_tail_append_section(&section, &tail->tail);
  ck_status status = ck_buffer_check(&section, err);
  if (status == CK_OK) status = ck_agent_tail_put(out, NULL, tail, ck_buffer_bytes(&section), err);
  ck_buffer_clear(&section);
  return status;
}

static ck_status tail(ck_mcp *self, ck_document *out, const ck_mcp_value *values, ck_error *err) {
  ck_inspection inspection;
  ck_agent_tail of = {0};
  ck_agent_tail_options options = {.agent = values[1].text, .last = values[2].count};
  ck_status status = ck_inspection_open_session(&inspection, self->host, values[0].text, err);
  if (status != CK_OK) return status;
  status = ck_agent_tail_read(&of, &inspection, self->host->output, &options, err);
  if (status == CK_OK) status = put_tail(out, &of, err);
  if (status == CK_OK && of.tail.count == 0)
    status = ck_agent_tail_check_agent(&inspection, values[1].text, err);
  ck_agent_tail_clear(&of);
  ck_inspection_close(&inspection);
  return status;
}

const ck_mcp_tool ck_mcp_agent_tail = {
    .name = "agent_tail",
    .help = "Gives what an agent will be told of its past when its session goes on.",
    .read_only = true,
    .own = true,
    .arguments = {{"session_id", CK_MCP_ID, true, "the session", NULL},
                  {"agent", CK_MCP_TEXT, true, "the agent", NULL},
                  {"last", CK_MCP_COUNT, false,
                   "at most so many events; what the session's profile says unless given", NULL}},
    .output = "session:string agent:string depth:integer section:string events:array",
    .run = tail,
};

const ck_mcp_tool *const ck_mcp_tools[] = {
    &ck_mcp_list_resumable_sessions, &ck_mcp_list_session_checkpoints,
    &ck_mcp_inspect_checkpoint,      &ck_mcp_resume_session,
    &ck_mcp_pause_session,           &ck_mcp_checkpoint_session,
    &ck_mcp_diff_checkpoints,        &ck_mcp_agent_tail,
    &ck_mcp_answer_session,          NULL,
};
