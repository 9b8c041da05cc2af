import { execFileSync } from "node:child_process";

/** What puts a process into a PID namespace of its own, with its own /proc; the namespace ends with it. */
export const OWN_PIDS = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"] as const;

export function canUnshare(): boolean {
  try {
    const [program, ...args] = OWN_PIDS;
    execFileSync(program, [...args, "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
