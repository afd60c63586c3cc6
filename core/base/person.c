/* person.c - the account of this process, and the machine's name. */
#include "core/base/person.h"

#include <pwd.h>
#include <stdio.h>
#include <unistd.h>

enum { HOST_SIZE = 256, ACCOUNT_SIZE = 4096 };

void ck_person_write(ck_json_writer *w, const char *via) {
  char room[ACCOUNT_SIZE], number[32], host[HOST_SIZE] = "";
  struct passwd entry, *found = NULL;
  uid_t uid = getuid();
  snprintf(number, sizeof number, "%lu", (unsigned long)uid);
  bool named = getpwuid_r(uid, &entry, room, sizeof room, &found) == 0 && found;
  ck_json_member_text(w, "user", named ? entry.pw_name : number);
  gethostname(host, sizeof host - 1);
  ck_json_member_text(w, "host", host);
  ck_json_member_text(w, "via", via);
}

void ck_person_append(ck_buffer *out, ck_bytes person) {
  ck_bytes via = ck_json_get(person, "via");
  ck_json_read_string(out, ck_json_get(person, "user"));
  ck_buffer_append_text(out, " on ");
  ck_json_read_string(out, ck_json_get(person, "host"));
  if (via.len) ck_buffer_append_text(out, ", ");
  ck_json_read_string(out, via);
}
