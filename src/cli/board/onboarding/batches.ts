import { code, joined, type Markup, table } from "../../../pages/parts.js";
import { instant, linkTo, moreOf } from "../shown.js";
import type { Burndown } from "./burndown.js";

const COUNTS = ["started", "pass", "fail", "review", "other", "open"] as const;

export function batchTable({ batches }: Burndown): Markup {
  const columns = [
    ...[{ name: "Batch" }, { name: "Playbook" }, { name: "Began" }],
    ...["Rows", "Pass", "Fail", "Review", "Other", "Open"].map((name) => ({ name, isCount: true })),
  ];
  const cells = batches.rows.map((row) => [
    linkTo("onboarding", row.batch_id),
    row.playbook_key === null ? null : code(row.playbook_key),
    instant(row.began_at),
    ...COUNTS.map((name) => row[name]),
  ]);
  const none =
    "No batch has an outcome yet. `nightledger onboard` runs a playbook on every customer of a file.";
  return joined(
    table("Batches, the newest first", columns, cells, none),
    moreOf(batches, 'nightledger query "select * from batch_burndown order by day"'),
  );
}
