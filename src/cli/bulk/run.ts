import type { ApiConfig } from "../../config.js";
import type { BulkOptions } from "../../domain/bulk/bulk-job.js";
import { askerOf } from "../../intake/bulk/asker.js";
import { checkedRows, type JudgedRows, judgeRows, refuseInvalid } from "../../intake/bulk/input-rows.js";
import { type AskedJob, startBulk } from "../../intake/bulk/start.js";
import { problemLines } from "../../intake/files/row-problems.js";
import type { AnyJob } from "../../jobs/job.js";
import { readJobConfig } from "../session/preflight.js";
import { type JobFlags, runJob } from "../session/run-job.js";
import { openServiceClient, pingService } from "../session/service.js";
import { EXIT } from "../terminal/exit-code.js";
import type { Terminal } from "../terminal/terminal.js";
import { bulkRun } from "./bulk-run.js";

export interface BulkFlags extends JobFlags {
  readonly validateOnly?: boolean;
  readonly continueInvalid?: boolean;
  readonly restart?: boolean;
}

/** Runs or joins a bulk job over a file and waits for its end, or only validates the file. Returns the exit code. */
export async function runBulk(
  terminal: Terminal,
  job: AnyJob,
  path: string,
  options: BulkOptions,
  flags: BulkFlags,
  secrets: Readonly<Record<string, string>> = {},
): Promise<number> {
  const { validateOnly, continueInvalid = false, restart = false, json = false } = flags;
  if (validateOnly) return validate(terminal, job, path, json);
  return runJob(terminal, flags, {
    read: async () => refuseInvalid(job, path, await judgeFile(terminal, job, path), continueInvalid),
    async plan({ config: { api } }, file) {
      const asked = { options, secrets, restart };
      const pingedUser = file.first && job.owner(file.first);
      if (job.check === undefined) return { pingedUser, run: newRun(job, { judged: file, ...asked }) };
      await pingService(api, pingedUser);
      const judged = refuseInvalid(job, path, await askedRows(job, file, api), continueInvalid);
      return { pingedUser: undefined, run: newRun(job, { judged, ...asked }) };
    },
  });
}

export function newRun(
  job: AnyJob,
  asked: Pick<AskedJob, "judged" | "options"> & Partial<Pick<AskedJob, "secrets" | "retryOf" | "restart">>,
): ReturnType<typeof bulkRun> {
  return bulkRun(job, ({ preflight: { scope, taskQueue, config }, sealed, temporal, signal }) => {
    const asker = askerOf(config.api);
    const whole = { secrets: {}, retryOf: null, restart: false, ...asked };
    return startBulk(temporal.client, { ...whole, scope, taskQueue, sealed, job, asker, signal });
  });
}

async function judgeFile(terminal: Terminal, job: AnyJob, path: string): Promise<JudgedRows> {
  const judged = await judgeRows(job, path);
  for (const warning of judged.warnings) terminal.say(`warning: ${warning}`);
  return judged;
}

/** Checks rows as {@link checkedRows} does, with a client of this command's own. */
async function askedRows(job: AnyJob, judged: JudgedRows, api: ApiConfig): Promise<JudgedRows> {
  const client = openServiceClient(api);
  try {
    return await checkedRows(job, judged, client);
  } finally {
    await client.close();
  }
}

async function validate(terminal: Terminal, job: AnyJob, path: string, json: boolean): Promise<number> {
  let judged = await judgeFile(terminal, job, path);
  if (job.check !== undefined) judged = await askedRows(job, judged, readJobConfig(terminal).config.api);
  const { total, invalid, problems } = judged;
  const lines = [
    `rows      ${total}: ${total - invalid} valid, ${invalid} invalid`,
    ...problemLines(problems),
  ];
  terminal.result(json ? JSON.stringify({ rows: { total, invalid }, problems }) : lines.join("\n"));
  return problems.length === 0 ? EXIT.completed : EXIT.usage;
}
