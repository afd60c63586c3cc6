#!/bin/bash
# install.t - what make install puts somewhere works from there, whole; uninstall leaves nothing
# behind.
. "$(dirname "$0")/host/tap.sh"
build=$(dirname "$(dirname "$CKRUN_BUILD/x")")
make() { env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s -C "$root" BUILD="$build" "$@" \
  >"$dir/log" 2>&1; }

ok "make install" make install DESTDIR="$dir/stage" PREFIX=/usr || cat "$dir/log" >&2
stage=$dir/stage/usr
for file in bin/ckrun lib/libckrun.a lib/libckrun.so lib/pkgconfig/ckrun.pc include/ckrun.h \
  share/man/man1/ckrun.1 share/man/man1/ckrun-sessions-diff.1 share/man/man5/ckrun-policy.5 \
  share/bash-completion/completions/ckrun share/zsh/site-functions/_ckrun \
  share/fish/vendor_completions.d/ckrun.fish share/ckrun/lua/ck/meta.lua \
  share/ckrun/lua/ck/flow/meta.lua share/ckrun/policies/smart.lua \
  share/ckrun/policies/profiles/default.lua share/ckrun/examples/airline/flow.lua \
  share/doc/ckrun/README.md share/doc/ckrun/lua/README.md share/doc/ckrun/policies/README.md; do
  ok "there is $file" test -s "$stage/$file"
done
is "nothing else has a place" "$(ls "$stage" | tr '\n' ' ')" "bin include lib share "
is "each document is installed" "$(cd "$stage/share/doc/ckrun" && find . -name '*.md' | sort)" \
  "$(cd "$root" && ls ./*.md ./core/README.md ./core/host/JSON.md ./lua/README.md \
  ./policies/README.md ./examples/README.md 2>/dev/null | sort)"

# The installed program knows its policies by itself, and runs an installed example.
CKRUN=$stage/bin/ckrun
exits 0 "an installed example runs" run "$stage/share/ckrun/examples/airline/flow.lua" \
  --cassette "$stage/share/ckrun/examples/airline/cassette.jsonl" --session there
exits 0 "an installed policy passes its check" policy check "$stage/share/ckrun/policies/smart.lua"
is "there is a man page of each command, and three more" \
  "$(find "$stage/share/man" -type f | wc -l)" \
  "$(($(find "$root/core/host/command" -name '*.c' | wc -l) + 3))"
is "each is the program's" "$("$CKRUN" help --man store verify)" \
  "$(cat "$stage/share/man/man1/ckrun-store-verify.1")"
for shell in bash zsh fish; do
  run help --completion $shell
  file=$(ls "$stage"/share/*/*/*ckrun* | grep "/$shell")
  is "the completions of $shell are the program's" "$(cat "$file")" "$out"
done

ok "make uninstall" make uninstall DESTDIR="$dir/stage" PREFIX=/usr
is "leaves no file" "$(find "$dir/stage" ! -type d)" ""
finish
