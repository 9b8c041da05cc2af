import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { OnboardSummary } from "../src/domain/onboarding/batch/batch-totals.js";
import { type CommandProcess, NIGHTLEDGER, startNode } from "./command-process.js";
import { type ProcessUsage, watchUsage } from "./process-usage.js";
import type { StandIn } from "./stand-in.js";

/** Where and against what a batch runs. */
interface OnboardOptions {
  readonly standIn: Pick<StandIn, "url" | "apiKey" | "control">;
  /** The customers file. */
  readonly customers: string;
  /** Its working directory, with lake and HOME. */
  readonly directory: string;
  /** From the answer to a post until it is decided and told by webhook. */
  readonly delayMs: number;
  readonly window: number;
  /** Calls in flight. */
  readonly concurrency: number;
}

/** What a batch did and took. */
export interface OnboardRun {
  readonly summary: OnboardSummary;
  /** Seconds of the run itself. */
  readonly seconds: number;
  /** Seconds of the whole command, with reading, freezing and the start of everything. */
  readonly commandSeconds: number;
  /** The command's process: worker and client. */
  readonly process: ProcessUsage;
  /** The receiver's process, which has a worker too. */
  readonly receiver: ProcessUsage;
  readonly temporal: ProcessUsage;
  /** Webhooks that the receiver took, and of these, that a customer waited for. */
  readonly webhooks: { readonly taken: number; readonly matched: number };
}

const PLAYBOOK = "pb_bench";
/** As a service would: one after another, they would come later than a poll. */
const DELIVERIES_AT_ONCE = 32;
const SECRET = `whsec_${Buffer.from("a secret of the benchmark only").toString("base64")}`;

/**
 * Runs a batch in asynchronous mode to its end, beside a receiver in a process of its own to which the stand-in
 * sends its webhooks.
 *
 * @throws Error when it does not complete: a figure of a failed run says nothing.
 */
export async function runOnboard(options: OnboardOptions): Promise<OnboardRun> {
  const { standIn, directory, delayMs } = options;
  await standIn.control.playbooks.declare({
    key: PLAYBOOK,
    delayMs,
    output: { risk_level: "low", source: "{{data.source}}" },
    prerequisites: { source: "string", score: "string" },
  });
  const receiver = start(options, ["webhooks", "serve", "--port", "0"]);
  const receiverUsage = watchUsage(receiver.pid);
  try {
    const [, url = ""] = await receiver.said(/webhooks {2}(http:\S+\/webhooks),/);
    const { id } = await standIn.control.webhooks.register({
      url,
      secrets: [SECRET],
      atOnce: DELIVERIES_AT_ONCE,
    });
    const { summary, commandSeconds, process } = await runCommand(options);
    await standIn.control.webhooks.unregister(id);
    const health = await fetch(new URL("/healthz", url));
    const webhooks = (await health.json()) as OnboardRun["webhooks"];
    const { own, children } = receiverUsage.last();
    return {
      summary,
      seconds: summary.duration_ms / 1000,
      commandSeconds,
      process,
      receiver: own,
      temporal: children,
      webhooks: { taken: webhooks.taken, matched: webhooks.matched },
    };
  } catch (error) {
    const said = await readFile(join(directory, ".nightledger", "nightledger.log"), "utf8").catch(() => "");
    throw new Error(`${(error as Error).message}${said.slice(-2000)}`, { cause: error });
  } finally {
    receiver.child.kill("SIGTERM");
    await receiver.ended;
  }
}

async function runCommand(options: OnboardOptions) {
  const { customers, window } = options;
  const flags = ["--customers", customers, "--playbook", PLAYBOOK, "--mode", "async", "--json"];
  const started = performance.now();
  const command = start(options, ["onboard", ...flags, "--window", String(window)]);
  const usage = watchUsage(command.pid);
  const { code, stdout, stderr } = await command.ended;
  const commandSeconds = (performance.now() - started) / 1000;
  if (code !== 0) throw new Error(`the command ended with ${code}: ${stderr.slice(-2000)}`);
  return { summary: JSON.parse(stdout) as OnboardSummary, commandSeconds, process: usage.last().own };
}

function start({ standIn, directory, concurrency }: OnboardOptions, args: readonly string[]): CommandProcess {
  return startNode(NIGHTLEDGER, args, {
    cwd: directory,
    env: {
      NIGHTLEDGER_API_URL: standIn.url,
      NIGHTLEDGER_API_KEY: standIn.apiKey,
      NIGHTLEDGER_API_CONCURRENCY: String(concurrency),
      NIGHTLEDGER_WEBHOOK_SECRETS: SECRET,
    },
  });
}
