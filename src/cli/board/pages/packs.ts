import { join } from "node:path";
import { isS3Address } from "../../../domain/lake-address.js";
import { exportsDirectory } from "../../../jobs/cip/earlier-exports.js";
import { isThere } from "../../../lake/bulk/pack/publish.js";
import { runs } from "../../../lake/tables/runs.js";
import { chip, code, joined, link, paragraph, table } from "../../../pages/parts.js";
import { rowsOf } from "../../lake/query.js";
import { page } from "../page.js";
import { instant, statusChip } from "../shown.js";

const MOST_PACKS = 100;

interface Pack {
  readonly run_id: string;
  readonly status: string;
  readonly finished_at: string | null;
  readonly people: number;
  readonly failed: number;
  readonly approver: string | null;
  readonly reason: string | null;
  readonly directory: string | null;
  readonly is_there: boolean;
}

interface Packs {
  readonly packs: readonly Pack[];
}

interface PackRow {
  readonly run_id: string;
  readonly status: string;
  readonly finished_at: string | null;
  readonly users: number | null;
  readonly failed: number | null;
  readonly options: string | null;
}

export const packs = page<Packs>("/packs", {
  name: "Packs",
  tables: [runs],
  async read({ query, lake }) {
    const rows = await rowsOf<PackRow>(
      query,
      `select run_id, status, finished_at, users, failed, options from runs where kind = 'cip'
        and status in ('completed', 'completed_with_failures') order by started_at desc limit ${MOST_PACKS}`,
    );
    return { packs: await Promise.all(rows.map((row) => packOf(lake.config.lake.address, row))) };
  },
  title: () => "Packs",
  draw: ({ packs: made }) =>
    joined(
      table(
        "Packs, the newest first",
        [
          { name: "Pack" },
          { name: "Status" },
          { name: "Made" },
          { name: "People", isCount: true },
          { name: "Without a report", isCount: true },
          { name: "Approver" },
          { name: "Prove it" },
        ],
        made.map((pack) => [
          link(`/runs/${encodeURIComponent(pack.run_id)}`, pack.run_id),
          statusChip(pack.status),
          instant(pack.finished_at),
          pack.people,
          pack.failed,
          pack.approver,
          proof(pack),
        ]),
        "No pack was made in this lake. nightledger plan export cip --roster users.csv --approver <name> says what one would cost.",
      ),
      paragraph(
        "A pack proves itself: verify reads every file of it, so it is run when somebody asks. The report of a pack is report.html in its directory.",
        "aside",
      ),
    ),
});

async function packOf(lake: string, row: PackRow): Promise<Pack> {
  const options = JSON.parse(row.options ?? "{}") as Readonly<Record<string, string | null>>;
  const out = options.out ?? null;
  const base = out === null && isS3Address(lake) ? null : exportsDirectory(lake, out);
  const directory = base === null ? null : join(base, row.run_id);
  return {
    ...{ run_id: row.run_id, status: row.status, finished_at: row.finished_at },
    ...{ people: Number(row.users ?? 0), failed: Number(row.failed ?? 0) },
    ...{ approver: options.approver ?? null, reason: options.reason ?? null, directory },
    is_there: directory !== null && (await isThere(directory)),
  };
}

function proof({ directory, is_there }: Pack) {
  if (directory === null) return chip("on a worker's machine", "note");
  return is_there ? code(`nightledger verify ${directory}`) : chip("its directory is gone", "bad");
}
