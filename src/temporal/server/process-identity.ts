import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { InputError } from "../../domain/failures.js";

/** A process; its start time tells it apart from a later one with the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly started: string;
  /** The machine's boot and the PID namespace in which its pid means something. */
  readonly place: string;
}

/** The identity of a running process, or `undefined` when there is none (a zombie counts as none). */
export function identify(pid: number): ProcessIdentity | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  const started = process.platform === "linux" ? startedFromProc(pid) : startedFromPs(pid);
  return started === undefined ? undefined : { pid, started, place: placeHere() };
}

/** The identity of this process. @throws InputError where /proc does not show it. */
export function identifySelf(): ProcessIdentity {
  const self = isProcOurs() ? identify(process.pid) : undefined;
  if (self === undefined) {
    throw new InputError(
      "/proc is not mounted, or it is that of another PID namespace, so processes can't be identified. " +
        "Nothing was started. Mount /proc (`unshare --mount-proc`, or a container's default).",
    );
  }
  return self;
}

/** Whether an identity is of this machine and PID namespace, so that its pid can be looked up here. */
export function isHere({ place }: ProcessIdentity): boolean {
  return place === placeHere();
}

/** Whether exactly this process runs here; one elsewhere can't be seen. */
export function isRunning(identity: ProcessIdentity): boolean {
  return isHere(identity) && identify(identity.pid)?.started === identity.started;
}

/** Whether a value read from a file is an identity; a torn or foreign file is not. */
export function isProcessIdentity(value: unknown): value is ProcessIdentity {
  if (typeof value !== "object" || value === null) return false;
  const { pid, started, place } = value as Partial<ProcessIdentity>;
  return typeof pid === "number" && typeof started === "string" && typeof place === "string";
}

let place: string | undefined;

function placeHere(): string {
  place ??= `${bootId()}/${pidNamespace()}`;
  return place;
}

function bootId(): string {
  if (process.platform === "linux") return linuxBootId();
  try {
    const asked = execFileSync("/usr/sbin/sysctl", ["-n", "kern.bootsessionuuid"], { encoding: "utf8" });
    return asked.trim() || hostname();
  } catch {
    return hostname();
  }
}

function linuxBootId(): string {
  return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
}

function pidNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    // No namespaces on this system.
    return "";
  }
}

function isProcOurs(): boolean {
  if (process.platform !== "linux") return true;
  try {
    return readlinkSync("/proc/self") === String(process.pid);
  } catch {
    return false;
  }
}

// Start times in /proc count from boot; the boot's id makes them unique across restarts.
function startedFromProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The command name is in parentheses and may itself hold spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state, ticks] = [fields[0], fields[19]];
    if (ticks === undefined || state === "X" || (state === "Z" && hasNoThreads(pid))) return undefined;
    return `${linuxBootId()}/${ticks}`;
  } catch {
    return undefined;
  }
}

// A killed process looks like a zombie once its first thread is gone, while the others still hold its files and ports.
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
