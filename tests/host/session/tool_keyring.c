/* tool_keyring.c - runs a command in a new keyring of the session.
 *   tool_keyring NAME VALUE COMMAND…   with this key in it; exit 77: there are no keyrings here */
#include <linux/keyctl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0) return 77;
  if (syscall(SYS_add_key, "user", argv[1], argv[2], strlen(argv[2]),
              (long)KEY_SPEC_SESSION_KEYRING) < 0)
    return 77;
  execv(argv[3], argv + 3);
  perror(argv[3]);
  return 127;
}
