/* jsonrpc.h - messages of JSON-RPC 2.0: recognised, and written as one line each. */
#ifndef CK_EFFECT_JSONRPC_JSONRPC_H
#define CK_EFFECT_JSONRPC_JSONRPC_H

#include "core/base/json.h"

/* Codes of errors, from its section 5.1. */
enum {
  CK_RPC_PARSE_ERROR = -32700,
  CK_RPC_INVALID_REQUEST = -32600,
  CK_RPC_METHOD_NOT_FOUND = -32601,
  CK_RPC_INVALID_PARAMS = -32602,
  CK_RPC_INTERNAL_ERROR = -32603
};

typedef enum { CK_RPC_REQUEST, CK_RPC_NOTIFICATION, CK_RPC_ANSWER } ck_rpc_kind;

/* Spans of the text that was read; no bytes: absent. */
typedef struct ck_rpc_message {
  ck_rpc_kind kind;
  ck_bytes id;     /* of requests and answers: a number or a string, as it was written */
  ck_bytes method; /* a JSON string: compare with ck_json_is_text */
  ck_bytes params;
  ck_bytes result, error; /* an answer has one of the two */
} ck_rpc_message;

/* False when `object`, which ck_json_check accepted, is no such message. A missing "jsonrpc" is
 * forgiven. */
bool ck_rpc_read(ck_rpc_message *out, ck_bytes object);

/* Each appends one line with its newline. `params` and `result` are JSON; no bytes: no params, a
 * result of null. */
void ck_rpc_write_request(ck_buffer *out, int64_t id, const char *method, ck_bytes params);
void ck_rpc_write_notification(ck_buffer *out, const char *method, ck_bytes params);
void ck_rpc_write_result(ck_buffer *out, ck_bytes id, ck_bytes result);
void ck_rpc_write_error(ck_buffer *out, ck_bytes id, int code, const char *message);
/* The same with the error's data, which is JSON; no bytes: it has none. */
void ck_rpc_write_error_data(ck_buffer *out, ck_bytes id, int code, const char *message,
                             ck_bytes data);

#endif
