/* failure.c - what a client of `ckrun mcp` is told of a failure. */
#include "core/host/mcp/failure.h"

void ck_mcp_append_failure(ck_buffer *out, const ck_mcp *self, const ck_error *failure) {
  size_t before = out->len;
  ck_error ignored = CK_ERROR_INIT;
  if (ck_redactor_apply_text(out, self->host->output->redactor, CK_SINK_EXPORT,
                             ck_bytes_text(failure->text), &ignored) == CK_OK)
    return;
  out->len = before;
  ck_buffer_append_text(out, ck_status_text(failure->status));
}
