# public_header.awk - makes the installed ckrun.h: core/ckrun.h with all that it includes, each file
# once and down to its line "---- within …"; with map=1 the names of its functions, as a version
# script of the linker.
#   awk -f core/public_header.awk core/ckrun.h      from the folder of the sources

function fail(text) {
  print "public_header.awk: " text >"/dev/stderr"
  failed = 1
  exit 1
}

# A typedef that was there before is left out, so is a second empty line.
function take(line) {
  if (line ~ /^typedef struct [a-z_]* [a-z_]*;$/ && typedefs[line]++) return
  if (line == "" && lines[count] == "") return
  lines[++count] = line
}

# What a file says of itself comes in front of its own lines, behind what it includes.
function read_file(path,    line, last, more, about) {
  if (seen[path]++) return
  while ((more = (getline line <path)) > 0) {
    if (line ~ /^\/\* ---- within .* ---- \*\/$/) break
    if (line ~ /^#include "/) {
      gsub(/^#include "|"$/, "", line)
      read_file(line)
    } else if (line ~ /^#include </) {
      if (!system_headers[line]++) included[++includes] = line
    } else if (line ~ /^#ifndef CK_[A-Z0-9_]*_H$/) {
      guarded[path] = 1
      if (path == ARGV[1]) {
        title = about
        about = ""
      }
    } else if (!guarded[path]) {
      about = about line "\n"
    } else if (line !~ /^#define CK_[A-Z0-9_]*_H$/) {
      if (about != "" && line != "") {
        take_all(about)
        about = ""
      }
      # The #endif of the guard is the last line of the file.
      if (last != "") take(substr(last, 2))
      last = "=" line
    }
  }
  if (more < 0) fail("cannot read " path)
  if (last != "" && last != "=#endif") take(substr(last, 2))
  close(path)
  take("")
}

function take_all(text,    all, n, i) {
  n = split(text, all, "\n")
  for (i = 1; i <= n; i++) take(all[i])
}

function print_header(    i) {
  print title "#ifndef CKRUN_H\n#define CKRUN_H\n"
  for (i = 1; i <= includes; i++) print included[i]
  print "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
  for (i = 1; i <= count; i++) print lines[i]
  print "#ifdef __cplusplus\n}\n#endif\n\n#endif"
}

# Names in front of a bracket, outside of comments and preprocessor lines.
function print_map(    i, text, name) {
  for (i = 1; i <= count; i++) {
    if (lines[i] ~ /^#/ || lines[i - 1] ~ /\\$/) continue
    text = text lines[i] "\n"
  }
  gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, "", text)
  print "CKRUN_" soversion " {\n  global:"
  while (match(text, /ck_[a-z0-9_]+\(/)) {
    name = substr(text, RSTART, RLENGTH - 1)
    text = substr(text, RSTART + RLENGTH)
    if (!named[name]++) print "    " name ";"
  }
  print "  local:\n    *;\n};"
}

BEGIN {
  read_file(ARGV[1])
  if (!count) fail("nothing in " ARGV[1])
  if (map) print_map()
  else print_header()
}
END { if (failed) exit 1 }
