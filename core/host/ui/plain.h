/* plain.h - serves texts of this process over HTTP: metrics, and whether it is well. */
#ifndef CK_HOST_UI_PLAIN_H
#define CK_HOST_UI_PLAIN_H

#include "core/base/buffer.h"
#include "core/host/ui/listen.h"

typedef struct ck_ui_plain ck_ui_plain;

typedef struct ck_ui_plain_answer {
  unsigned status; /* 200, 404, 503, …; 404 unless set */
  const char *type;
  ck_buffer text;
} ck_ui_plain_answer;
/* Called in another thread. */
typedef void (*ck_ui_plain_respond)(ck_ui_plain_answer *out, void *to, const char *path);

/* Starts to answer GET. Borrows `at` and `to`. CK_E_UNSUPPORTED as of ck_ui_server_start. */
CK_CHECKED ck_status ck_ui_plain_start(ck_ui_plain **out, const ck_ui_listen *at,
                                       ck_ui_plain_respond respond, void *to, ck_error *err);
void ck_ui_plain_stop(ck_ui_plain *self);

#endif
