/* known_faults.c - the table of known faults. */
#include "core/host/doctor/known_faults.h"

#include <stdio.h>
#include <string.h>

typedef struct fault {
  const char *library, *package;
  int from, mended; /* of the first version that has it, and of the first that does not */
  int backports[2]; /* mended in these, and in what follows them with the same second number */
  const char *text;
} fault;

#define VERSION(a, b, c) ((a)*1000000 + (b)*1000 + (c))

/* sqlite.org/wal.html#walresetbug; the others by their CVE. */
static const fault faults[] = {
    {"SQLite",
     "libsqlite3-0",
     VERSION(3, 7, 0),
     VERSION(3, 51, 3),
     {VERSION(3, 44, 6), VERSION(3, 50, 7)},
     "when two programs write at the same instant as the write-ahead log begins anew, the database "
     "can be damaged (WAL-reset bug); processes of ckrun take turns at that: let no other program "
     "write the store"},
    {"SQLite",
     "libsqlite3-0",
     VERSION(3, 0, 0),
     VERSION(3, 39, 2),
     {0, 0},
     "texts of gigabytes overflow an array (CVE-2022-35737)"},
    {"Lua",
     "liblua5.4-0",
     VERSION(5, 4, 0),
     VERSION(5, 4, 4),
     {0, 0},
     "a script can make the compiler read behind a buffer (CVE-2022-28805): run no policies and "
     "flows of others"},
    {"Lua",
     "liblua5.4-0",
     VERSION(5, 4, 0),
     VERSION(5, 4, 5),
     {0, 0},
     "errors within errors can write behind a buffer (CVE-2022-33099): run no policies and flows "
     "of others"},
};

static bool has(const fault *of, int version) {
  if (version < of->from || version >= of->mended) return false;
  for (int i = 0; i < 2; i++)
    if (version >= of->backports[i] && version / 1000 == of->backports[i] / 1000) return false;
  return true;
}

void ck_known_faults_add(ck_findings *to, const char *library, const char *version) {
  int a, b, c;
  const char *digits = version + strcspn(version, "0123456789");
  if (sscanf(digits, "%4d.%3d.%3d", &a, &b, &c) != 3) return;
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    ck_buffer remedy = {0};
    if (strcmp(faults[i].library, library) != 0 || !has(&faults[i], VERSION(a, b, c))) continue;
    char subject[64];
    snprintf(subject, sizeof subject, "%s %d.%d.%d", library, a, b, c);
    ck_buffer_append_format(&remedy, "sudo apt-get install --only-upgrade %s", faults[i].package);
    ck_findings_add(to, "version", CK_OK, subject, &remedy,
                    "%s; a distribution may have mended it under the same number", faults[i].text);
  }
}
