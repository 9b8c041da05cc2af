import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Sandbox } from "../../../sandbox/index.js";
import type { BulkOptions } from "../../domain/bulk/bulk-job.js";
import { judgeRows } from "../../intake/bulk/input-rows.js";
import { cipJob } from "../../jobs/cip.js";
import { importJob } from "../../jobs/import.js";
import type { AnyJob } from "../../jobs/job.js";
import type { BulkResult } from "../../workflows/bulk/bulk-job.js";
import { newRun } from "../bulk/run.js";
import { followRun } from "../session/job-run.js";
import type { JobSession } from "../session/job-session.js";
import type { Terminal } from "../terminal/terminal.js";

/** Imports a file of three rows, two of them alike. Returns the id of their link; undefined where it failed. */
export async function importRows(
  terminal: Terminal,
  session: JobSession,
  sandbox: Sandbox,
  home: string,
): Promise<string | undefined> {
  const link = [...sandbox.world.links.values()].find(({ text }) => JSON.parse(text).state === "connected");
  const [account] = link?.accounts ?? [];
  if (link === undefined || account === undefined) return undefined;
  const path = join(home, "imports.csv");
  const rows = ["19.90,2026-01-05,coffee beans", "4.20,2026-01-06,tram", "4.20,2026-01-06,tram"];
  const lines = rows.map((row) => `${link.id},${account.id},${row}\n`);
  await writeFile(path, `link_id,account_id,amount,date,description\n${lines.join("")}`);
  const end = await runToEnd(terminal, session, importJob, path, { chunk: 500 });
  return end === undefined ? undefined : link.id;
}

/** Exports the CIP reports of a roster. Returns the directory of the pack; undefined where it failed. */
export async function exportReports(
  terminal: Terminal,
  session: JobSession,
  roster: string,
): Promise<string | undefined> {
  const end = await runToEnd(terminal, session, cipJob, roster, { approver: "compliance@demo.example" });
  return end === undefined ? undefined : String(end.export);
}

async function runToEnd(
  terminal: Terminal,
  session: JobSession,
  job: AnyJob,
  path: string,
  options: BulkOptions,
): Promise<BulkResult | undefined> {
  const judged = await judgeRows(job, path);
  const run = newRun(job, { judged, options, secrets: {}, retryOf: null, restart: false });
  const { end } = await followRun(terminal, session, run);
  if (end?.kind === "completed" && end.result.status === "completed") return end.result;
  terminal.say(`the demo stopped: the ${job.kind} run did not complete`);
  return undefined;
}
