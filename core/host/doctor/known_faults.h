/* known_faults.h - versions of libraries with faults that are known and matter here. */
#ifndef CK_HOST_DOCTOR_KNOWN_FAULTS_H
#define CK_HOST_DOCTOR_KNOWN_FAULTS_H

#include "core/host/doctor/findings.h"

/* Adds the faults of that version of "SQLite" or "Lua"; of `version` its first three numbers count,
 * and a text without three has none. They are only to be known (CK_OK): a distribution mends faults
 * without another number. */
void ck_known_faults_add(ck_findings *to, const char *library, const char *version);

#endif
