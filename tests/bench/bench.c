/* bench.c - runs every group of figures, prints the table, writes build/bench.json. */
#include "tests/bench/bench.h"

#include <cjson/cJSON.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FIGURES_MAX = 320 };
static figure figures[FIGURES_MAX];
static size_t figure_count;
static char folder[256];

void bench_die(const char *format, ...) {
  va_list args;
  va_start(args, format);
  fputs("bench: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  exit(1);
}

double bench_now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double bench_percentile(double *samples, size_t count, double percent) {
  qsort(samples, count, sizeof *samples, compare);
  size_t index = (size_t)((double)(count - 1) * percent / 100.0 + 0.5);
  return samples[index];
}

const char *bench_path(const char *name) {
  static char paths[4][512];
  static unsigned next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

double bench_floor_once(void) {
  static int fd = -1;
  static char page[16384];
  if (fd < 0) {
    fd = open(bench_path("floor"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    for (int i = 0; fd >= 0 && i < 256; i++)
      if (pwrite(fd, page, sizeof page, i * (off_t)sizeof page) < 0)
        bench_die("floor: write failed");
    if (fd < 0 || fsync(fd) != 0) bench_die("floor: cannot prepare");
  }
  static unsigned round;
  memset(page, (int)round, sizeof page);
  double begun = bench_now_us();
  if (pwrite(fd, page, sizeof page, (off_t)(round++ % 256) * (off_t)sizeof page) < 0 ||
      fdatasync(fd) != 0)
    bench_die("floor: write failed");
  return bench_now_us() - begun;
}

ck_value *bench_prose(size_t len, unsigned seed) {
  static const char *const words[] = {
      "the ",     "agent ",       "read ",     "a ",         "file ",    "and ",      "found ",
      "that ",    "reservation ", "was ",      "changed ",   "because ", "customer ", "asked ",
      "for ",     "another ",     "flight ",   "on ",        "Monday ",  "morning ",  "while ",
      "payment ", "method ",      "remained ", "valid ",     "until ",   "policy ",   "allows ",
      "refund ",  "within ",      "hours ",    "of ",        "booking ", "it ",       "then ",
      "called ",  "tool ",        "with ",     "arguments ", "to ",      "confirm ",  "new ",
      "price ",   "before "};
  ck_buffer text = {0}, json = {0};
  ck_error err;
  ck_value *value;
  unsigned state = seed * 2654435761u + 12345u;
  while (text.len < len) {
    state = state * 1664525u + 1013904223u;
    if ((state >> 28) == 0)
      ck_buffer_append_format(&text, "%u ", state >> 8);
    else
      ck_buffer_append_text(&text, words[(state >> 16) % (sizeof words / sizeof *words)]);
  }
  text.len = len;
  ck_json_append_string(&json, ck_buffer_bytes(&text));
  if (ck_value_from(&value, &json, &err) != CK_OK) bench_die("prose: %s", err.text);
  ck_buffer_clear(&text);
  ck_buffer_clear(&json);
  return value;
}

static void put(ck_session *session, const char *key, ck_value *value) {
  ck_error err;
  if (ck_session_put(session, key, value, &err) != CK_OK) bench_die("put: %s", err.text);
  ck_value_free(value);
}

void bench_fill_state(ck_session *session, size_t bytes) {
  char key[64];
  size_t keys = bytes / 1024 ? bytes / 1024 : 1;
  for (size_t i = 0; i < keys; i++) {
    snprintf(key, sizeof key, "memory.key%zu", i);
    put(session, key, bench_prose(bytes / keys - 20, (unsigned)i));
  }
}

/* Made once: what is measured is ckrun, not the making of texts. */
const ck_value *bench_message_body(unsigned number) {
  enum { MESSAGES = 64 };
  static ck_value *made[MESSAGES];
  ck_value **slot = &made[number % MESSAGES];
  if (*slot) return *slot;
  ck_error err;
  ck_buffer body = {0};
  ck_value *prose = bench_prose(2000, number);
  ck_json_writer w = {.out = &body};
  ck_json_begin(&w, '{');
  ck_json_name(&w, "message");
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "role", "assistant");
  ck_json_member_raw(&w, "content", ck_value_bytes(prose));
  ck_json_end(&w, '}');
  ck_json_end(&w, '}');
  if (ck_value_from(slot, &body, &err) != CK_OK) bench_die("message: %s", err.text);
  ck_value_free(prose);
  ck_buffer_clear(&body);
  return *slot;
}

static void append_message(ck_session *session, unsigned number) {
  ck_error err;
  if (ck_session_append(session, CK_EVENT_MESSAGE, NULL, "writer", bench_message_body(number),
                        &err) != CK_OK)
    bench_die("step: %s", err.text);
}

void bench_message(ck_session *session, unsigned number) {
  uint64_t ticket;
  ck_error err;
  append_message(session, number);
  if (ck_session_push(&ticket, session, CK_DURABLE_PROCESS, &err) != CK_OK)
    bench_die("step: %s", err.text);
}

ck_saved bench_boundary(ck_session *session, unsigned number) {
  ck_error err;
  ck_saved saved;
  char text[128];
  ck_value *small;
  snprintf(text, sizeof text, "{\"step\":%u,\"note\":\"the small change of this step\"}", number);
  if (ck_value_new(&small, ck_bytes_text(text), &err) != CK_OK) bench_die("step: %s", err.text);
  put(session, "memory.small", small);
  if (ck_session_boundary(&saved, session, &(ck_boundary){.kind = CK_BOUNDARY_TOOL_ROUND}, &err) !=
      CK_OK)
    bench_die("boundary: %s", err.text);
  return saved;
}

ck_saved bench_step(ck_session *session, unsigned number) {
  append_message(session, number);
  return bench_boundary(session, number);
}

static double ratio_of(const figure *row) { return row->floor > 0 ? row->value / row->floor : 0; }

static bool is_ok(const figure *row) {
  double held = row->above_floor                ? row->value - row->floor
                : row->floor > 0 && !row->whole ? ratio_of(row)
                                                : row->value;
  return !row->compared || (row->at_least ? held >= row->target : held <= row->target);
}

void bench_add(figure row) {
  if (figure_count == FIGURES_MAX) bench_die("too many figures");
  figures[figure_count++] = row;
  char ratio[32] = "", target[48] = "";
  if (row.floor > 0) snprintf(ratio, sizeof ratio, "%.2f", ratio_of(&row));
  if (row.compared)
    snprintf(target, sizeof target, "%s %s%.4g",
             row.at_least ? ">=" : "<=", row.above_floor ? "+" : "", row.target);
  printf("%-66s %12.2f %-8s %10.2f %8s %10s  %s\n", row.name, row.value, row.unit, row.floor, ratio,
         target,
         !row.compared ? ""
         : is_ok(&row) ? "ok"
                       : "MISSED");
  if (row.max > 0) printf("    %.2f to %.2f in the repeats\n", row.min, row.max);
  fflush(stdout);
}

static void write_json(void) {
  cJSON *list = cJSON_CreateArray();
  for (size_t i = 0; i < figure_count; i++) {
    cJSON *row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "name", figures[i].name);
    cJSON_AddNumberToObject(row, "value", figures[i].value);
    cJSON_AddStringToObject(row, "unit", figures[i].unit);
    cJSON_AddNumberToObject(row, "floor", figures[i].floor);
    cJSON_AddNumberToObject(row, "ratio", ratio_of(&figures[i]));
    if (figures[i].max > 0) cJSON_AddNumberToObject(row, "min", figures[i].min);
    if (figures[i].max > 0) cJSON_AddNumberToObject(row, "max", figures[i].max);
    if (figures[i].compared)
      cJSON_AddNumberToObject(row, "target", figures[i].target);
    else
      cJSON_AddNullToObject(row, "target");
    cJSON_AddBoolToObject(row, "ok", is_ok(&figures[i]));
    cJSON_AddItemToArray(list, row);
  }
  char *text = cJSON_Print(list);
  FILE *file = fopen("build/bench.json", "w");
  if (!file || !text || fputs(text, file) < 0 || fclose(file) != 0)
    bench_die("cannot write build/bench.json");
  cJSON_free(text);
  cJSON_Delete(list);
}

int main(int argc, char **argv) {
  if (argc == 4 && strcmp(argv[1], "--idle") == 0) {
    bench_idle(argv[2], atoi(argv[3]));
    return 0;
  }
  if (argc == 5 && strcmp(argv[1], "--cold") == 0)
    return bench_read_cold(argv[2], argv[3], atoi(argv[4]));
  if (argc > 3 && strcmp(argv[1], "--measure") == 0)
    return bench_measure_command(atoi(argv[2]), argv + 3);
  if (argc > 3 && strcmp(argv[1], "--count") == 0)
    return bench_count_program(atoi(argv[2]), argc - 3, argv + 3);
  const char *base = getenv("CKRUN_BENCH_DIR");
  snprintf(folder, sizeof folder, "%s/bench-XXXXXX", base ? base : "build");
  if (!mkdtemp(folder)) bench_die("cannot make a folder under %s", base ? base : "build");
  printf("%-66s %12s %-8s %10s %8s %10s\n", "figure", "value", "unit", "floor", "ratio", "target");
  const char *only = argc > 1 ? argv[1] : "";
  if (!*only || strcmp(only, "checkpoints") == 0) bench_checkpoints();
  if (!*only || strcmp(only, "steps") == 0) bench_steps();
  if (strcmp(only, "parts") == 0 || (!*only && getenv("BENCH_PARTS"))) bench_parts();
  if (!*only || strcmp(only, "sessions") == 0) bench_sessions();
  if (!*only || strcmp(only, "postgres") == 0) bench_postgres();
  if (!*only || strcmp(only, "flows") == 0) bench_flows();
  if (!*only || strcmp(only, "sealed") == 0) bench_sealed();
  if (!*only || strcmp(only, "reads") == 0) bench_reads();
  if (!*only || strcmp(only, "prune") == 0) bench_prune();
  if (!*only || strcmp(only, "redact") == 0) bench_redact();
  if (!*only || strcmp(only, "answers") == 0) bench_answers();
  if (!*only || strcmp(only, "answers") == 0) bench_candidates();
  if (!*only || strcmp(only, "policies") == 0) bench_policies();
  if (!*only || strcmp(only, "program") == 0) bench_program();
  if (!*only || strcmp(only, "growth") == 0) bench_growth();
  if (!*only || strcmp(only, "list") == 0) bench_list();
  write_json();
  char command[512];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  if (system(command) != 0) fprintf(stderr, "bench: %s was not removed\n", folder);
  return 0;
}
