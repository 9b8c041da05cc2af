import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { Random } from "../../../sandbox/world/random.js";
import type { OnboardSummary } from "../../../src/domain/onboarding/batch/batch-totals.js";
import { endProcess } from "../../../src/temporal/server/server-process.js";
import type { ChildCommand } from "../command/command-process.js";
import { type JobFolder, openJobFolder } from "../command/job-folder.js";
import { type KillPoint, newName } from "../kill/kill-points.js";
import type { TrialReport } from "../kill/kill-trial.js";
import { SECRET } from "../webhooks/signed-webhook.js";
import { auditBatch, auditEnd, staleOutcomes, untabledEvents } from "./onboarding-audit.js";
import { holding } from "./planted-texts.js";

/** What is killed: with `everything` all three at once. */
export type OnboardVictim = "the command" | "Temporal" | "the receiver" | "everything";

/** How large a trial is. */
interface OnboardTrial {
  readonly seed: number;
  readonly customers: number;
  /** What is killed, one after the other; the moments are the seed's. */
  readonly victims: readonly OnboardVictim[];
}

const ARGS = ["onboard", "--customers", "customers.csv", "--playbook", "pb_kyc", "--json"];
/** Every so many customers have values for the vault, or are known by their external id. */
const WITH_VAULT = 7;
const BY_EXTERNAL_ID = 5;
const PLANTED = ["Adalovelace", "quitepersonal"];
/** Share of the batch within which kills begin: the command must not be faster. */
const LAST_MOMENT = 0.8;
const MOST_COMMANDS = 12;
const SLOW = { kind: "slow", chunkBytes: 50, intervalMs: 400 } as const;
const SETTLE_MS = 120_000;
const LOOK_EVERY_MS = 500;
const LOOK_CLOSELY_MS = 10;
const COMMIT = /^\d{20}\.json$/;

/** Moments that are known by a new file in the lake. */
const FILE_POINTS: readonly KillPoint[] = (
  [
    ["outcomes are written", "onboardings", /\.parquet$/],
    ["outcomes are committed", "onboardings/_delta_log", COMMIT],
    ["the events of outcomes are committed", "onboarding_events/_delta_log", COMMIT],
    ["a webhook is staged", "_staging/webhooks", /./],
    ["webhooks are written", "webhook_events", /\.parquet$/],
    ["webhooks are committed", "webhook_events/_delta_log", COMMIT],
  ] as const
).map(([name, directory, pattern]) => {
  return { name, arrive: (folder, _, signal) => newName(join(folder.lake, directory), pattern, signal) };
});

/**
 * One batch with kills at moments of its seed; the command is run again until it completes, the receiver whenever
 * it is gone. Then people act, everything is killed once more, and the receiver's worker alone writes what came
 * of it. Tables, summary, CSV and the stand-in are compared.
 */
export async function runOnboardTrial(trial: OnboardTrial): Promise<TrialReport> {
  const random = new Random(`onboard/${trial.seed}`);
  const sandbox = await openService(trial);
  const folder = await openJobFolder(sandbox, { NIGHTLEDGER_WEBHOOK_SECRETS: SECRET });
  try {
    const users = await writeCustomers(folder, sandbox, trial.customers);
    return await new Trial(folder, sandbox, random, users).run(trial.victims);
  } finally {
    await folder.release();
    await sandbox.close();
  }
}

async function openService({ seed, customers }: OnboardTrial): Promise<Sandbox> {
  const sandbox = await startSandbox({
    seed,
    latencyMs: 10,
    playbooks: [
      {
        key: "pb_kyc",
        outcomes: { pass: 14, fail: 5, incomplete: 1 },
        manualReviewShare: 0.05,
        delayMs: [0, 4 * customers + 1_000],
        prerequisites: { note: "string" },
      },
    ],
    webhooks: { retryMs: [300, 600, 1_000, 2_000, 4_000, 8_000] },
  });
  const chance = { probability: 0.3, seed } as const;
  sandbox.addFault({ kind: "webhook_lost", ...chance });
  sandbox.addFault({ kind: "webhook_repeated", copies: 2, ...chance, seed: seed + 1 });
  sandbox.addFault({ kind: "webhook_late", ms: 3_000, ...chance, seed: seed + 2 });
  // So long that a kill comes between the effect and its answer.
  sandbox.addFault({ ...SLOW, operation: "create_onboarding", ...chance, seed: seed + 3 });
  return sandbox;
}

async function writeCustomers(folder: JobFolder, sandbox: Sandbox, count: number): Promise<string[]> {
  const lines = ["fp_id,external_id,data.note,vault.id.first_name"];
  const users = Array.from({ length: count }, (_, at) => `fp_${at + 1}`);
  for (const [at, fp_id] of users.entries()) {
    const external_id = `c-${at + 1}`;
    sandbox.addUser({ fp_id, external_id });
    const byExternalId = at % BY_EXTERNAL_ID === 0;
    const vault = at % WITH_VAULT === 0 && !byExternalId ? `${PLANTED[0]} ${at}` : "";
    lines.push([byExternalId ? `,${external_id}` : `${fp_id},`, `${PLANTED[1]} ${at}`, vault].join(","));
  }
  await writeFile(join(folder.directory, "customers.csv"), `${lines.join("\n")}\n`);
  return users;
}

/** The processes of one trial, and what is wrong so far. */
class Trial {
  readonly #problems: string[] = [];
  readonly #kills: string[] = [];
  readonly #printed: string[] = [];
  readonly #runs = new Set<string>();
  readonly #over = new AbortController();
  #command: ChildCommand | undefined;
  #receiver: ChildCommand | undefined;
  #port = "0";
  #killed = 0;

  constructor(
    readonly folder: JobFolder,
    readonly sandbox: Sandbox,
    readonly random: Random,
    readonly users: readonly string[],
  ) {}

  async run(victims: readonly OnboardVictim[]): Promise<TrialReport> {
    await this.#receive();
    const completed = this.#onboard();
    const killing = this.#killAll(victims);
    const summary = await completed;
    this.#over.abort();
    await killing;
    if (summary !== undefined) await this.#judge(summary);
    return { kills: this.#kills, killed: this.#killed, problems: this.#problems };
  }

  /** Starts the receiver, from the second time on where it was before. */
  async #receive(): Promise<void> {
    const receiver = this.folder.command(["webhooks", "serve", "--port", this.#port]);
    this.#receiver = receiver;
    const [, url = ""] = await receiver.says(/webhooks +(\S+), test mode/);
    if (this.#port === "0") this.sandbox.webhooks.register({ url, secrets: [SECRET] });
    this.#port = new URL(url).port;
    void receiver.ended.then(({ signal, code, stdout, stderr }) => {
      this.#printed.push(stdout, stderr);
      if (signal !== "SIGKILL" && code !== 0)
        this.#problems.push(`the receiver ended with ${code}: ${stderr}`);
    });
  }

  /** Runs the command until it completes; its summary. */
  async #onboard(): Promise<OnboardSummary | undefined> {
    for (let commands = 0; commands < MOST_COMMANDS; commands += 1) {
      this.#command = this.folder.command(ARGS);
      const { code, signal, stdout, stderr } = await this.#command.ended;
      this.#printed.push(stdout, stderr);
      const run = /^(?:joined )?run (onboard-\S+?),?(?: |$)/m.exec(stderr)?.[1];
      if (run !== undefined) this.#runs.add(run);
      if (code === 0) return JSON.parse(stdout) as OnboardSummary;
      if (signal === "SIGKILL") continue;
      this.#problems.push(`the command ended with ${code}: ${stdout}${stderr}`);
      return undefined;
    }
    this.#problems.push(`${MOST_COMMANDS} commands did not complete`);
    return undefined;
  }

  async #killAll(victims: readonly OnboardVictim[]): Promise<void> {
    for (const [at, victim] of victims.entries()) {
      const point = this.#pointOf(at, victims.length);
      const delayMs = this.random.chance(0.5) ? 0 : this.random.int(300);
      const { signal } = this.#over;
      const arrived = await point.arrive(this.folder, this.sandbox, signal).then(
        () => true,
        () => false,
      );
      if (arrived) await this.#answerUnderWay();
      if (arrived && victim !== "everything") await sleep(delayMs);
      const early = arrived && !signal.aborted;
      this.#kills.push(`kill ${victim} when ${point.name}, ${delayMs} ms on${early ? "" : " (too late)"}`);
      if (!early) continue;
      this.#killed += 1;
      await this.#kill(victim);
    }
  }

  /** Moments spread over the batch: so many requests, and sometimes a file soon after them. */
  #pointOf(at: number, of: number): KillPoint {
    const rows = this.users.length * LAST_MOMENT;
    const posts = 1 + Math.floor(((at + this.random.next()) / of) * rows);
    const soon = posts + Math.ceil(rows / 20);
    const file = this.random.chance(0.6) ? this.random.pick(FILE_POINTS) : undefined;
    return {
      name: [`onboarding ${posts} is asked for`, ...(file === undefined ? [] : [file.name])].join(", then "),
      arrive: async (folder, sandbox, signal) => {
        const asked = (count: number) => {
          const made = sandbox.calls().by_operation.create_onboarding ?? 0;
          return sandbox.waitForRequests(count - made, { operation: "create_onboarding" });
        };
        await Promise.race([asked(posts), aborted(signal)]);
        signal.throwIfAborted();
        if (file !== undefined) await Promise.race([file.arrive(folder, sandbox, signal), asked(soon)]);
      },
    };
  }

  /** Waits until an onboarding is made that its command does not know of yet, and that only a look can settle. */
  async #answerUnderWay(): Promise<void> {
    const { sandbox } = this;
    const isUnderWay = () =>
      sandbox.requests({ operation: "create_onboarding" }).some(({ user, duration_ms }) => {
        return user !== undefined && duration_ms === undefined && sandbox.onboardings.of(user).length > 0;
      });
    while (!this.#over.signal.aborted && !isUnderWay()) await sleep(LOOK_CLOSELY_MS);
  }

  /** Ends the victims with SIGKILL, as close together as can be; the receiver is started again. */
  async #kill(victim: OnboardVictim): Promise<void> {
    const hits = (one: OnboardVictim) => victim === one || victim === "everything";
    const servers = hits("Temporal") ? this.folder.servers() : [];
    const children = [
      ...(hits("the command") ? [this.#command] : []),
      ...(hits("the receiver") ? [this.#receiver] : []),
    ];
    for (const { pid } of servers) process.kill(pid, "SIGKILL");
    await Promise.all(children.map((child) => child?.end("SIGKILL")));
    for (const server of servers) await endProcess(server, 0);
    if (!hits("the receiver")) return;
    await sleep(this.random.int(1_500));
    await this.#receive();
  }

  async #judge(summary: OnboardSummary): Promise<void> {
    const { sandbox, folder, users } = this;
    if (sandbox.requests({ operation: "list_user_onboardings" }).length === 0)
      this.#problems.push("no kill met a request whose answer was under way: the trial proves too little");
    const batch = { lake: folder.lake, sandbox, users };
    const events = () => untabledEvents(batch);
    await this.#until("webhooks that are not in their table", events);
    this.#problems.push(...(await auditBatch(batch)), ...(await auditEnd(batch, summary, this.#runs)));
    this.#peopleAct();
    await this.#kill("everything");
    await this.#until("outcomes that are not the service's", () => staleOutcomes(batch));
    await this.#until("webhooks that are not in their table", events);
    this.#problems.push(...(await auditBatch(batch)));
    await this.#receiver?.end("SIGTERM");
    if (folder.servers().length > 0) this.#problems.push("a Temporal server is left");
    this.#problems.push(...(await holding(folder.lake, PLANTED)), ...(await holding(folder.home, PLANTED)));
    const printed = PLANTED.filter((text) => this.#printed.some((one) => one.includes(text)));
    this.#problems.push(...printed.map((text) => `a command printed ${text}`));
  }

  /** Customers go on, and reviewers decide against what was decided. */
  #peopleAct(): void {
    const { onboardings } = this.sandbox;
    this.sandbox.clearFaults();
    for (const { id, status, requires_manual_review: review } of onboardings.list()) {
      if (status === "incomplete") onboardings.finish(id, "pass");
      else if (review) onboardings.review(id, status === "pass" ? "fail" : "pass");
    }
  }

  /** Waits until nothing of a kind is left; what is left after long is wrong. */
  async #until(what: string, left: () => Promise<readonly string[]>): Promise<void> {
    const notAfter = Date.now() + SETTLE_MS;
    for (;;) {
      const some = await left();
      if (some.length === 0) return;
      if (Date.now() > notAfter) {
        this.#problems.push(`${what}: ${some.length}, such as ${some.slice(0, 3).join("; ")}`);
        return;
      }
      await sleep(LOOK_EVERY_MS);
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
