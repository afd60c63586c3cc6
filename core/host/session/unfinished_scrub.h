/* unfinished_scrub.h - tells of a scrub that was begun and did not come to its end. */
#ifndef CK_HOST_SESSION_UNFINISHED_SCRUB_H
#define CK_HOST_SESSION_UNFINISHED_SCRUB_H

#include "core/host/print/output.h"
#include "core/store/store.h"

/* Appends a sentence that says since when and what to do; nothing: there is none. Only the same
 * call can end it, because what it looks for is kept nowhere. */
CK_CHECKED ck_status ck_scrub_unfinished_append(ck_buffer *out, ck_store *store, ck_error *err);
/* The same as a notice. */
CK_CHECKED ck_status ck_scrub_unfinished_tell(ck_output *output, ck_store *store, ck_error *err);

#endif
