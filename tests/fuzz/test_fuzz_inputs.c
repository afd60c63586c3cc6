/* test_fuzz_inputs.c - every input that was kept goes through its fuzzing target once: no crash
 * that a fuzzer found comes back, whatever compiler is there. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"
#include "tests/tap.h"

#define FOLDER "tests/fuzz/corpus"
enum { NAME_MAX_SIZE = 256 };

static bool read_file(ck_buffer *out, const char *path) {
  FILE *file = fopen(path, "r");
  char chunk[4096];
  ck_buffer_reset(out);
  if (!file) return false;
  for (size_t n; (n = fread(chunk, 1, sizeof chunk, file)) > 0;) ck_buffer_append(out, chunk, n);
  fclose(file);
  return !out->failed;
}

/* In a child, which ends at the first input that breaks a promise: `at` then has its name. */
static void run_all(const fuzz_target *target, char *at) {
  struct dirent **list = NULL;
  ck_buffer bytes = {0};
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", FOLDER, target->name);
  int count = scandir(path, &list, NULL, alphasort);
  for (int i = 0; i < count; i++) {
    snprintf(at, NAME_MAX_SIZE, "%s", list[i]->d_name);
    snprintf(path, sizeof path, "%s/%s/%s", FOLDER, target->name, at);
    if (*at != '.') {
      fuzz_must(read_file(&bytes, path), "%s cannot be read", path);
      char *exact = fuzz_exact(ck_buffer_bytes(&bytes));
      target->run((ck_bytes){exact, bytes.len});
      free(exact);
    }
    free(list[i]);
  }
  free(list);
  ck_buffer_clear(&bytes);
  snprintf(at, NAME_MAX_SIZE, "the leak check behind the last one");
  exit(0);
}

static int count_inputs(const char *name) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", FOLDER, name);
  int count = 0;
  DIR *folder = opendir(path);
  while (folder) {
    struct dirent *entry = readdir(folder);
    if (!entry) break;
    count += *entry->d_name != '.';
  }
  if (folder) closedir(folder);
  return count;
}

int main(void) {
  char *at = mmap(NULL, NAME_MAX_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  tap_must(at != MAP_FAILED, "memory that a child shares");
  for (const fuzz_target *target = fuzz_targets; target->name; target++) {
    int count = count_inputs(target->name), ended = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) run_all(target, at);
    tap_must(child > 0 && waitpid(child, &ended, 0) == child, "a child");
    bool held = WIFEXITED(ended) && WEXITSTATUS(ended) == 0;
    tap_ok(held && count > 0, "%s: %d kept inputs break no promise%s%s", target->name, count,
           held ? "" : "; broken at ", held ? "" : at);
  }
  munmap(at, NAME_MAX_SIZE);
  return tap_done();
}
