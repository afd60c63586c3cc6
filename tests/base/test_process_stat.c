/* test_process_stat.c - a process that has ended is gone, collected or not; a stopped one is
 * not. */
#include "core/base/process_stat.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"

static void wait_until(pid_t child, int what) {
  siginfo_t info;
  tap_must(waitid(P_PID, (id_t)child, &info, what | WNOWAIT) == 0, "it has come so far");
}

int main(void) {
  ck_process_stat found;
  tap_ok(ck_process_stat_read(&found, getpid()) && found.parent == getppid(),
         "a process that runs has its parent");
  tap_ok(!ck_process_is_gone(getpid()), "it is not gone");
  tap_ok(found.started > 0, "and the time of its start (%llu)", found.started);
  tap_ok(!ck_process_is_gone_since(getpid(), found.started), "the one of that start is not gone");
  tap_ok(!ck_process_is_gone_since(getpid(), 0), "nor one whose start is not known");
  tap_ok(ck_process_is_gone_since(getpid(), found.started - 1),
         "one of another start is gone: its pid is another's");
  pid_t child = fork();
  if (child == 0)
    for (;;) raise(SIGSTOP);
  tap_must(child > 0, "a child");
  wait_until(child, WSTOPPED);
  tap_ok(ck_process_stat_read(&found, child) && found.state == 'T' && found.parent == getpid(),
         "a stopped one is stopped");
  tap_ok(!ck_process_is_gone(child), "and not gone");
  kill(child, SIGKILL);
  wait_until(child, WEXITED);
  tap_ok(ck_process_is_gone(child), "one that was killed is gone before anybody collects it");
  waitpid(child, NULL, 0);
  tap_ok(ck_process_is_gone(child), "and behind that");
  tap_ok(!ck_process_stat_read(&found, child) && found.parent == 0, "nothing is known of it then");
  return tap_done();
}
