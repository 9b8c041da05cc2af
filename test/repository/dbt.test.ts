import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it, test } from "vitest";
import { stringify } from "yaml";
import type { Column, TableSpec } from "../../src/lake/delta/delta-schema.js";
import { TABLES } from "../../src/tables.js";
import { runHere } from "../helpers/command/command-here.js";
import { lakeOfRows } from "../helpers/query/lake-of-rows.js";

const HEAD = "# Generated from the lists of columns (dbt/README.md).\n";

/** Columns that are never null, and what must be one of few values. */
const CHECKED: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>> = {
  transactions: { link_id: ["not_null"], transaction_id: ["not_null"] },
  transaction_changes: {
    link_id: ["not_null"],
    change_type: [{ accepted_values: { values: ["created", "updated", "removed"] } }],
  },
};

const column = (table: string, { name, about = "" }: Column) => {
  const tests = CHECKED[table]?.[name];
  return { name, description: about, ...(tests && { tests }) };
};
const source = ({ name, about = "", columns }: TableSpec) => {
  return { name, description: about, columns: columns.map((one) => column(name, one)) };
};

function sourcesYaml(): string {
  const lake = {
    name: "nightledger",
    description: "Tables of a Nightledger lake",
    database: "{{ var('nightledger_database', 'lake') }}",
    schema: "{{ var('nightledger_schema', 'main') }}",
    tables: TABLES.map(source),
  };
  return HEAD + stringify({ version: 2, sources: [lake] }, { lineWidth: 0 });
}

it("dbt/models/sources.yml has every table and column, with what they mean", async () => {
  await expect(sourcesYaml()).toMatchFileSnapshot("../../dbt/models/sources.yml");
});

const hasDbt = /duckdb/.test(spawnSync("dbt", ["--version"], { encoding: "utf8" }).stdout ?? "");

describe.skipIf(!hasDbt)("dbt-duckdb (skipped without it)", () => {
  const transaction = (transaction_id: string) => ({
    ...{ link_id: "l", fp_id: "f", transaction_id, account_id: "a", sequence: 1, signed_amount: "1.5" },
  });

  /** Builds the package over a lake with these transactions, and gives its exit code and words. */
  async function build(transactions: readonly Readonly<Record<string, unknown>>[]) {
    const directory = await mkdtemp(join(tmpdir(), "nightledger-dbt-"));
    const lake = await lakeOfRows({ transactions });
    try {
      const place = { directory, env: { NIGHTLEDGER_LAKE: lake.directory } };
      expect(await runHere(place, ["views", "--out", "lake.duckdb"])).toMatchObject({ code: 0 });
      const files = { LAKE_VIEWS: "lake.duckdb", ANALYSIS_FILE: "analysis.duckdb" };
      const env = {
        ...process.env,
        ...files,
        DBT_TARGET_PATH: join(directory, "target"),
        DBT_LOG_PATH: directory,
      };
      const at = resolve("dbt");
      const args = ["--no-send-anonymous-usage-stats", "build", "--project-dir", at, "--profiles-dir", at];
      return spawnSync("dbt", args, { cwd: directory, env, encoding: "utf8" });
    } finally {
      await lake.release();
      await rm(directory, { recursive: true, force: true });
    }
  }

  test("builds every model over a lake with hardly any table, and its tests pass", async () => {
    const { status, stdout } = await build([transaction("t1"), transaction("t2")]);
    expect(status, stdout).toBe(0);
    expect(stdout).toMatch(/PASS=\d\d .*ERROR=0/);
  });

  test("finds a transaction that is there twice", async () => {
    const { status, stdout } = await build([transaction("t1"), transaction("t1")]);
    expect(status, stdout).toBe(1);
    expect(stdout).toMatch(/FAIL 1 unique_stg_transactions/);
  });
});
