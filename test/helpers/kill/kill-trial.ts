import { setTimeout as sleep } from "node:timers/promises";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { Random } from "../../../sandbox/world/random.js";
import { endProcess } from "../../../src/temporal/server/server-process.js";
import type { ChildCommand, ProcessEnd } from "../command/command-process.js";
import { type JobFolder, openJobFolder } from "../command/job-folder.js";
import { auditLake, connectedLinks, rowsOf, withLake } from "../lake/lake-audit.js";
import { auditCalls, type Interruption } from "./call-audit.js";
import { atPage, FILE_POINTS, type KillPoint } from "./kill-points.js";

/** What is killed: with `everything`, the command and its Temporal server at once. */
const VICTIMS = ["everything", "the command", "Temporal"] as const;
type Victim = (typeof VICTIMS)[number];

/** A kill as its seed decides it. */
interface PlannedKill {
  readonly victim: Victim;
  readonly point: KillPoint;
  /** Milliseconds after the point. */
  readonly delayMs: number;
}

/** What one trial did and found. */
export interface TrialReport {
  /** One line a kill, in words. */
  readonly kills: readonly string[];
  /** Kills whose moment came before the command ended. */
  readonly killed: number;
  /** Everything that is not exactly right; empty when nothing is. */
  readonly problems: readonly string[];
}

const NIGHTS = 2;
const MOST_COMMANDS = 6;

/**
 * Two nights of one world, each with a kill at a moment of its seed; the same command is run again until it
 * completes. Then lake, certificates and calls are compared with the stand-in's truth.
 */
export async function runKillTrial(seed: number): Promise<TrialReport> {
  const random = new Random(`kill/${seed}`);
  const size = random.pick([40, 100, 500]);
  const rows = size * (3 + random.int(8));
  const sandbox = await startSandbox({
    population: { kind: "synthetic", users: 3, linksPerUser: 3, rows, otherStates: true, seed },
    latencyMs: random.pick([3, 15, 40]),
  });
  const folder = await openJobFolder(sandbox, { NIGHTLEDGER_API_CONCURRENCY: random.pick(["2", "5", "16"]) });
  const kills: string[] = [];
  const problems: string[] = [];
  let killed = 0;
  try {
    for (let night = 1; night <= NIGHTS; night += 1) {
      if (night > 1) sandbox.advance({ seed, created: 1 + random.int(size * 2), updated: 25, removed: 9 });
      const plan = planKill(random, connectedLinks(sandbox).length * (night === 1 ? rows / size : 1));
      const startedAt = Date.now();
      const done = await runNight(folder, sandbox, plan, ["--page-size", String(size)]);
      killed += done.killed ? 1 : 0;
      const what = `night ${night}: kill ${plan.victim} when ${plan.point.name}, ${plan.delayMs} ms on`;
      const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
      kills.push(`seed ${seed}, ${what}${done.killed ? "" : " (the run was faster)"}: done in ${seconds} s`);
      problems.push(...done.problems);
      if (done.completed) problems.push(...(await auditLake(folder.lake, sandbox)));
      if (problems.length > 0) break;
    }
    if (folder.servers().length > 0) problems.push("a Temporal server is left");
    return { kills, killed, problems };
  } finally {
    await folder.release();
    await sandbox.close();
  }
}

function planKill(random: Random, pages: number): PlannedKill {
  const point = random.chance(0.4)
    ? atPage(1 + random.int(Math.max(1, Math.floor(pages))))
    : random.pick(FILE_POINTS);
  return { victim: random.pick(VICTIMS), point, delayMs: random.chance(0.5) ? 0 : random.int(80) };
}

async function runNight(
  folder: JobFolder,
  sandbox: Sandbox,
  { victim, point, delayMs }: PlannedKill,
  options: readonly string[],
): Promise<{ killed: boolean; completed: boolean; problems: string[] }> {
  sandbox.clearRequests();
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
  if (killed) interruptions.push(await kill(folder, first, victim));
  const announced = new Set<string>();
  let last = await first.ended;
  for (let commands = 1; last.code !== 0 && commands < MOST_COMMANDS; commands += 1) {
    note(last, announced);
    const resumedAt = Date.now();
    if (interruptions.length > 0 && victim !== "Temporal") {
      interruptions.splice(0, interruptions.length, { resumedAt, survived: false });
    }
    last = await folder.sync(...options).ended;
    if (last.code !== 0 && last.signal === null) break;
  }
  over.abort();
  note(last, announced);
  const problems = auditCalls(sandbox.requests(), interruptions);
  if (last.code !== 0) problems.push(`the command ended with ${last.code}: ${last.stdout}${last.stderr}`);
  else problems.push(...(await auditRunIds(folder, announced)));
  return { killed, completed: last.code === 0, problems };
}

/** Ends the victims with SIGKILL, as close together as can be. */
async function kill(folder: JobFolder, command: ChildCommand, victim: Victim): Promise<Interruption> {
  const servers = victim === "the command" ? [] : folder.servers();
  for (const { pid } of servers) process.kill(pid, "SIGKILL");
  if (victim !== "Temporal") await command.end("SIGKILL");
  for (const server of servers) await endProcess(server, 0);
  return { resumedAt: Date.now(), survived: victim === "Temporal" };
}

function note({ stderr }: ProcessEnd, announced: Set<string>): void {
  const run = /^(?:joined )?run (sync-\S+?),?(?: |$)/m.exec(stderr)?.[1];
  if (run !== undefined) announced.add(run);
}

/** Every run that was announced has its row: a command that is run again goes on with the run. */
async function auditRunIds(folder: JobFolder, announced: ReadonlySet<string>): Promise<string[]> {
  const rows = await withLake(folder.lake, (query) => rowsOf(query, "select run_id from runs"));
  const written = new Set(rows.map(({ run_id }) => run_id));
  return [...announced].filter((run) => !written.has(run)).map((run) => `run ${run} was never finished`);
}
