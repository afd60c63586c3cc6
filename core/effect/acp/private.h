/* private.h - one agent, its sessions and turns: what the files of this folder share. */
#ifndef CK_EFFECT_ACP_PRIVATE_H
#define CK_EFFECT_ACP_PRIVATE_H

#include "core/effect/acp/acp.h"
#include "core/effect/pending_call.h"

typedef struct ck_acp_agent ck_acp_agent;

enum { CK_ACP_ID_MAX = 256, CK_ACP_KIND_MAX = 32, CK_ACP_TOOLS_MAX = 64, CK_ACP_WHY_MAX = 600 };

/* A session that the living process knows. */
typedef struct ck_acp_session {
  char id[CK_ACP_ID_MAX];
  int64_t cost_micros; /* of all its turns so far; -1: not known */
  bool priced;         /* the agent reported a cost */
  struct ck_acp_session *next;
} ck_acp_session;

/* The kind of tool that a call uses: reported once, when the call begins. */
typedef struct ck_acp_tool {
  char call[CK_ACP_ID_MAX], kind[CK_ACP_KIND_MAX];
} ck_acp_tool;

/* The progress of a turn. */
typedef enum {
  CK_ACP_WAITS,    /* the agent is not ready yet */
  CK_ACP_OPENS,    /* its session is requested */
  CK_ACP_KEEPS,    /* that session is on its way to the store */
  CK_ACP_PROMPTED, /* the agent works on it */
  CK_ACP_ENDS      /* it is cancelled, and the agent has not confirmed */
} ck_acp_phase;

/* How its session is opened. The agent's own word for going on with one that it keeps is "resume",
 * without repeating its messages, or "load". */
typedef enum { CK_ACP_NEW, CK_ACP_LOAD, CK_ACP_RESUME } ck_acp_opening;

struct ck_effect_run {
  ck_pending_call pending;
  ck_acp_agent *agent;
  ck_acp_phase phase;
  ck_peer_call call;
  ck_acp_opening opening;      /* OPENS */
  bool is_new;                 /* PROMPTED: its session was begun for this prompt */
  char session[CK_ACP_ID_MAX]; /* "": not known yet */
  ck_buffer parts;             /* its prompt's blocks, until it is sent */
  ck_buffer text;
  int64_t updates;
  size_t update_bytes;
  int64_t cost_before; /* of its session; -1: not known */
  ck_acp_tool *tools;  /* a ring buffer */
  size_t tool_count;
  ck_status ending; /* ENDS: the status that it fails with */
  char why[CK_ACP_WHY_MAX];
};

/* What a request wants to be allowed: an action of the agent's own, which is told the answer, or a
 * file, which is read or written for it. */
typedef enum { CK_ACP_ACTION, CK_ACP_READ, CK_ACP_WRITE } ck_acp_wish;
#define CK_ACP_ALLOW "allow" /* the option that gives a file */

/* A request for permission. The document is that of session/request_permission; for a file it is
 * made from the request for the file, which is its member "file". */
typedef struct ck_acp_asked {
  ck_acp_wish wish;
  ck_bytes id, params;
} ck_acp_asked;

/* A request for permission that the session is to answer: its policies, or a person. */
typedef struct ck_acp_permission {
  ck_acp_agent *agent;
  ck_effect_run *run; /* NULL: the answer is not needed any more */
  ck_acp_wish wish;
  ck_value *id, *request;
  ck_action_question *question;
  struct ck_acp_permission *next, *previous; /* of the agent; a ring */
} ck_acp_permission;

struct ck_acp_agent {
  ck_service service;
  const ck_acp_options *options;
  bool can_load, can_resume;
  ck_buffer logins; /* how to log in, as it said when it was greeted; "": it has not said */
  struct {
    bool images, audio, resources;
  } takes; /* in prompts, beside texts and links */
  ck_acp_session *sessions;
  ck_pending_calls runs;
  ck_acp_permission permissions; /* the ring's end */
};

/* ---- session.c ---- */
/* NULL: the living process does not know it. */
ck_acp_session *ck_acp_find_session(ck_acp_agent *self, const char *id);
/* The known one, or a new one with that cost; NULL: no memory. */
ck_acp_session *ck_acp_add_session(ck_acp_agent *self, const char *id, int64_t cost_micros);
void ck_acp_clear_sessions(ck_acp_agent *self);
/* "" when `json` is no string, or too long for an id. */
void ck_acp_read_id(char out[CK_ACP_ID_MAX], ck_bytes json);
/* The turn that works in the session of `params`; NULL. */
ck_effect_run *ck_acp_find_run(ck_acp_agent *self, ck_bytes params);

/* ---- prompt.c ---- */
/* The id of the session that the turn is to go on with: of its interrupted try, else of its
 * request; "": of none. */
void ck_acp_read_wanted(char out[CK_ACP_ID_MAX], const ck_effect_run *run);
/* The blocks of the prompt into `parts`, once. Fails as ck_acp_put_block. */
CK_CHECKED ck_status ck_acp_write_parts(ck_effect_run *run, ck_error *err);
/* The member "prompt": `parts`, behind what the agent must know of what was before. */
void ck_acp_append_prompt(ck_json_writer *w, const ck_effect_run *run);
/* The session of the turn becomes an update of it, so that another process finds it again. */
void ck_acp_report_session(ck_effect_run *run);

/* ---- block.c ---- */
/* A block of text; `text` is a JSON string. */
void ck_acp_put_text(ck_json_writer *w, ck_bytes text);
/* A part of a prompt as a block of content. CK_E_USAGE: the agent takes none such. */
CK_CHECKED ck_status ck_acp_put_block(ck_json_writer *w, const ck_acp_agent *agent, ck_bytes part,
                                      ck_error *err);

/* ---- permission_list.c ---- */
/* `option` is a JSON string, the id of the selected option; no bytes: none is, "cancelled". A file
 * is read or written now, or refused. */
void ck_acp_reply_permission(ck_acp_agent *self, const ck_acp_asked *asked, ck_bytes option);
/* `*out` belongs to the agent of `run`; also set after a failed copy. */
CK_CHECKED ck_status ck_acp_add_permission(ck_acp_permission **out, ck_effect_run *run,
                                           const ck_acp_asked *asked, ck_error *err);
/* Borrows from the permission. */
ck_acp_asked ck_acp_asked_of(const ck_acp_permission *self);
/* Frees it; the asker must not call back any more. */
void ck_acp_forget_permission(ck_acp_permission *self);
bool ck_acp_permissions_are_full(const ck_acp_agent *self);
bool ck_acp_has_permissions(const ck_effect_run *run);
/* All requests of the turn (NULL: of all turns) are answered with "cancelled". */
void ck_acp_drop_permissions(ck_acp_agent *self, ck_effect_run *run);

/* ---- turn.c ---- */
/* The most milliseconds between two signs of life of a turn. */
int64_t ck_acp_silence_of(const ck_acp_agent *self);
/* The most milliseconds of a turn in all, without those in which a person thinks. */
int64_t ck_acp_total_of(const ck_acp_agent *self);
/* The ends of a turn, as in pending_call.h; they drop its requests for permission. */
void ck_acp_deliver(ck_effect_run *run, ck_outcome *outcome);
void ck_acp_end(ck_effect_run *run, ck_outcome_status status, ck_status class, const char *why);
void ck_acp_lose(ck_effect_run *run, ck_status class, const char *why);
/* Ends the turn with `class` and `why`: at once when the prompt is not sent, else when the agent
 * has confirmed. */
void ck_acp_cancel(ck_effect_run *run, ck_status class, const char *why);
/* Begins the turn's silence anew; while a person thinks, its limits are suspended. */
void ck_acp_touch(ck_effect_run *run);

/* ---- update.c ---- */
void ck_acp_take_update(ck_acp_agent *self, ck_bytes params);
/* The kind of the tool call in a request for permission. */
void ck_acp_kind_of(char out[CK_ACP_KIND_MAX], const ck_effect_run *run, ck_bytes call);
/* The outcome of a turn from the agent's answer; a turn that was broken off has `interrupted`. */
CK_CHECKED ck_status ck_acp_read_result(ck_outcome **out, const ck_effect_run *run, ck_bytes result,
                                        ck_error *err);

/* ---- permission.c ---- */
/* Decides by a rule, or asks the session; replies in every case. */
void ck_acp_take_permission(ck_acp_agent *self, const ck_acp_asked *asked);

/* ---- decision.c ---- */
/* The decision and who made it become an update of the turn, like the agent's own updates. */
void ck_acp_report_decision(ck_effect_run *run, ck_bytes call, const char *by, ck_bytes option);
/* The id of the first option of that kind; no bytes: there is none. */
ck_bytes ck_acp_find_option(ck_bytes options, const char *kind);
/* To allow is to allow once, never for ever: the next call asks again. */
ck_bytes ck_acp_select_option(ck_bytes options, ck_permit rule);

/* ---- policies.c ---- */
/* False: nobody has a word in it but the rule, and nothing was replied. */
bool ck_acp_ask_policies(ck_effect_run *run, const ck_acp_asked *asked, ck_permit rule,
                         const char *kind);

/* ---- file_request.c ---- */
/* A request for a file becomes one for the permission to read or edit it. */
void ck_acp_take_file_request(ck_acp_agent *self, const ck_rpc_message *message, bool writes);

/* ---- agent.c ---- */
CK_CHECKED ck_status ck_acp_agent_init(ck_acp_agent *self, const ck_acp_options *options,
                                       const ck_process *process, ck_error *err);
void ck_acp_agent_clear(ck_acp_agent *self);
/* Begins the turn as soon as the agent is ready. Its outcome comes later, in every case. */
void ck_acp_agent_prompt(ck_acp_agent *self, ck_effect_run *run);

#endif
