import { describe, expect, it } from "vitest";
import { FAULT_FIELDS, SELECTOR_FIELDS } from "../../../sandbox/faults/fault.js";
import { parseFaults } from "../../../sandbox/faults/fault-input.js";
import { SANDBOX_OPERATIONS } from "../../../sandbox/index.js";
import { DEFAULT_PLAYBOOKS } from "../../../sandbox/onboarding/playbook-store.js";
import { EVENT_KINDS } from "../../../src/domain/service/event-kind.js";
import { firstTable, section } from "../markdown.js";

const PATH = "docs/use/sandbox.md";
const bare = (cell = "") => cell.replaceAll("`", "");

/** The rows of every table below a heading: first and last cell. */
function rowsBelow(heading: string): [string, string][] {
  const rows = [...section(PATH, heading).matchAll(/^\| `(\w+)` \|.*\| `(\{.*\})` \|$/gm)];
  return rows.map(([, name = "", example = ""]) => [name, example]);
}

describe("docs/use/sandbox.md", () => {
  it("has a row for every kind of fault, and for no other", () => {
    const kinds = rowsBelow("Kinds").map(([kind]) => kind);
    expect(kinds.sort()).toEqual(Object.keys(FAULT_FIELDS).sort());
  });

  it("has a row for every selector, in the order of the code", () => {
    expect(rowsBelow("Selectors").map(([selector]) => selector)).toEqual(SELECTOR_FIELDS);
  });

  it.each([...rowsBelow("Kinds"), ...rowsBelow("Selectors")])(
    "gives %s an example that is taken: %s",
    (name, text) => {
      const [fault] = parseFaults(text);
      expect(name in fault! || fault?.kind === name).toBe(true);
      const known = [...SANDBOX_OPERATIONS.map((operation) => operation.name), ...EVENT_KINDS];
      if (fault?.operation !== undefined) expect(known).toContain(fault.operation);
    },
  );

  it("says what the playbooks come to", () => {
    const rows = firstTable(section(PATH, "Playbooks"));
    expect(rows.map(([key]) => bare(key))).toEqual(DEFAULT_PLAYBOOKS.map(({ key }) => key));
    for (const [at, { outcomes = {} }] of DEFAULT_PLAYBOOKS.entries()) {
      const weights = Object.entries(outcomes).map(([status, weight]) => `\`${status}\` ${weight}`);
      expect(rows[at]?.[3]).toBe(weights.join(", "));
    }
  });
});
