import type { LakeQuery } from "../../../lake/query/query.js";
import { code, joined, link, type Markup, paragraph, table } from "../../../pages/parts.js";
import { rowsOf } from "../../lake/query.js";
import { instant } from "../shown.js";

const MOST_BATCHES = 50;
const COUNTS = ["started", "pass", "fail", "review", "other", "open"] as const;

/** A batch as it stands. */
interface BatchLine extends Readonly<Record<(typeof COUNTS)[number], number>> {
  readonly batch_id: string;
  readonly playbook_key: string | null;
  readonly began_at: string | null;
}

export interface Batches {
  readonly total: number;
  /** The newest first. */
  readonly rows: readonly BatchLine[];
}

/** Reads the batches with outcomes, as `batch_burndown` counts them on its last day of each. */
export async function readBatches(query: LakeQuery): Promise<Batches> {
  const sql = `select batch_id, playbook_key, began_at, started_total as started, pass_total as pass, fail_total as fail,
      review_total as review, other_total as other, open, count(*) over () as total
    from (select * from batch_burndown qualify row_number() over (partition by batch_id order by day desc) = 1)
    join (select batch_id, any_value(playbook_key) as playbook_key, min(coalesce(started_at, settled_at)) as began_at
      from onboardings group by batch_id) using (batch_id)
    order by began_at desc nulls last, batch_id limit ${MOST_BATCHES}`;
  const rows = await rowsOf<BatchLine & { readonly total: number }>(query, sql);
  return { total: rows[0]?.total ?? 0, rows: rows.map(({ total: _, ...row }) => row) };
}

export function batchTable({ total, rows }: Batches): Markup {
  const columns = [
    ...[{ name: "Batch" }, { name: "Playbook" }, { name: "Began" }],
    ...["Rows", "Pass", "Fail", "Review", "Other", "Open"].map((name) => ({ name, isCount: true })),
  ];
  const cells = rows.map((row) => [
    link(`/onboarding/${encodeURIComponent(row.batch_id)}`, row.batch_id),
    row.playbook_key === null ? null : code(row.playbook_key),
    instant(row.began_at),
    ...COUNTS.map((name) => row[name]),
  ]);
  const none =
    "No batch has an outcome yet. `nightledger onboard` runs a playbook on every customer of a file.";
  return joined(
    table("Batches, the newest first", columns, cells, none),
    total > rows.length
      ? paragraph(
          joined(
            `${total - rows.length} more: `,
            code('nightledger query "select * from batch_burndown order by day"'),
          ),
          "aside",
        )
      : null,
  );
}
