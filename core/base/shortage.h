/* shortage.h - errors that say that there is no descriptor, process or memory to be had for now:
 * nothing is wrong with what was asked for, and it can be asked for again. */
#ifndef CK_BASE_SHORTAGE_H
#define CK_BASE_SHORTAGE_H

/* What is short, with the remedy; NULL: `error_number`, of errno(3), says something else. */
const char *ck_shortage_text(int error_number);
/* The same, or what strerror(3) says. */
const char *ck_errno_text(int error_number);

#endif
