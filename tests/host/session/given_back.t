#!/bin/bash
# given_back.t - no block of memory is given back with a secret or a key in it, whatever command
# read it and whatever it was read for: each block is read as it is freed.
. "$(dirname "$0")/../tap.sh"
if grep -qa __asan_init "$CKRUN"; then
  ok "a sanitizer frees in its own way # SKIP" true
  finish
  exit
fi
. "$(dirname "$0")/../served.sh"
umask 077
unset CKRUN_KEY CKRUN_KEY_COMMAND
cat >freed.c <<'END'
/* freed.c - before free and realloc: is one of the forms of $FREED_FORMS in the block? They are
 * there with each byte turned over, so that they are not found themselves. */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
enum { FORMS = 64, LONG = 256 };
static unsigned char forms[FORMS][LONG];
static size_t lens[FORMS];
static int count, out = -1;
static __thread int busy;
static void (*real_free)(void *);
static void *(*real_realloc)(void *, size_t);
__attribute__((constructor)) static void begin(void) {
  void *first[2];
  busy = 1;
  real_free = (void (*)(void *))dlsym(RTLD_NEXT, "free");
  real_realloc = (void *(*)(void *, size_t))dlsym(RTLD_NEXT, "realloc");
  backtrace(first, 2); /* takes its memory now */
  const char *from = getenv("FREED_FORMS"), *to = getenv("FREED_OUT");
  if (!strstr(program_invocation_short_name, "ckrun")) to = NULL; /* a child of it */
  FILE *file = from && to ? fopen(from, "re") : NULL;
  for (int c; file && (c = fgetc(file)) != EOF;)
    if (c != '\n')
      forms[count][lens[count]++] = (unsigned char)c;
    else if (lens[count])
      count++;
  if (file) fclose(file);
  if (file) out = open(to, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  busy = 0;
}
static int find(const unsigned char *at, size_t len) {
  for (int f = 0; f < count; f++)
    for (const unsigned char *c = at; len >= lens[f] && c <= at + len - lens[f]; c++) {
      size_t i = 0;
      while (i < lens[f] && c[i] == (forms[f][i] ^ 0x80)) i++;
      if (i == lens[f]) return f;
      c = memchr(c + 1, forms[f][0] ^ 0x80, (size_t)(at + len - lens[f] - c));
      if (!c) break;
      c--;
    }
  return -1;
}
static void look(void *block) {
  if (busy || out < 0 || !block) return;
  busy = 1;
  int which = find(block, malloc_usable_size(block));
  if (which >= 0) {
    void *calls[12];
    dprintf(out, "form %d\n", which);
    backtrace_symbols_fd(calls + 2, backtrace(calls, 12) - 2, out);
  }
  busy = 0;
}
void free(void *block) {
  look(block);
  if (real_free) real_free(block);
}
void *realloc(void *block, size_t size) {
  look(block);
  if (!real_realloc) real_realloc = (void *(*)(void *, size_t))dlsym(RTLD_NEXT, "realloc");
  return real_realloc(block, size);
}
END
"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -O2 -shared -fPIC freed.c -o freed.so -ldl 2>made ||
  { skip "no compiler"; finish; exit; }

printf 'canary-horse-battery-77\n' >token
export CANARY_E=canary-mule-saddle-88
"$CKRUN" key new key >/dev/null && "$CKRUN" key new share >/dev/null
perl -MMIME::Base64 -e 'binmode STDOUT; for (@ARGV) {
  my @forms = ($_, unpack("H*", $_), encode_base64($_, "") =~ s/.{2}=*$//r);
  push @forms, pack "H*", $_ if /^[0-9a-f]{64}$/;
  for (@forms) { my $form = $_ ^ ("\x80" x length); print "$form\n" if $form !~ /\n/ } }' \
  canary-horse-battery-77 "$CANARY_E" "$(cat key)" "$(cat share)" >forms
# watched NAME ARGUMENTS…: its blocks are read; others than it are not.
watched() {
  local name=$1
  shift
  rm -f given
  LD_PRELOAD=$dir/freed.so FREED_FORMS=$dir/forms FREED_OUT=$dir/given CKRUN_DUMPABLE=1 \
    "$CKRUN" "$@" >"$dir/out" 2>"$dir/err" </dev/null
  code=$? out=$(cat "$dir/out") err=$(cat "$dir/err")
  is "$name: exit 0" "$code" 0
  ok "$name: gives nothing back" test ! -s given || head -14 given | sed 's/^/#   /' >&2
}

serve model <<'END'
{"answer":{"calls":[{"name":"look","arguments":{}}]}}
{"answer":{"text":"Done."}}
{"answer":{"text":"Done, too."}}
END
cat >agent.lua <<'END'
local flow = require "ck.flow"
return flow.agent { name = "one", prompt = "Answer.", tools = {
  look = flow.tool(function(ctx) return ctx.effect { kind = "exec", class = "pure",
    request = { argv = { "true" }, env = { T = { ref = "file:token" } } } }.status end,
    { description = "Looks.", parameters = { type = "object" } }) } }
END
cat >p.lua <<END
return { name = "p", secrets = { t = "file:token", e = "env:CANARY_E" }, models = { default = {
  api = "openai", base_url = "$(base_url openai)", model = "m", key = "e", retries = 0,
  stream = false, max_tokens = 100, headers = { ["X-T"] = { secret = "t" } },
  price = { input = 3, output = 15 } } } }
END
key="--store s.db --key file:key"
# shellcheck disable=SC2086
{
  watched "a model's key and header" $key run agent.lua --profile ./p.lua --session model \
    --input '"?"'
  is "they were sent" "$(grep -F canary-horse-battery-77 model.log | grep -cF "$CANARY_E")" 2
  watched "secrets by reference" $key run agent.lua --profile ./p.lua --session ref \
    --set-env memory.a=CANARY_E --set-file memory.b=token --input '"?"'
  watched "an export" $key sessions export model --format markdown --seal-key file:share -o sealed
  watched "a key by a command" --store s.db --key "command:cat key" store verify
  watched "an export that is opened" key unseal sealed --seal-key file:share -o open
  watched "another key" $key key rotate --new-key file:share
  watched "a scrub" --store s.db --key file:share sessions scrub model --secret-file token --yes
}
finish
