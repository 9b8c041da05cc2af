import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeWideCustomers } from "../customers-file.js";
import { validateCustomers } from "../onboard-command.js";
import { type Figure, medianRun, type Scenario } from "../scenario.js";

const MOST_SECONDS = 10;

/** A large customers file is judged before anything is started. */
export const onboardValidate: Scenario = {
  name: "onboard-validate",
  title: "100,000 rows of customers are validated",
  async run({ quick, runs, report }) {
    const rows = quick ? 10_000 : 100_000;
    const directory = await mkdtemp(join(tmpdir(), "nightledger-bench-"));
    try {
      const file = join(directory, "customers.csv");
      await writeWideCustomers(file, rows);
      const judged = [];
      for (let number = 1; number <= runs; number += 1) {
        report(`run ${number} of ${runs}`);
        judged.push(await validateCustomers(file, directory));
      }
      const { seconds, process, rows: counted } = medianRun(judged);
      if (counted !== rows) throw new Error(`${counted} rows were counted of ${rows}`);
      const figure: Figure = {
        scenario: onboardValidate.name,
        variant: `${rows} rows`,
        measured: {
          seconds,
          rows_per_second: rows / seconds,
          cpu_seconds: process.cpuSeconds,
          peak_rss_mb: process.peakRssMb,
        },
        target: `< ${MOST_SECONDS} s`,
        met: seconds < MOST_SECONDS,
      };
      return [figure];
    } finally {
      await rm(directory, { force: true, recursive: true });
    }
  },
};
