import { describe, expect, it } from "vitest";
import { createProgram } from "../../../src/cli/main.js";
import { EVENT_KINDS } from "../../../src/domain/service/event-kind.js";
import { REFUSALS } from "../../../src/domain/webhooks/rejection.js";
import { RECEIVER_PATHS } from "../../../src/receiver/routes.js";
import { SILENT } from "../../helpers/command/silent-terminal.js";
import { firstTable, section } from "../markdown.js";
import { read } from "../source-tree.js";

const PATH = "docs/use/webhooks.md";
const code = (text: string) => `\`${text}\``;

describe("docs/use/webhooks.md", () => {
  it("has a row for every path", () => {
    const requests = firstTable(section(PATH, "What it answers")).map(([request = ""]) => request);
    const paths = requests.map((request) => /^`[A-Z]+ ([^`]+)`/.exec(request)?.[1]);
    expect(paths).toEqual(Object.values(RECEIVER_PATHS));
  });

  it("has a row for every refusal, with its status", () => {
    const text = section(PATH, "What it answers");
    const rows = firstTable(text.slice(text.indexOf("| error |")));
    expect(rows.map((row) => row.slice(0, 2))).toEqual(
      Object.entries(REFUSALS).map(([name, status]) => [code(name), String(status)]),
    );
    expect(rows.filter(([, , why]) => why === "")).toEqual([]);
  });

  it("says what becomes of every kind", () => {
    const rows = firstTable(section(PATH, "What becomes of an event"));
    const named = rows.flatMap(([kinds = ""]) => [...kinds.matchAll(/`([^`]+)`/g)].map(([, kind]) => kind));
    expect(named.sort()).toEqual([...EVENT_KINDS].sort());
  });
});

describe("docs/reference/commands.md on webhooks", () => {
  const program = createProgram(SILENT, () => undefined);
  const commands = program.commands.find((command) => command.name() === "webhooks")?.commands ?? [];

  it.each(commands.map((command) => [command.name(), command] as const))(
    "says of %s what --help says",
    (name, command) => {
      const text = section("docs/reference/commands.md", code(`nightledger webhooks ${name}`));
      const help = program.createHelp();
      expect(text.trim().toLowerCase().startsWith(`${command.description().toLowerCase()}.`)).toBe(true);
      expect(firstTable(text)).toEqual(
        command.options.map((one) => [code(help.optionTerm(one)), help.optionDescription(one)]),
      );
    },
  );

  it("has all of them", () => {
    expect(commands).toHaveLength(3);
    expect(read("docs/reference/commands.md")).toContain("[Webhooks](../use/webhooks.md)");
  });
});
