import { auditLake } from "../lake/lake-audit.js";
import type { SyncWorld } from "./sync-harness.js";

export function addBadRow({ sandbox }: SyncWorld): void {
  const [link = ""] = sandbox.world.links.keys();
  sandbox.append(link, [{ change: "created", raw: '{"transaction_id":"bad","amount":"1e3"}', id: "bad" }]);
}

/** What is not right of a lake; the row that is in quarantine is in the stand-in's truth all the same. */
export async function problemsOf({ lake, sandbox }: SyncWorld): Promise<string[]> {
  return (await auditLake(lake, sandbox)).filter((problem) => !/[ /]bad\b/.test(problem));
}
