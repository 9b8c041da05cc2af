import { join } from "node:path";
import { isS3Address } from "../../../domain/lake-address.js";
import { exportsDirectory } from "../../../jobs/cip/earlier-exports.js";
import { isThere } from "../../../lake/bulk/pack/publish.js";
import { runs } from "../../../lake/tables/runs.js";
import { chip, code, joined, paragraph, table } from "../../../pages/parts.js";
import { type EndedRun, endedRuns } from "../../runs/ended-runs.js";
import { page } from "../page.js";
import { instant, linkTo, statusChip } from "../shown.js";

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

export const packs = page<Packs>("/packs", {
  name: "Packs",
  tables: [runs],
  async read({ query, lake }) {
    const ended = await endedRuns(query, { kind: "cip" }, MOST_PACKS);
    const rows = ended.filter(({ status }) => status === "completed" || status === "completed_with_failures");
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
          linkTo("runs", pack.run_id),
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

async function packOf(
  lake: string,
  { run_id, status, finished_at, counts, options }: EndedRun,
): Promise<Pack> {
  const {
    approver = null,
    reason = null,
    out = null,
  } = (options ?? {}) as Readonly<Record<string, string | null>>;
  const base = out === null && isS3Address(lake) ? null : exportsDirectory(lake, out);
  const directory = base === null ? null : join(base, run_id);
  return {
    ...{ run_id, status, finished_at, people: counts.users ?? 0, failed: counts.failed ?? 0 },
    ...{ approver, reason, directory },
    is_there: directory !== null && (await isThere(directory)),
  };
}

function proof({ directory, is_there }: Pack) {
  if (directory === null) return chip("on a worker's machine", "note");
  return is_there ? code(`nightledger verify ${directory}`) : chip("its directory is gone", "bad");
}
