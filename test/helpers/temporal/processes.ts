import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** A process; its start time tells it apart from a later one with the same pid. */
interface ProcessIdentity {
  readonly pid: number;
  readonly started: string;
}

/** A running process; undefined where there is none (a zombie counts as none). */
export function identify(pid: number): ProcessIdentity | undefined {
  const started = process.platform === "linux" ? startedFromProc(pid) : startedFromPs(pid);
  return started === undefined ? undefined : { pid, started };
}

/** Kills exactly this process, and waits until it is gone. */
export async function endProcess({ pid, started }: ProcessIdentity): Promise<void> {
  while (identify(pid)?.started === started) {
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
    await sleep(10);
  }
}

/** Temporal servers that have this database open. */
export function serversOn(database: string): ProcessIdentity[] {
  const pids = process.platform === "linux" ? pidsFromProc(database) : pidsFromPs(database);
  return pids.flatMap((pid) => identify(pid) ?? []);
}

function pidsFromProc(database: string): number[] {
  const needle = `\0--env-file\0${database}.env\0`;
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
    .filter((line) => !line.includes("/bin/sh") && `${line} `.includes(`--env-file ${database}.env `))
    .map((line) => Number.parseInt(line, 10));
}

function startedFromProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The command name is in parentheses and may itself hold spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state, ticks] = [fields[0], fields[19]];
    // A killed process looks like a zombie while its last threads still hold its files and ports.
    const isGone = state === "X" || (state === "Z" && readdirSync(`/proc/${pid}/task`).length <= 1);
    return isGone ? undefined : ticks;
  } catch {
    return undefined;
  }
}

function startedFromPs(pid: number): string | undefined {
  try {
    const line = execFileSync("/bin/ps", ["-o", "stat=", "-o", "lstart=", "-p", String(pid)], {
      encoding: "utf8",
      env: { LC_ALL: "C", TZ: "UTC" },
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
    return line === "" || line.startsWith("Z") ? undefined : line.slice(line.indexOf(" ")).trim();
  } catch {
    return undefined;
  }
}
