import { dirname } from "node:path";
import { type VerifyFlags, verifyLake } from "../../../src/cli/sync/verify-lake.js";

interface Verdict {
  readonly code: number;
  readonly text: string;
}

export async function verified(lake: string, flags: VerifyFlags = {}): Promise<Verdict> {
  const out: string[] = [];
  const say = (line: string) => void out.push(line);
  const env = { NIGHTLEDGER_LAKE: lake };
  const terminal = { env, cwd: dirname(lake), interactive: false, result: say, say };
  const code = await verifyLake(terminal, flags);
  return { code, text: out.join("\n") };
}
