import { execFileSync, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, open, readFile, rename, rm, stat, statfs } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { UnreachableError } from "../../domain/failures.js";
import { RUN_ATTRIBUTES } from "../../domain/run.js";
import { identify, isProcessIdentity, isRunning, type ProcessIdentity } from "./process-identity.js";
import { freePort, freeUiPort, HOST } from "./server-ports.js";
import { becomesReady } from "./server-readiness.js";
import { replaceFile } from "./sightings.js";
import { type Hold, openPipe, supervised } from "./supervisor.js";

interface ServerStart {
  /** The SQLite file, in the folder of the log; without it everything is in memory. */
  readonly database?: string | undefined;
  readonly cliPath: string;
  /** Where the server's output goes; one older file is kept beside it. */
  readonly logFile: string;
  readonly namespace: string;
  /** Taken unless another program has it, so that clients of a server that died find the new one. */
  readonly preferredPort?: number | undefined;
  /** With the web UI. */
  readonly ui?: boolean | undefined;
  /** Called once the process exists and before it is ready, so that no crash leaves an unknown server. */
  readonly spawned?: (record: ServerRecord) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
}

const START_DEADLINE_MS = 60_000;
/** Bytes without which a server has no room for its database. */
const LEAST_ROOM = 1024 * 1024;
const TERM_GRACE_MS = 1_500;
const KILL_GRACE_MS = 5_000;
const LOG_LIMIT_BYTES = 8 * 1024 * 1024;
const START_ATTEMPTS = 3;
/** How long a killed server may keep its port: its process can be gone before its last thread is. */
const PORT_WAIT_MS = 5_000;

interface Ports {
  readonly port: number;
  /** Of the web UI; without it there is none. */
  readonly uiPort: number | undefined;
}

interface StartedServer {
  readonly record: ServerRecord;
  /** The server ends with the last process that holds it; this is the first hold. */
  readonly hold: Hold;
}

/**
 * Starts a dev server in its own process group and waits until it is ready.
 *
 * @throws UnreachableError when it ends or does not answer in time, with the tail of its log.
 */
export async function startServer(start: ServerStart): Promise<StartedServer> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort(start.preferredPort, PORT_WAIT_MS);
    const uiPort = start.ui ? await freeUiPort() : undefined;
    const log = await openLog(start.logFile);
    try {
      return await launch(start, { port, uiPort }, log.handle.fd);
    } catch (error) {
      const said = await lastWords(start.logFile, log.offset);
      // Another program may take a port after the check; the server panics when it finds none for its own use.
      if (/address already in use|^panic: /im.test(said) && attempt < START_ATTEMPTS) continue;
      if (!(error instanceof UnreachableError)) throw error;
      throw new UnreachableError(
        `${error.message} Log ${start.logFile} ends with:\n${said || "(nothing was logged)"}`,
      );
    } finally {
      await log.handle.close();
    }
  }
}

// With the server's defaults (20 polls a second of one shard) a sequential activity takes 97 ms; so, 13-17 ms.
const DYNAMIC_CONFIG = {
  "history.transferProcessorMaxPollRPS": 5000,
  "history.timerProcessorMaxPollRPS": 5000,
  "history.visibilityProcessorMaxPollRPS": 1000,
  "frontend.namespaceRPS": 20000,
  "frontend.namespaceCount": 5000,
  // Closes the HTTP API, which would take a request of any web page.
  "frontend.httpAllowedHosts": '[" "]',
} as const;

/** A file that is not there: it tells the command line of one HOME's server from all others. */
function nameOf(database: string): string {
  return `${database}.env`;
}

/** The command line of the dev server (docs/inside/rules.md, "Embedded server"). */
function serverArguments({ database }: ServerStart, { port, uiPort }: Ports): string[] {
  const durable = ["--sqlite-pragma", "journal_mode=WAL", "--sqlite-pragma", "synchronous=NORMAL"];
  return [
    ...["server", "start-dev", "--ip", HOST, "--port", String(port), "--log-level", "warn"],
    ...(uiPort === undefined ? ["--headless"] : ["--ui-port", String(uiPort)]),
    // The database without its folder, whose name SQLite would take for an address.
    ...(database === undefined
      ? []
      : ["--env-file", nameOf(database), "--db-filename", basename(database), ...durable]),
    ...Object.values(RUN_ATTRIBUTES).flatMap((name) => ["--search-attribute", `${name}=Keyword`]),
    ...Object.entries(DYNAMIC_CONFIG).flatMap(([name, value]) => [
      "--dynamic-config-value",
      `${name}=${value}`,
    ]),
  ];
}

async function launch(start: ServerStart, ports: Ports, logFd: number): Promise<StartedServer> {
  const { port, uiPort } = ports;
  const address = `${HOST}:${port}`;
  const directory = dirname(start.logFile);
  const { hold, reader } = await openPipe(directory);
  const [command, args] = supervised(start.cliPath, serverArguments(start, ports), start.database ?? "");
  // Detached: a Ctrl-C in the terminal must not end the server before the worker has stopped. A bare
  // environment: no secret of ours in the server's, and no Temporal setting of the user's in effect.
  const child = spawn(command, args, {
    detached: true,
    stdio: [reader.fd, logFd, logFd],
    env: { PATH: process.env.PATH, HOME: directory, TEMPORAL_VERSION_CHECK_DISABLED: "1" },
    cwd: directory,
  });
  child.unref();
  let ended: string | undefined;
  child.once("error", (error) => {
    ended = `could not be run: ${error.message}`;
  });
  child.once("exit", (code, signal) => {
    ended = `ended with ${signal ?? `code ${code}`} before it was ready`;
  });
  const identity = child.pid === undefined ? undefined : identify(child.pid);
  await reader.close();
  if (identity === undefined) {
    await sleep(0);
    await hold.release();
    throw new UnreachableError(
      `The Temporal dev server (${start.cliPath}) ${ended ?? "ended at once"}. Nothing was started.`,
    );
  }
  const ui = uiPort === undefined ? {} : { ui: `http://${HOST}:${uiPort}` };
  const record: ServerRecord = { ...identity, port, address, ...ui, pipe: hold.pipe };
  try {
    await start.spawned?.(record);
    const stopped = () => ended !== undefined || start.signal?.aborted === true;
    const ready = await becomesReady(address, start.namespace, { deadlineMs: START_DEADLINE_MS, stopped });
    start.signal?.throwIfAborted();
    if (!ready || ended !== undefined) {
      const what = ended ?? `did not answer on ${address} within ${START_DEADLINE_MS / 1000} s and was ended`;
      const { bavail, bsize } = await statfs(directory);
      const todo =
        bavail * bsize < LEAST_ROOM ? `${directory} is full: make room, and try again` : "try again";
      throw new UnreachableError(
        `The Temporal dev server (${start.cliPath}) ${what}. Its database was not changed; ${todo}.`,
      );
    }
    return { record, hold };
  } catch (error) {
    await endProcess(identity);
    await hold.release();
    throw error;
  }
}

/**
 * Ends exactly this process: asks, then kills. Returns when it is gone.
 *
 * @throws UnreachableError when it can't be ended.
 */
export async function endProcess(identity: ProcessIdentity, graceMs = TERM_GRACE_MS): Promise<void> {
  if (await endsAfter(identity, "SIGTERM", graceMs)) return;
  if (await endsAfter(identity, "SIGKILL", KILL_GRACE_MS)) return;
  throw new UnreachableError(
    `The Temporal dev server (pid ${identity.pid}) does not end. End it by hand, then try again.`,
  );
}

async function endsAfter(
  identity: ProcessIdentity,
  signal: NodeJS.Signals,
  graceMs: number,
): Promise<boolean> {
  if (!isRunning(identity)) return true;
  try {
    process.kill(identity.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return true;
    return false;
  }
  const deadline = Date.now() + graceMs;
  while (isRunning(identity)) {
    if (Date.now() > deadline) return false;
    await sleep(20);
  }
  return true;
}

/** Dev servers that have this database open, whether HOME knows of them or not. */
export function serversOn(database: string): ProcessIdentity[] {
  const pids = process.platform === "linux" ? pidsFromProc(database) : pidsFromPs(database);
  return pids.flatMap((pid) => identify(pid) ?? []);
}

function pidsFromProc(database: string): number[] {
  const needle = `\0--env-file\0${nameOf(database)}\0`;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, "utf8").includes(needle);
      } catch {
        return false;
      }
    })
    .map(Number);
}

function pidsFromPs(database: string): number[] {
  const lines = execFileSync("/bin/ps", ["-axww", "-o", "pid=", "-o", "args="], { encoding: "utf8" });
  return lines
    .split("\n")
    .filter((line) => `${line} `.includes(`--env-file ${nameOf(database)} `))
    .map((line) => Number.parseInt(line, 10));
}

async function openLog(path: string) {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const size = (await stat(path).catch(() => undefined))?.size ?? 0;
  if (size > LOG_LIMIT_BYTES) await rename(path, `${path}.1`);
  return { handle: await open(path, "a", 0o600), offset: size > LOG_LIMIT_BYTES ? 0 : size };
}

/** The last lines of a log from `offset` on; of a Go program that panicked, the reason instead of its stack. */
async function lastWords(path: string, offset: number): Promise<string> {
  const written = (await readFile(path).catch(() => Buffer.alloc(0))).subarray(offset).toString("utf8");
  const reason = /^(?:panic|fatal error): .*/m.exec(written)?.[0];
  return (reason ?? written).trimEnd().split("\n").slice(-12).join("\n").slice(-3000);
}

/** The embedded server that HOME knows of, as `HOME/server.json` keeps it. */
export interface ServerRecord extends ProcessIdentity {
  readonly port: number;
  readonly address: string;
  readonly ui?: string | undefined;
  /** Name of the pipe to its supervisor, in HOME. */
  readonly pipe?: string | undefined;
}

/** The record of a HOME. Every command that uses its server renews the file's time, for those elsewhere to see. */
export function recordOf(home: string): string {
  return join(home, "server.json");
}

export async function readServerRecord(home: string): Promise<ServerRecord | undefined> {
  try {
    const record: unknown = JSON.parse(await readFile(recordOf(home), "utf8"));
    if (!isProcessIdentity(record)) return undefined;
    const { port, address, pipe } = record as Partial<ServerRecord>;
    // A pipe's name is that of a file of ours: HOME may be shared with others who write to it.
    const isNamed = pipe === undefined || /^server-[0-9a-f]+\.pipe$/.test(pipe);
    return isNamed && typeof port === "number" && typeof address === "string"
      ? (record as ServerRecord)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Writes `HOME/server.json`, whole or not at all. Call it under HOME's lock. */
export async function writeServerRecord(home: string, record: ServerRecord): Promise<void> {
  await replaceFile(recordOf(home), record);
}

/** Deletes `HOME/server.json`. Call it under HOME's lock, once the process is gone. */
export async function removeServerRecord(home: string): Promise<void> {
  await rm(recordOf(home), { force: true });
}
