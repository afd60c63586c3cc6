/* import.h - reads one file of a session that ran elsewhere through the Lua module for its format.
 *
 * A module is shipped under lua/ck/import/, or a file of the user's own; lua/ck/import.lua
 * describes how to write one. It runs in a VM of its own with the bounded library: its only input
 * is the file, its only output are facts. */
#ifndef CK_LUA_IMPORT_IMPORT_H
#define CK_LUA_IMPORT_IMPORT_H

#include "core/model/import.h"

enum {
  CK_IMPORT_FILE_MAX = 512 << 20, /* bytes of one file */
  CK_IMPORT_FORMAT_SIZE = 65,
  CK_IMPORT_PARTS_MAX = 1024 /* files beside one that belong to it */
};

/* `format`: NULL, the first shipped module that detects its format; a bare name, the shipped one;
 * a path, that file. *name is the module's own name for its format; set before the sink is called.
 * CK_E_NOT_FOUND, CK_E_IO, CK_E_OVERSIZE: the file. CK_E_UNSUPPORTED: no module detects it.
 * CK_E_USAGE: there is no such format. CK_E_PARSE: the module raised an error, or emitted nothing.
 * And the statuses of the sink. */
CK_CHECKED ck_status ck_import_read_file(char name[CK_IMPORT_FORMAT_SIZE], const char *path,
                                         const char *format, const ck_import_sink *sink,
                                         ck_error *err);

#endif
