#!/bin/bash
# locked_memory.t - while a session runs, its secrets, in every encoding that is looked for and in
# its state by reference, and the store's key are in memory that no core dump has and no swap: all
# of the process is read, and the kernel asked what it does with each mapping in which one is found.
. "$(dirname "$0")/../tap.sh"
if grep -qa __asan_init "$CKRUN"; then
  ok "a sanitizer keeps copies, and terabytes of its own # SKIP" true
  finish
  exit
fi
cd "$dir" || exit 1
umask 077
printf 'canary-horse-battery-77\n' >token
exits 0 "a key" key new key
cat >flow.lua <<'END'
local flow = require "ck.flow"
return flow.exec { argv = { "sh", "-c", "echo >up; read x <go" } }
END
printf 'return { name = "p", secrets = { t = "file:token", e = "env:CANARY_E" } }\n' >p.lua
mkfifo up go
# Searches the mappings of process PID for the lines of the file "forms": prints each mapping with
# one of them, and its flags.
cat >search.pl <<'END'
my $pid = shift;
open my $f, "<", "forms" or die; chomp(my @forms = grep { length } <$f>);
open my $maps, "<", "/proc/$pid/smaps" or exit 77;
open my $mem, "<:raw", "/proc/$pid/mem" or exit 77;
my ($begin, $end, $name, $found);
while (<$maps>) {
  if (/^([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \S+\s*(.*)/) {
    ($begin, $end, $name, $found) = (hex $1, hex $2, $4, "");
    next if $3 !~ /^r/ || $name =~ /^\[v/;
    my $bytes = "";
    sysseek $mem, $begin, 0;
    while (length $bytes < $end - $begin) {
      my $got = sysread $mem, $bytes, $end - $begin - length $bytes, length $bytes;
      last unless $got;
    }
    for my $form (@forms) { $found .= " $form" if index($bytes, $form) >= 0 }
  } elsif (/^VmFlags: (.*)/ && $found) {
    my $flags = " $1";
    printf "%s%s in%s %s\n", ($flags =~ / dd/ ? "undumped" : "dumped"),
      ($flags =~ / lo/ ? " locked" : " unlocked"), ($found), $name;
  }
}
END
export CANARY_E=canary-mule-saddle-88 CKRUN_DUMPABLE=1
"$CKRUN" --store s.db --key file:key run flow.lua --profile ./p.lua --session s \
  --set-env memory.e=CANARY_E --set-file memory.t=token >/dev/null 2>&1 &
pid=$!
read -r _ <up
{
  for secret in canary-horse-battery-77 "$CANARY_E" "$(cat key)"; do
    printf '%s\n' "$secret"
    printf '%s' "$secret" | od -An -tx1 | tr -d ' \n'
    echo
    printf '%s' "$secret" | od -An -tx1 | tr -d ' \n' | tr a-f A-F
    echo
    printf '%s' "$secret" | base64 -w0 | tr -d =
    echo
  done
} >forms
perl search.pl "$pid" >found 2>err
code=$?
echo >go
wait "$pid"
is "the session ends" "$?" 0
if [ "$code" = 77 ]; then
  ok "memory cannot be read here # SKIP" true
else
  has "they are found where they are looked for: the secret" "$(cat found)" canary-horse-battery-77
  has "the key" "$(cat found)" "$(cat key)"
  is "in no mapping that a core dump has" "$(grep -v '^undumped' found | cut -c1-150)" ""
  if [ "$(ulimit -l)" = unlimited ] || [ "$(ulimit -l)" -ge 1024 ]; then
    is "and in none that may be swapped" "$(grep -v '^undumped locked' found | cut -c1-150)" ""
  fi
fi
finish
