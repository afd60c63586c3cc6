/* sessions_fork.c - sessions fork: a new session that continues from a checkpoint of another
 * one. */
#include "core/host/run/amend.h"
#include "core/host/command/commands.h"
#include "core/host/session/remote_command.h"
#include "core/host/print/key_values.h"
#include "core/host/session/place.h"
#include "core/host/inspect/resolve_checkpoint.h"
#include "core/host/session/resume_command.h"
#include "core/runtime/history/fork.h"
#include "core/runtime/session/plain_name.h"
#include "lua/profile/profile.h"

typedef struct values {
  const char *session, *checkpoint, *id;
  ck_edit_words edits;
} values;

/* Keys that the session's profile never lets be written. NULL: its profile is not available, and
 * the rules of every profile apply. */
static ck_profile *load_profile(ck_store *store, const ck_head *head) {
  ck_launch launch;
  ck_profile *profile = NULL;
  ck_error ignored = CK_ERROR_INIT;
  if (ck_place_read_launch(&launch, store, head, &ignored) != CK_OK) return NULL;
  if (ck_profile_load(&profile, launch.profile ? launch.profile : "default", &ignored) != CK_OK)
    profile = NULL;
  ck_launch_clear(&launch);
  return profile;
}

/* Effects of the origin: those that the fork knows nothing of, and those that it asks about. */
typedef struct listing {
  ck_key_values *facts;
  struct cJSON *unknown, *asked;
} listing;

static void put_effect(void *to, const ck_effect_behind *effect) {
  listing *self = to;
  char text[256];
  if (!self->facts->json) {
    snprintf(text, sizeof text, "%s (%s, %s%s)", effect->key, effect->kind, effect->class,
             effect->open ? ", outcome unknown" : "");
    ck_key_values_put_text(self->facts, effect->asked ? "asks_about" : "unknown_to_it", text);
    return;
  }
  ck_document *document = &self->facts->document;
  struct cJSON *list = effect->asked ? self->asked : self->unknown;
  struct cJSON *at = ck_document_put_object(document, list, NULL);
  ck_document_put_text(document, at, "effect", effect->key);
  ck_document_put_text(document, at, "kind", effect->kind);
  ck_document_put_text(document, at, "class", effect->class);
  ck_document_put_bool(document, at, "open", effect->open);
}

static ck_status print(const ck_remote_command *remote, const ck_history_edit_result *made,
                       ck_error *err) {
  ck_key_values facts;
  ck_buffer next = {0};
  ck_head head = {0};
  ck_store *store = remote->runtime->store;
  ck_status status = ck_store_get_head(&head, store, made->session, err);
  if (status == CK_OK)
    status = ck_resume_command_append(&next, remote->host, store, &head, "resume %s", err);
  ck_head_clear(&head);
  ck_key_values_init(&facts, remote->host->output);
  ck_key_values_put_text(&facts, "session", made->session);
  ck_key_values_put_text(&facts, "origin", remote->id);
  ck_key_values_put_text(&facts, "from", made->from);
  ck_key_values_put_count(&facts, "cut", made->from_seq);
  ck_key_values_put_text(&facts, "checkpoint", made->checkpoint);
  ck_key_values_put_text(&facts, "status", "paused");
  listing effects = {.facts = &facts,
                     .unknown = ck_key_values_put_array(&facts, "unknown_to_it"),
                     .asked = ck_key_values_put_array(&facts, "asks_about")};
  if (status == CK_OK)
    status = ck_session_list_effects(remote->runtime, made, remote->head.session.no, put_effect,
                                     &effects, err);
  ck_key_values_put_text(&facts, "next", next.data);
  if (status == CK_OK) status = ck_key_values_print(&facts, err);
  ck_key_values_clear(&facts);
  ck_buffer_clear(&next);
  return status;
}

static ck_status fork_session(ck_remote_command *remote, const values *v,
                              const ck_state_edits *edits, ck_error *err) {
  ck_checkpoint_info from = {0};
  ck_history_edit_result made;
  ck_inspection inspection = {
      .store = remote->runtime->store, .head = remote->head, .live = remote->live};
  ck_status status =
      v->checkpoint ? ck_resolve_checkpoint(&from, &inspection, v->checkpoint, err) : CK_OK;
  if (status != CK_OK) return status;
  status = edits->count || v->id ? ck_remote_command_guard(remote, err) : CK_OK;
  if (status == CK_OK)
    status = ck_plain_name_check(remote->runtime->redacting, "session", v->id,
                                 "give the fork another id with --session", err);
  if (status != CK_OK) {
    ck_checkpoint_info_clear(&from);
    return status;
  }
  ck_profile *profile = load_profile(remote->runtime->store, &remote->head);
  ck_history_edit_options options = {
      .checkpoint = v->checkpoint ? from.id : NULL,
      .secrets = remote->host->output->redactor,
      .edits = edits,
      .fork = v->id,
      .excluded = profile ? (const char *const *)profile->exclude_memory_keys : NULL};
  status = ck_session_fork(&made, remote->runtime, remote->id, &options, err);
  if (status == CK_OK) status = print(remote, &made, err);
  ck_profile_free(profile);
  ck_checkpoint_info_clear(&from);
  return status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_remote_command remote = {0};
  ck_state_edits edits = {0};
  ck_status status = v->id ? ck_id_check_new("--session", v->id, err) : CK_OK;
  if (status == CK_OK) status = ck_amend_take(&edits, &v->edits, err);
  if (status == CK_OK) status = ck_remote_command_open(&remote, host, v->session, NULL, err);
  if (status == CK_OK) status = fork_session(&remote, v, &edits, err);
  ck_remote_command_close(&remote);
  ck_state_edits_clear(&edits);
  return status;
}

static const ck_operand operands[] = {
    {.name = "SESSION",
     .offset = offsetof(values, session),
     .help = "the one that it goes on from",
     .complete = CK_COMPLETE_SESSION},
    CK_CHECKPOINT_OPERAND(values, checkpoint, true,
                          "the latest resumable one otherwise: " CK_RESOLVE_CHECKPOINT_HELP),
    {0},
};

static const ck_option options[] = {
    {.name = "checkpoint",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, checkpoint),
     .value = "CHECKPOINT",
     .help = "go on from this one instead of the latest: " CK_RESOLVE_CHECKPOINT_HELP},
    {.name = "session",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, id),
     .value = "ID",
     .help = "the fork's id; one is made otherwise"},
    CK_EDIT_OPTIONS(values, edits),
    {0},
};

static const ck_example examples[] = {
    {"ckrun sessions fork trip first --session other",
     "try something else from the first checkpoint on"},
    {0},
};

const ck_command ck_command_sessions_fork = {
    .name = "sessions fork",
    .summary = "go on from a checkpoint in a session of its own",
    .details = "The session may be running, stopped or over; nothing of it changes. The fork sees "
               "its transcript, its state and its conversations up to the checkpoint, and is "
               "paused; 'ckrun resume' goes on with it. The checkpoint and the transcript up to it "
               "are kept for the fork: they are not pruned, and the session is not deleted without "
               "--detach.\n\n"
               "What the session did behind the checkpoint is unknown to the fork, effects of "
               "class once too: the fork does them again when it comes to them. They are listed. "
               "Of calls that the checkpoint stands before (kind before_call) and that the session "
               "has begun it is in doubt: it asks, and runs none again by itself. "
               "Limits of the fork count from the checkpoint on; its totals begin with those of "
               "the session.",
    .operands = operands,
    .options = options,
    .examples = examples,
    .run = run,
};
