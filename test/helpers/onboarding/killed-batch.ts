import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import type { JobFolder } from "../command/job-folder.js";

/** Every so many customers have values for the vault, or are known by their external id. */
const WITH_VAULT = 7;
const BY_EXTERNAL_ID = 5;
/** Texts of customers that nothing but the service may hold in the clear. */
export const PLANTED = ["Adalovelace", "quitepersonal"];
const SLOW = { kind: "slow", chunkBytes: 50, intervalMs: 400 } as const;

/** A stand-in that decides slowly, answers some posts slowly, and loses, repeats and delays webhooks. */
export async function openService(seed: number, customers: number): Promise<Sandbox> {
  const sandbox = await startSandbox({
    seed,
    latencyMs: 10,
    playbooks: [
      {
        key: "pb_kyc",
        outcomes: { pass: 14, fail: 5, incomplete: 1 },
        manualReviewShare: 0.05,
        delayMs: [0, 4 * customers + 1_000],
        prerequisites: { note: "string" },
      },
    ],
    // To the end for longer than a receiver may take to be there again on a busy machine.
    webhooks: { retryMs: [300, 600, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 30_000] },
  });
  const chance = { probability: 0.3, seed } as const;
  sandbox.addFault({ kind: "webhook_lost", ...chance });
  sandbox.addFault({ kind: "webhook_repeated", copies: 2, ...chance, seed: seed + 1 });
  sandbox.addFault({ kind: "webhook_late", ms: 3_000, ...chance, seed: seed + 2 });
  // So long that a kill comes between the effect and its answer.
  sandbox.addFault({ ...SLOW, operation: "create_onboarding", ...chance, seed: seed + 3 });
  return sandbox;
}

/** Writes `customers.csv`, some of them with texts that nothing may hold unsealed. Returns each `fp_id`. */
export async function writeCustomers(folder: JobFolder, sandbox: Sandbox, count: number): Promise<string[]> {
  const lines = ["fp_id,external_id,data.note,vault.id.first_name"];
  const users = Array.from({ length: count }, (_, at) => `fp_${at + 1}`);
  for (const [at, fp_id] of users.entries()) {
    const external_id = `c-${at + 1}`;
    sandbox.addUser({ fp_id, external_id });
    const byExternalId = at % BY_EXTERNAL_ID === 0;
    const vault = at % WITH_VAULT === 0 && !byExternalId ? `${PLANTED[0]} ${at}` : "";
    lines.push([byExternalId ? `,${external_id}` : `${fp_id},`, `${PLANTED[1]} ${at}`, vault].join(","));
  }
  await writeFile(join(folder.directory, "customers.csv"), `${lines.join("\n")}\n`);
  return users;
}
