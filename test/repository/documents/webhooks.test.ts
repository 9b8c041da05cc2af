import { describe, expect, it } from "vitest";
import { EVENT_KINDS } from "../../../src/domain/service/event-kind.js";
import { REFUSALS } from "../../../src/domain/webhooks/rejection.js";
import { RECEIVER_PATHS } from "../../../src/receiver/routes.js";
import { firstTable, section } from "../markdown.js";

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
