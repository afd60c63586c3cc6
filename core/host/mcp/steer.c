/* steer.c - the tools of `ckrun mcp` that act: resume, in a process of its own, pause, and save. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/host/session/live_checkpoint.h"
#include "core/host/inspect/inspect.h"
#include "core/host/mcp/taken_back.h"
#include "core/host/mcp/tools.h"
#include "core/host/inspect/resolve_checkpoint.h"
#include "core/host/session/handover.h"
#include "core/host/session/pausing.h"
#include "core/host/session/profile_secrets.h"
#include "core/runtime/history/resolve.h"

enum {
  START_MS = 10000, /* by then a resume has begun, or reported why not */
  POLL_MS = 10,     /* between two checks */
  EDITS_MAX = 64,   /* memory edits in one call */
  OUTPUT_MAX = 4096 /* bytes read of a child's output */
};

/* ---- children ---- */

void ck_mcp_reap(ck_mcp *self) {
  for (size_t i = self->child_count; i-- > 0;)
    if (waitpid(self->children[i], NULL, WNOHANG) != 0)
      self->children[i] = self->children[--self->child_count];
}

void ck_mcp_end_children(ck_mcp *self) {
  for (size_t i = 0; i < self->child_count; i++) kill(self->children[i], SIGTERM);
  for (size_t i = 0; i < self->child_count; i++)
    while (waitpid(self->children[i], NULL, 0) < 0 && errno == EINTR) continue;
  self->child_count = 0;
}

/* ---- the command line of a resume ---- */

typedef struct words {
  const char *list[12];
  size_t count;
  ck_buffer edits; /* arguments, each with its NUL, that nobody else may see */
} words;

static void add_word(words *self, const char *word) { self->list[self->count++] = word; }

/* A key as the client names it and its value as JSON, in the form of --set. Neither has a NUL: JSON
 * with a U+0000 is refused as a whole. */
static void add_edit(words *self, ck_bytes name, ck_bytes value) {
  ck_buffer_append(&self->edits, "--set", sizeof "--set");
  ck_json_read_string(&self->edits, name);
  ck_buffer_append_char(&self->edits, '=');
  ck_buffer_append_bytes(&self->edits, value);
  ck_buffer_append_char(&self->edits, '\0');
}

static ck_status check_edits(ck_bytes edits, ck_error *err) {
  size_t count = 0;
  for (ck_json_iterator it = ck_json_iterate(edits); ck_json_next(&it); count++)
    if (memchr(it.name.data, '=', it.name.len))
      return ck_error_set(err, CK_E_USAGE,
                          "memory_modifications: a key cannot have a '=' in it: %.*s",
                          (int)(it.name.len < 100 ? it.name.len : 100), it.name.data);
  if (count > EDITS_MAX)
    return ck_error_set(err, CK_E_USAGE,
                        "memory_modifications: %zu keys, and at most %d can be set at once", count,
                        EDITS_MAX);
  return CK_OK;
}

/* The words are borrowed. */
static ck_status write_words(words *out, const ck_inspection *inspection, const char *session,
                             const char *checkpoint, ck_bytes edits, ck_error *err) {
  ck_status status = check_edits(edits, err);
  if (status != CK_OK) return status;
  add_word(out, "ckrun");
  add_word(out, "--json");
  if (inspection->location.key_ref) add_word(out, "--key");
  if (inspection->location.key_ref) add_word(out, inspection->location.key_ref);
  add_word(out, "--store");
  add_word(out, inspection->location.url);
  add_word(out, "resume");
  if (checkpoint) add_word(out, "--checkpoint");
  if (checkpoint) add_word(out, checkpoint);
  for (ck_json_iterator it = ck_json_iterate(edits); ck_json_next(&it);)
    add_edit(out, it.name, it.value);
  add_word(out, "--");
  add_word(out, session);
  return ck_buffer_check(&out->edits, err);
}

static void clear_words(words *self) {
  if (self->edits.data) explicit_bzero(self->edits.data, self->edits.cap);
  ck_buffer_clear(&self->edits);
}

/* ---- start ---- */

typedef struct beginning {
  pid_t pid;
  int error_fd; /* its standard error */
  bool ended;
  int code;        /* its exit code, once it has ended */
  uint64_t epoch;  /* of the session before */
  int64_t no, seq; /* the session, and its last event before */
  bool stops;      /* it may well stop where it stopped: for an effect in doubt, or an answer */
} beginning;

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void check_child(beginning *self) {
  int how = 0;
  if (waitpid(self->pid, &how, WNOHANG) != self->pid) return;
  self->ended = true;
  self->code = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
}

static bool see_work(void *to, const ck_event *event) {
  (void)event;
  *(bool *)to = true;
  return false;
}

/* A session that waits for a person runs for some milliseconds, and waits again: to call it running
 * would be no answer. It has gone on when it does something that is not what it did before. */
static ck_status check_settled(bool *out, const beginning *self, const ck_session_record *record,
                               ck_store *store, ck_error *err) {
  *out = !self->stops || record->status != CK_SESSION_RUNNING;
  if (*out) return CK_OK;
  ck_event_query query = {
      .session = self->no,
      .after = self->seq,
      .kinds = 1ull << CK_EVENT_INTENT | 1ull << CK_EVENT_OUTCOME | 1ull << CK_EVENT_RESOLUTION};
  return ck_store_read_events(store, &query, see_work, out, err);
}

/* Waits until the child owns the session, or has reported why not. */
static ck_status wait_for_start(beginning *self, ck_session_record *record, const ck_mcp *mcp,
                                ck_store *store, const char *id, ck_error *err) {
  int64_t deadline = now_ms() + START_MS;
  for (;;) {
    check_child(self);
    ck_session_record_clear(record);
    ck_status status = ck_store_get_session(record, store, id, err);
    bool done = self->ended;
    if (status == CK_OK && !done && record->epoch > self->epoch)
      status = check_settled(&done, self, record, store, err);
    if (status != CK_OK || done) return status;
    if (now_ms() >= deadline) return CK_OK;
    if (ck_mcp_is_taken_back(mcp)) return ck_error_set(err, CK_E_INTERRUPTED, "taken back");
    nanosleep(&(struct timespec){.tv_nsec = POLL_MS * 1000000L}, NULL);
  }
}

/* The last line of its output is an error as JSON. */
static void read_output(ck_error *err, ck_status status, int error_fd) {
  char text[OUTPUT_MAX];
  ssize_t len = pread(error_fd, text, sizeof text, 0);
  const char *begin = text, *end = len > 0 ? memrchr(text, '\n', (size_t)len) : NULL;
  const char *before = end ? memrchr(text, '\n', (size_t)(end - text)) : NULL;
  if (before) begin = before + 1;
  ck_bytes line = {begin, end ? (size_t)(end - begin) : 0};
  ck_buffer message = {0};
  ck_error ignored = CK_ERROR_INIT;
  bool is_json = ck_json_check(line, &ignored) == CK_OK;
  bool read = is_json &&
              ck_json_read_string(&message, ck_json_get(ck_json_get(line, "error"), "text")) &&
              message.data;
  ck_error_set(err, status, "%s", read ? message.data : "the session could not be resumed");
  ck_buffer_clear(&message);
}

static void put_result(ck_document *out, const beginning *start, const ck_session_record *record,
                       const char *from) {
  bool begun = record->epoch > start->epoch;
  ck_document_put_text(out, NULL, "session_id", record->id);
  if (from)
    ck_document_put_text(out, NULL, "resumed_from", from);
  else
    ck_document_put_null(out, NULL, "resumed_from");
  ck_document_put_text(out, NULL, "status",
                       begun ? ck_session_status_name(record->status) : "starting");
  ck_document_put_text(out, NULL, "message",
                       !begun ? "it has not begun yet"
                       : record->status == CK_SESSION_RUNNING
                           ? "it runs; it is paused when this server ends, by whatever"
                       : record->reason ? record->reason
                                        : "it has ended");
}

/* Refused before anything began: the session is unchanged. */
static ck_status finish(ck_mcp *self, ck_document *out, const beginning *start,
                        const ck_session_record *record, const char *from, ck_error *err) {
  if (!start->ended) self->children[self->child_count++] = start->pid;
  if (start->ended && record->epoch == start->epoch) {
    read_output(err, CK_E_REFUSED, start->error_fd);
    return CK_E_REFUSED;
  }
  put_result(out, start, record, from);
  return CK_OK;
}

static void count_doubt(void *to, const ck_open_effect *effect) {
  (void)effect;
  *(bool *)to = true;
}

static ck_status foresee(beginning *self, const ck_inspection *inspection, ck_error *err) {
  const ck_session_record *record = &inspection->head.session;
  ck_runtime runtime = {.store = inspection->store}; /* doubts are only read */
  self->no = record->no;
  self->seq = inspection->head.last_seq;
  self->stops = record->status == CK_SESSION_WAITING || record->status == CK_SESSION_IN_DOUBT;
  return ck_session_list_doubts(&runtime, record->id, count_doubt, &self->stops, err);
}

static ck_status resume(ck_mcp *self, ck_document *out, const ck_inspection *inspection,
                        const ck_mcp_value *values, ck_error *err) {
  const ck_session_record *before = &inspection->head.session;
  ck_checkpoint_info from = {0};
  ck_session_record record = {0};
  words argv = {0};
  beginning start = {.epoch = before->epoch, .error_fd = memfd_create("ckrun-resume", MFD_CLOEXEC)};
  ck_status status =
      start.error_fd < 0 ? ck_error_set(err, CK_E_IO, "memfd: %s", strerror(errno)) : CK_OK;
  if (status == CK_OK) status = foresee(&start, inspection, err);
  if (status == CK_OK && values[1].text)
    status = ck_resolve_checkpoint(&from, inspection, values[1].text, err);
  if (status == CK_OK)
    status = write_words(&argv, inspection, before->id, values[1].text ? from.id : NULL,
                         values[2].object, err);
  if (status == CK_OK)
    status = ck_handover_start(&start.pid, (char *const *)argv.list, ck_buffer_bytes(&argv.edits),
                               (ck_handover_streams){-1, -1, start.error_fd}, err);
  if (status == CK_OK)
    status = wait_for_start(&start, &record, self, inspection->store, before->id, err);
  const char *id = values[1].text                    ? from.id
                   : inspection->head.has_checkpoint ? inspection->head.checkpoint.id
                                                     : NULL;
  if (start.pid && status == CK_OK)
    status = finish(self, out, &start, &record, id, err);
  else if (start.pid && !start.ended && status == CK_E_INTERRUPTED)
    kill(start.pid, SIGTERM), self->children[self->child_count++] = start.pid;
  else if (start.pid && !start.ended)
    kill(start.pid, SIGTERM), waitpid(start.pid, NULL, 0);
  if (start.error_fd >= 0) close(start.error_fd);
  clear_words(&argv);
  ck_session_record_clear(&record);
  ck_checkpoint_info_clear(&from);
  return status;
}

static ck_status resume_session(ck_mcp *self, ck_document *out, const ck_mcp_value *values,
                                ck_error *err) {
  ck_inspection inspection;
  if (self->child_count == CK_MCP_CHILDREN_MAX)
    return ck_error_set(err, CK_E_REFUSED, "%d sessions run already for this server",
                        CK_MCP_CHILDREN_MAX);
  ck_status status = ck_inspection_open_session(&inspection, self->host, values[0].text, err);
  if (status != CK_OK) return status;
  status = ck_profile_secrets_hide(self->host->output, inspection.store, inspection.head.session.id,
                                   err);
  if (status == CK_OK) status = resume(self, out, &inspection, values, err);
  ck_inspection_close(&inspection);
  return status;
}

const ck_mcp_tool ck_mcp_resume_session = {
    .name = "resume_session",
    .help = "Goes on with a session from its latest checkpoint or the given one; returns as soon "
            "as it runs, or says what stands against it.",
    .arguments = {{"session_id", CK_MCP_ID, true, "the session", NULL},
                  {"checkpoint_id", CK_MCP_ID, false,
                   "from this checkpoint: " CK_RESOLVE_CHECKPOINT_HELP, NULL},
                  {"memory_modifications", CK_MCP_OBJECT, false,
                   "keys of its memory to set first, with their values", NULL},
                  CK_MCP_AGENT_WORK_DIR},
    .output = "session_id:string resumed_from:string|null status:string message:string",
    .run = resume_session,
};

/* ---- pause_session ---- */

static ck_status pause_it(ck_remote_command *remote, const char *given, ck_error *err) {
  char *reason = NULL;
  ck_status status = ck_remote_command_clean_reason(&reason, remote, given, err);
  if (status == CK_OK) status = ck_pausing_pause(remote, reason, err);
  free(reason);
  return status;
}

static ck_status pause_session(ck_mcp *self, ck_document *out, const ck_mcp_value *values,
                               ck_error *err) {
  ck_remote_command remote = {0};
  ck_status status = ck_remote_command_open(&remote, self->host, values[0].text, NULL, err);
  if (status == CK_OK) status = pause_it(&remote, values[1].text, err);
  if (status == CK_OK) {
    const ck_session_record *record = &remote.head.session;
    ck_document_put_text(out, NULL, "session_id", record->id);
    ck_document_put_text(out, NULL, "status", ck_session_status_name(CK_SESSION_PAUSED));
    ck_document_put_text(out, NULL, "message", record->reason ? record->reason : "");
  }
  ck_remote_command_close(&remote);
  return status;
}

const ck_mcp_tool ck_mcp_pause_session = {
    .name = "pause_session",
    .help = "Pauses a running session at its next boundary; returns when that is durable. One that "
            "is paused already stays so; of any other that does not run it is an error.",
    .arguments = {{"session_id", CK_MCP_ID, true, "the session", NULL},
                  {"reason", CK_MCP_TEXT, false,
                   "kept with the session; user_requested unless given", NULL}},
    .own = true,
    .output = "session_id:string status:string message:string",
    .run = pause_session,
};

/* ---- checkpoint_session ---- */

static ck_status checkpoint_session(ck_mcp *self, ck_document *out, const ck_mcp_value *values,
                                    ck_error *err) {
  ck_buffer described = {0};
  ck_remote_command remote = {0};
  ck_status status = ck_remote_command_open(&remote, self->host, values[0].text, NULL, err);
  if (status == CK_OK) status = ck_live_checkpoint_leave(&remote, values[1].text, err);
  if (status == CK_OK) status = ck_live_checkpoint_wait(&described, &remote, err);
  if (status == CK_OK) {
    ck_document_put_text(out, NULL, "session_id", remote.id);
    ck_document_put_text(out, NULL, "status", "saved");
    ck_document_put_text(out, NULL, "checkpoint_id", remote.saved);
    ck_document_put_text(out, NULL, "description", described.data ? described.data : "");
  }
  ck_buffer_clear(&described);
  ck_remote_command_close(&remote);
  return status;
}

const ck_mcp_tool ck_mcp_checkpoint_session = {
    .name = "checkpoint_session",
    .help = "Has a running session save at its next boundary, whatever its policies say, and go "
            "on; returns when the checkpoint is durable. Of one that does not run it is an error "
            "that says where it stands.",
    .arguments = {{"session_id", CK_MCP_ID, true, "the session", NULL},
                  {"description", CK_MCP_TEXT, false,
                   "what the checkpoint is listed as; where it lies unless given", NULL},
                  CK_MCP_AGENT_WORK_DIR},
    .own = true,
    .output = "session_id:string status:string checkpoint_id:string description:string",
    .run = checkpoint_session,
};
