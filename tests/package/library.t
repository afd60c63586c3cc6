#!/bin/bash
# library.t - programs of others against what make install puts somewhere: in C and in C++, shared
# and static, killed and resumed; the header needs nothing else, the library shows nothing else.
. "$(dirname "$0")/../host/tap.sh"
build=$(dirname "$(dirname "$CKRUN_BUILD/x")")
stage=$dir/stage
env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s -C "$root" BUILD="$build" install \
  PREFIX="$stage" >"$dir/log" 2>&1 || { cat "$dir/log" >&2; exit 1; }
header=$stage/include/ckrun.h
export PKG_CONFIG_PATH=$stage/lib/pkgconfig LD_LIBRARY_PATH=$stage/lib
c=${CC:-cc} cxx=${CXX:-c++}

# The header: one, which needs no other of ckrun's.
is "one header is installed" "$(cd "$stage/include" && find . -type f)" "./ckrun.h"
is "it includes none of ckrun's" "$(grep -c '^#include "' "$header")" 0
for standard in c11 c17; do
  ok "it is $standard" $c -std=$standard -pedantic -Wall -Wextra -Werror -fsyntax-only -xc "$header"
done
if command -v "$cxx" >/dev/null; then
  for standard in c++11 c++17 c++20; do
    ok "it is $standard" \
      $cxx -std=$standard -pedantic -Wall -Wextra -Werror -fsyntax-only -xc++ "$header"
  done
else
  skip "no C++ compiler"
fi

# What is exported: what a compiler finds declared in the header, all of it and nothing else.
so=$(readlink -f "$stage/lib/libckrun.so")
$c -aux-info "$dir/found" -fsyntax-only -xc - <<<"#include \"$header\"" || exit 1
sed -n 's/^.*ckrun\.h:.*extern .*[ *]\([a-z_0-9]*\) (.*/\1/p' "$dir/found" | sort -u \
  >"$dir/names"
nm -D --defined-only "$so" | awk '$2 != "A" { sub("@.*", "", $3); print $3 }' |
  sort >"$dir/exported"
is "what the header declares is exported, and nothing else" \
  "$(diff "$dir/names" "$dir/exported")" ""
ok "and that is something" test "$(wc -l <"$dir/exported")" -gt 100
is "every name is ckrun's" "$(grep -v '^ck_' "$dir/exported")" ""
is "so is every name of the archive" "$(nm -g --defined-only "$stage/lib/libckrun.a" |
  awk 'NF == 3 && $3 !~ /^ck_/ { print $3 }')" ""
is "its soname is a version" "$(readelf -d "$so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')" \
  libckrun.so.0
is "which leads to it" "$(readlink -f "$stage/lib/libckrun.so.0")" "$so"
is "its version is the program's" "ckrun ${so##*.so.}" "$("$stage/bin/ckrun" --version)"
is "it asks for no library of the program's alone" \
  "$(readelf -d "$so" | grep NEEDED | grep -E 'cjson|edit|microhttpd|curl')" ""

# counts NAME FILE EXPECTED ARGUMENTS…: the program dies in its third step and goes on.
counts() {
  local name=$1 program=$2 expected=$3 got
  shift 3
  mkdir -p "$dir/$name" && cd "$dir/$name" || exit 1
  got=$( ("$program" "$@"; echo "exit $?"; "$program" "$@"; echo "exit $?") 2>"$dir/err")
  is "$name: killed in its third step, it goes on from what was kept" \
    "$(sed 's/^step //; s/ is durable$/+/; s/ is not kept yet$/-/' <<<"$got" | tr '\n' ' ')" \
    "$expected"
  is "$name: its store is whole" \
    "$("$stage/bin/ckrun" --store sqlite:embed.db store verify >/dev/null 2>&1; echo $?)" 0
  cd "$dir" || exit 1
}

# builds NAME COMPILER SOURCE FLAGS…: linked with the shared library, and with the archive.
builds() {
  local name=$1 compiler=$2 source=$3 static
  shift 3
  static=$(pkg-config --static --libs ckrun | sed 's/-lckrun /-l:libckrun.a /')
  ok "$name is built with the shared library" $compiler "$@" -o "$dir/$name.shared" "$source" \
    $(pkg-config --cflags --libs ckrun)
  ok "it asks for it" grep -q 'libckrun\.so\.0' <(readelf -d "$dir/$name.shared")
  ok "$name is built with the archive" $compiler "$@" -o "$dir/$name.static" "$source" \
    $(pkg-config --cflags ckrun) $static
  is "which asks for none" "$(readelf -d "$dir/$name.static" | grep libckrun)" ""
}

examples=$stage/share/ckrun/examples/embed
if pkg-config --exists lua5.4 2>/dev/null; then
  is "pkg-config knows its version" "ckrun $(pkg-config --modversion ckrun)" \
    "$("$stage/bin/ckrun" --version)"
  builds c $c "$examples/embed.c" -std=c11
  for kind in shared static; do
    counts c-$kind "$dir/c.$kind" "1+ 2+ 3+ exit 137 4+ 5+ 6+ exit 0 "
  done
  if command -v "$cxx" >/dev/null; then
    builds cxx $cxx "$examples/embed_cxx.cc" -std=c++20
    for kind in shared static; do
      counts cxx-$kind "$dir/cxx.$kind" "1- 2+ 3- exit 137 3- 4+ 5- 6+ exit 0 " \
        "$examples/every_second.lua"
    done
  else
    skip "no C++ compiler"
  fi
  # The archive within a shared object of somebody else's, such as a module of an interpreter.
  ok "the archive goes into a shared object" $c -shared -fPIC -o "$dir/module.so" \
    -Wl,-z,defs -xc "$examples/embed.c" -xnone $(pkg-config --cflags ckrun) \
    $(pkg-config --static --libs ckrun | sed 's/-lckrun /-l:libckrun.a /')
else
  skip "no pkg-config: nothing is built against it"
fi
finish
