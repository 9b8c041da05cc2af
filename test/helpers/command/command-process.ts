import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { identify } from "../temporal/processes.js";

/** No test waits longer for a command; one that hangs is killed, and its output says so. */
const LIMIT_MS = 15 * 60_000;
/** A descendant that outlives its command and holds its output must not hold the test. */
const OUTPUT_AFTER_EXIT_MS = 20_000;

const PROGRAM = fileURLToPath(new URL("../../../bin/nightledger.js", import.meta.url));

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

interface ChildSurroundings {
  readonly cwd: string;
  /** All of the child's environment besides PATH, HOME and where the Temporal CLI is. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly uid?: number;
  /** A command line that runs the child in its turn, such as one that makes a namespace for it. */
  readonly within?: readonly string[];
  /** How long it may run; {@link LIMIT_MS} unless said otherwise. */
  readonly limitMs?: number;
}

/** Starts the real command line, `bin/nightledger.js`, as a process of its own. */
export function startCommand(args: readonly string[], surroundings: ChildSurroundings) {
  return startNode(PROGRAM, args, surroundings);
}

export function startNode(script: string, args: readonly string[], at: ChildSurroundings) {
  return startProgram([process.execPath, script, ...args], at);
}

export type ChildCommand = ReturnType<typeof startProgram>;

export function startProgram(line: readonly string[], at: ChildSurroundings) {
  const { PATH, HOME, TEMPORAL_CLI_PATH } = process.env;
  const [command = "", ...args] = [...(at.within ?? []), ...line];
  const child = spawn(command, args, {
    cwd: at.cwd,
    env: { PATH, HOME, TEMPORAL_CLI_PATH, ...at.env },
    stdio: ["ignore", "pipe", "pipe"],
    ...(at.uid !== undefined && { uid: at.uid, gid: at.uid }),
  });
  const pid = child.pid ?? 0;
  let stdout = "";
  let stderr = "";
  let over = false;
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) listener();
  };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    tell();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    tell();
  });
  const { limitMs = LIMIT_MS } = at;
  const limit = setTimeout(() => {
    stderr += `\n(killed by the test after ${limitMs / 60_000} minutes)`;
    child.kill("SIGKILL");
  }, limitMs).unref();
  const closed = once(child, "close");
  const ended = once(child, "exit").then(async ([code, signal]): Promise<ProcessEnd> => {
    const at = Date.now();
    clearTimeout(limit);
    const held = sleep(OUTPUT_AFTER_EXIT_MS, "held", { ref: false });
    if ((await Promise.race([closed, held])) === "held")
      stderr += "\n(another process holds the output of this one)";
    over = true;
    tell();
    return { code, signal, stdout, stderr, at };
  });
  return {
    pid,
    identity: identify(pid),
    ended,
    running: () => !over,
    printed: () => ({ stdout, stderr }),
    /** Resolves with the match once what it printed matches; rejects when it ends without. */
    says: (pattern: RegExp) =>
      new Promise<RegExpExecArray>((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(stdout) ?? pattern.exec(stderr);
          if (match === null && !over) return;
          listeners.delete(look);
          if (match !== null) resolve(match);
          else reject(new Error(`the process ended without saying ${pattern}:\n${stdout}${stderr}`));
        };
        listeners.add(look);
        look();
      }),
    end: (signal: NodeJS.Signals) => {
      child.kill(signal);
      return ended;
    },
  };
}
