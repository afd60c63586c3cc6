/* hands.c - who could have changed the files of a store: one that others can write is refused. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/store/sqlite/hands.h"

/* A group with its owner's number is the owner's own group, whatever the umask left of its bits. */
static bool others_write(const struct stat *info) {
  bool group = (info->st_mode & S_IWGRP) && info->st_gid != info->st_uid;
  return group || (info->st_mode & S_IWOTH);
}

static bool is_foreign(const struct stat *info) {
  return info->st_uid != geteuid() && info->st_uid != 0;
}

static ck_status writable(const char *what, const char *path, const struct stat *info,
                          ck_error *err) {
  return ck_error_set(err, CK_E_REFUSED,
                      "%s %s can be written by others (mode %04o): what is in it may be theirs; if "
                      "it is yours, chmod go-w it",
                      what, path, (unsigned)info->st_mode & 07777);
}

/* Whoever owns a file may let himself write it. */
static ck_status check_file(const char *path, ck_error *err) {
  struct stat info;
  if (lstat(path, &info) != 0) return CK_OK; /* what is there but out of reach cannot be opened */
  if (is_foreign(&info))
    return ck_error_set(err, CK_E_REFUSED,
                        "%s belongs to another user (uid %u), who can write it: run ckrun as that "
                        "user, or chown it, if what is in it is yours",
                        path, (unsigned)info.st_uid);
  if (S_ISLNK(info.st_mode) || !others_write(&info)) return CK_OK;
  return writable(S_ISDIR(info.st_mode) ? "the folder" : "the file", path, &info, err);
}

/* Its owner can put another file in the store's place; the mode 1777 lets nobody but the owner of a
 * file do so. Root works in the folders of others, in containers above all. */
static ck_status check_folder(const char *folder, ck_error *err) {
  struct stat info;
  if (stat(folder, &info) != 0) return CK_OK;
  bool sticky = info.st_mode & S_ISVTX;
  if (is_foreign(&info) && geteuid() != 0)
    return ck_error_set(err, CK_E_REFUSED,
                        "the folder %s belongs to another user (uid %u), who can put another store "
                        "in the place of yours: keep the store in a folder of your own",
                        folder, (unsigned)info.st_uid);
  return others_write(&info) && !sticky ? writable("the folder", folder, &info, err) : CK_OK;
}

static ck_status check_beside(const char *path, const char *end, ck_error *err) {
  char *beside = NULL;
  if (asprintf(&beside, "%s%s", path, end) < 0) return ck_error_no_memory(err);
  ck_status status = check_file(beside, err);
  free(beside);
  return status;
}

ck_status ck_sqlite_check_hands(const char *path, ck_error *err) {
  static const char *const ends[] = {"", "-wal", "-shm", ".lock", ".sessions", ".spill"};
  char *folder = strdup(path);
  if (!folder) return ck_error_no_memory(err);
  char *slash = strrchr(folder, '/');
  if (slash) slash[slash == folder] = '\0';
  ck_status status = check_folder(slash ? folder : ".", err);
  free(folder);
  for (size_t i = 0; i < sizeof ends / sizeof *ends && status == CK_OK; i++)
    status = check_beside(path, ends[i], err);
  if (status == CK_E_REFUSED) ck_error_prefix(err, "store %s is refused", path);
  return status;
}
