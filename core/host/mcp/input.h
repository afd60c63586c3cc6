/* input.h - what a client of `ckrun mcp` writes on standard input, line by line, with a look ahead:
 * a request that it takes back (notifications/cancelled) is known while it is carried out. */
#ifndef CK_HOST_MCP_INPUT_H
#define CK_HOST_MCP_INPUT_H

#include "core/base/buffer.h"
#include "core/base/error.h"

enum {
  CK_MCP_TAKEN_BACK_MAX = 64, /* requests at once; what else is taken back is carried out */
  CK_MCP_ID_MAX = 128         /* bytes of the id of such a one */
};

/* Zero-initialise. */
typedef struct ck_mcp_input {
  int fd;
  ck_buffer text;
  size_t at;     /* of `text`: where the next line begins */
  size_t seen;   /* of `text`: the lines before were looked at for what they take back */
  bool skipping; /* the rest of a line that is too long */
  char taken_back[CK_MCP_TAKEN_BACK_MAX][CK_MCP_ID_MAX + 1];
  size_t count;
} ck_mcp_input;

typedef enum { CK_MCP_INPUT_NONE, CK_MCP_INPUT_LINE, CK_MCP_INPUT_OVERSIZE } ck_mcp_input_found;

void ck_mcp_input_clear(ck_mcp_input *self);
/* Reads once, and waits until it can. *more is false at the end. CK_E_IO. */
CK_CHECKED ck_status ck_mcp_input_read(bool *more, ck_mcp_input *self, ck_error *err);
/* The next whole line replaces what `line` holds. OVERSIZE, once: it has more bytes than
 * CK_MCP_LINE_MAX, and is passed over. */
ck_mcp_input_found ck_mcp_input_next(ck_buffer *line, ck_mcp_input *self);
/* Whether a line behind the last one takes back the request with this id (JSON). Reads what is
 * there, up to a megabyte ahead, and waits for nothing. */
bool ck_mcp_input_takes_back(ck_mcp_input *self, ck_bytes id);

#endif
