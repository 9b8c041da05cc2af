import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { Random } from "../../../sandbox/world/random.js";
import { type JobFolder, openJobFolder } from "../command/job-folder.js";
import type { TrialReport } from "../kill/kill-trial.js";
import { holding } from "../onboarding/planted-texts.js";
import { runKilledJob } from "./killed-job.js";

interface VaultTrial {
  readonly seed: number;
  readonly users: number;
  readonly kills: number;
}

const FIELDS = ["custom.plan", "id.dob", "id.email"];
const EXPORT = [
  "export",
  "vault",
  "--roster",
  "users.csv",
  "--fields",
  FIELDS.join(","),
  "--reason",
  "audit",
];
const WRITE = ["vault", "write", "--file", "values.jsonl"];
const FILE = Buffer.from("a statement of some length ".repeat(40_000));

/** One export of vault data with kills at moments of its seed; its rows are compared with the stand-in's vaults. */
export function runVaultTrial(trial: VaultTrial): Promise<TrialReport> {
  return killed(trial, EXPORT, "decrypt_vault", "seeded", async (folder, sandbox) => {
    const problems: string[] = [];
    const users = [...sandbox.world.users.keys()].sort();
    const expected = users.flatMap((fp_id) => {
      const vault = sandbox.vaults.contents(fp_id);
      return FIELDS.map((field) => [fp_id, field, vault[field] ?? null]);
    });
    // A command may be killed right after its run has ended: the next one is another export.
    for (const [run, rows] of await byRun(folder, "run_id, fp_id, field, value from vault_values")) {
      const found = rows.map(({ fp_id, field, value }) => [fp_id, field, value]);
      if (JSON.stringify(found.sort()) !== JSON.stringify(expected))
        problems.push(`${run}: ${rows.length} rows that are not those of the vaults`);
    }
    const emails = users.map((fp_id) => String(sandbox.vaults.contents(fp_id)["id.email"]));
    for (const place of await holding(folder.directory, emails)) problems.push(`in the clear: ${place}`);
    return problems;
  });
}

/** One write into vaults with kills at moments of its seed; vaults and outcomes are compared with its rows. */
export function runVaultWriteTrial(trial: VaultTrial): Promise<TrialReport> {
  return killed(trial, WRITE, "update_vault", "empty", async (folder, sandbox) => {
    const problems: string[] = [];
    const users = [...sandbox.world.users.keys()];
    const sha256 = createHash("sha256").update(FILE).digest("hex");
    const file = { bytes: FILE.length, sha256, content_type: "text/plain" };
    for (const [at, fp_id] of users.entries()) {
      const expected = { "custom.number": at, ...(at % 5 === 0 && { "custom.file": file }) };
      if (JSON.stringify(sandbox.vaults.contents(fp_id)) !== JSON.stringify(expected))
        problems.push(`${fp_id}: the vault is not what its row says`);
    }
    const lines = new Map<unknown, number>();
    for (const [, rows] of await byRun(folder, "run_id, line, status from vault_writes")) {
      for (const { line, status } of rows) {
        lines.set(line, (lines.get(line) ?? 0) + 1);
        if (status !== "written") problems.push(`line ${line} is ${status}`);
      }
    }
    if (lines.size !== users.length) problems.push(`${lines.size} of ${users.length} lines have an outcome`);
    if (new Set(lines.values()).size > 1) problems.push("some lines have more outcomes than others");
    return problems;
  });
}

async function killed(
  { seed, users, kills }: VaultTrial,
  args: readonly string[],
  operation: string,
  vaults: "seeded" | "empty",
  audit: (folder: JobFolder, sandbox: Sandbox) => Promise<string[]>,
): Promise<TrialReport> {
  const random = new Random(`${operation}/${seed}`);
  const sandbox = await startSandbox({
    ...{ seed, latencyMs: 60, vaults },
    population: { kind: "synthetic", users, linksPerUser: 0, accountsPerLink: 0, rows: 0 },
  });
  // Answers get lost on their own too, so that a kill may come between a request and its repetition.
  sandbox.addFault({ operation, kind: "status", status: 504, afterEffect: true, probability: 0.1, seed });
  const folder = await openJobFolder(sandbox, { NIGHTLEDGER_API_CONCURRENCY: "4" });
  try {
    const rows = [...sandbox.world.users.keys()].map((fp_id, at) => {
      return { fp_id, "custom.number": at, ...(at % 5 === 0 && { "upload:custom.file": "statement.txt" }) };
    });
    await writeFile(join(folder.directory, "statement.txt"), FILE);
    await writeFile(
      join(folder.directory, "values.jsonl"),
      rows.map((row) => JSON.stringify(row)).join("\n"),
    );
    const { kills: told, summary } = await runKilledJob(folder, [...args, "--json"], random, kills);
    if (summary === undefined) return { kills: told, problems: ["the command never completed"] };
    const problems = await audit(folder, sandbox);
    if (summary.rows.done !== users) problems.push(`${summary.rows.done} of ${users} rows are done`);
    return { kills: told, problems };
  } finally {
    await folder.release();
    await sandbox.close();
  }
}

type Row = Readonly<Record<string, unknown>>;

/** The rows of a query by the run that wrote them, opened as a user opens them. */
async function byRun(folder: JobFolder, select: string): Promise<Map<unknown, Row[]>> {
  const { stdout, stderr } = await folder.command(["query", "--decrypt", "--json", `select ${select}`]).ended;
  if (stdout === "") throw new Error(stderr);
  const runs = new Map<unknown, Row[]>();
  for (const row of JSON.parse(stdout) as Row[]) runs.set(row.run_id, [...(runs.get(row.run_id) ?? []), row]);
  return runs;
}
