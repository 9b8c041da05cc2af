import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { NIGHTLEDGER, REPOSITORY, startNode } from "../command-process.js";
import { dateFiles, lakeFiles, lakeOf, logBytes } from "../lake-files.js";
import { watchUsage } from "../process-usage.js";
import { type Arena, type Figure, inArena, median, type Scenario } from "../scenario.js";
import { type Night, yearPicture } from "../year-picture.js";

const DAY_MS = 86_400_000;
const DAYS_LATER = new URL("../days-later.js", import.meta.url).href;
const PICTURE = join(REPOSITORY, "docs", "pictures", "year.svg");
/** The exit code of a sync whose key the service refuses. */
const CREDENTIALS_REFUSED = 4;
const TABLE = "transaction_changes";
/** Of the links that a night changes. */
const SHARE = 0.02;
/** People whose reports a month's pack has. */
const PACKED = 100;

/** What happens on some nights of the year beside its sync. */
const BAD_WEEK = { from: 0.27, nights: 7 };
const RESYNC = 0.41;
const OUTAGE = 0.55;

/**
 * A year of nights with what a year brings: 2 % of the links change each night, a bad week, a resync of everything, an
 * outage, a pack each month, upkeep each week. Time, memory, files and logs must stay flat but for the data's own growth.
 */
export const year: Scenario = {
  name: "year",
  title: "365 nights of 5,000 links, 2 % of them changed each, with weekly upkeep and monthly packs",
  onRequest: true,
  async run({ quick, report }) {
    const users = quick ? 30 : 2_500;
    const nights = quick ? 40 : 365;
    return inArena({ users, linksPerUser: 2, rows: 20 }, async (arena) => {
      const lived = await live(arena, users, nights, report);
      if (!quick) await writeFile(PICTURE, yearPicture(lived.nights, lived.proofs));
      return curve(lived, nights);
    });
  },
};

interface Lived {
  readonly nights: readonly Night[];
  readonly upkeep: readonly number[];
  readonly proofs: readonly { readonly night: number; readonly seconds: number; readonly rows: number }[];
}

async function live(
  { standIn, roster, directory }: Arena,
  users: number,
  nights: number,
  report: (text: string) => void,
): Promise<Lived> {
  const place = await directory();
  const links = users * 2;
  const people = (await readFile(roster, "utf8"))
    .split("\n")
    .slice(0, PACKED + 1)
    .join("\n");
  await writeFile(join(place, "people.csv"), `${people.trim()}\n`);
  const lived = { nights: [] as Night[], upkeep: [] as number[], proofs: [] as Lived["proofs"][number][] };
  const run = async (night: number, ...args: string[]) => {
    const env = {
      NODE_OPTIONS: `--import ${DAYS_LATER}`,
      BENCH_SHIFT_MS: String(night * DAY_MS),
      NIGHTLEDGER_API_URL: standIn.url,
      NIGHTLEDGER_API_KEY: standIn.apiKey,
      NIGHTLEDGER_API_CONCURRENCY: "64",
      NIGHTLEDGER_LOG_LEVEL: "warn",
    };
    const began = Date.now() - 1_000;
    const started = performance.now();
    const command = startNode(NIGHTLEDGER, args, { cwd: place, env });
    const usage = watchUsage(command.pid);
    const { code, stdout, stderr } = await command.ended;
    const seconds = (performance.now() - started) / 1_000;
    await dateFiles(lakeOf(place), began, night);
    return { code, stdout, stderr, seconds, peakMb: usage.last().own.peakRssMb };
  };
  const done = async (expected: readonly number[], night: number, ...args: string[]) => {
    const ended = await run(night, ...args);
    if (!expected.includes(ended.code ?? -1))
      throw new Error(`night ${night}, ${args[0]} ${args[1]}: ${ended.code}: ${ended.stderr.slice(-2_000)}`);
    return ended;
  };
  for (let night = 1; night <= nights; night += 1) {
    const changes = Math.max(1, Math.round(links * SHARE));
    if (night > 1) await standIn.control.nightlyChanges({ changes, firstLink: night * changes, seed: night });
    const badFrom = Math.round(BAD_WEEK.from * nights);
    const isBad = night >= badFrom && night < badFrom + BAD_WEEK.nights;
    if (isBad) {
      await standIn.control.addFaults({
        ...{ kind: "status", status: 422, operation: "sync_transactions", times: changes },
      });
    }
    if (night === Math.round(OUTAGE * nights)) {
      await standIn.control.addFaults({ kind: "status", status: 401 });
      await done([CREDENTIALS_REFUSED], night, "sync", "--roster", roster, "--json");
      await standIn.control.clearFaults();
      continue;
    }
    const full = night === Math.round(RESYNC * nights) ? ["--full"] : [];
    const sync = await done(isBad ? [0, 1] : [0], night, "sync", "--roster", roster, ...full, "--json");
    await standIn.control.clearFaults();
    const files = await lakeFiles(place);
    const data = [...files].filter(([path]) => /^[a-z][^/]*\/[^_][^/]*\.parquet$/.test(path));
    lived.nights.push({
      night,
      seconds: (JSON.parse(sync.stdout) as { duration_ms: number }).duration_ms / 1_000,
      peakMb: sync.peakMb,
      files: data.length,
      bytes: data.reduce((sum, [, size]) => sum + size, 0),
      logBytes: logBytes(files, TABLE).total,
    });
    if (night % 30 === 0) {
      const pack = ["--roster", "people.csv", "--approver", "a@example.com", "--no-pdf", "--restart"];
      await done([0], night, "export", "cip", ...pack, "--json");
      const proof = await done([0], night, "verify", "--json");
      lived.proofs.push({
        night,
        seconds: proof.seconds,
        rows: (JSON.parse(proof.stdout) as { rows: number }).rows,
      });
      await writeFile(join(REPOSITORY, "bench", "year.json"), JSON.stringify(lived));
      const last = lived.nights.at(-1) as Night;
      report(`night ${night} of ${nights}: ${JSON.stringify({ ...last, verify: proof.seconds })}`);
    }
    if (night % 7 === 0) lived.upkeep.push((await done([0], night, "maintain", "--json")).seconds);
  }
  return lived;
}

/** The last eighth of the year beside the second one: what grows in between is what the year costs. */
function curve({ nights, upkeep, proofs }: Lived, count: number): Figure[] {
  const eighth = Math.max(1, count >> 3);
  const early = nights.slice(eighth, 2 * eighth);
  const late = nights.slice(-eighth);
  const of = (some: readonly Night[], field: keyof Night) => median(some.map((one) => one[field]));
  const compared = (field: keyof Night, target: string, most: number): Figure => {
    const ratio = of(late, field) / of(early, field);
    return {
      ...{ scenario: year.name, variant: field },
      measured: { early: of(early, field), late: of(late, field) },
      ...{ ratio, target, met: ratio <= most },
    };
  };
  const [first, last] = [proofs[0], proofs.at(-1)];
  return [
    compared("seconds", "night ≤ 1.2 × an early one", 1.2),
    compared("peakMb", "memory ≤ 1.1 ×", 1.1),
    compared("files", "data files ≤ 1.5 ×", 1.5),
    compared("logBytes", "logs ≤ 1.5 ×", 1.5),
    compared("bytes", "grows with the data alone", Number.POSITIVE_INFINITY),
    {
      ...{ scenario: year.name, variant: "verify" },
      measured: {
        first_us_a_row: ((first?.seconds ?? 0) / (first?.rows ?? 1)) * 1e6,
        last_us_a_row: ((last?.seconds ?? 0) / (last?.rows ?? 1)) * 1e6,
        last_seconds: last?.seconds ?? 0,
        upkeep_seconds: median(upkeep),
      },
    },
  ];
}
