import { join } from "node:path";
import type { DuckDb } from "../../sql/duckdb.js";
import { csvFile, parquetFiles } from "../../sql/duckdb-files.js";
import { EQUATION, OUTCOMES_FILE, PackError, type PackManifest, POPULATION_FILE, PROOF } from "./manifest.js";

/** Counts the rows of every file, and compares the population with its outcomes: each member exactly once. */
export async function verifyRows(directory: string, manifest: PackManifest, duckdb: DuckDb): Promise<void> {
  verifyEquation(manifest);
  const rowsOf = (path: string) => {
    const local = join(directory, path);
    return path.endsWith(".parquet") ? parquetFiles([local]) : csvFile(local);
  };
  await duckdb.exclusive(async (sql) => {
    const number = async (path: string, from: string) => {
      const rows = await sql.few(`select count(*) as n from ${from}`).catch((error: unknown) => {
        throw new PackError(`${path} can't be read as a table`, { cause: error });
      });
      return Number(rows[0]?.n);
    };
    for (const { path, rows } of manifest.files) {
      const found = rows === null ? null : await number(path, rowsOf(path));
      if (found !== rows)
        throw new PackError(`${path} has ${found} rows, and ${PROOF.manifest} says ${rows}`);
    }
    const outcomes = rowsOf(OUTCOMES_FILE);
    for (const status of ["exported", "failed", "excluded"] as const) {
      const found = await number(OUTCOMES_FILE, `${outcomes} where status = '${status}'`);
      const said = manifest.counts[status];
      if (found !== said)
        throw new PackError(
          `${PROOF.manifest}: counts.${status} is ${said}, and ${OUTCOMES_FILE} has ${found}`,
        );
    }
    // Each side once: with as many rows on both sides, a member twice leaves another one out.
    const apart = await number(
      OUTCOMES_FILE,
      `(select fp_id, count(*) as c from ${rowsOf(POPULATION_FILE)} group by all) p
        full join (select fp_id, count(*) as c from ${outcomes} group by all) o using (fp_id)
        where p.c is distinct from 1 or o.c is distinct from 1`,
    );
    if (apart > 0) {
      throw new PackError(
        `${OUTCOMES_FILE}: ${apart} members are not there exactly once as in ${POPULATION_FILE}`,
      );
    }
  });
}

/** Checks that what a manifest says of its population and counts agrees with itself. */
function verifyEquation({ counts, population, files }: PackManifest): void {
  const { exported, failed, excluded } = counts;
  if (counts.population !== exported + failed + excluded) {
    throw new PackError(
      `${PROOF.manifest}: ${EQUATION} does not hold: ${counts.population} ≠ ${exported} + ${failed} + ${excluded}`,
    );
  }
  const frozen = files.find(({ path }) => path === POPULATION_FILE);
  if (frozen?.sha256 !== population.sha256) {
    throw new PackError(`${PROOF.manifest}: population.sha256 is not that of ${POPULATION_FILE}`);
  }
  if (frozen.rows !== population.rows || population.rows !== counts.population) {
    throw new PackError(
      `${PROOF.manifest}: population.rows is ${population.rows}, counts.population ${counts.population}, ` +
        `and ${POPULATION_FILE} has ${frozen.rows} rows`,
    );
  }
}
