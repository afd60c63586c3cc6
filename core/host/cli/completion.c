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

/* What there is to choose from, by the name of the place: the command that lists it, and a column
 * of that; "$name" is the command that is being typed, "$first" its first word. */
typedef struct listing {
  const char *value, *command;
  int column;
  bool files; /* a file will do, too */
} listing;

static const listing *listing_of(const char *value, ck_complete complete) {
  static const listing sessions = {"SESSION", "sessions list", 1, false};
  static const listing listings[] = {
      {"CHECKPOINT", "sessions checkpoints \"$first\"", 2, false},
      {"SEQ|CHECKPOINT", "sessions checkpoints \"$first\"", 2, false},
      {"EFFECT", "$name \"$first\"", 1, false},
      {"POLICY", "policy list", 1, true},
      {"PROFILE", "profile list", 1, true},
  };
  if (complete == CK_COMPLETE_SESSION) return &sessions;
  for (size_t i = 0; i < sizeof listings / sizeof *listings; i++)
    if (strcmp(value, listings[i].value) == 0) return &listings[i];
  return NULL;
}

/* ---- bash: a case per "command option" or "command", with the words that can follow ---- */

static void bash_words(ck_buffer *out, const char *value, const char *const *choices,
                       ck_complete complete) {
  const listing *from = choices ? NULL : listing_of(value, complete);
  if (choices) {
    ck_buffer_append_text(out, "words=\"");
    append_choices(out, choices);
    ck_buffer_append_text(out, "\"");
  } else if (from)
    ck_buffer_append_format(out, "list=(%s); column=%d%s", from->command, from->column,
                            from->files ? "; files=1" : "");
  else if (complete == CK_COMPLETE_FILE)
    ck_buffer_append_text(out, "files=1");
  else if (complete == CK_COMPLETE_COMMAND)
    ck_buffer_append_text(out, "words=\"$names\"");
  else
    ck_buffer_append_char(out, ':');
  ck_buffer_append_text(out, " ;;\n");
}

static void bash_values(ck_buffer *out, const char *name, const ck_command *command) {
  for (const ck_option *o = command->options; o && o->name; o++) {
    if (!o->value) continue;
    ck_buffer_append_format(out, "    '%s --%s') list=() files=\"\" words=\"\"; ", name, o->name);
    bash_words(out, o->value, o->choices, o->complete);
  }
}

static void bash_operands(ck_buffer *out, const char *name, const ck_command *command) {
  int index = 0;
  for (const ck_operand *o = command->operands; o && o->name; o++) {
    ck_buffer_append_format(out, "    '%s %d') ", name, index++);
    bash_words(out, o->name, o->choices, o->complete);
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

/* The words as they were typed: bash breaks them at ':' and '=' as well. */
static const char bash_join[] =
    "_ckrun_join() {\n"
    "  local line=\"${COMP_LINE-}\" part i\n"
    "  typed=() at=0\n"
    "  for ((i = 0; i <= COMP_CWORD; i++)); do\n"
    "    part=\"${COMP_WORDS[i]}\"\n"
    "    if [[ $i = 0 || -z ${COMP_LINE-} || $line = [[:blank:]]* ]]; then typed+=(\"$part\")\n"
    "    else typed[${#typed[@]}-1]+=\"$part\"; fi\n"
    "    while [[ $line = [[:blank:]]* ]]; do line=\"${line#?}\"; done\n"
    "    line=\"${line#\"$part\"}\"\n"
    "  done\n"
    "  at=$((${#typed[@]} - 1))\n"
    "}\n";

/* Stored texts are no words of a script: compgen -W would expand them. */
static const char bash_end[] =
    "  COMPREPLY=()\n"
    "  [[ $current == -* ]] && list=() files=\"\"\n"
    "  if [[ ${#list[@]} != 0 ]]; then\n"
    "    while IFS= read -r candidate; do\n"
    "      [[ $candidate == \"$current\"* ]] || continue\n"
    "      printf -v candidate %q \"$candidate\"\n"
    "      COMPREPLY+=(\"$candidate\")\n"
    "    done < <(ckrun \"${given[@]}\" \"${list[@]}\" 2>/dev/null | cut -f\"$column\")\n"
    "  elif [[ ! $files ]]; then\n"
    "    while IFS= read -r candidate; do COMPREPLY+=(\"$candidate\")\n"
    "    done < <(compgen -W \"$words\" -- \"$current\")\n"
    "  fi\n"
    "  [[ $files ]] || return 0\n"
    "  compopt -o filenames 2>/dev/null\n"
    "  while IFS= read -r candidate; do COMPREPLY+=(\"$candidate\")\n"
    "  done < <(compgen -f -- \"${current#*:}\")\n"
    "}\n"
    "complete -F _ckrun ckrun\n";

static void append_bash(ck_buffer *out, const ck_command_table *table) {
  ck_buffer_append_text(out, "# bash completion of ckrun; made by: ckrun help --completion bash\n");
  ck_buffer_append_text(out, bash_join);
  ck_buffer_append_text(
      out, "_ckrun() {\n"
           "  local all names name=\"\" words=\"\" options=\"\" files=\"\" first=\"\" column=1\n"
           "  local rest count=0 i at word candidate current previous\n"
           "  local -a typed list given\n"
           "  list=() given=()\n"
           "  _ckrun_join\n"
           "  current=\"${typed[at]}\" previous=\"${typed[at-1]}\"\n"
           "  all='");
  each_command(out, table, bash_next);
  ck_buffer_append_text(out, "'\n"
                             "  names=$(tr ';' '\\n' <<<\"$all\" | cut -d' ' -f1 | sort -u)\n"
                             "  for ((i = 1; i < at; i++)); do\n"
                             "    word=\"${typed[i]}\"\n"
                             "    case \"$name $word\" in\n"
                             "      ");
  bash_valued_globals(out);
  ck_buffer_append_text(out,
                        ") given+=(\"$word\" \"${typed[i+1]//[\\'\\\"\\\\]/}\"); ((i++)); "
                        "continue ;;\n"
                        "      *' --store='*|*' --key='*) given+=(\"${word//[\\'\\\"\\\\]/}\"); "
                        "continue ;;\n"
                        "      ");
  each_command(out, table, bash_valued);
  ck_buffer_append_text(out, "'') ((i++)); continue ;;\n"
                             "      *' -'*) continue ;;\n"
                             "    esac\n"
                             "    candidate=\"${name:+$name }$word\"\n"
                             "    case \";$all\" in *\";$candidate;\"*|*\";$candidate \"*) "
                             "name=\"$candidate\"; count=0 first=\"\" ;; "
                             "*) ((count++)); first=\"${first:-$word}\" ;; esac\n"
                             "  done\n"
                             "  case \"$name\" in\n");
  each_command(out, table, bash_options);
  bash_rest(out);
  each_command(out, table, bash_operands);
  ck_buffer_append_text(out, "  esac\n  case \"$name $previous\" in\n");
  each_command(out, table, bash_values);
  ck_buffer_append_text(out, "    *' --store'|*' --key') files=1; list=() ;;\n"
                             "    *) [[ $current == -* ]] && words=\"$options\" ;;\n"
                             "  esac\n");
  ck_buffer_append_text(out, bash_end);
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

/* Lines of a command are words as they are. */
static void append_fish_listing(ck_buffer *out, const char *name, const listing *from) {
  const char *command = from->command;
  bool of_first = strstr(command, "$first"), of_name = strncmp(command, "$name", 5) == 0;
  int words = of_first ? (int)(strrchr(command, ' ') - command) : (int)strlen(command);
  ck_buffer_append_format(out, "(__ckrun_list %d ", from->column);
  if (of_name)
    ck_buffer_append_text(out, name);
  else
    ck_buffer_append_format(out, "%.*s", words, command);
  if (of_first) ck_buffer_append_format(out, " (__ckrun_first %s)", name);
  ck_buffer_append_char(out, ')');
}

static void append_fish_option(ck_buffer *out, const char *condition, const ck_option *o) {
  const listing *from = o->value && !o->choices ? listing_of(o->value, o->complete) : NULL;
  bool files = o->complete == CK_COMPLETE_FILE || (from && from->files);
  ck_buffer_append_text(out, "complete -c ckrun");
  if (condition) ck_buffer_append_format(out, " -n '__ckrun_is %s'", condition);
  ck_buffer_append_format(out, " -l %s", o->name);
  if (o->letter) ck_buffer_append_format(out, " -s %c", o->letter);
  if (o->value) ck_buffer_append_text(out, files ? " -rF" : " -x");
  if (from) {
    ck_buffer_append_text(out, " -a '");
    append_fish_listing(out, condition, from);
    ck_buffer_append_char(out, '\'');
  }
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
    ck_buffer_append_format(out, "complete -c ckrun -f -n '__ckrun_only %.*s' -a %s -d ",
                            (int)(space - name), name, space + 1);
  else
    ck_buffer_append_format(out, "complete -c ckrun -f -n __ckrun_only -a %s -d ", name);
  append_fish_text(out, command->summary);
  ck_buffer_append_char(out, '\n');
  int index = 0;
  for (const ck_operand *o = command->operands; o && o->name; o++, index++) {
    const listing *from = listing_of(o->name, o->complete);
    if (!o->choices && !from) continue;
    ck_buffer_append_format(out, "complete -c ckrun %s -n '__ckrun_at %d %s' -a '",
                            from && from->files ? "-F" : "-f", index, name);
    if (o->choices)
      append_choices(out, o->choices);
    else
      append_fish_listing(out, name, from);
    ck_buffer_append_text(out, "'\n");
  }
  for (const ck_option *o = command->options; o && o->name; o++) append_fish_option(out, name, o);
}

/* __ckrun_words: the words that are no options, and no values of --store and --key. */
static const char fish_functions[] =
    "# made by: ckrun help --completion fish\n"
    "function __ckrun_words\n"
    "  set -l skip 0\n"
    "  for word in (commandline -opc)[2..]\n"
    "    if test $skip = 1; set skip 0; continue; end\n"
    "    switch $word\n"
    "      case --store --key; set skip 1\n"
    "      case '-*'\n"
    "      case '*'; echo -- $word\n"
    "    end\n"
    "  end\n"
    "end\n"
    "function __ckrun_given\n"
    "  set -l take 0\n"
    "  for word in (commandline -opc)[2..]\n"
    "    if test $take = 1; echo -- $word; set take 0; continue; end\n"
    "    switch $word\n"
    "      case --store --key; echo -- $word; set take 1\n"
    "      case '--store=*' '--key=*'; echo -- $word\n"
    "    end\n"
    "  end\n"
    "end\n"
    "function __ckrun_list\n"
    "  ckrun (__ckrun_given) $argv[2..] 2>/dev/null | cut -f$argv[1]\n"
    "end\n"
    "function __ckrun_is\n"
    "  set -l words (__ckrun_words)\n"
    "  test \"$words[1..\"(count $argv)\"]\" = \"$argv\"\n"
    "end\n"
    "function __ckrun_only\n"
    "  test \"$(__ckrun_words)\" = \"$(string join \\n -- $argv)\"\n"
    "end\n"
    "function __ckrun_first\n"
    "  set -l words (__ckrun_words)\n"
    "  echo -- $words[(math 1 + (count $argv))]\n"
    "end\n"
    "function __ckrun_at\n"
    "  __ckrun_is $argv[2..]\n"
    "  and test (count (__ckrun_words)) -ge (math $argv[1] + (count $argv) - 1)\n"
    "end\n";

static void append_fish(ck_buffer *out, const ck_command_table *table) {
  ck_buffer_append_text(out, fish_functions);
  for (const char *const *group = table->groups; *group; group++)
    ck_buffer_append_format(out, "complete -c ckrun -f -n __ckrun_only -a %s\n", *group);
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
