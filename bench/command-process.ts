import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The repository that this build belongs to. */
export const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));

/** The product's own command. */
export const NIGHTLEDGER = fileURLToPath(new URL("../../bin/nightledger.js", import.meta.url));

/** How a process ended and what it said. */
interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A node process of the benchmark, with what it says. */
export interface CommandProcess {
  readonly pid: number;
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves with the first whole line on standard output; rejects when the process ends before. */
  firstLine(): Promise<string>;
  /** Resolves with what standard error says of a pattern; rejects when the process ends before. */
  said(pattern: RegExp): Promise<RegExpExecArray>;
}

/** Starts a node script. It gets only the given part of the benchmark's environment. */
export function startNode(
  script: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): CommandProcess {
  const clean = Object.entries(process.env).filter(([name]) => !/^(NIGHTLEDGER|TEMPORAL)_/.test(name));
  const kept = process.env.TEMPORAL_CLI_PATH;
  const env = {
    ...Object.fromEntries(clean),
    ...(kept !== undefined && { TEMPORAL_CLI_PATH: kept }),
    ...options.env,
  };
  const child = spawn(process.execPath, [script, ...args], {
    cwd: options.cwd ?? process.cwd(),
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (child.pid === undefined) throw new Error(`${script} could not be started`);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = new Promise<Ended>((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  const until = <T>(stream: NodeJS.EventEmitter, find: () => T | undefined | null) =>
    new Promise<T>((resolve, reject) => {
      const look = () => {
        const found = find();
        if (found != null) resolve(found);
      };
      stream.on("data", look);
      look();
      void ended.then(({ code }) =>
        reject(new Error(`${script} ended (${code}) before it said what was waited for: ${stderr}`)),
      );
    });
  return {
    pid: child.pid,
    child,
    ended,
    firstLine: () => until(child.stdout, () => /^(.*)\n/.exec(stdout)?.[1]),
    said: (pattern) => until(child.stderr, () => pattern.exec(stderr)),
  };
}
