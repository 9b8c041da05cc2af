import type { Command } from "commander";

export const SHELLS = ["bash", "zsh", "fish"] as const;

interface Word {
  readonly word: string;
  readonly description: string;
}

/** The words of a command that something may follow: where it is, such as `runs list`, and what may come next. */
interface Place {
  readonly path: readonly string[];
  readonly commands: readonly Word[];
  readonly flags: readonly Word[];
}

/** Writes the script that completes a program's commands and flags in a shell. */
export function completionScript(program: Command, shell: (typeof SHELLS)[number]): string {
  const places = placesOf(program, []);
  if (shell === "fish") return fishScript(program.name(), places);
  const load =
    shell === "zsh"
      ? "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n"
      : "";
  return load + bashScript(program.name(), places);
}

function placesOf(command: Command, path: readonly string[]): Place[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command).filter((one) => one.name() !== "help");
  const flags = help.visibleOptions(command).flatMap(({ long, description }) => {
    return long ? [{ word: long, description }] : [];
  });
  const words = commands.map((one) => ({ word: one.name(), description: one.description() }));
  return [
    { path, commands: words, flags },
    ...commands.flatMap((one) => placesOf(one, [...path, one.name()])),
  ];
}

function bashScript(name: string, places: readonly Place[]): string {
  const cases = places.map(({ path, commands, flags }) => {
    const words = [...commands, ...flags].map(({ word }) => word).join(" ");
    return `    "${path.join(" ")}") words="${words}" ;;`;
  });
  const below = places.flatMap(({ path }) => (path.length === 0 ? [] : `"${path.join(" ")}"`));
  return `_${name}() {
  local at="" words="" word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${at:+$at }\${COMP_WORDS[i]}"
    case "$word" in
    ${below.join(" | ")}) at="$word" ;;
    esac
  done
  case "$at" in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _${name} ${name}`;
}

function fishScript(name: string, places: readonly Place[]): string {
  return places
    .flatMap(({ path, commands, flags }) => {
      const seen = path.map((word) => `__fish_seen_subcommand_from ${word}`);
      const none = commands.map(({ word }) => word).join(" ");
      const deeper = none === "" ? [] : [`not __fish_seen_subcommand_from ${none}`];
      const when = `complete -c ${name} -n ${quoted([...seen, ...deeper].join("; and "))}`;
      return [
        ...commands.map(({ word, description }) => `${when} -f -a ${word} -d ${quoted(description)}`),
        ...flags.map(({ word, description }) => `${when} -l ${word.slice(2)} -d ${quoted(description)}`),
      ];
    })
    .join("\n");
}

function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, "\\$&")}'`;
}
