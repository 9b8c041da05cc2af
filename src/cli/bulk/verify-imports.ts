import { counted } from "../../domain/words/counted.js";
import type { QueryRow } from "../../lake/query/query.js";
import { rowsOf } from "../../lake/query/store-query.js";
import { withLakeQuery } from "../lake/query.js";
import { showRows } from "../lake/row-table.js";
import { showText } from "../terminal/colours.js";
import { EXIT } from "../terminal/exit-code.js";
import type { Terminal } from "../terminal/terminal.js";

const MOST_SHOWN = 100;

/** Each once, as first imported: a repetition adds unknown rows again. */
function unseenRows(days: number): string {
  return `
    select i.link_id, i.account_id, i.transaction_id,
      if(bool_or(i.status = 'accepted'), 'accepted', 'unknown') as status,
      arg_min(i.run_id, i.imported_at) as run_id, arg_min(i.line, i.imported_at) as line,
      min(i.imported_at) as imported_at
    from imports_seen i
    where i.status in ('accepted', 'unknown') and i.seen_in_run is null
    group by i.link_id, i.account_id, i.transaction_id
    having min(i.imported_at) <= now() - interval ${days} day
    order by imported_at, run_id, line`;
}

export async function verifyImports(
  terminal: Terminal,
  { days, json }: { readonly days: number; readonly json?: boolean },
): Promise<number> {
  const rows = await withLakeQuery(terminal, (lake) => rowsOf<QueryRow>(lake, unseenRows(days)));
  if (json) {
    terminal.result(JSON.stringify({ days, unseen_total: rows.length, items: rows }));
  } else if (rows.length === 0) {
    showText(
      terminal,
      `every row that was imported more than ${counted(days, "day")} ago came back through a sync`,
    );
  } else {
    showRows(terminal, rows.slice(0, MOST_SHOWN));
    const more = rows.length > MOST_SHOWN ? `, the first ${MOST_SHOWN} of them above; --json prints all` : "";
    terminal.say(
      `${counted(rows.length, "imported row")} that no sync has brought back after ${counted(days, "day")}${more}`,
    );
  }
  return rows.length === 0 ? EXIT.completed : EXIT.failures;
}
