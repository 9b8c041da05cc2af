import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { Random } from "../../../sandbox/world/random.js";
import { STREAMS as ALL_STREAMS } from "../../../src/streams/index.js";
import type { ChildCommand, ProcessEnd } from "../command/command-process.js";
import { type JobFolder, openJobFolder } from "../command/job-folder.js";
import { auditLake, connectedLinks, rowsOf, withLake } from "../lake/lake-audit.js";
import { endProcess } from "../temporal/processes.js";
import { SECRET } from "../webhooks/signed-webhook.js";
import { auditCalls, type Interruption } from "./call-audit.js";
import { atPage, FILE_POINTS, type KillPoint, SERVER_STARTED } from "./kill-points.js";
import { type KilledStore, openKilledStore, type StoreKind } from "./killed-store.js";
import { stallsIn } from "./stalls.js";
import { workerPid } from "./worker-holder.js";

/** A process of the same HOME that was there first: it is the worker, and the command only watches. */
const COMPANIONS = {
  "the worker": ["dev"],
  "the receiver": ["webhooks", "serve", "--port", "0"],
} as const;
type Companion = keyof typeof COMPANIONS;

/** What is killed: with `everything`, every process and their Temporal server at once. */
type Victim = "everything" | "the command" | "Temporal" | Companion;

/** A kill as its seed decides it. */
interface PlannedKill {
  readonly victim: Victim;
  readonly point: KillPoint;
  /** Milliseconds after the point. */
  readonly delayMs: number;
}

export interface KillReport {
  readonly victim: string;
  /** In words: what, when, and what came of it. */
  readonly line: string;
  /** Whether its moment came before the command ended. */
  readonly met: boolean;
}

export interface TrialReport {
  readonly kills: readonly KillReport[];
  /** Everything that is not exactly right; empty when nothing is. */
  readonly problems: readonly string[];
}

const NIGHTS = 2;
const STREAMS = ALL_STREAMS.map(({ name }) => name).join(",");
/** What a killed process had sent has arrived by then; another one takes longer to begin. */
const ARRIVED_MS = 50;
const UNREACHABLE = 3;

/**
 * Two nights of one world, each with a kill at a moment of its seed; the same command is run again until it
 * completes. Then lake, certificates and calls are compared with the stand-in's truth.
 */
export async function runKillTrial(seed: number, store: StoreKind = "kept"): Promise<TrialReport> {
  const random = new Random(`kill/${seed}`);
  const size = random.pick([40, 100, 500]);
  const rows = size * (3 + random.int(8));
  const companion = random.pick([undefined, "the worker", "the receiver"] as const);
  const sandbox = await startSandbox({
    population: { kind: "synthetic", users: 3, linksPerUser: 3, rows, otherStates: true, seed },
    investments: 250,
    latencyMs: random.pick([3, 15, 40]),
  });
  const killedStore = await openKilledStore(store);
  const folder = await openJobFolder(
    sandbox,
    {
      NIGHTLEDGER_API_CONCURRENCY: random.pick(["2", "5", "16"]),
      NIGHTLEDGER_LOG_LEVEL: "debug",
      ...killedStore.env,
    },
    killedStore.lake,
  );
  const kills: KillReport[] = [];
  const problems: string[] = [];
  try {
    const trial = new Trial(folder, sandbox, killedStore, companion, [
      "--page-size",
      String(size),
      "--streams",
      STREAMS,
    ]);
    await trial.startCompanion();
    for (let night = 1; night <= NIGHTS; night += 1) {
      if (night > 1) {
        sandbox.advance({ seed, created: 1 + random.int(size * 2), updated: 25, removed: 9 });
        for (const link of connectedLinks(sandbox)) {
          sandbox.investments.change(link, { seed, created: 20, updated: 15, removed: 9, days: 25 });
        }
      }
      const pages = connectedLinks(sandbox).length * (night === 1 ? rows / size : 1);
      const plan = planKill(random, pages, companion);
      const startedAt = Date.now();
      const done = await trial.runNight(plan);
      const what = `night ${night}: kill ${plan.victim} when ${plan.point.name}, ${plan.delayMs} ms on`;
      const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
      const line = `${what}${done.came}: done in ${seconds} s`;
      kills.push({ victim: plan.victim, line, met: done.killed });
      problems.push(...done.problems);
      if (done.completed) problems.push(...(await auditLake(folder.lake, sandbox)));
      if (problems.length > 0) break;
    }
    problems.push(...(await trial.end()));
    return { kills, problems };
  } finally {
    await folder.release();
    await killedStore.release();
    await sandbox.close();
  }
}

function planKill(random: Random, pages: number, companion: Companion | undefined): PlannedKill {
  // With a companion the server is up before the night begins.
  const points = companion === undefined ? [SERVER_STARTED, ...FILE_POINTS] : FILE_POINTS;
  const point = random.chance(0.4)
    ? atPage(1 + random.int(Math.max(1, Math.floor(pages))))
    : random.pick(points);
  const victims: Victim[] = ["everything", "the command", "Temporal"];
  // Twice, as it is the worker.
  if (companion !== undefined) victims.push(companion, companion);
  return { victim: random.pick(victims), point, delayMs: random.chance(0.5) ? 0 : random.int(80) };
}

class Trial {
  readonly #killed = new Set<number>();
  readonly #problems: string[] = [];
  #companion: ChildCommand | undefined;
  #restarted: Promise<void> = Promise.resolve();

  constructor(
    readonly folder: JobFolder,
    readonly sandbox: Sandbox,
    readonly store: KilledStore,
    readonly companion: Companion | undefined,
    readonly options: readonly string[],
  ) {}

  async startCompanion(): Promise<void> {
    if (this.companion === undefined) return;
    const env = this.companion === "the receiver" ? { NIGHTLEDGER_WEBHOOK_SECRETS: SECRET } : {};
    const companion = this.folder.command(COMPANIONS[this.companion], env);
    this.#companion = companion;
    void companion.ended.then(({ signal, code, stdout, stderr }) => {
      if (signal !== "SIGKILL" && code !== 0)
        this.#problems.push(`${this.companion} ended with ${code}: ${stdout}${stderr}`);
    });
    await companion.says(/Ctrl-C (ends|stops)/);
  }

  /** Ends the companion; what is not right of it, and whether a server is left. */
  async end(): Promise<string[]> {
    await this.#companion?.end("SIGTERM");
    if (this.folder.servers().length > 0) this.#problems.push("a Temporal server is left");
    return this.#problems;
  }

  async runNight({ victim, point, delayMs }: PlannedKill) {
    const { folder, sandbox, options } = this;
    sandbox.clearRequests();
    const nightAt = Date.now();
    const interruptions: Interruption[] = [];
    const over = new AbortController();
    const arrival = point.arrive(folder, sandbox, over.signal);
    const first = folder.sync(...options);
    const killed = await Promise.race([
      arrival.then(
        () => sleep(delayMs).then(() => first.running()),
        () => false,
      ),
      first.ended.then(() => false),
    ]);
    let came = killed ? "" : " (the run was faster)";
    if (killed) {
      const { interruption, forgot } = await this.#kill(first, victim);
      if (interruption !== undefined) interruptions.push(interruption);
      if (forgot > 0) came = `, ${forgot} changes forgotten`;
    }
    const announced = new Set<string>();
    let last = await first.ended;
    note(last, announced);
    // A command whose server is killed while it starts ends, and says that it is to be run again.
    if (last.signal === "SIGKILL" || (killed && victim === "Temporal" && last.code === UNREACHABLE)) {
      const resumedAt = Date.now();
      last = await folder.sync(...options).ended;
      note(last, announced);
      // The worker had lived on and ended the run: this is another one, which asks each link once more.
      if (announced.size > 1) interruptions.push({ resumedAt, survived: true });
    }
    over.abort();
    await this.#restarted;
    const log = await readFile(join(folder.home, "nightledger.log"), "utf8").catch(() => "");
    const stalls = stallsIn(log, this.#killed).filter(({ resumedAt }) => resumedAt >= nightAt);
    if (stalls.length > 0) came += `, the worker stalled ${stalls.length} times`;
    const problems = auditCalls(sandbox.requests(), [...interruptions, ...stalls], this.store.forgets);
    if (last.code !== 0) problems.push(`the command ended with ${last.code}: ${last.stdout}${last.stderr}`);
    else problems.push(...(await auditRunIds(folder, announced)));
    return { killed, came, completed: last.code === 0, problems };
  }

  /** Ends the victims with SIGKILL, as close together as can be; the companion is started again. */
  async #kill(
    command: ChildCommand,
    victim: Victim,
  ): Promise<{ interruption?: Interruption; forgot: number }> {
    const all = victim === "everything";
    const companion = all || victim === this.companion ? this.#companion : undefined;
    const children = [
      ...(all || victim === "the command" ? [command] : []),
      ...(companion ? [companion] : []),
    ];
    const servers = all || victim === "Temporal" ? this.folder.servers() : [];
    const worker = workerPid(this.folder.home);
    const pids = children.map(({ pid }) => pid);
    for (const pid of pids) this.#killed.add(pid);
    for (const { pid } of servers) process.kill(pid, "SIGKILL");
    await Promise.all(children.map((child) => child.end("SIGKILL")));
    for (const server of servers) await endProcess(server);
    const forgot = await this.store.forget(this.folder.lake, pids, all);
    await sleep(ARRIVED_MS);
    const resumedAt = Date.now();
    if (companion !== undefined) this.#restarted = this.startCompanion().catch((error) => this.#note(error));
    const survived = worker !== undefined && !pids.includes(worker);
    // Who lives on and has its server loses nothing.
    return survived && servers.length === 0 ? { forgot } : { interruption: { resumedAt, survived }, forgot };
  }

  #note(error: unknown): void {
    this.#problems.push(String(error));
  }
}

function note({ stderr }: ProcessEnd, announced: Set<string>): void {
  const run = /^(?:joined )?run (sync-\S+?),?(?: |$)/m.exec(stderr)?.[1];
  if (run !== undefined) announced.add(run);
}

/** Every run that was announced has its row: the same command, run again, continues the run. */
async function auditRunIds(folder: JobFolder, announced: ReadonlySet<string>): Promise<string[]> {
  const rows = await withLake(folder.lake, (query) => rowsOf(query, "select run_id from runs"));
  const written = new Set(rows.map(({ run_id }) => run_id));
  return [...announced].filter((run) => !written.has(run)).map((run) => `run ${run} was never finished`);
}
