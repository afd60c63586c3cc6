/* files.c - modes and owners by stat, room by statvfs. */
#include "core/host/doctor/files.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/host/session/next_command.h"

static void add_mode(ck_findings *to, const char *path, const struct stat *file, const char *change,
                     const char *text) {
  ck_buffer remedy = {0};
  ck_buffer_append_format(&remedy, "chmod %s", change);
  ck_next_command_append_option(&remedy, "--", path);
  ck_findings_add(to, "permission", CK_E_REFUSED, path, &remedy, "%s (mode %04o)", text,
                  (unsigned)file->st_mode & 07777);
}

static void add_owner(ck_findings *to, const char *path, const struct stat *file) {
  ck_buffer remedy = {0};
  ck_buffer_append_text(&remedy, "sudo chown \"$(id -un)\"");
  ck_next_command_append_option(&remedy, "--", path);
  ck_findings_add(to, "permission", CK_E_REFUSED, path, &remedy,
                  "it belongs to another user (uid %lu)", (unsigned long)file->st_uid);
}

/* What holds private conversations, or opens them. */
static void check_private(ck_findings *to, const char *path) {
  struct stat file;
  if (stat(path, &file) != 0) return;
  if (file.st_uid != geteuid()) add_owner(to, path, &file);
  if (!(file.st_mode & 077)) return;
  bool writes = file.st_mode & 022;
  add_mode(to, path, &file, S_ISDIR(file.st_mode) ? "700" : "600",
           writes ? "other users can write it" : "other users can read it");
}

/* Who can write a folder can put other files in the place of those in it; not where only owners may
 * (the sticky bit). */
static void check_folder(ck_findings *to, const char *path) {
  struct stat file;
  char folder[PATH_MAX];
  snprintf(folder, sizeof folder, "%s", path);
  char *slash = strrchr(folder, '/');
  if (!slash) return;
  *(slash == folder ? slash + 1 : slash) = '\0';
  if (stat(folder, &file) == 0 && file.st_mode & 022 && !(file.st_mode & S_ISVTX))
    add_mode(to, folder, &file, "go-w", "other users can exchange the files in it");
}

void ck_doctor_check_store_files(ck_findings *to, const char *store_path) {
  static const char *const ends[] = {"", "-wal", "-shm", ".lock", ".sessions", ".spill"};
  char path[PATH_MAX];
  struct stat file;
  check_folder(to, store_path);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    snprintf(path, sizeof path, "%s%s", store_path, ends[i]);
    check_private(to, path);
  }
  snprintf(path, sizeof path, "%s.new", store_path);
  if (stat(path, &file) != 0 || stat(store_path, &file) != 0) return;
  ck_buffer remedy = {0};
  ck_buffer_append_text(&remedy, "rm");
  ck_next_command_append_option(&remedy, "--", path);
  ck_findings_add(to, "file", CK_E_PENDING, path, &remedy,
                  "left behind by a process that was killed while it made the store");
}

void ck_doctor_check_key_file(ck_findings *to, const char *key_ref) {
  static const char scheme[] = "file:";
  if (!key_ref || strncmp(key_ref, scheme, sizeof scheme - 1) != 0) return;
  check_private(to, key_ref + sizeof scheme - 1);
  check_folder(to, key_ref + sizeof scheme - 1);
}

void ck_doctor_check_script(ck_findings *to, const char *path) {
  struct stat file;
  if (stat(path, &file) != 0) return;
  if (file.st_uid != geteuid() && file.st_uid != 0) add_owner(to, path, &file);
  if (file.st_mode & 022)
    add_mode(to, path, &file, "go-w", "other users can write it, and it is run");
}

void ck_doctor_check_space(ck_findings *to, int64_t *free_bytes, const char *store_path,
                           int64_t needed, ck_buffer *prune) {
  struct statvfs room;
  char folder[PATH_MAX];
  *free_bytes = -1;
  snprintf(folder, sizeof folder, "%s", store_path);
  char *slash = strrchr(folder, '/');
  if (slash) *(slash == folder ? slash + 1 : slash) = '\0';
  if (statvfs(slash ? folder : ".", &room) != 0) return;
  *free_bytes = (int64_t)room.f_bavail * (int64_t)room.f_frsize;
  if (*free_bytes >= needed) return;
  if (!prune->len) {
    ck_buffer_append_text(prune, "du -axh");
    ck_next_command_append_option(prune, "--", slash ? folder : ".");
  }
  ck_findings_add(
      to, "space", CK_E_FULL, slash ? folder : ".", prune,
      "%lld MiB are free where %lld MiB should be; a store that cannot be written stops "
      "its sessions",
      (long long)(*free_bytes >> 20), (long long)(needed >> 20));
}
