/* exchange.h - one message to a server over HTTP, and what comes back. For the files http.c and
 * exchange*.c only. */
#ifndef CK_EFFECT_MCP_EXCHANGE_H
#define CK_EFFECT_MCP_EXCHANGE_H

#include "core/effect/http/sse.h"
#include "core/effect/mcp/http.h"
#include "core/effect/timer.h"

enum { CK_MCP_SESSION_MAX = 1024, CK_MCP_REVISION_MAX = 32, CK_MCP_METHOD_MAX = 64 };

typedef struct ck_mcp_exchange ck_mcp_exchange;

struct ck_mcp_http {
  ck_mcp_http_options options;
  char session[CK_MCP_SESSION_MAX]; /* "": the server gave none */
  unsigned sessions;                /* begun so far */
  char revision[CK_MCP_REVISION_MAX];
  ck_mcp_exchange *first, *last;
  bool stopped;
  ck_loop_task task; /* frees what is over, and tells the end */
};

struct ck_mcp_exchange {
  ck_mcp_http *http;
  ck_buffer line; /* the message */
  int64_t id;     /* of a request; 0: nothing is awaited */
  bool repeats;
  bool initializes;               /* its answer begins a session */
  bool opens;                     /* until it has ended no later message is sent */
  bool modern;                    /* it says all of itself, and its stream is not taken up again */
  char method[CK_MCP_METHOD_MAX]; /* "": an answer */
  ck_buffer name;                 /* what a tool is called in a header; "": none */
  bool begun;
  bool takes_up;                  /* the GET, in the place of the POST */
  bool stands;                    /* no message, but the stream that is there beside all calls */
  bool over;                      /* freed when nobody is at it */
  unsigned session;               /* the number of the one that it was sent in; 0: none */
  char given[CK_MCP_SESSION_MAX]; /* the session that its answer begins */
  int sendings;
  int take_ups, polls;      /* of a stream that broke off, or was closed, without anything new */
  unsigned messages;        /* that came, of a stream that stands, since it was opened */
  ck_http_request *request; /* NULL: none is under way */
  ck_timer *timer;
  enum { CK_MCP_BODY_OTHER, CK_MCP_BODY_JSON, CK_MCP_BODY_EVENTS } type;
  int code;         /* of the head that came with the body */
  int64_t after_ms; /* as Retry-After has it; -1: it was not given */
  ck_buffer inbox;  /* came, and is not read yet; of no stream of events: the body */
  ck_sse sse;
  ck_buffer problem; /* what came is no message */
  ck_loop_task task; /* reads */
  ck_mcp_exchange *next, *previous;
};

/* ---- exchange.c ---- */
CK_CHECKED ck_status ck_mcp_exchange_new(ck_mcp_exchange **out, ck_mcp_http *http,
                                         const ck_wire_message *message, ck_error *err);
CK_CHECKED ck_status ck_mcp_exchange_begin(ck_mcp_exchange *self, ck_error *err);
/* Drops what is under way. */
void ck_mcp_exchange_free(ck_mcp_exchange *self);
/* Nothing of it is wanted any more. */
void ck_mcp_exchange_end(ck_mcp_exchange *self);
/* The server's answer to "initialize" is about to be read: what is sent from now on is of its
 * session. */
void ck_mcp_exchange_begin_session(ck_mcp_exchange *self, int code);
/* Reads what came. */
void ck_mcp_exchange_read(ck_mcp_exchange *self);
/* Sends it once more, or takes its stream up again, after a while. */
void ck_mcp_exchange_again(ck_mcp_exchange *self, int64_t wait_ms);

/* ---- exchange_end.c ---- */
/* The request has ended, and what came was read: answers, goes on, or loses the call. */
void ck_mcp_exchange_settle(ck_mcp_exchange *self, const ck_http_end *end);
/* What came on a stream that stands is no message, or too much: it is opened anew after a while. */
void ck_mcp_exchange_reopen(ck_mcp_exchange *self);
/* Ends it, and tells a call that waits. */
void ck_mcp_exchange_lose(ck_mcp_exchange *self, ck_peer_arrival arrival, const char *why);

/* ---- http.c ---- */
/* Sends what waited for another message. */
void ck_mcp_http_go_on(ck_mcp_http *self);
/* Frees, later, what is over. */
void ck_mcp_http_tidy(ck_mcp_http *self);
/* Makes a request of `options.method` (NULL: POST) to the server, with the headers of `of`. */
CK_CHECKED ck_status ck_mcp_http_request(ck_http_request **out, const ck_mcp_exchange *of,
                                         ck_http_options options, ck_error *err);

#endif
