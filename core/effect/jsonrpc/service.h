/* service.h - a peer that is started on first use, initialized as its protocol says, and started
 * again after it died, a few times. */
#ifndef CK_EFFECT_JSONRPC_SERVICE_H
#define CK_EFFECT_JSONRPC_SERVICE_H

#include "core/effect/jsonrpc/wire.h"
#include "core/effect/process/process.h"

enum { CK_SERVICE_START_MS = 60000, CK_SERVICE_STARTS_MAX = 4, CK_SERVICE_WHY_MAX = 512 };

/* Borrowed for the service's life. A limit of 0 is the one above, or the peer's. */
typedef struct ck_service_options {
  ck_loop *loop;
  const char *directory; /* where it runs; NULL: where this process is */
  const char *version;   /* of this program, for "initialize"; NULL: "0" */
  int64_t start_ms;      /* until it has answered "initialize" */
  int64_t kill_ms;
  size_t line_max;
  unsigned starts_max;
} ck_service_options;

/* The callbacks of a protocol. `to` is the service's. */
typedef struct ck_service_protocol {
  const char *noun; /* "MCP server" */
  /* The method of the first request; NULL: "initialize". */
  const char *(*greeting)(void *to);
  /* How long its answer is awaited, of `start_ms`; NULL: so long. */
  int64_t (*patience_ms)(void *to, int64_t start_ms);
  /* The parameters of the first request. */
  void (*write_initialize)(void *to, ck_buffer *out);
  /* Fills the wire to a peer whose process has a url. NULL: there is none such. */
  ck_status (*connect)(void *to, ck_wire *out, ck_error *err);
  /* The answer to it. False: the peer is unusable, and `why` says so; it is ended. */
  bool (*initialized)(void *to, ck_bytes result, char why[CK_SERVICE_WHY_MAX]);
  /* There was no answer, or none of use. True: another first request is to be made, of the peer,
   * or where it has ended, of another one. NULL: there is none. */
  bool (*greets_again)(void *to, const ck_peer_answer *answer);
  /* Requests can be sent from now on. */
  void (*ready)(void *to);
  /* A request or notification of the peer, which still runs. */
  void (*received)(void *to, const ck_rpc_message *message);
  /* The peer is gone; its pending requests were answered before. Requests that wait for a start
   * must end; with `why` NULL they wait on, because the peer is started again. */
  void (*lost)(void *to, const char *why);
} ck_service_protocol;

typedef struct ck_service {
  const ck_service_protocol *protocol;
  const ck_service_options *options;
  const ck_process *process;
  void *to;
  char *label;   /* "the MCP server 'x'" */
  ck_peer *peer; /* NULL: it does not run */
  bool ready;
  bool again; /* it was needed while it was ending */
  unsigned starts;
  ck_peer_call initialize;
} ck_service;

/* Starts nothing. `from` has protocol, options, process and to. */
CK_CHECKED ck_status ck_service_init(ck_service *out, const ck_service *from, ck_error *err);
/* Starts the peer if needed: `ready` or `lost` will be called. CK_E_UNAVAILABLE: it died too
 * often. */
CK_CHECKED ck_status ck_service_start(ck_service *self, ck_error *err);
/* The peer has forgotten this client: initializes it once more; `ready` or `lost` will be called.
 */
void ck_service_renew(ck_service *self);
/* Ends it; no callback is called any more. */
void ck_service_clear(ck_service *self);
/* Appends {"name", "version"} of this program as member `name`. */
void ck_service_write_client(ck_json_writer *w, const char *name,
                             const ck_service_options *options);

#endif
