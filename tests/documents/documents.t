#!/usr/bin/env bash
# documents.t - every document with commands or files is run; and the runner fails where it must.
set -u
cd "$(dirname "$0")/../.." || exit 1
CKRUN=${CKRUN:?the path of the program}
runner=tests/documents/run_document.pl
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0

check() {
  count=$((count + 1))
  if [ "$1" = 0 ]; then echo "ok $count - $2"; return; fi
  echo "not ok $count - $2"
  sed 's/^/# /' "$work/out"
}

# The document on standard input.
run() {
  cat >"$work/document.md"
  "$runner" "$work/document.md" >"$work/out" 2>&1
}

# breaks NAME TEXT: the document on standard input fails, and the runner's output has TEXT.
breaks() {
  run
  [ $? = 1 ] && grep -q '^not ok' "$work/out" && grep -qF -- "$2" "$work/out"
  check $? "$1"
}

run <<'END_OF_DOCUMENT'
```sh file=greet
#!/bin/sh
echo "hello $1"
echo "and $(pwd | wc -l) more" >&2
exit "${2-0}"
```

```sh
# a comment is no command
./greet ship >said
test -s said && \
  test -x greet
false # exit 1
```

```sh
$ ./greet ship
hello ship
…
$ ./greet "a longer name"
hello a … name
and 1 more
$ ./greet ship 3 # exit 3
hello ship
and 1 more
$ cat said
hello ship
$ ckrun --version
ckrun …
```

```text
$ nobody runs this
```
END_OF_DOCUMENT
check $? 'a document that holds what it shows passes'
[ "$(grep -c '^ok' "$work/out")" = 9 ] && grep -q '^1\.\.9$' "$work/out"
check $? 'each file and each command is a check of its own'

run <<'END_OF_DOCUMENT'
<!-- run in a copy of the repository -->
```sh
$ export PATH="$PWD/build:$PATH"
$ cd examples/crash
$ ckrun help >help && ls
…
help
…
$ sh -c 'echo before; kill -9 $$' 2>said
before
Killed
$ cat said
```
END_OF_DOCUMENT
check $? 'in a copy of the repository: folder, variable and an end by SIGKILL are as in a terminal'

breaks 'output that differs is a failure' 'hello other' <<'END_OF_DOCUMENT'
```sh
$ echo hello other
hello you
```
END_OF_DOCUMENT
breaks 'so is a line that is missing' 'shown:' <<'END_OF_DOCUMENT'
```sh
$ echo one
one
two
```
END_OF_DOCUMENT
breaks 'so is a line too many' 'came:' <<'END_OF_DOCUMENT'
```sh
$ printf 'one\ntwo\n'
one
```
END_OF_DOCUMENT
breaks 'a command that exits with another code is a failure' 'exit 1, not 0' <<'END_OF_DOCUMENT'
```sh
false
```
END_OF_DOCUMENT
breaks 'so is one that is not killed as told' 'exit 0, not 137' <<'END_OF_DOCUMENT'
```sh
$ echo Killed
Killed
```
END_OF_DOCUMENT
breaks 'a folder that is not there is a failure' 'cd nowhere' <<'END_OF_DOCUMENT'
```sh
cd nowhere
```
END_OF_DOCUMENT
breaks 'so is one that does not fail as told' 'exit 0, not 5' <<'END_OF_DOCUMENT'
```sh
true # exit 5
```
END_OF_DOCUMENT
breaks 'an attribute that is not known is a failure' "'flie=x.lua' is not understood" \
  <<'END_OF_DOCUMENT'
```lua flie=x.lua
return {}
```
END_OF_DOCUMENT
breaks 'files stay in the folder' "'file=../x.lua' is not understood" <<'END_OF_DOCUMENT'
```lua file=../x.lua
return {}
```
END_OF_DOCUMENT
DOCUMENT_SECONDS=1 breaks 'a command that does not end is a failure' 'exit late, not 0' \
  <<'END_OF_DOCUMENT'
```sh
sleep 30
```
END_OF_DOCUMENT
printf '```sh\ntrue\n' >"$work/document.md"
"$runner" "$work/document.md" >"$work/out" 2>&1
[ $? != 0 ] && grep -q 'a block that does not end' "$work/out"
check $? 'a block that does not end is a failure'

found=0
while IFS= read -r document; do
  grep -qE '^```(.* file=|sh)' "$document" || continue
  found=$((found + 1))
  "$runner" "$document" >"$work/all" 2>&1
  code=$?
  grep -A 40 -v '^ok' "$work/all" >"$work/out"
  check $code "$document does what it shows"
done < <(find . -name '*.md' -not -path './build/*' -not -path './.git/*' | sort)
echo "$found documents" >"$work/out"
[ "$found" -ge 4 ]
check $? 'there are documents to run'
echo "1..$count"
