/* completion.c - shell completions, made from the table of commands. */
#include <string.h>

#include "core/host/cli/help.h"

typedef void command_visit(ck_buffer *out, const char *name, const ck_command *command);

/* Calls `visit` for every command under every name it has. */
static void each_command(ck_buffer *out, const ck_command_table *table, command_visit *visit) {
  for (const ck_command *const *c = table->commands; *c; c++) visit(out, (*c)->name, *c);
  for (const ck_command_alias *a = table->aliases; a->name; a++) visit(out, a->name, a->command);
}

static void append_choices(ck_buffer *out, const char *const *choices) {
  for (size_t i = 0; choices[i]; i++)
    ck_buffer_append_format(out, "%s%s", i ? " " : "", choices[i]);
}

/* ---- bash: a case per "command option" or "command", with the words that can follow ---- */

static void bash_words(ck_buffer *out, const char *const *choices, ck_complete complete) {
  if (choices) {
    ck_buffer_append_text(out, "words=\"");
    append_choices(out, choices);
    ck_buffer_append_text(out, "\"");
  } else if (complete == CK_COMPLETE_FILE)
    ck_buffer_append_text(out, "files=1");
  else if (complete == CK_COMPLETE_SESSION)
    ck_buffer_append_text(out, "words=$(_ckrun_sessions)");
  else if (complete == CK_COMPLETE_COMMAND)
    ck_buffer_append_text(out, "words=\"$names\"");
  else
    ck_buffer_append_char(out, ':');
  ck_buffer_append_text(out, " ;;\n");
}

static void bash_values(ck_buffer *out, const char *name, const ck_command *command) {
  for (const ck_option *o = command->options; o && o->name; o++) {
    if (!o->value) continue;
    ck_buffer_append_format(out, "    '%s --%s') ", name, o->name);
    bash_words(out, o->choices, o->complete);
  }
}

static void bash_operands(ck_buffer *out, const char *name, const ck_command *command) {
  int index = 0;
  for (const ck_operand *o = command->operands; o && o->name; o++) {
    ck_buffer_append_format(out, "    '%s %d') ", name, index++);
    bash_words(out, o->choices, o->complete);
  }
}

static void bash_options(ck_buffer *out, const char *name, const ck_command *command) {
  ck_buffer_append_format(out, "    '%s') options=\"", name);
  for (const ck_option *o = command->options; o && o->name; o++)
    ck_buffer_append_format(out, "--%s ", o->name);
  for (const ck_option *o = ck_global_options; o->name; o++)
    ck_buffer_append_format(out, "--%s ", o->name);
  ck_buffer_append_text(out, "\" ;;\n");
}

/* The words of all command names, so that a group completes to its commands. */
static void bash_next(ck_buffer *out, const char *name, const ck_command *command) {
  (void)command;
  ck_buffer_append_format(out, "%s;", name);
}

/* Behind a group, or nothing: the global options, and the names that can follow. */
static void bash_rest(ck_buffer *out) {
  ck_buffer_append_text(out, "    *) options=\"");
  for (const ck_option *o = ck_global_options; o->name; o++)
    ck_buffer_append_format(out, "--%s ", o->name);
  ck_buffer_append_text(out, "\"\n"
                             "      rest=$(tr ';' '\\n' <<<\"$all\" | sed -n \"s/^${name:+$name "
                             "}\\([a-z-]*\\).*/\\1/p\" | sort -u)\n"
                             "      words=\"$rest\" ;;\n"
                             "  esac\n"
                             "  case \"$name $count\" in\n");
}

/* The options whose next word is their value, as patterns for "command option". */
static void bash_valued(ck_buffer *out, const char *name, const ck_command *command) {
  for (const ck_option *o = command->options; o && o->name; o++) {
    if (o->value) ck_buffer_append_format(out, "'%s --%s'|", name, o->name);
    if (o->value && o->letter) ck_buffer_append_format(out, "'%s -%c'|", name, o->letter);
  }
}

static void bash_valued_globals(ck_buffer *out) {
  const char *between = "";
  for (const ck_option *o = ck_global_options; o->name; o++) {
    if (!o->value) continue;
    ck_buffer_append_format(out, "%s*' --%s'", between, o->name);
    between = "|";
  }
}

static void append_bash(ck_buffer *out, const ck_command_table *table) {
  ck_buffer_append_text(
      out,
      "# bash completion of ckrun; made by: ckrun help --completion bash\n"
      "_ckrun_sessions() { ckrun sessions list 2>/dev/null | cut -f1; }\n"
      "_ckrun() {\n"
      "  local current=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
      "  local all names name=\"\" words=\"\" options=\"\" files=\"\" rest count=0 i word "
      "candidate\n"
      "  all='");
  each_command(out, table, bash_next);
  ck_buffer_append_text(out, "'\n"
                             "  names=$(tr ';' '\\n' <<<\"$all\" | cut -d' ' -f1 | sort -u)\n"
                             "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
                             "    word=\"${COMP_WORDS[i]}\"\n"
                             "    case \"$name $word\" in\n"
                             "      ");
  each_command(out, table, bash_valued);
  bash_valued_globals(out);
  ck_buffer_append_text(out, ") ((i++)); continue ;;\n"
                             "      *' -'*) continue ;;\n"
                             "    esac\n"
                             "    candidate=\"${name:+$name }$word\"\n"
                             "    case \";$all\" in *\";$candidate;\"*|*\";$candidate \"*) "
                             "name=\"$candidate\"; count=0 ;; *) ((count++)) ;; esac\n"
                             "  done\n"
                             "  case \"$name\" in\n");
  each_command(out, table, bash_options);
  bash_rest(out);
  each_command(out, table, bash_operands);
  ck_buffer_append_text(out, "  esac\n  case \"$name $previous\" in\n");
  each_command(out, table, bash_values);
  ck_buffer_append_text(
      out, "    *' --store') files=1 ;;\n"
           "    *) [[ $current == -* ]] && { words=\"$options\"; files=\"\"; } ;;\n"
           "  esac\n"
           "  if [[ $files ]]; then compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < "
           "<(compgen -f -- \"$current\")\n"
           "  else mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\"); fi\n"
           "}\n"
           "complete -F _ckrun ckrun\n");
}

/* ---- zsh: through its bash completion layer ---- */

static void append_zsh(ck_buffer *out) {
  ck_buffer_append_text(out, "#compdef ckrun\n# made by: ckrun help --completion zsh\n"
                             "autoload -U +X bashcompinit && bashcompinit\n"
                             "source <(ckrun help --completion bash)\n");
}

/* ---- fish: one line per command and option ---- */

/* In single quotes only the backslash and the quote are special. */
static void append_fish_text(ck_buffer *out, const char *text) {
  ck_buffer_append_char(out, '\'');
  for (; *text; text++) {
    if (*text == '\'' || *text == '\\') ck_buffer_append_char(out, '\\');
    ck_buffer_append_char(out, *text);
  }
  ck_buffer_append_char(out, '\'');
}

static void append_fish_option(ck_buffer *out, const char *condition, const ck_option *o) {
  ck_buffer_append_text(out, "complete -c ckrun");
  if (condition) ck_buffer_append_format(out, " -n '__ckrun_is %s'", condition);
  ck_buffer_append_format(out, " -l %s", o->name);
  if (o->letter) ck_buffer_append_format(out, " -s %c", o->letter);
  if (o->value) ck_buffer_append_text(out, o->complete == CK_COMPLETE_FILE ? " -rF" : " -x");
  if (o->choices) {
    ck_buffer_append_text(out, " -a '");
    append_choices(out, o->choices);
    ck_buffer_append_char(out, '\'');
  }
  ck_buffer_append_text(out, " -d ");
  append_fish_text(out, o->help);
  ck_buffer_append_char(out, '\n');
}

static void fish_command(ck_buffer *out, const char *name, const ck_command *command) {
  const char *space = strchr(name, ' ');
  if (space)
    ck_buffer_append_format(out, "complete -c ckrun -f -n '__ckrun_is %.*s' -a %s -d ",
                            (int)(space - name), name, space + 1);
  else
    ck_buffer_append_format(out, "complete -c ckrun -f -n __fish_use_subcommand -a %s -d ", name);
  append_fish_text(out, command->summary);
  ck_buffer_append_char(out, '\n');
  for (const ck_operand *o = command->operands; o && o->name; o++) {
    if (o->complete == CK_COMPLETE_SESSION)
      ck_buffer_append_format(out,
                              "complete -c ckrun -f -n '__ckrun_is %s' -a '(ckrun sessions list "
                              "2>/dev/null | cut -f1)'\n",
                              name);
    if (o->choices) {
      ck_buffer_append_format(out, "complete -c ckrun -f -n '__ckrun_is %s' -a '", name);
      append_choices(out, o->choices);
      ck_buffer_append_text(out, "'\n");
    }
  }
  for (const ck_option *o = command->options; o && o->name; o++) append_fish_option(out, name, o);
}

static void append_fish(ck_buffer *out, const ck_command_table *table) {
  ck_buffer_append_text(out, "# made by: ckrun help --completion fish\n"
                             "function __ckrun_is\n"
                             "  set -l words (string match -v -- '-*' (commandline -opc)[2..])\n"
                             "  test \"$words[1..\"(count $argv)\"]\" = \"$argv\"\n"
                             "end\n");
  for (const char *const *group = table->groups; *group; group++)
    ck_buffer_append_format(out, "complete -c ckrun -f -n __fish_use_subcommand -a %s\n", *group);
  each_command(out, table, fish_command);
  for (const ck_option *o = ck_global_options; o->name; o++) append_fish_option(out, NULL, o);
}

bool ck_help_append_completion(ck_buffer *out, const ck_command_table *table, const char *shell) {
  if (strcmp(shell, "bash") == 0)
    append_bash(out, table);
  else if (strcmp(shell, "zsh") == 0)
    append_zsh(out);
  else if (strcmp(shell, "fish") == 0)
    append_fish(out, table);
  else
    return false;
  return true;
}
