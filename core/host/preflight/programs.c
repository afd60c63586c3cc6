/* programs.c - the programs that a flow names: found and executable where they will run. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/host/preflight/needs.h"

/* Where a program is run, as execvp would find it. */
typedef struct place {
  const char *directory; /* of the session; NULL: this process's */
  const char *below;     /* where it runs, from there; NULL: there */
  const char *path;      /* its PATH; NULL: this process's */
} place;

/* `name` as seen from `folder`; without memory the buffer has failed. */
static const char *join(ck_buffer *out, const char *folder, const char *name) {
  ck_buffer_reset(out);
  if (name[0] != '/' && folder && *folder) ck_buffer_append_format(out, "%s/", folder);
  ck_buffer_append_text(out, strncmp(name, "./", 2) == 0 ? name + 2 : name);
  return out->failed ? "" : out->data;
}

static bool is_program(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

/* Appends the reason, with what to do; nothing: it can be run. */
static void judge(ck_buffer *why, const char *path, const char *program) {
  struct stat info;
  if (stat(path, &info) != 0)
    ck_buffer_append_format(why,
                            "%s: %s: make it, or give argv its right path; one that the flow "
                            "itself makes is run by { \"env\", \"%s\", … }",
                            path, strerror(errno), program);
  else if (!S_ISREG(info.st_mode))
    ck_buffer_append_format(why, "%s is no file: give argv the path of a program", path);
  else if (access(path, X_OK) != 0)
    ck_buffer_append_format(why, "%s is not executable: 'chmod +x %s' makes it so", path, path);
}

static bool search(const char *folders, const char *base, const char *program) {
  bool found = false;
  ck_buffer given = {0}, folder = {0}, path = {0};
  while (!found && folders && *folders) {
    size_t len = strcspn(folders, ":");
    ck_buffer_reset(&given);
    ck_buffer_append_format(&given, "%.*s", (int)(len ? len : 1), len ? folders : ".");
    const char *from = join(&folder, base, given.failed ? "" : given.data);
    found = is_program(join(&path, from, program));
    folders += len + (folders[len] == ':');
  }
  ck_buffer_clear(&given);
  ck_buffer_clear(&folder);
  ck_buffer_clear(&path);
  return found;
}

static bool is_folder(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static void judge_at(ck_buffer *why, const place *at, const char *program) {
  ck_buffer base = {0}, path = {0};
  const char *folders = at->path ? at->path : getenv("PATH");
  const char *from = at->below ? join(&base, at->directory, at->below) : at->directory;
  bool made_later = at->below && !is_folder(from); /* by an earlier node, with what is in it */
  if (strchr(program, '/') && !made_later)
    judge(why, join(&path, from, program), program);
  else if (!strchr(program, '/') && !search(folders, from, program))
    ck_buffer_append_text(
        why, "none of the folders of PATH has it: install it, or give argv a path with a '/'");
  ck_buffer_clear(&base);
  ck_buffer_clear(&path);
}

/* "PROGRAM, the program of WHAT NAME, cannot be run: WHY". */
static void check(const ck_needs *self, const place *at, const char *const words[2],
                  const char *program) {
  ck_buffer why = {0};
  judge_at(&why, at, program);
  if (why.len && !why.failed)
    ck_needs_report(self, ck_engine_manifest(self->engine)->path, CK_E_REFUSED,
                    "%s, the %s%s%s, cannot be run: %s", program, words[0], words[1] ? " " : "",
                    words[1] ? words[1] : "", why.data);
  ck_buffer_clear(&why);
}

static void check_tools(const ck_needs *self, const ck_flow_manifest *manifest, const place *at) {
  for (size_t i = 0; i < manifest->tool_count; i++) {
    const ck_flow_tool *tool = &manifest->tools[i];
    if (tool->argv)
      check(self, at, (const char *[2]){"program of tool", tool->name}, tool->argv[0]);
    if (tool->probe)
      check(self, at, (const char *[2]){"probe of tool", tool->name}, tool->probe[0]);
  }
}

/* A recording answers for MCP servers. */
static void check_processes(const ck_needs *self, const ck_flow_manifest *manifest,
                            const place *at) {
  for (size_t i = 0; i < manifest->process_count; i++) {
    const ck_flow_process *process = &manifest->processes[i];
    bool server = process->protocol == CK_FLOW_MCP;
    if (process->url || (server && self->recorded)) continue;
    const char *what = server ? "program of MCP server" : "program of agent";
    check(self, at, (const char *[2]){what, process->name}, process->argv[0]);
  }
}

/* The values become known to the session when the program gets them. */
static ck_status check_variables(const ck_needs *self, const ck_flow_program *program,
                                 ck_error *err) {
  const char *node = program->name ? program->name : "";
  for (const char *const *ref = program->secrets; *ref; ref++) {
    ck_buffer secret = {0};
    ck_error failure = CK_ERROR_INIT;
    ck_status status = ck_secret_read(&secret, *ref, &failure);
    ck_secret_wipe(&secret);
    if (status == CK_E_NO_MEMORY) return ck_error_no_memory(err);
    if (status != CK_OK)
      ck_needs_report(self, ck_engine_manifest(self->engine)->path, status, "%s%s%s%s",
                      *node ? "node " : "", node, *node ? ": " : "", failure.text);
  }
  return CK_OK;
}

ck_status ck_needs_check_programs(const ck_needs *self, ck_error *err) {
  const ck_flow_manifest *manifest = ck_engine_manifest(self->engine);
  place at = {.directory = self->engine->directory};
  ck_status status = CK_OK;
  check_tools(self, manifest, &at);
  check_processes(self, manifest, &at);
  for (size_t i = 0; status == CK_OK && i < manifest->program_count; i++) {
    const ck_flow_program *program = &manifest->programs[i];
    if (ck_needs_is_done(self, program->name)) continue;
    at.below = program->directory;
    at.path = program->path;
    const char *what = program->name ? "program of node" : "program of the flow";
    if (program->program)
      check(self, &at, (const char *[2]){what, program->name}, program->program);
    status = check_variables(self, program, err);
  }
  return status;
}
