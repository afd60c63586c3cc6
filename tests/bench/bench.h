/* bench.h - figures: measured, held against a floor of the same run and a target, printed and
 * written as JSON. */
#ifndef CK_TESTS_BENCH_BENCH_H
#define CK_TESTS_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/runtime/session/session.h"

/* One row. `value` is in `unit`; the ratio value / floor (or the value itself when floor is 0) is
 * held against `target`. */
typedef struct figure {
  char name[96];
  double value;
  const char *unit;
  double floor;  /* 0: none */
  double target; /* most it may be; with `at_least`, least */
  bool at_least;
  bool compared;    /* false: shown for comparison only, always ok */
  bool above_floor; /* value - floor is held against `target` */
  bool whole;       /* the value itself is, though there is a floor */
  double min, max;  /* of the repeats whose median `value` is; both 0: there are none */
} figure;

void bench_add(figure row);
/* Samples in microseconds, sorted in place. */
double bench_percentile(double *samples, size_t count, double percent);
double bench_now_us(void);
/* Ends the program with the message: a figure that cannot be measured must not be missing in
 * silence. */
void bench_die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
/* "<folder of the measured disk>/name", in a buffer of its own until the next four calls. */
const char *bench_path(const char *name);
/* A text of `len` bytes of English-like prose, different for each `seed`; as a JSON string. Caller
 * frees the value. */
ck_value *bench_prose(size_t len, unsigned seed);
/* The calibration: overwrites 16 KiB of allocated blocks and syncs them; microseconds. */
double bench_floor_once(void);
/* A state of about `bytes` in values of 1 KiB (at least one key). */
void bench_fill_state(ck_session *session, size_t bytes);
/* The standard workload, in its two halves: a message of 2 KB is recorded (and committed, as a
 * flow's outcomes are); then one small key changes and a boundary is reached. */
void bench_message(ck_session *session, unsigned number);
ck_saved bench_boundary(ck_session *session, unsigned number);
/* Both in one go, and so in one transaction. */
ck_saved bench_step(ck_session *session, unsigned number);
/* The body of that message's event; of one thread until each number below 64 was asked for. */
const ck_value *bench_message_body(unsigned number);

/* `ckrun run` of so many steps in a new store, each with a message of 2 KB, one small change and a
 * durable checkpoint; 0: it only fills the state. */
enum { BENCH_STEPS = 200 };
typedef struct bench_step_command {
  char program[512], store[600], flow[600], profile[600];
  char *argv[8];
} bench_step_command;
void bench_step_command_init(bench_step_command *out, size_t bytes, int steps);

/* What one command took, from its start to its end; its memory is the most that was resident. */
typedef struct bench_cost {
  int status; /* as of wait */
  double cpu_ms, wall_ms, memory_mb;
} bench_cost;
/* Runs it, in a process that tells; what it prints goes nowhere. Ends the program when the command
 * exits with another number. */
bench_cost bench_command_cost(char *const *argv, int ends_with);
/* That process's part: it runs `argv` and writes its cost to `fd`. */
int bench_measure_command(int fd, char **argv);

/* A line of a drawing: what a session of so many steps takes. */
enum { BENCH_POINTS = 3 };
typedef struct bench_line {
  char name[64];
  double values[BENCH_POINTS];
} bench_line;
/* Draws them into the file at `path`, both axes by decades. At least one line; no value is 0. */
void bench_draw(const char *path, const char *unit, const double steps[BENCH_POINTS],
                const bench_line *lines, size_t count);

/* The groups, one file each. */
void bench_checkpoints(void);
void bench_steps(void);
void bench_parts(void); /* only when asked for */
void bench_sessions(void);
void bench_postgres(void); /* skipped where there is no server */
void bench_flows(void);
void bench_sealed(void);
void bench_reads(void);
void bench_prune(void);
void bench_redact(void);
void bench_answers(void);
void bench_candidates(void);
void bench_growth(void);
/* Decisions of the shipped policies. */
void bench_policies(void);
void bench_list(void);
void bench_program(void);
/* Another process's part of bench_program: an idle host tells its memory through `fd`. */
void bench_idle(const char *path, int fd);
/* Another process's part of bench_reads: what is measured under the name, to `fd`. */
int bench_read_cold(const char *name, const char *url, int fd);
/* Another process's part of bench_parts: runs the program, and writes what it counted to `fd`. */
int bench_count_program(int fd, int argc, char **argv);

#endif
