import { execFileSync } from "node:child_process";

/** Pids of the shells that watch over the server of a HOME. */
export function supervisors(home: string): number[] {
  const text = execFileSync("ps", ["-axww", "-o", "pid=", "-o", "args="], { encoding: "utf8" });
  // Their scripts have several lines, of which only the first begins with a pid.
  return text
    .split(/^(?= *\d+ )/m)
    .filter((entry) => entry.includes(`nightledger-supervisor ${home}/`))
    .map((entry) => Number.parseInt(entry, 10));
}
