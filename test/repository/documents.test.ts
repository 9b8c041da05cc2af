import { posix } from "node:path";
import { describe, expect, it } from "vitest";
import { createProgram } from "../../src/cli/main.js";
import { VARIABLES } from "../../src/config-values.js";
import { SILENT } from "../helpers/command/silent-terminal.js";
import { firstTable, links, section } from "./markdown.js";
import { read, repositoryFiles, sourcesIn } from "./source-tree.js";

const documents = repositoryFiles().filter((path) => path.endsWith(".md"));
const program = createProgram(SILENT, () => undefined);
const scripts = Object.keys((JSON.parse(read("package.json")) as { scripts: object }).scripts);
const code = (text: string) => `\`${text}\``;

describe("docs/reference/commands.md", () => {
  const path = "docs/reference/commands.md";

  it("has a section for every command, in the order of --help, and for no other", () => {
    const headings = [...read(path).matchAll(/^## `nightledger (.+)`$/gm)].map(([, name]) => name);
    expect(headings).toEqual(program.commands.map((command) => command.name()));
  });

  it.each(withOwnSection(path))("says of %s what --help says", (name, command) => {
    const text = section(path, `\`nightledger ${name}\``);
    const help = program.createHelp();
    const description = command.description();
    expect(text.trim().toLowerCase().startsWith(`${description.toLowerCase()}.`), description).toBe(true);
    const rows = [
      ...command.registeredArguments.map((one) => [
        code(help.argumentTerm(one)),
        help.argumentDescription(one),
      ]),
      ...command.options.map((one) => [code(help.optionTerm(one)), help.optionDescription(one)]),
    ];
    if (rows.length > 0) expect(firstTable(text)).toEqual(rows);
  });

  it("names every option of a command without a section of its own in that of its group", () => {
    const missing = program.commands.flatMap((group) =>
      group.commands
        .filter((one) => section(path, `\`nightledger ${group.name()} ${one.name()}\``) === "")
        .flatMap((one) => {
          const text = section(path, `\`nightledger ${group.name()}\``);
          const options = one.options.flatMap(({ long }) => (long ? [long] : []));
          return options.filter((long) => !text.includes(long)).map((long) => `${one.name()} ${long}`);
        }),
    );
    expect(missing).toEqual([]);
  });

  it("has every example of --help, in the section of its command", () => {
    const missing = helpPages().flatMap(({ name, help }) => {
      const lines = /^Examples?:\n([\s\S]*)/m.exec(help)?.[1]?.trim().split(/\n */) ?? [];
      const text = section(path, `\`nightledger ${name.split(" ", 1)[0]}\``);
      return lines.filter((line) => !text.includes(`\n${line}\n`));
    });
    expect(missing).toEqual([]);
  });

  it("every command has an example, and every command a group of --help", () => {
    const without = helpPages().filter(({ help }) => !/^Examples?:$/m.test(help));
    expect(without.map(({ name }) => name)).toEqual([]);
    expect(program.commands.filter((command) => command.helpGroup() === "").map((one) => one.name())).toEqual(
      [],
    );
  });
});

/** Every command, and every command of one that has a section of its own, by its name. */
function withOwnSection(path: string) {
  return program.commands.flatMap((command) => [
    [command.name(), command] as const,
    ...command.commands
      .map((one) => [`${command.name()} ${one.name()}`, one] as const)
      .filter(([name]) => section(path, `\`nightledger ${name}\``) !== ""),
  ]);
}

/** What --help prints for each command and each of its own. */
function helpPages(): { name: string; help: string }[] {
  return program.commands.flatMap((command) =>
    [command, ...command.commands].map((one) => {
      let help = "";
      one.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
      return { name: one === command ? one.name() : `${command.name()} ${one.name()}`, help };
    }),
  );
}

describe("docs/run/configuration.md", () => {
  it("has a row for every variable, in the order of the code, and for no other", () => {
    const rows = firstTable(read("docs/run/configuration.md"));
    expect(rows.map(([name]) => name)).toEqual(Object.keys(VARIABLES).map(code));
    for (const row of rows)
      expect(
        row.slice(1).every((cell) => cell !== ""),
        row[0],
      ).toBe(true);
  });

  it.each([...documents, ".env.example"])("%s names no variable that does not exist", (path) => {
    const named = [...read(path).matchAll(/\bNIGHTLEDGER_[A-Z_]*[A-Z]\b/g)].map(([name]) => name);
    // What the command of a hook gets.
    const given = /^NIGHTLEDGER_RUN_(EVENT|ID|KIND|OUTCOME|SCHEDULE)$/;
    expect(named.filter((name) => !Object.hasOwn(VARIABLES, name) && !given.test(name))).toEqual([]);
  });
});

describe("README.md", () => {
  const text = read("README.md");

  it("begins with what it is and the two commands", () => {
    const [, paragraph = "", block = ""] = text.split(/\n\n/);
    expect(paragraph.match(/[.!?](\s|$)/g)).toHaveLength(2);
    expect(block).toContain("npm ci && npm run demo");
    expect(block).toContain("npm ci && npm test");
  });

  it.each(documents)("%s names npm scripts and commands that exist", (path) => {
    const document = read(path);
    const run = [...document.matchAll(/\bnpm run ([\w:]+)/g)].map(([, name = ""]) => name);
    expect(run.filter((name) => !scripts.includes(name))).toEqual([]);
    const commands = [...document.matchAll(/(?:npx|worker|`) ?nightledger ([a-z]+)\b/g)].map(
      ([, name]) => name,
    );
    const known = program.commands.map((command) => command.name());
    expect(commands.filter((name) => !known.includes(name ?? ""))).toEqual([]);
    // docs/run/schedules.md says to choose another hour.
    expect(document).not.toMatch(/--at 0[12]:/);
  });

  it("leads to every document, by itself or by the map docs/README.md", () => {
    const map = links("docs/README.md").map((target) => posix.join("docs", target));
    const targets = [...links("README.md"), ...map];
    expect(links("README.md")).toContain("docs/README.md");
    const missing = documents
      .filter((path) => path.startsWith("docs/") && !path.startsWith("docs/inside/decisions/"))
      .filter((path) => !targets.includes(path));
    expect(missing).toEqual([]);
  });
});

describe("documents", () => {
  it("CHANGELOG.md has Unreleased on top", () => {
    expect(/^## (.+)$/m.exec(read("CHANGELOG.md"))?.[1]).toBe("Unreleased");
  });

  it("docs/inside/decisions/README.md lists every decision", () => {
    const listed = links("docs/inside/decisions/README.md");
    const decisions = documents.filter((path) => /^docs\/inside\/decisions\/\d{4}-/.test(path));
    expect(decisions.map((path) => posix.basename(path))).toEqual(listed);
  });

  it("every package that the program depends on has its reason in docs/inside/decisions", () => {
    const { dependencies } = JSON.parse(read("package.json")) as { dependencies: Record<string, string> };
    const text = documents
      .filter((path) => path.startsWith("docs/inside/decisions/"))
      .map(read)
      .join("\n");
    const silentOn = Object.keys(dependencies).filter(
      (name) => !name.startsWith("@temporalio/") && !text.includes(code(name)),
    );
    expect(silentOn).toEqual([]);
  });

  it("every test that docs/inside/security.md gives for a sentence is there", () => {
    const named = [...read("docs/inside/security.md").matchAll(/`(test\/[\w./-]+\.test\.ts)`/g)].map(
      ([, path]) => path,
    );
    expect(named.length).toBeGreaterThan(20);
    const tests = sourcesIn("test");
    expect(named.filter((path) => !tests.includes(path ?? ""))).toEqual([]);
  });

  it("the modules of docs/inside/architecture.md are those of src", () => {
    const table = section("docs/inside/architecture.md", "Modules");
    const folders = new Set(sourcesIn("src").flatMap((path) => /^src\/[a-z]+\//.exec(path)?.[0] ?? []));
    for (const folder of folders) expect(table).toContain(code(folder));
  });
});
