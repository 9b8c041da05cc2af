import type { ApiConfig } from "../../config.js";
import type { BulkRequest } from "../../intake/bulk/bulk-request.js";
import { checkedRows, type JudgedRows, judgeRows, validRows } from "../../intake/bulk/input-rows.js";
import { type AnyJob, planOf } from "../../jobs/job.js";
import { lakeAt } from "../../lake/lake.js";
import { inParts } from "../../lake/parts.js";
import { temporaryScratch } from "../../lake/sql/scratch.js";
import { createSealer } from "../../temporal/encryption/cipher.js";
import { readJobConfig, readLakeView } from "../session/preflight.js";
import { openServiceClient } from "../session/service.js";
import { showValidation } from "../shell/validation.js";
import type { Terminal } from "../terminal/terminal.js";

export async function validateFile(
  terminal: Terminal,
  job: AnyJob,
  { file, options }: Pick<BulkRequest, "file" | "options">,
  json: boolean,
): Promise<number> {
  let judged = await judgeRows(job, file);
  for (const warning of judged.warnings) terminal.say(`warning: ${warning}`);
  if (job.check !== undefined)
    judged = await rowsCheckedByService(job, judged, readJobConfig(terminal).config.api);
  const { total, invalid, problems } = judged;
  const rows = { total, invalid, done: await doneRows(terminal, job, judged, options) };
  return showValidation(terminal, { rows, problems }, json);
}

/** With a client of this command's own. */
export async function rowsCheckedByService(
  job: AnyJob,
  judged: JudgedRows,
  api: ApiConfig,
): Promise<JudgedRows> {
  const client = openServiceClient(api);
  try {
    return await checkedRows(job, judged, client);
  } finally {
    await client.close();
  }
}

/** Counts the valid rows that an earlier run has sent. Only reads. */
async function doneRows(
  terminal: Terminal,
  job: AnyJob,
  judged: JudgedRows,
  options: object,
): Promise<number> {
  if (!job.effect || job.plan === undefined) return 0;
  const { config, keys } = await readLakeView(terminal);
  // No job has run where there are no keys.
  if (keys === undefined) return 0;
  const sealer = createSealer(keys);
  const lake = lakeAt(config.lake, { sealer, scratchDirectory: await temporaryScratch() });
  const bounds = { count: job.groupRows, bytes: Number.POSITIVE_INFINITY };
  let done = 0;
  try {
    for await (const group of inParts(validRows(judged), bounds, () => 0)) {
      const { ended } = await planOf(job, { runId: "", lake, sealer, options }, group);
      for (const { rows } of ended) done += rows.length;
    }
  } finally {
    await lake.close();
  }
  return done;
}
