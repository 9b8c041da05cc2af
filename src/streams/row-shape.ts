import { exceedsMoney } from "../domain/service/transaction-values.js";

/** By field, the SQL type or the shape of an object. */
interface RowShape {
  readonly [field: string]: string | RowShape;
}

/** Of a table, and of a clean row. */
export const OTHER_FIELDS = "other_fields";

/** Gives the SQL type, with what a clean page adds. */
export function rowType(shape: RowShape): string {
  return structOf({ ...shape, [OTHER_FIELDS]: "VARCHAR" });
}

function structOf(shape: RowShape): string {
  const fields = Object.entries(shape).map(
    ([name, type]) => `"${name}" ${typeof type === "string" ? type : structOf(type)}`,
  );
  return `STRUCT(${fields.join(", ")})`;
}

/** Those of an object that have a column. */
export interface KnownFields {
  /** In its row: empty, or such as `enrichment.`. */
  readonly path: string;
  readonly fields: ReadonlyMap<string, KnownFields | "money" | null>;
}

/** @param money their column is null where they have more than ten decimals: the text is kept as if none had it */
export function knownFields(shape: RowShape, money = new Set<string>(), path = ""): KnownFields {
  const kind = (name: string) => (money.has(name) ? "money" : null);
  const fields = Object.entries(shape).map(([name, type]) => {
    return [
      name,
      typeof type === "string" ? kind(name) : knownFields(type, money, `${path}${name}.`),
    ] as const;
  });
  return { path, fields: new Map(fields) };
}

/** Of one with a time the column has the day, and the text is kept as if no column had it. */
const DAY = { name: "date", length: "YYYY-MM-DD".length };

/** Whether a field is a day with a time. @param length of its text */
export function hasTime(path: string, length: number): boolean {
  return path === DAY.name && length > DAY.length;
}

/** Finds fields without a column. Runs for every row of every page. */
export function findUnknown(row: object, { path, fields }: KnownFields, found: Set<string>): void {
  const day = (row as Readonly<Record<string, unknown>>)[DAY.name];
  if (typeof day === "string" && hasTime(path + DAY.name, day.length)) found.add(`${DAY.name}.time`);
  for (const name in row) {
    const within = fields.get(name);
    if (within === null) continue;
    const value = (row as Readonly<Record<string, unknown>>)[name];
    if (within === undefined) found.add(path + name);
    else if (within === "money") {
      if (exceedsMoney(value)) found.add(`${path}${name}.decimals`);
    } else if (typeof value === "object" && value !== null) findUnknown(value, within, found);
  }
}
