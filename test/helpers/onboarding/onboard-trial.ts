import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Sandbox } from "../../../sandbox/index.js";
import { Random } from "../../../sandbox/world/random.js";
import type { OnboardSummary } from "../../../src/domain/onboarding/batch/batch-totals.js";
import type { ChildCommand } from "../command/command-process.js";
import { type JobFolder, openJobFolder } from "../command/job-folder.js";
import { type KillPoint, newName } from "../kill/kill-points.js";
import type { KillReport, TrialReport } from "../kill/kill-trial.js";
import { type KilledStore, openKilledStore, type StoreKind } from "../kill/killed-store.js";
import { workerPid } from "../kill/worker-holder.js";
import { endProcess } from "../temporal/processes.js";
import { SECRET } from "../webhooks/signed-webhook.js";
import { openService, PLANTED, writeCustomers } from "./killed-batch.js";
import { auditBatch, auditEnd, staleOutcomes, untabledEvents } from "./onboarding-audit.js";
import { holding } from "./planted-texts.js";

/** What is killed: `the worker` is whichever process works now; with `everything` all of them at once. */
export type OnboardVictim = "the command" | "the worker" | "Temporal" | "the receiver" | "everything";

interface OnboardTrial {
  readonly seed: number;
  readonly customers: number;
  /** What is killed, one after the other; the moments are the seed's. */
  readonly victims: readonly OnboardVictim[];
  readonly store?: StoreKind;
}

const ARGS = ["onboard", "--customers", "customers.csv", "--playbook", "pb_kyc", "--json"];
/** Share of the batch within which kills begin: the command must not be faster. */
const LAST_MOMENT = 0.8;
const MOST_COMMANDS = 12;
const SETTLE_MS = 180_000;
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
  const sandbox = await openService(trial.seed, trial.customers);
  const store = await openKilledStore(trial.store ?? "kept");
  const folder = await openJobFolder(sandbox, store.env, store.lake);
  try {
    const users = await writeCustomers(folder, sandbox, trial.customers);
    return await new Trial(folder, sandbox, random, users, store).run(trial.victims);
  } finally {
    await folder.release();
    await store.release();
    await sandbox.close();
  }
}

class Trial {
  readonly #problems: string[] = [];
  readonly #kills: KillReport[] = [];
  readonly #printed: string[] = [];
  readonly #runs = new Set<string>();
  readonly #over = new AbortController();
  #command: ChildCommand | undefined;
  #receiver: ChildCommand | undefined;
  #worker: ChildCommand | undefined;
  #port = "0";

  constructor(
    readonly folder: JobFolder,
    readonly sandbox: Sandbox,
    readonly random: Random,
    readonly users: readonly string[],
    readonly store: KilledStore,
  ) {}

  async run(victims: readonly OnboardVictim[]): Promise<TrialReport> {
    // First, so that it is the worker and the others watch.
    await this.#work();
    await this.#receive();
    const completed = this.#onboard();
    const killing = this.#killAll(victims);
    const summary = await completed;
    this.#over.abort();
    await killing;
    if (summary !== undefined) await this.#judge(summary);
    return { kills: this.#kills, problems: this.#problems };
  }

  /** Starts a process that works for the others; in its turn, where another one has taken over. */
  async #work(): Promise<void> {
    this.#worker = this.folder.command(["dev"]);
    await this.#worker.says(/Ctrl-C (ends|stops)/);
    this.#watch("the worker", this.#worker);
  }

  /** Starts the receiver, from the second time on where it was before. */
  async #receive(): Promise<void> {
    const secrets = { NIGHTLEDGER_WEBHOOK_SECRETS: SECRET };
    const receiver = this.folder.command(["webhooks", "serve", "--port", this.#port], secrets);
    this.#receiver = receiver;
    const [, url = ""] = await receiver.says(/webhooks +(\S+), test mode/);
    if (this.#port === "0") this.sandbox.webhooks.register({ url, secrets: [SECRET] });
    this.#port = new URL(url).port;
    this.#watch("the receiver", receiver);
  }

  #watch(name: string, child: ChildCommand): void {
    void child.ended.then(({ signal, code, stdout, stderr }) => {
      this.#printed.push(stdout, stderr);
      if (signal !== "SIGKILL" && code !== 0) this.#problems.push(`${name} ended with ${code}: ${stderr}`);
    });
  }

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
      const came = early ? await this.#kill(victim) : " (too late)";
      const line = `kill ${victim} when ${point.name}, ${delayMs} ms on${came}`;
      this.#kills.push({ victim, line, met: early });
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

  /** Waits until an onboarding is made that its command does not know of yet, and that only a lookup can resolve. */
  async #answerUnderWay(): Promise<void> {
    const { sandbox } = this;
    const isUnderWay = () =>
      sandbox.requests({ operation: "create_onboarding" }).some(({ user, duration_ms }) => {
        return user !== undefined && duration_ms === undefined && sandbox.onboardings.of(user).length > 0;
      });
    while (!this.#over.signal.aborted && !isUnderWay()) await sleep(LOOK_CLOSELY_MS);
  }

  /** Ends the victims with SIGKILL, as close together as can be; worker and receiver are started again. */
  async #kill(victim: OnboardVictim): Promise<string> {
    const servers = victim === "Temporal" || victim === "everything" ? this.folder.servers() : [];
    const works = victim === "the worker" ? workerPid(this.folder.home) : undefined;
    const named = {
      "the command": this.#command,
      "the receiver": this.#receiver,
      "the worker": this.#worker,
    };
    const doomed = Object.entries(named).filter(([name, child]) => {
      if (!child?.running()) return false;
      return victim === "everything" || (victim === "the worker" ? child.pid === works : victim === name);
    });
    const pids = doomed.map(([, child]) => child?.pid ?? 0);
    for (const { pid } of servers) process.kill(pid, "SIGKILL");
    await Promise.all(doomed.map(([, child]) => child?.end("SIGKILL")));
    for (const server of servers) await endProcess(server);
    const forgot = await this.store.forget(this.folder.lake, pids, victim === "everything");
    await sleep(this.random.int(1_500));
    const names = doomed.map(([name]) => name);
    await Promise.all([
      names.includes("the worker") && this.#work(),
      names.includes("the receiver") && this.#receive(),
    ]);
    return ` (${names.join(", ") || "the server"}${forgot > 0 ? `, ${forgot} changes forgotten` : ""})`;
  }

  async #judge(summary: OnboardSummary): Promise<void> {
    const { sandbox, folder, users } = this;
    // Whether a kill comes between a request and its answer is chance where there are few.
    const isLarge = users.length >= 200;
    if (isLarge && sandbox.requests({ operation: "list_user_onboardings" }).length === 0)
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
    await this.#worker?.end("SIGTERM");
    if (folder.servers().length > 0) this.#problems.push("a Temporal server is left");
    this.#problems.push(...(await holding(folder.lake, PLANTED)), ...(await holding(folder.home, PLANTED)));
    const printed = PLANTED.filter((text) => this.#printed.some((one) => one.includes(text)));
    this.#problems.push(...printed.map((text) => `a command printed ${text}`));
  }

  /** Customers continue, and reviewers decide against what was decided. */
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
