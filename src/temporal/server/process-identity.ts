import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** A process, told apart from a later one with the same pid by when it started. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly started: string;
}

/** The identity of a running process, or `undefined` when there is none (a zombie counts as none). */
export function identify(pid: number): ProcessIdentity | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  const started = process.platform === "linux" ? startedFromProc(pid) : startedFromPs(pid);
  return started === undefined ? undefined : { pid, started };
}

/** The identity of this process. */
export function identifySelf(): ProcessIdentity {
  const self = identify(process.pid);
  if (self === undefined) throw new Error("This process is not in the process table: is /proc mounted?");
  return self;
}

/** Whether that very process still runs. */
export function isRunning(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.started === identity.started;
}

/** Whether a value read from a file is an identity; a torn or foreign file is not. */
export function isProcessIdentity(value: unknown): value is ProcessIdentity {
  if (typeof value !== "object" || value === null) return false;
  const { pid, started } = value as Partial<ProcessIdentity>;
  return typeof pid === "number" && typeof started === "string";
}

// Start times in /proc count from boot: the boot's id makes them unique across restarts of the machine.
function startedFromProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The command name stands in parentheses and may hold spaces and parentheses itself.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state, ticks] = [fields[0], fields[19]];
    if (ticks === undefined || state === "X" || (state === "Z" && hasNoThreads(pid))) return undefined;
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()}/${ticks}`;
  } catch {
    return undefined;
  }
}

// A killed process looks like a zombie as soon as its first thread is gone; the others still hold its files
// and ports for a moment.
function hasNoThreads(pid: number): boolean {
  return readdirSync(`/proc/${pid}/task`).length <= 1;
}

function startedFromPs(pid: number): string | undefined {
  try {
    const line = execFileSync("/bin/ps", ["-o", "stat=", "-o", "lstart=", "-p", String(pid)], {
      encoding: "utf8",
      env: { LC_ALL: "C", TZ: "UTC" },
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
    const space = line.indexOf(" ");
    return space < 0 || line.startsWith("Z") ? undefined : line.slice(space).trim();
  } catch {
    return undefined;
  }
}
