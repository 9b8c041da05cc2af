import { expect, test } from "vitest";
import { VIEWS, viewStatements } from "../../../src/lake/query/views.js";
import { rowsOver } from "../../helpers/query/lake-of-rows.js";
import { firstTable, section } from "../../repository/markdown.js";

const SHARED = /^As in \[`(\w+)`\]\(#\w+\): (.+?)\.(?: And:)?$/m;
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
    const rows = documentedRows(name);
    const described = await rowsOver({}, `describe ${name}`);
    const types = described.map(({ column_name, column_type }) => [
      `\`${column_name}\``,
      `\`${String(column_type).replace("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ")}\``,
    ]);
    const documented = rows.map((row) => row.slice(0, 2));
    if (rows.length > firstTable(sectionOf(name)).length)
      expect(new Set(documented.map(String))).toEqual(new Set(types.map(String)));
    else expect(documented).toEqual(types);
    expect(rows.filter(([, , meaning]) => meaning === "")).toEqual([]);
  },
);

/** The rows of a view's own columns, after those of the table that its section names, whose order it does not tell. */
function documentedRows(name: string): string[][] {
  const [, source, names = ""] = SHARED.exec(sectionOf(name)) ?? [];
  if (source === undefined) return firstTable(sectionOf(name));
  const columns = names.match(/`\w+`/g) ?? [];
  const shared = columns.map((column) => firstTable(sectionOf(source)).find(([own]) => own === column));
  expect(shared, `columns of ${source} in ${name}`).not.toContain(undefined);
  return [...shared.flatMap((row) => (row === undefined ? [] : [row])), ...firstTable(sectionOf(name))];
}

function sectionOf(name: string): string {
  return section("docs/use/tables.md", `\`${name}\``);
}

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
