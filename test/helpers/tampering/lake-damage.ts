import { cp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type DeltaAction,
  parseActions,
  SHA256_TAG,
  serializeActions,
} from "../../../src/lake/delta/delta-actions.js";
import { createDuckDb } from "../../../src/lake/sql/duckdb.js";
import { fileSha256 } from "../../../src/lake/store/local/local-store-files.js";

export class DamagedLake {
  constructor(readonly directory: string) {}

  static async of(lake: string, directory: string): Promise<DamagedLake> {
    await cp(lake, directory, { recursive: true });
    return new DamagedLake(directory);
  }

  /**
   * Writes the data file that holds a row again, with other rows, and makes the log fit its new size and hash.
   *
   * @param rows the SQL of the new rows, over the old ones as `old`
   */
  async rewrite(table: string, where: string, rows: string): Promise<void> {
    await this.rewriteFile(table, await this.fileWith(table, where), rows);
  }

  /** As {@link rewrite}, of a file by its name. */
  async rewriteFile(table: string, file: string, rows: string): Promise<void> {
    const path = join(this.directory, table, file);
    const written = `${path}.new`;
    await this.#sql(async (run) => {
      await run(`create table old as from read_parquet('${path}')`);
      await run(`copy (${rows}) to '${written}' (format parquet)`);
    });
    await cp(written, path);
    await rm(written);
    const { size } = await stat(path);
    const tags = { [SHA256_TAG]: await fileSha256(path) };
    await this.editLog(table, (action) =>
      "add" in action && action.add.path === file ? { add: { ...action.add, size, tags } } : action,
    );
  }

  /** As {@link rewrite}, with another value of a column in the rows of which the condition holds. */
  async set(table: string, where: string, column: string, value: string): Promise<void> {
    const changed = `case when ${where} then ${value} else ${column} end as ${column}`;
    await this.rewrite(table, where, `select * replace (${changed}) from old`);
  }

  /** Turns one bit over, in the middle of the data file that holds a row. */
  async flipBit(table: string, where: string): Promise<void> {
    const path = join(this.directory, table, await this.fileWith(table, where));
    const bytes = await readFile(path);
    const at = bytes.length >> 1;
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    await writeFile(path, bytes);
  }

  async changeCheckpoints(links: RegExp, change: object): Promise<void> {
    await this.editLog("transaction_changes", (action) => {
      if (!("domainMetadata" in action)) return action;
      const { domain, configuration } = action.domainMetadata;
      if (!links.test(domain.replace("nightledger.link.", ""))) return action;
      const changed = JSON.stringify({ ...(JSON.parse(configuration) as object), ...change });
      return { domainMetadata: { ...action.domainMetadata, configuration: changed } };
    });
  }

  async fileWith(table: string, where: string): Promise<string> {
    const files = (await readdir(join(this.directory, table))).filter((name) => name.endsWith(".parquet"));
    for (const file of files) {
      const path = join(this.directory, table, file);
      const rows = await this.#sql((run) => run(`select 1 from read_parquet('${path}') where ${where}`));
      if (rows > 0) return file;
    }
    throw new Error(`no file of ${table} has a row where ${where}`);
  }

  async editLog(table: string, change: (action: DeltaAction) => DeltaAction): Promise<void> {
    for (const name of await this.commits(table)) {
      const actions = parseActions(await readFile(name, "utf8"));
      await writeFile(name, serializeActions(actions.map(change)));
    }
  }

  async says(table: string, text: string): Promise<boolean> {
    for (const name of await this.commits(table))
      if ((await readFile(name, "utf8")).includes(text)) return true;
    return false;
  }

  async commits(table: string): Promise<string[]> {
    const log = join(this.directory, table, "_delta_log");
    const names = (await readdir(log)).filter((name) => /^\d{20}\.json$/.test(name)).sort();
    return names.map((name) => join(log, name));
  }

  /** Takes the newest commits of a table away, as where an older copy of it was restored. */
  async goBack(table: string, commits = 1): Promise<void> {
    for (const name of (await this.commits(table)).slice(-commits)) await rm(name);
  }

  async #sql<R>(work: (run: (sql: string) => Promise<number>) => Promise<R>): Promise<R> {
    const scratchDirectory = `${this.directory}-scratch`;
    const duckdb = createDuckDb({ scratchDirectory });
    try {
      return await duckdb.exclusive((sql) =>
        work(async (text) =>
          text.startsWith("select") ? (await sql.rowsAtOnce(text)).length : sql.run(text),
        ),
      );
    } finally {
      await duckdb.close();
      await rm(scratchDirectory, { recursive: true, force: true });
    }
  }
}
