import { InputError } from "../../../domain/failures.js";
import { lakeAt } from "../../../lake/lake.js";
import { type LakeReader, readTables } from "../../../lake/query/query-views.js";
import { rowsOf } from "../../../lake/query/store-query.js";
import { sqlList, sqlName } from "../../../lake/sql/duckdb-sql.js";
import type { Requester } from "../../../lake/sync/forget/forget.js";
import { HOLDS, holdsOn, setHold } from "../../../lake/sync/forget/holds.js";
import { erasures, holds } from "../../../lake/tables/erasures.js";
import { TABLES } from "../../../tables.js";
import { existingLake, withLakeQuery } from "../../lake/query.js";
import { showRows, type TableFlags } from "../../lake/row-table.js";
import { showText } from "../../terminal/colours.js";
import type { Terminal } from "../../terminal/terminal.js";

/** @throws InputError without a person who asks, or a reason */
export function assertSaid(asked: Requester): void {
  for (const flag of ["reason", "by"] as const) {
    if (asked[flag].trim() !== "") continue;
    throw new InputError(
      `--${flag} is empty. Nothing was changed. Say ${flag === "by" ? "who asks for it" : "why"}.`,
    );
  }
}

export async function changeHold(
  terminal: Terminal,
  fpIds: readonly string[],
  state: "held" | "lifted",
  flags: Requester & { readonly json?: boolean },
): Promise<void> {
  assertSaid(flags);
  const lake = lakeAt(await existingLake(terminal));
  try {
    const same = await setHold(lake, [...new Set(fpIds)], state, {
      by: flags.by.trim(),
      reason: flags.reason.trim(),
    });
    const changed = [...new Set(fpIds)].filter((fpId) => !same.includes(fpId));
    if (flags.json) return terminal.result(JSON.stringify({ state, changed, unchanged: same }));
    const words =
      state === "held"
        ? ["set on", "is under a legal hold already"]
        : ["lifted from", "has none of hold add"];
    if (changed.length > 0) showText(terminal, `legal hold ${words[0]} ${changed.join(", ")}`);
    for (const fpId of same) terminal.say(`${fpId} ${words[1]}`);
    if (state === "lifted") {
      for (const held of await holdsOn(lake, fpIds)) terminal.say(held);
      return;
    }
    for (const fpId of await unknownUsers(lake, changed))
      terminal.say(`warning: no table has rows of ${fpId}; check the id, or keep the hold for rows to come`);
  } finally {
    await lake.close();
  }
}

/** A mistyped id would leave the person without a hold. */
async function unknownUsers(lake: LakeReader, fpIds: readonly string[]): Promise<string[]> {
  if (fpIds.length === 0) return [];
  const isNamed = `fp_id in ${sqlList(fpIds)}`;
  const some = WITH_USERS.map(({ name }) => `select fp_id from ${sqlName(name)} where ${isNamed}`);
  const known = await readTables(lake, WITH_USERS, (sql) => sql.rows(some.join(" union ")));
  const names = new Set(known.map(({ fp_id }) => String(fp_id)));
  return fpIds.filter((fpId) => !names.has(fpId));
}

const WITH_USERS = TABLES.filter(
  ({ name, columns }) =>
    name !== holds.name && name !== erasures.name && columns.some((column) => column.name === "fp_id"),
);

export async function listHolds(terminal: Terminal, flags: TableFlags): Promise<void> {
  const rows = await withLakeQuery(terminal, (query) =>
    rowsOf<Record<string, unknown>>(query, `select * from (${HOLDS}) order by fp_id`),
  );
  if (flags.json) return terminal.result(JSON.stringify({ items: rows }));
  const names = ["fp_id", "source", "reason", "recorded_by", "recorded_at"];
  showRows(terminal, rows, { flags, names });
}
