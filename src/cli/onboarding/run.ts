import { type Config, readConfig } from "../../config.js";
import { InputError } from "../../domain/failures.js";
import { batchWorkflowId } from "../../domain/onboarding/identity.js";
import { NOBODY } from "../../domain/service/external-id.js";
import { problemLines } from "../../intake/files/judged-file.js";
import type { CustomersFile } from "../../intake/onboarding/customers-file.js";
import { type BatchRequest, batchOptions, judgeBatch } from "../../intake/onboarding/start.js";
import { FrozenBatches } from "../../lake/onboarding/frozen-batch.js";
import type { ServiceBinding } from "../../lake/service-binding.js";
import { joinRun } from "../../temporal/running-workflows.js";
import type { JobSession } from "../session/job-session.js";
import { findService, type Preflight } from "../session/preflight.js";
import { type JobFlags, runJob } from "../shell/shell.js";
import { EXIT } from "../terminal/exit-code.js";
import type { Terminal } from "../terminal/terminal.js";
import { batchJob, giveUpBatch, rowsReached, startBatch } from "./batch-run.js";
import { doneCustomers } from "./done-customers.js";
import { validationSummary, validationText } from "./validation-report.js";

interface OnboardFlags extends JobFlags {
  readonly validateOnly?: boolean;
  readonly restart?: boolean;
}

/** Runs or joins a batch and waits for its end, or only validates its file. Returns the exit code. */
export async function runOnboard(
  terminal: Terminal,
  asked: BatchRequest,
  flags: OnboardFlags,
): Promise<number> {
  if (flags.validateOnly) return validate(terminal, asked, flags);
  const { inputs } = asked;
  return runJob(terminal, flags, {
    async read({ config }) {
      // The preflight reports problems of the lake, after those of the file.
      const service = await findService(config).catch(() => undefined);
      const warn = (warning: string) => terminal.say(`warning: ${warning}`);
      const file = await judgeBatch(asked, service?.id ?? "", warn);
      for (const line of problemLines(file.problems)) terminal.say(line);
      return file;
    },
    async plan(preflight, file) {
      const { store } = preflight;
      const { facts } = file;
      checkService(file, preflight);
      const job = batchJob(terminal, inputs, async (session) => {
        if (flags.restart) await giveUpEarlier(terminal, session, facts.batchId);
        const batches = new FrozenBatches(session.sealed);
        await batches.freeze(facts, file.freezable());
        let { limit = null } = asked.options;
        // A limit below what the batch has reached changes nothing.
        if (limit !== null) limit = Math.max(limit, await rowsReached(store, batches, facts.batchId));
        return startBatch(session, facts, batchOptions(inputs, facts.mode, { limit, retry: false }));
      });
      return { ...job, pingedUser: file.firstFpId ?? NOBODY };
    },
  });
}

/** Its customers continue, and report to the next run. */
async function giveUpEarlier(terminal: Terminal, session: JobSession, batchId: string): Promise<void> {
  const { client } = session.temporal;
  const running = await joinRun(client, batchWorkflowId(session.preflight.scope, batchId));
  if (running === undefined) return;
  terminal.say(`giving up run ${running.runId}, which is still running`);
  await giveUpBatch(session, running);
}

async function validate(terminal: Terminal, asked: BatchRequest, { json }: JobFlags): Promise<number> {
  const service = await serviceIfAny(terminal);
  const file = await judgeBatch({ ...asked, continueInvalid: true }, service?.id ?? "");
  for (const line of json ? [] : problemLines(file.problems)) terminal.say(line);
  const done = service === undefined ? null : await doneCustomers(readConfig(terminal, ["lake"]).lake, file);
  terminal.result(json ? JSON.stringify(validationSummary(file, done)) : validationText(file, done));
  return file.problems.length > 0 ? EXIT.usage : EXIT.completed;
}

/** Row keys of another service than the lake's would be posted again. */
function checkService({ facts }: CustomersFile, { service, store }: Preflight): void {
  if (facts.service === service.id) return;
  throw new InputError(
    `the lake ${store.address} was bound to its service while the customers file was read. Nothing was started. Run the command again.`,
  );
}

/** Undefined where it is not configured, or the lake can't be read. */
async function serviceIfAny(terminal: Terminal): Promise<ServiceBinding | undefined> {
  let config: Config<"api" | "lake">;
  try {
    config = readConfig(terminal, ["api", "lake"]);
  } catch {
    return undefined;
  }
  return findService(config).catch((error: unknown) => {
    if (error instanceof InputError) throw error;
    return undefined;
  });
}
