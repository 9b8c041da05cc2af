import Table from "cli-table3";

export function tableOf(rows: readonly Readonly<Record<string, unknown>>[]): string {
  const names = Object.keys(rows[0] ?? {});
  if (names.length === 0) return "no rows";
  const view = new Table({ head: names, style: { head: [], border: [] } });
  for (const row of rows) view.push(names.map((name) => textOf(row[name])));
  return view.toString();
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
