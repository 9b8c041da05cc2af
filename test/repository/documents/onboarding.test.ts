import { describe, expect, it } from "vitest";
import { DECIDED_BY, OWN_STATUSES } from "../../../src/domain/onboarding/outcome.js";
import { ONBOARDING_STATUSES } from "../../../src/domain/service/onboarding-status.js";
import { acceptedIdentifiers } from "../../../src/domain/service/vault/vault-identifier.js";
import { OUTCOMES_CSV_COLUMNS } from "../../../src/domain/tables/onboardings.js";
import { COLUMN_GROUPS, CUSTOMERS } from "../../../src/intake/onboarding/customer-row.js";
import { NO_CUSTOMERS } from "../../../src/intake/onboarding/customers-file.js";
import { onboardings } from "../../../src/lake/tables/onboardings.js";
import { firstTable, section } from "../markdown.js";

const PATH = "docs/use/onboarding.md";

describe("docs/use/onboarding.md", () => {
  it("has a row for every column of a customers file, in order", () => {
    const columns = firstTable(section(PATH, "The file")).map(([column]) => column);
    const groups = COLUMN_GROUPS.map((group) => `\`${group}.<${group === "data" ? "key" : "identifier"}>\``);
    expect(columns).toEqual([...Object.keys(CUSTOMERS.row.shape).map((name) => `\`${name}\``), ...groups]);
  });

  it.each([
    ["`vault.…` of a user", "update"],
    ["`vault.…` of a business", "create_business"],
  ] as const)("says of %s which identifiers are accepted", (column, use) => {
    const [, rule] = firstTable(section(PATH, "Rules")).find(([name]) => name === column) ?? [];
    expect(rule?.replaceAll("`", "")).toContain(acceptedIdentifiers(use));
  });

  it("shows the summary of a validation with every field", () => {
    const json = /```json\n([\s\S]*?)```/.exec(section(PATH, "Wrong rows"))?.[1] ?? "";
    const shown = JSON.parse(json) as Record<string, unknown>;
    const rows = firstTable(section(PATH, "Wrong rows")).map(([field]) => field);
    expect(rows).toEqual(Object.keys(shown).map((field) => `\`${field}\``));
    expect(Object.keys(shown.customers as object)).toEqual([...Object.keys(NO_CUSTOMERS), "done"]);
  });
});

describe("docs/use/tables.md on onboardings", () => {
  const statuses = section("docs/use/tables.md", "`onboardings`").split("| `status` | meaning |")[1] ?? "";

  it("has every status", () => {
    for (const status of [...ONBOARDING_STATUSES, ...OWN_STATUSES])
      expect(statuses).toContain(`\`${status}\``);
  });

  it("has every way in which a status is learned", () => {
    const rows = firstTable(section("docs/use/tables.md", "`onboardings`"));
    const meaning = rows.find(([name]) => name === "`settled_by`")?.[2] ?? "";
    for (const way of DECIDED_BY) expect(meaning).toContain(`\`${way}\``);
  });

  it("is the table that outcomes.csv is made of: no column that the table has not", () => {
    const columns: readonly string[] = OUTCOMES_CSV_COLUMNS;
    const known: readonly string[] = onboardings.columns.map(({ name }) => name);
    expect(columns.length).toBeGreaterThan(10);
    expect(columns.filter((name) => !known.includes(name))).toEqual([]);
    expect(columns).not.toContain("output");
  });
});
