/* report_page.h - the page as a file of its own: index.html with all that it loads put in. */
#ifndef CK_HOST_UI_REPORT_PAGE_H
#define CK_HOST_UI_REPORT_PAGE_H

#include "core/base/error.h"
#include "core/base/buffer.h"

/* `recorded`: JSON without a "<", what the page would be answered. */
CK_CHECKED ck_status ck_ui_report_page_write(ck_buffer *out, ck_bytes recorded, ck_error *err);

#endif
