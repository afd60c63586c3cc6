/* postgres_server.c - runs postgres_server.sh, whose server ends with this program's end of its
 * input, however that comes. */
#include "tests/store/postgres_server.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/tap.h"

static const char script[] = "tests/store/postgres_server.sh";
static FILE *answers;
static int words = -1;
static char line[400];

static void begin(void) {
  int input[2], output[2];
  tap_must(pipe2(input, O_CLOEXEC) == 0 && pipe2(output, O_CLOEXEC) == 0, "pipes");
  pid_t pid = fork();
  tap_must(pid >= 0, "a process for the server");
  if (pid == 0) {
    setsid();
    dup2(input[0], STDIN_FILENO);
    dup2(output[1], STDOUT_FILENO);
    execl("/bin/bash", "bash", script, (char *)NULL);
    _exit(127);
  }
  close(input[0]);
  close(output[1]);
  words = input[1];
  answers = fdopen(output[0], "r");
}

static void read_line(void) {
  if (!answers || !fgets(line, sizeof line, answers))
    snprintf(line, sizeof line, "skip: no answer");
  line[strcspn(line, "\n")] = '\0';
}

const char *postgres_server_url(const char **why) {
  static char url[400];
  if (!answers) {
    begin();
    read_line();
    snprintf(url, sizeof url, "%s", line);
  }
  bool there = strncmp(url, "postgres:", strlen("postgres:")) == 0;
  *why = there ? NULL : url + strlen("skip: ");
  return there ? url : NULL;
}

const char *postgres_server_store(const char *prefix, const char *kind) {
  static char url[500];
  const char *why, *server = postgres_server_url(&why);
  if (!server) {
    tap_skip("%s: %s", kind, why);
    return NULL;
  }
  snprintf(url, sizeof url, "%s&schema=%s", server, prefix);
  return url;
}

static void say(const char *word, const char *expected) {
  tap_must(write(words, word, strlen(word)) == (ssize_t)strlen(word), "the server is told");
  read_line();
  tap_must(strcmp(line, expected) == 0, "the server is %s: %s", expected, line);
}

void postgres_server_stop(void) { say("stop\n", "stopped"); }

void postgres_server_freeze(void) { say("freeze\n", "frozen"); }

void postgres_server_thaw(void) { say("thaw\n", "thawed"); }

void postgres_server_start(void) { say("start\n", "started"); }

static const char *folder(void) {
  static char path[200];
  const char *why, *url = postgres_server_url(&why);
  sscanf(url, "postgres:///postgres?host=%199[^&]", path);
  return path;
}

void postgres_server_stand_by(void) { say("standby\n", "standing"); }

void postgres_server_synchronize(void) { say("synchronous\n", "synchronous"); }

void postgres_server_fail_over(void) { say("failover\n", "promoted"); }

const char *postgres_server_hosts(void) {
  static char hosts[600];
  snprintf(hosts, sizeof hosts, "host=%s,%s/second&target_session_attrs=read-write&user=ckrun",
           folder(), folder());
  return hosts;
}

static const char *ask(const char *which, const char *schema, const char *sql) {
  static char answer[400];
  char command[2000];
  snprintf(command, sizeof command,
           "PGOPTIONS='-c search_path=%s' psql -XAtq "
           "'host=%s,%s/second target_session_attrs=%s user=ckrun dbname=postgres' -c \"%s\"",
           schema, folder(), folder(), which, sql);
  FILE *psql = popen(command, "r");
  tap_must(psql != NULL, "psql");
  if (!fgets(answer, sizeof answer, psql)) *answer = '\0';
  answer[strcspn(answer, "\n")] = '\0';
  tap_must(pclose(psql) == 0, "psql: %s", sql);
  return answer;
}

const char *postgres_server_ask(const char *schema, const char *sql) {
  return ask("read-write", schema, sql);
}

const char *postgres_server_ask_standby(const char *schema, const char *sql) {
  return ask("standby", schema, sql);
}
