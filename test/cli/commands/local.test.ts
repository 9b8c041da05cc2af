import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { completionScript } from "../../../src/cli/commands/local.js";
import { createProgram } from "../../../src/cli/main.js";
import { SILENT } from "../../helpers/command/silent-terminal.js";

const program = createProgram(SILENT, () => undefined);

test.each([
  [["sy"], ["sync"]],
  [
    ["runs", "l"],
    ["list", "links"],
  ],
  [["runs", "list", "--w"], ["--wide"]],
  [["import", "c"], ["continue"]],
  [["schedule", "create", "nightly", "--a"], ["--at"]],
  [["batch"], []],
  [
    ["onboard", "--mode", ""],
    ["sync", "async"],
  ],
  [["runs", "list", "--kind", "c"], ["cip"]],
  [["runs", "list", "--status", "completed_"], ["completed_with_failures"]],
  [["completion", "z"], ["zsh"]],
  [["sync", "--roster", ""], []],
  [["sync", "--streams", "acc"], ["accounts"]],
  [["sync", "--streams", "accounts,bank"], ["accounts,bank_links"]],
])("bash completes %j by %j", (words, completed) => {
  const script = `${completionScript(program, "bash")}
    COMP_WORDS=(nightledger "$@"); COMP_CWORD=$#; _nightledger; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const said = execFileSync("bash", ["-c", script, "bash", ...words], { encoding: "utf8" });
  expect(said.split("\n").filter(Boolean)).toEqual(completed);
});

test("zsh runs the functions of bash, after it has loaded what understands them", () => {
  const [first, second, ...lines] = completionScript(program, "zsh").split("\n");
  expect([first, second]).toEqual(
    ["compinit", "bashcompinit"].map((one) => `autoload -U +X ${one} && ${one}`),
  );
  expect(lines.join("\n")).toBe(completionScript(program, "bash"));
});

test("fish has every command with its description, below the command that it is of", () => {
  const lines = completionScript(program, "fish").split("\n");
  const list = lines.filter((line) => line.includes(" -a list ") && line.includes("from runs;"));
  expect(list).toHaveLength(1);
  expect(list[0]).toMatch(
    /^complete -c nightledger -n '__fish_seen_subcommand_from runs; and not .*' -f -a list -d '/,
  );
  expect(lines.join("\n")).toContain(" -l mode -x -a 'sync async' -d ");
  expect(lines.join("\n")).toMatch(/ -l streams -x -a '\(__fish_append , .*accounts .*\)' -d /);
  expect(lines.join("\n")).toContain("from sync' -l roster -r -d ");
  expect(lines.join("\n")).toContain("from completion' -f -a zsh\n");
  expect(lines.join("\n")).toContain("-d 'bring the transactions table up to date with the change feed;");
  for (const line of lines) expect(line.replaceAll(/\\./g, "").split("'").length % 2).toBe(1);
});
