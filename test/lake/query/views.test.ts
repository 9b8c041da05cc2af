import { expect, test } from "vitest";
import { VIEWS, viewStatements } from "../../../src/lake/query/views.js";
import { rowsOver } from "../../helpers/query/lake-of-rows.js";
import { firstTable, section } from "../../repository/markdown.js";

/** Views without a section of their own: "Open rows" says what they have. */
const OF_QUARANTINE = ["quarantine_states", "quarantine_open"];
/** Views with the columns of another view. */
const LIKE_OTHERS = ["stale_links"];
const NAMES = VIEWS.map(({ name }) => name).filter(
  (name) => !OF_QUARANTINE.includes(name) && !LIKE_OTHERS.includes(name),
);

test.each(NAMES)(
  "docs/use/tables.md lists the columns of %s: names, order, types, meanings",
  async (name) => {
    const rows = firstTable(section("docs/use/tables.md", `\`${name}\``));
    const described = await rowsOver({}, `describe ${name}`);
    const types = described.map(({ column_name, column_type }) => [
      `\`${column_name}\``,
      `\`${String(column_type).replace("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ")}\``,
    ]);
    expect(rows.map((row) => row.slice(0, 2))).toEqual(types);
    expect(rows.filter(([, , meaning]) => meaning === "")).toEqual([]);
  },
);

test("a view is made where all of its tables are known, and its own views before it", () => {
  const made = (...tables: string[]) =>
    viewStatements(new Set(tables)).map((sql) => /^create temp view (\w+) as /.exec(sql)?.[1]);
  expect(made("runs", "link_syncs", "onboardings")).toEqual(["run_trends"]);
  expect(made("link_syncs", "bank_links", "erasures")).toEqual(["link_freshness", "stale_links"]);
  expect(made("quarantine", "quarantine_resolutions", "transaction_changes", "link_syncs")).toEqual([
    ...OF_QUARANTINE,
    "daily_changes",
    "transaction_links",
  ]);
});
