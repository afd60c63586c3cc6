#!/bin/bash
# dist.t - make dist: all sources, nothing that tells when or by whom; what it makes makes it again.
# With DIST_BUILDS=1 it is built and installed from there, which takes minutes.
. "$(dirname "$0")/../host/tap.sh"
# dist FOLDER: makes the tarball of the sources there.
dist() {
  env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s -C "$1" BUILD="$dir/made" dist >"$dir/log" 2>&1 &&
    mv "$dir/made"/*.tar.gz "$2"
}
ok "make dist" dist "$root" "$dir/first.tar.gz" || cat "$dir/log" >&2
mkdir "$dir/clean"
tar xzf "$dir/first.tar.gz" -C "$dir/clean"
name=$(ls "$dir/clean")
is "one folder, named by the version" "$name" "$("$CKRUN" --version | tr ' ' -)"
if [ -e "$root/.git" ]; then
  is "it has every file of the repository, and no other" \
    "$(cd "$dir/clean/$name" && find . -type f | sed 's/^..//' | sort)" \
    "$(git -C "$root" ls-files | sort)"
else
  skip "no repository"
fi
is "its files are nobody's" \
  "$(tar tvzf "$dir/first.tar.gz" | awk '{ print $2, $4, $5 }' | sort -u | wc -l)" 1
is "programs stay programs" "$(find "$dir/clean/$name/tests" -name '*.t' ! -perm -100)" ""
# Another place, time, mask and order of the folder's entries.
cp -r "$dir/clean/$name" "$dir/copy" && chmod -R go-rwx "$dir/copy"
touch -r "$dir/clean/$name/CHANGELOG.md" "$dir/copy/CHANGELOG.md"
ok "a tarball's sources make one" dist "$dir/copy" "$dir/second.tar.gz" || cat "$dir/log" >&2
ok "the same, to the byte" cmp "$dir/first.tar.gz" "$dir/second.tar.gz"
if [ "${DIST_BUILDS:-}" ]; then
  ok "it builds and installs from a clean folder" env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS \
    make -s -C "$dir/clean/$name" install PREFIX="$dir/root" WERROR=1
  is "what it installs is this program" "$("$dir/root/bin/ckrun" help --man --all)" \
    "$("$CKRUN" help --man --all)"
fi
finish
