import { isJsonObject } from "../../domain/json/value.js";
import {
  COLUMN_FORMS,
  COLUMN_GROUPS,
  type ColumnGroup,
  type CustomerColumn,
  customerColumn,
} from "../../domain/onboarding/customer-column.js";
import type { GivenCustomer } from "../../domain/onboarding/customer-rules.js";
import type { BrokenRule, RowProblem } from "../../domain/row-problem.js";
import { type InputRow, LONG_NUMBER, readRows } from "../files/rows.js";
import { fileError, type InputFile } from "../files/text.js";

type Columns = Map<string, CustomerColumn>;

/**
 * Reads the customers of a file, as it gives them. In JSONL the columns of CSV are fields, and `data`, `vault` and
 * `document` may also be objects; null and empty cells are left out. Adds unknown columns to `ignored`.
 *
 * @throws InputError for a file that is neither CSV nor JSONL, or whose header holds a mistaken column.
 */
export async function* givenCustomers(file: InputFile, ignored: Set<string>): AsyncGenerator<GivenCustomer> {
  const columns: Columns = new Map();
  const checkHeader = (names: readonly string[], line: number) => {
    for (const name of names) columns.set(name, customerColumn(name));
    checkColumns(file, names, line, columns);
    for (const [name, { use }] of columns) if (use === "none") ignored.add(name);
  };
  for await (const row of readRows(file, checkHeader)) yield givenCustomer(row, columns, ignored);
}

function checkColumns(file: InputFile, names: readonly string[], line: number, columns: Columns): void {
  if ([...columns.values()].every(({ use }) => use === "none")) {
    // The line may be data, so it isn't quoted.
    throw fileError(
      file,
      `line ${line}: none of the ${names.length} columns is a known column`,
      `Give a header line with columns of these forms, separated by commas: ${COLUMN_FORMS}.`,
    );
  }
  for (const [at, name] of names.entries()) {
    const about = `line ${line}: column ${JSON.stringify(name)}`;
    const column = columns.get(name);
    if (column?.use === "mistaken") throw fileError(file, `${about}: ${column.rule}`, "Fix the header.");
    if (column?.use !== "none" && names.indexOf(name) !== at)
      throw fileError(file, `${about} appears twice`, "Remove one of them.");
  }
}

function givenCustomer(row: InputRow, columns: Columns, ignored: Set<string>): GivenCustomer {
  const { line, form } = row;
  const names: Record<string, unknown> = {};
  const groups: Record<ColumnGroup, Map<string, unknown>> = {
    data: new Map(),
    vault: new Map(),
    document: new Map(),
  };
  const problems: RowProblem[] = [...row.problems];
  const add = (column: string | null, broken: BrokenRule) => problems.push({ line, column, ...broken });
  if (row.losesDigits) add(null, LONG_NUMBER);
  const put = (group: ColumnGroup, name: string, value: unknown) => {
    if (value === null || (value === "" && form === "csv")) return;
    if (groups[group].has(name)) add(`${group}.${name}`, { code: "given_twice", rule: "is given twice" });
    groups[group].set(name, value);
  };
  for (const [field, value] of row.values) {
    const group = COLUMN_GROUPS.find((known) => known === field);
    const column = columns.get(field) ?? customerColumn(field);
    if (group !== undefined) {
      if (isJsonObject(value)) for (const [name, item] of Object.entries(value)) put(group, name, item);
      else if (value !== null) add(field, { code: "not_object", rule: "is not an object" });
    } else if (column.use === "group") put(column.group, column.name, value);
    else if (column.use === "mistaken") add(field, { code: "mistaken_column", rule: column.rule });
    else if (column.use === "none") ignored.add(field);
    else if (value !== null && value !== "") names[column.name] = value;
  }
  return { line, names, ...groups, problems };
}
