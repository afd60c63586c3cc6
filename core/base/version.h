/* version.h - which ckrun this is. */
#ifndef CK_BASE_VERSION_H
#define CK_BASE_VERSION_H

/* Of the header that a program is compiled with. */
#define CK_VERSION "0.1.0"

/* Of the library that it runs with. */
const char *ck_version(void);

#endif
