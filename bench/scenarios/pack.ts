import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startNode } from "../command-process.js";
import { watchUsage } from "../process-usage.js";
import { type Figure, medianRun, type Scenario } from "../scenario.js";

const SCRIPT = fileURLToPath(new URL("../pack-process.js", import.meta.url));
const MOST_SECONDS = 30;
const MOST_MB = 512;

/** All files of a CIP export and its comparison with the one before, from reports that are there already. */
export const pack: Scenario = {
  name: "pack",
  title: "the pack of 10,000 people, against the one before",
  async run({ quick, runs, report }) {
    const people = quick ? 1_000 : 10_000;
    const measured = [];
    for (let number = 1; number <= runs; number += 1) {
      report(`run ${number} of ${runs}`);
      measured.push(await writePacks(people));
    }
    const { seconds, first, process } = medianRun(measured);
    const figure: Figure = {
      scenario: pack.name,
      variant: `${people} people`,
      measured: {
        seconds,
        first_pack_seconds: first,
        people_per_second: people / seconds,
        cpu_seconds: process.cpuSeconds,
        peak_rss_mb: process.peakRssMb,
      },
      target: `< ${MOST_SECONDS} s, < ${MOST_MB} MB`,
      met: seconds < MOST_SECONDS && process.peakRssMb < MOST_MB,
    };
    return [figure];
  },
};

async function writePacks(people: number) {
  const directory = await mkdtemp(join(tmpdir(), "nightledger-bench-"));
  try {
    const child = startNode(SCRIPT, [directory, String(people)]);
    const usage = watchUsage(child.pid);
    const { code, stdout, stderr } = await child.ended;
    if (code !== 0) throw new Error(`the packs were not written (${code}): ${stderr}`);
    const { first, second } = JSON.parse(stdout) as { first: number; second: number };
    return { seconds: second, first, process: usage.last().own };
  } finally {
    await rm(directory, { force: true, recursive: true });
  }
}
