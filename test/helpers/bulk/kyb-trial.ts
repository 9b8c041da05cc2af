import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Sandbox } from "../../../sandbox/index.js";
import type { BulkSummary } from "../../../src/domain/bulk/bulk-totals.js";
import { KYB_TABLES } from "../../../src/lake/tables/kyb.js";
import { createSealer } from "../../../src/temporal/encryption/cipher.js";
import { ensureEmbeddedKeys } from "../../../src/temporal/encryption/keys.js";
import type { JobFolder } from "../command/job-folder.js";
import { rowsOf, withLake } from "../lake/lake-audit.js";
import { holding } from "../onboarding/planted-texts.js";
import type { KilledJob } from "./bulk-trial.js";
import { expectedKybRows, readKybRows } from "./kyb-truth.js";

/** An export of businesses: every row of every table is compared with what the stand-in serves. */
export const KILLED_KYB: KilledJob = {
  kind: "kyb",
  sandbox: { businesses: 150, businessOnboardings: 2, clock: { frozen: true } },
  slow: "get_business_insights",
  args: ["export", "kyb", "--businesses", "businesses.csv", "--json"],
  async prepare({ directory }, { businesses }) {
    const lines = businesses.list().map(({ id, external_id }) => `${id},${external_id}\n`);
    await writeFile(join(directory, "businesses.csv"), ["fp_bid,external_id\n", ...lines].join(""));
  },
  problemsOf: async (folder, sandbox, summary) => [
    ...notEnded(summary, sandbox.businesses.list().length),
    ...(await kybProblems(folder, sandbox)),
  ],
};

/** Compares the tables of each run with the stand-in: a command that is killed after its run is run once more. */
async function kybProblems(folder: JobFolder, sandbox: Sandbox): Promise<string[]> {
  const sealer = createSealer(await ensureEmbeddedKeys(folder.home));
  const problems: string[] = [];
  await withLake(folder.lake, async (query) => {
    const runs = await rowsOf(query, "select distinct run_id from business_insights");
    if (runs.length === 0) problems.push("no run has rows");
    for (const run_id of runs.map((run) => String(run.run_id))) {
      const expected = expectedKybRows(sandbox, run_id);
      for (const { name } of KYB_TABLES) {
        const rows = await rowsOf(query, `select * from ${name} where run_id = '${run_id}'`);
        const found = readKybRows(sealer, name, rows);
        const wanted = expected[name] ?? [];
        if (JSON.stringify(found) !== JSON.stringify(wanted))
          problems.push(
            `${run_id}: ${found.length} rows of ${name} are not the ${wanted.length} that were served`,
          );
      }
    }
  });
  problems.push(...(await inTheClear(folder, ["00-0000000", " Market St", "+1555555"])));
  return problems;
}

/** Where a folder or its lake holds one of these texts. */
export async function inTheClear(
  { directory, lake }: JobFolder,
  texts: readonly string[],
): Promise<string[]> {
  const places = lake.startsWith(directory) ? [directory] : [directory, lake];
  const found = await Promise.all(places.map((place) => holding(place, texts)));
  return found.flat().map((place) => `in the clear: ${place}`);
}

/** What is wrong with how many rows have ended well. */
export function notEnded({ rows }: BulkSummary, wanted: number): string[] {
  const ended = rows.done + rows.skipped;
  return ended === wanted ? [] : [`${ended} of ${wanted} rows are done`];
}
