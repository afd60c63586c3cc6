/* test_spill_power.c - a result names a long output once no loss of power takes that away: what of
 * its file, its folder and the folder's own name is synced is noted, and only that is there
 * afterwards. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/effect/process/spill.h"
#include "tests/tap.h"

/* ---- what a disk has ---- */

enum { NOTES_MAX = 256, NAMES_MAX = 16 };

/* Of a file how much, of a folder which names, when it was synced last. */
typedef struct note {
  ino_t inode;
  off_t bytes;
  char names[NAMES_MAX][256];
  size_t name_count;
} note;

static note notes[NOTES_MAX];
static size_t note_count;
static int fails_at; /* the sync that fails; 0: none */
static int syncs;

static note *find(ino_t inode) {
  for (size_t i = 0; i < note_count; i++)
    if (notes[i].inode == inode) return &notes[i];
  return NULL;
}

static void read_names(note *out, const char *path) {
  DIR *folder = opendir(path);
  tap_must(folder != NULL, "a folder can be read");
  out->name_count = 0;
  for (struct dirent *at; (at = readdir(folder));) {
    tap_must(out->name_count < NAMES_MAX, "there is room for its names");
    snprintf(out->names[out->name_count++], sizeof out->names[0], "%s", at->d_name);
  }
  closedir(folder);
}

/* In the place of the C library's. */
int fsync(int fd) {
  struct stat is;
  char path[64];
  if (++syncs == fails_at) {
    errno = EIO;
    return -1;
  }
  tap_must(fstat(fd, &is) == 0, "what is synced is there");
  note *to = find(is.st_ino);
  tap_must(to || note_count < NOTES_MAX, "there is room for notes");
  if (!to) to = &notes[note_count++];
  to->inode = is.st_ino;
  to->bytes = is.st_size;
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  if (S_ISDIR(is.st_mode)) read_names(to, path);
  return 0;
}

static bool is_named(const char *folder, const char *name) {
  struct stat is;
  const note *of = stat(folder, &is) == 0 ? find(is.st_ino) : NULL;
  for (size_t i = 0; of && i < of->name_count; i++)
    if (strcmp(of->names[i], name) == 0) return true;
  return false;
}

/* All of it, under its name, in its folder, which is in the folder that was there before. */
static bool is_on_disk(const char *base, const char *path) {
  struct stat is;
  char folder[400];
  snprintf(folder, sizeof folder, "%s", path);
  char *name = strrchr(folder, '/');
  *name++ = 0;
  const note *of = stat(path, &is) == 0 ? find(is.st_ino) : NULL;
  return of && of->bytes == is.st_size && is_named(folder, name) &&
         is_named(base, strrchr(folder, '/') + 1);
}

/* ---- long outputs ---- */

static ck_error err;
static ck_redactor *redactor;
static const uint8_t key[CK_SPILL_KEY] = "a key of a store";

static ck_spill *begin(const ck_shelf *shelf, bool sealed, unsigned attempt) {
  char effect_key[] = "session/effect";
  ck_spill *spill;
  ck_spill_location place = {
      .shelf = shelf, .session = "s", .redactor = redactor, .key = sealed ? key : NULL};
  ck_effect effect = {.key = effect_key, .attempt = attempt};
  tap_must(ck_spill_open(&spill, &place, &effect, "stdout", &err) == CK_OK, "a long output: %s",
           err.text);
  for (int i = 0; i < 3 * 1024; i++) {
    static char line[1024];
    memset(line, 'a' + i % 26, sizeof line - 1);
    line[sizeof line - 1] = '\n';
    ck_spill_append(spill, (ck_bytes){line, sizeof line});
  }
  return spill;
}

static char *open_shelf(ck_shelf *out, const char *name) {
  char *folder = NULL;
  tap_must(asprintf(&folder, "%s/%s.spill", tap_tmpdir(), name) > 0, "there is memory");
  tap_must(ck_shelf_open_folder(out, folder, &err) == CK_OK, "a folder: %s", err.text);
  return folder;
}

static void test_kept(const char *name, bool sealed) {
  ck_shelf shelf;
  char *folder = open_shelf(&shelf, name);
  for (unsigned attempt = 1; attempt <= 2; attempt++) {
    char *path;
    ck_status status = ck_spill_close(&path, begin(&shelf, sealed, 1), &err);
    tap_must(status == CK_OK, "it is kept: %s", err.text);
    tap_ok(is_on_disk(tap_tmpdir(), path), "%s: what a result names is on disk, at its start %u",
           name, attempt);
    free(path);
  }
  ck_shelf_close(&shelf);
  free(folder);
}

/* A sync that fails is not tried again: the result says that the output is lost. */
static void test_fails(void) {
  ck_shelf shelf;
  char *folder = open_shelf(&shelf, "fails"), *path;
  int tries = 0;
  ck_status status = CK_E_IO;
  while (status != CK_OK && tries++ < 20) {
    ck_spill *spill = begin(&shelf, false, (unsigned)tries);
    fails_at = (syncs = 0) + tries;
    status = ck_spill_close(&path, spill, &err);
    fails_at = 0;
    if (status == CK_OK) break;
    DIR *at = opendir(folder);
    int left = 0;
    for (struct dirent *file; at && (file = readdir(at));) left += file->d_name[0] != '.';
    if (at) closedir(at);
    tap_ok(status == CK_E_IO && !path && !left,
           "sync %d of an output fails: it is not named, and removed: %s", tries, err.text);
  }
  tap_is_status(status, CK_OK, &err, "with none that fails it is kept");
  tap_is_int(tries, 4, "file, folder and the folder's name are synced");
  free(path);
  ck_shelf_close(&shelf);
  free(folder);
}

int main(void) {
  tap_must(ck_redactor_new(&redactor, &err) == CK_OK, "a redactor: %s", err.text);
  test_kept("plain", false);
  test_kept("sealed", true);
  test_fails();
  ck_redactor_free(redactor);
  return tap_done();
}
