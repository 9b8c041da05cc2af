import { isJsonObject, jsonObjectOf } from "../../domain/json.js";
import type { RowProblem } from "../../domain/onboarding/customer.js";
import { COLUMN_GROUPS, type ColumnGroup, customerColumn } from "../../domain/onboarding/customer-column.js";
import type { GivenCustomer } from "../../domain/onboarding/customer-rules.js";
import { customersError, customersText, LONGEST_ROW } from "./customers-text.js";

/**
 * The rows of a JSONL file: an object a line, with the columns of CSV as fields, and `data`, `vault` and
 * `document` also as objects. Null is left out; empty lines are passed over.
 */
export async function* readJsonlCustomers(path: string, ignored: Set<string>): AsyncGenerator<GivenCustomer> {
  for await (const { line, text } of lines(path)) yield givenOf(line, text, ignored);
}

function givenOf(line: number, text: string, ignored: Set<string>): GivenCustomer {
  const names: Record<string, unknown> = {};
  const groups: Record<ColumnGroup, Map<string, unknown>> = {
    data: new Map(),
    vault: new Map(),
    document: new Map(),
  };
  const problems: RowProblem[] = [];
  const add = (column: string | null, rule: string) => problems.push({ line, column, rule });
  const given = { line, names, ...groups, problems };
  const row = jsonObjectOf(text);
  if (row === undefined) {
    add(null, 'is not a JSON object such as {"fp_id":"…"}');
    return given;
  }
  if (hasLongDecimal(text)) add(null, "has a number of more than 15 digits: give it as text, or it changes");
  const put = (group: ColumnGroup, name: string, value: unknown) => {
    if (value === null) return;
    if (groups[group].has(name)) add(`${group}.${name}`, "is given twice");
    groups[group].set(name, value);
  };
  for (const [field, value] of Object.entries(row)) {
    const group = COLUMN_GROUPS.find((known) => known === field);
    const column = customerColumn(field);
    if (group !== undefined) {
      if (isJsonObject(value)) for (const [name, item] of Object.entries(value)) put(group, name, item);
      else if (value !== null) add(field, "is not an object");
    } else if (column.use === "group") put(column.group, column.name, value);
    else if (column.use === "mistaken") add(field, column.rule);
    else if (column.use === "none") ignored.add(field);
    else if (value !== null && value !== "") names[column.name] = value;
  }
  return given;
}

/** Whether a decimal outside of texts has more digits than arrive unchanged; integers are judged one by one. */
function hasLongDecimal(text: string): boolean {
  if (!/\d[\d.]{15}/.test(text)) return false;
  const decimals = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""').match(/\d+\.\d+/g) ?? [];
  return decimals.some((decimal) => decimal.replace(".", "").replace(/^0+/, "").length > 15);
}

async function* lines(path: string): AsyncGenerator<{ line: number; text: string }> {
  let line = 0;
  let rest = "";
  for await (const piece of customersText(path)) {
    const parts = (rest + piece).split("\n");
    rest = parts.pop() ?? "";
    for (const text of parts) {
      line += 1;
      if (text.trim() !== "") yield { line, text };
    }
    if (rest.length > LONGEST_ROW) {
      throw customersError(path, `line ${line + 1} is longer than 16 MB`, "Give one object a line.");
    }
  }
  if (rest.trim() !== "") yield { line: line + 1, text: rest };
}
