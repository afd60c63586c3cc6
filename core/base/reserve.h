/* reserve.h - memory that the process keeps back for its sessions, so that one that finds no more
 * can be left well: its outcomes recorded, its status written.
 *
 * Address space only: no page of it is touched while it is kept. It belongs to the process; any
 * thread may use it. */
#ifndef CK_BASE_RESERVE_H
#define CK_BASE_RESERVE_H

#include <stdbool.h>

#include "core/base/error.h"

enum {
  CK_RESERVE_SIZE = 4 << 20,  /* bytes kept back */
  CK_RESERVE_PROBE = 1 << 20, /* bytes that must be there beside it, or memory is short */
};

/* As many drops as holds give it back. A reserve that was used is made anew. CK_E_NO_MEMORY: there
 * is none to keep back; nothing is held then. */
CK_CHECKED ck_status ck_reserve_hold(ck_error *err);
void ck_reserve_drop(void);

/* After an allocation failed: what is kept back can be allocated now. False: there was nothing to
 * give, so trying again is in vain. */
bool ck_reserve_use(void);

/* True: the reserve was used since the last hold, or hardly anything is left beside it; it is used
 * then. Without a holder: false. */
bool ck_reserve_is_used(void);

#endif
