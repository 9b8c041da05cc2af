import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, open, readFile, rename, stat, statfs } from "node:fs/promises";
import type { Socket } from "node:net";
import { basename, dirname } from "node:path";
import { UnreachableError } from "../../domain/failures.js";
import { RUN_ATTRIBUTES } from "../../domain/run.js";
import { commandLine } from "../../domain/words/texts.js";
import { freePort, freeUiPort, HOST } from "./server-ports.js";
import { becomesReady } from "./server-readiness.js";

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
  /** A descriptor that the server inherits, with its lock. */
  readonly inherited?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

const START_DEADLINE_MS = 60_000;
/** Bytes without which a server has no room for its database. */
const LEAST_ROOM = 1024 * 1024;
const LOG_LIMIT_BYTES = 8 * 1024 * 1024;
const START_ATTEMPTS = 3;
/** How long a killed server may keep its port: its process can be gone before its last thread is. */
const PORT_WAIT_MS = 5_000;

interface Ports {
  readonly port: number;
  /** Of the web UI; without it there is none. */
  readonly uiPort: number | undefined;
}

export interface ServerProcess {
  readonly port: number;
  /** Address of the web UI, where there is one. */
  readonly ui?: string | undefined;
  isRunning(): boolean;
  /** Asks it to end, kills it after two seconds, and waits until it is gone. */
  stop(): Promise<void>;
}

/**
 * Runs the server, and ends it once this process closes its end of the pipe at descriptor 0, as the kernel does for a
 * killed one: no server outlives its owner. The shell waits for its child, so that it never signals another process.
 */
const supervised = (server: string, signal: string) => `
exec 4<&0 </dev/null
${server} 4<&- &
server=$!
{
  while read -r _ <&4; do :; done
  kill -${signal} $server
  for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    sleep 0.1
    kill -0 $server || exit
  done
  kill -KILL $server
} 2>/dev/null 3<&- &
watch=$!
exec 4<&-
wait $server
code=$?
kill $watch
exit $code
`;

/**
 * Starts a dev server in its own process group and waits until it is ready.
 *
 * @throws UnreachableError when it ends or does not answer in time, with the tail of its log.
 */
export async function startServer(start: ServerStart): Promise<ServerProcess> {
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

async function launch(start: ServerStart, ports: Ports, logFd: number): Promise<ServerProcess> {
  const { port, uiPort } = ports;
  const directory = dirname(start.logFile);
  // A database in memory has nothing to lose.
  const signal = start.database === undefined ? "KILL" : "TERM";
  const server = commandLine([start.cliPath, ...serverArguments(start, ports)]);
  // Detached: a Ctrl-C in the terminal must not end the server before the worker has stopped. A bare
  // environment: no secret of ours in the server's, and no Temporal setting of the user's in effect.
  const child = spawn("/bin/sh", ["-c", supervised(server, signal)], {
    detached: true,
    stdio: ["pipe", logFd, logFd, start.inherited ?? "ignore"],
    env: { PATH: process.env.PATH, HOME: directory, TEMPORAL_VERSION_CHECK_DISABLED: "1" },
    cwd: directory,
  });
  child.unref();
  // Held open, it keeps no process alive.
  (child.stdin as Socket | null)?.unref();
  child.stdin?.on("error", () => undefined);
  let ended: string | undefined;
  child.once("error", (error) => {
    ended = `could not be run: ${error.message}`;
  });
  child.once("exit", (code, signal) => {
    ended = `ended with ${signal ?? `code ${code}`} before it was ready`;
    child.stdin?.destroy();
  });
  const stop = async () => {
    const isGone = ended === undefined ? once(child, "exit") : undefined;
    child.ref();
    child.stdin?.destroy();
    await isGone;
  };
  try {
    const stopped = () => ended !== undefined || start.signal?.aborted === true;
    const ready = await becomesReady(`${HOST}:${port}`, start.namespace, {
      deadlineMs: START_DEADLINE_MS,
      stopped,
    });
    start.signal?.throwIfAborted();
    if (ready && ended === undefined)
      return {
        port,
        ...(uiPort !== undefined && { ui: `http://${HOST}:${uiPort}` }),
        isRunning: () => ended === undefined,
        stop,
      };
    const what =
      ended ?? `did not answer on ${HOST}:${port} within ${START_DEADLINE_MS / 1000} s and was ended`;
    const { bavail, bsize } = await statfs(directory);
    const todo = bavail * bsize < LEAST_ROOM ? `${directory} is full: make room, and try again` : "try again";
    throw new UnreachableError(
      `The Temporal dev server (${start.cliPath}) ${what}. Its database was not changed; ${todo}.`,
    );
  } catch (error) {
    await stop();
    throw error;
  }
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
