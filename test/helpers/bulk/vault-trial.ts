import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { JobFolder } from "../command/job-folder.js";
import type { KilledJob } from "./bulk-trial.js";
import { inTheClear, notEnded } from "./kyb-trial.js";

const USERS = 200;
const FIELDS = ["custom.plan", "id.dob", "id.email"];
const FILE = Buffer.from("a statement of some length ".repeat(40_000));
const population = { kind: "synthetic", users: USERS, linksPerUser: 0, accountsPerLink: 0, rows: 0 } as const;

/** An export of vault data: its rows are compared with the stand-in's vaults. */
export const KILLED_VAULT: KilledJob = {
  kind: "vault",
  sandbox: { vaults: "seeded", population },
  losing: "decrypt_vault",
  args: [
    ...["export", "vault", "--roster", "users.csv", "--fields", FIELDS.join(",")],
    ...["--reason", "audit", "--json"],
  ],
  async problemsOf(folder, sandbox, summary) {
    const problems = notEnded(summary, USERS);
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
    return [...problems, ...(await inTheClear(folder, emails))];
  },
};

/** A write into vaults: vaults and outcomes are compared with its rows. */
export const KILLED_VAULT_WRITE: KilledJob = {
  kind: "vault_write",
  sandbox: { vaults: "empty", population },
  losing: "update_vault",
  args: ["vault", "write", "--file", "values.jsonl", "--json"],
  async prepare({ directory }, sandbox) {
    const rows = [...sandbox.world.users.keys()].map((fp_id, at) => {
      return { fp_id, "custom.number": at, ...(at % 5 === 0 && { "upload:custom.file": "statement.txt" }) };
    });
    await writeFile(join(directory, "statement.txt"), FILE);
    await writeFile(join(directory, "values.jsonl"), rows.map((row) => JSON.stringify(row)).join("\n"));
  },
  async problemsOf(folder, sandbox, summary) {
    const problems = notEnded(summary, USERS);
    const sha256 = createHash("sha256").update(FILE).digest("hex");
    const file = { bytes: FILE.length, sha256, content_type: "text/plain" };
    for (const [at, fp_id] of [...sandbox.world.users.keys()].entries()) {
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
    if (lines.size !== USERS) problems.push(`${lines.size} of ${USERS} lines have an outcome`);
    if (new Set(lines.values()).size > 1) problems.push("some lines have more outcomes than others");
    return problems;
  },
};

type Row = Readonly<Record<string, unknown>>;

/** The rows of a query by the run that wrote them, opened as a user opens them. */
async function byRun(folder: JobFolder, select: string): Promise<Map<unknown, Row[]>> {
  const { stdout, stderr } = await folder.command(["query", "--decrypt", "--json", `select ${select}`]).ended;
  if (stdout === "") throw new Error(stderr);
  const runs = new Map<unknown, Row[]>();
  for (const row of JSON.parse(stdout) as Row[]) runs.set(row.run_id, [...(runs.get(row.run_id) ?? []), row]);
  return runs;
}
