import { readdirSync, readFileSync } from "node:fs";

/** What a process has taken so far. */
export interface ProcessUsage {
  /** Largest resident memory, in MiB. */
  readonly peakRssMb: number;
  /** CPU of all its threads, user and system, in seconds. */
  readonly cpuSeconds: number;
}

const TICKS_PER_SECOND = 100;
const LOOK_EVERY_MS = 50;
const NOTHING: ProcessUsage = { peakRssMb: 0, cpuSeconds: 0 };

/** What a running process has taken; undefined once it is gone, or where there is no /proc. */
export function usageOf(pid: number): ProcessUsage | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const peak = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    if (peak === undefined) return undefined;
    const ticks = Number(fields[11]) + Number(fields[12]);
    return { peakRssMb: Number(peak) / 1024, cpuSeconds: ticks / TICKS_PER_SECOND };
  } catch {
    return undefined;
  }
}

/** The processes that a process and its children have started: a shell stands between a command and its server. */
export function descendantsOf(pid: number): number[] {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number),
    );
    return children.flatMap((child) => [child, ...descendantsOf(child)]);
  } catch {
    return [];
  }
}

/** Watches processes until they end: both figures only grow, so the last sample is the figure. */
export function watchUsage(pid: number): { last(): { own: ProcessUsage; children: ProcessUsage } } {
  const children = new Map<number, ProcessUsage>();
  let own = NOTHING;
  const look = () => {
    const now = usageOf(pid);
    if (now === undefined) return;
    own = now;
    for (const child of descendantsOf(pid)) {
      const usage = usageOf(child);
      if (usage !== undefined) children.set(child, usage);
    }
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  timer.unref();
  look();
  return {
    last() {
      clearInterval(timer);
      look();
      return { own, children: [...children.values()].reduce(plus, NOTHING) };
    },
  };
}

function plus(a: ProcessUsage, b: ProcessUsage): ProcessUsage {
  return {
    peakRssMb: Math.max(a.peakRssMb, b.peakRssMb),
    cpuSeconds: a.cpuSeconds + b.cpuSeconds,
  };
}
