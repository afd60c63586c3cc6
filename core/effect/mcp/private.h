/* private.h - one server and its calls: what the files of this folder share. */
#ifndef CK_EFFECT_MCP_PRIVATE_H
#define CK_EFFECT_MCP_PRIVATE_H

#include "core/effect/pending_call.h"
#include "core/effect/mcp/http.h"
#include "core/effect/mcp/name.h"

typedef struct ck_mcp_server ck_mcp_server;

/* What a server speaks. */
typedef enum {
  CK_MCP_ASKED, /* not known yet */
  CK_MCP_OLDER, /* it is initialized, and keeps a session */
  CK_MCP_MODERN /* each request says everything */
} ck_mcp_era;

enum { CK_MCP_TOKEN_SIZE = 40, CK_MCP_PARKED_MAX = 64, CK_MCP_WANTED_MAX = 1 << 18 };

struct ck_effect_run {
  ck_pending_call pending;
  ck_mcp_server *server;
  ck_peer_call call;
  int64_t token; /* of its progress */
  unsigned updates;
  bool list, cancelled;
  unsigned forgotten; /* how often the server had ended the session before it came */
  /* the tool that is called instead, to find out whether the effect happened; NULL: the effect's
   * own */
  const char *probe;
  ck_buffer tools; /* of a list: the tools so far */
  unsigned pages;
};

/* A call that waits for a person, while nobody waits for it. */
typedef struct ck_mcp_parked {
  char token[CK_MCP_TOKEN_SIZE];
  ck_peer_call call;
  ck_buffer id; /* of the server's request, JSON */
  bool lost;    /* nothing will come of it */
  struct ck_mcp_parked *next;
} ck_mcp_parked;

struct ck_mcp_server {
  ck_service service;
  const ck_mcp_options *options;
  ck_http **client;  /* the driver's; *client NULL before it is needed */
  ck_mcp_http *http; /* the wire of a server with a url, while there is a peer; the peer's */
  ck_mcp_era era;
  bool guessed; /* OLDER: it has not said so */
  bool asked_twice;
  bool tools_changed;     /* since they were listed last, it has said so */
  bool tells_changes;     /* it tells who listens */
  ck_peer_call listening; /* for that */
  int64_t last_token;
  ck_pending_calls runs;
  ck_mcp_parked *parked;
};

/* ---- server.c ---- */
CK_CHECKED ck_status ck_mcp_server_init(ck_mcp_server *self, const ck_mcp_options *options,
                                        const ck_process *process, ck_error *err);
void ck_mcp_server_clear(ck_mcp_server *self);
/* Sends the call as soon as the server is ready. Its outcome comes later, in every case. */
void ck_mcp_server_call(ck_mcp_server *self, ck_effect_run *run);
/* Reports to the server that the answer is not needed any more. For a call that may have had its
 * effect the answer is awaited for a while. */
void ck_mcp_server_cancel(ck_effect_run *run);

/* ---- era.c ---- */
bool ck_mcp_server_is_modern(const ck_mcp_server *self);
/* Members of a request's "_meta"; none for an older server. */
void ck_mcp_put_client(ck_json_writer *w, const ck_mcp_server *self);
/* As ck_service_protocol has them; `to` is the server. */
const char *ck_mcp_greeting(void *to);
int64_t ck_mcp_patience_ms(void *to, int64_t start_ms);
void ck_mcp_write_greeting(void *to, ck_buffer *out);
bool ck_mcp_take_greeting(void *to, ck_bytes result, char why[CK_SERVICE_WHY_MAX]);
bool ck_mcp_greets_again(void *to, const ck_peer_answer *answer);

/* ---- roots.c ---- */
/* The result of roots/list. */
void ck_mcp_write_roots(ck_json_writer *w, const ck_mcp_server *self);
/* Answers roots/list. */
void ck_mcp_reply_roots(ck_mcp_server *self, ck_bytes id);

/* ---- input.c: what a server wants of this client in the midst of a call ---- */
/* Whether a person or a model is asked on its behalf by this method. */
bool ck_mcp_can_wish(const ck_mcp_server *self, ck_bytes method);
/* NULL: what it asks was offered to it; else in which way it was not, for behind the method; "". */
const char *ck_mcp_not_offered(const ck_mcp_server *self, ck_bytes method, ck_bytes params);
/* The result says that it wants something: the run ends with that, or with an error. */
void ck_mcp_take_wanted(ck_effect_run *run, ck_bytes result);
/* The members of tools/call that answer it. */
void ck_mcp_put_responses(ck_json_writer *w, const ck_effect_run *run);

/* ---- parked.c: the same of an older server, which asks and keeps its call waiting ---- */
/* Its request, of a person or a model: answered, refused, or the outcome of the call that it is
 * asked in, which is parked. */
void ck_mcp_take_wish(ck_mcp_server *self, const ck_rpc_message *message);
/* A call that brings answers, with run->call as it would be sent: they are given to the call that
 * waits for them. False: it is to be made anew.
 */
bool ck_mcp_go_on(ck_effect_run *run);
void ck_mcp_clear_parked(ck_mcp_server *self);

/* ---- changes.c: a server's tools become others ---- */
/* Asks a newer server to tell; an older one does without. */
void ck_mcp_listen(ck_mcp_server *self);
/* It has told. */
void ck_mcp_note_changes(ck_mcp_server *self);
/* The outcome of a call, which says whether they have changed. NULL: no memory for it. */
void ck_mcp_deliver(ck_effect_run *run, ck_outcome *outcome);

/* ---- error.c ---- */
/* Ends the call, later, with an error that is reported to the model; a probe becomes UNKNOWN. */
void ck_mcp_report_error(ck_effect_run *run, const char *text);

/* ---- content.c ---- */
/* A block of the list has bytes as base64: an image, audio, a resource. */
bool ck_mcp_has_bytes(ck_bytes content);
/* A list of texts and images; a file is one of type "image" here, by its bytes it is told apart.
 * Other bytes are left out, and said to be. `structured` follows as a text; no bytes: none. */
void ck_mcp_write_parts(ck_json_writer *w, ck_bytes content, ck_bytes structured);

/* ---- same.c ---- */
/* Checked JSON. False also when finding out would take too long. */
bool ck_mcp_is_same(ck_bytes a, ck_bytes b);

/* ---- result.c ---- */
/* The result of tools/call as an outcome. CK_E_PARSE: it is malformed. */
CK_CHECKED ck_status ck_mcp_read_result(ck_outcome **out, ck_bytes result, ck_error *err);
/* Appends the tools of a page of tools/list, with commas between them; `*next` is the cursor of the
 * next page (JSON), no bytes on the last. CK_E_PARSE: the page is malformed. */
CK_CHECKED ck_status ck_mcp_read_page(ck_buffer *tools, ck_bytes *next, ck_bytes result,
                                      ck_error *err);
/* The parameters of tools/call. CK_E_TYPE: the arguments are no object. */
CK_CHECKED ck_status ck_mcp_write_call(ck_buffer *out, const ck_effect_run *run, ck_error *err);
/* The result of a probe as the effect's outcome: OK, ABSENT, or UNKNOWN without a clear answer.
 * CK_E_PARSE: it is malformed. */
CK_CHECKED ck_status ck_mcp_read_probe(ck_outcome **out, ck_bytes result, ck_error *err);

#endif
