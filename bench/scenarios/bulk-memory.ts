import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type BulkRun, runBulk } from "../bulk-command.js";
import { type Arena, type Figure, inArena, type Scenario, type ScenarioContext } from "../scenario.js";
import { runSync } from "../sync-command.js";

const CONCURRENCY = 32;
const MOST_GROWTH = 1.1;

/** How a kind of job is run on so many rows. */
interface Kind {
  readonly name: string;
  /** What stands in the lake or at the service before; returns what ends it. */
  prepare?(arena: Arena, directory: string, rows: number): Promise<() => Promise<void>>;
  /** The command's words, and where its file goes. */
  args(file: string): readonly string[];
  readonly header: string;
  row(number: number): string;
}

/** A text of a megabyte, as an image is one, which no compression shortens much. */
const image = () => randomBytes(750_000).toString("base64");
const ANSWER_BYTES = 200_000;

const userId = (number: number) => `fp_id_${String(number).padStart(6, "0")}`;

const KINDS: readonly Kind[] = [
  {
    name: "kyb",
    args: (file) => ["export", "kyb", "--businesses", file],
    header: "fp_bid",
    row: (number) => `fp_bid_${String(number).padStart(5, "0")}`,
  },
  {
    name: "vault",
    args: (file) => ["export", "vault", "--roster", file, "--fields", "id.email", "--reason", "bench"],
    header: "fp_id",
    row: userId,
  },
  {
    name: "vault_write",
    args: (file) => ["vault", "write", "--file", file],
    header: "fp_id,id.first_name",
    row: (number) => `${userId(number)},Ada`,
  },
  {
    name: "proxy",
    prepare: (arena) => openProxy(arena, "done"),
    args: (file) => ["proxy", "--config", "bench", "--requests", file],
    header: "id,path_and_query,body",
    row: (number) => `r${number},/requests/${number},text ${number}`,
  },
  {
    name: "reconcile",
    async prepare(arena, directory) {
      await runSync({ ...arena, directory, concurrency: CONCURRENCY });
      return async () => undefined;
    },
    args: (file) => ["reconcile", "--roster", file],
    header: "fp_id",
    row: userId,
  },
];

const LONG_KINDS: readonly Kind[] = [
  {
    name: "vault, values of 1 MB",
    async prepare({ standIn }, _, rows) {
      for (let number = 1; number <= rows; number += 1)
        await standIn.control.vaults.write(userId(number), { "custom.photo": image() });
      return async () => undefined;
    },
    args: (file) => ["export", "vault", "--roster", file, "--fields", "custom.photo", "--reason", "bench"],
    header: "fp_id",
    row: userId,
  },
  {
    name: "vault_write, values of 1 MB",
    args: (file) => ["vault", "write", "--file", file],
    header: "fp_id,custom.photo",
    row: (number) => `${userId(number)},${image()}`,
  },
  {
    name: "proxy, answers of 200 KB kept",
    prepare: (arena) => openProxy(arena, randomBytes(ANSWER_BYTES)),
    args: (file) => ["proxy", "--config", "bench", "--requests", file, "--keep-body"],
    header: "id,path_and_query,body",
    row: (number) => `r${number},/requests/${number},text ${number}`,
  },
];

/** Four times the rows of each kind of bulk job: its memory must not follow. */
export const bulkMemory: Scenario = {
  name: "bulk-memory",
  title: "25,000 and 100,000 rows of each kind of bulk job, no latency",
  onRequest: true,
  run: (context) => measure("bulk-memory", KINDS, context.quick ? [500, 2_000] : [25_000, 100_000], context),
};

/** The same with rows of which a few hundred are more than memory holds. */
export const bulkLongValues: Scenario = {
  name: "bulk-long-values",
  title: "200 and 800 rows of bulk jobs with long values, no latency",
  onRequest: true,
  run: (context) => measure("bulk-long-values", LONG_KINDS, context.quick ? [20, 80] : [200, 800], context),
};

async function measure(
  scenario: string,
  kinds: readonly Kind[],
  sizes: readonly number[],
  { report }: ScenarioContext,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const kind of kinds) {
    let first: number | undefined;
    for (const rows of sizes) {
      report(`${kind.name}: ${rows} rows`);
      const run = await runKind(kind, rows);
      first ??= run.process.peakRssMb;
      const ratio = run.process.peakRssMb / first;
      const target = `≤ ${MOST_GROWTH} of the first one's peak`;
      const measured = figuresOf(run);
      const variant = `${kind.name}, ${rows} rows`;
      figures.push({ scenario, variant, measured, ratio, target, met: ratio <= MOST_GROWTH });
    }
  }
  return figures;
}

function figuresOf({ process, temporal, seconds, summary }: BulkRun): Figure["measured"] {
  return {
    peak_rss_mb: process.peakRssMb,
    temporal_peak_rss_mb: temporal.peakRssMb,
    cpu_seconds: process.cpuSeconds,
    seconds,
    calls: summary.calls,
  };
}

function runKind({ prepare, args, header, row }: Kind, rows: number): Promise<BulkRun> {
  return inArena({ users: rows, linksPerUser: 1, rows: 1, businesses: rows }, async (arena) => {
    const directory = await arena.directory();
    const file = join(directory, "rows.csv");
    await pipeline(Readable.from(lines(header, row, rows)), createWriteStream(file));
    const release = await prepare?.(arena, directory, rows);
    try {
      return await runBulk({ ...arena, args: args(file), directory, concurrency: CONCURRENCY });
    } finally {
      await release?.();
    }
  });
}

function* lines(header: string, row: Kind["row"], rows: number): Generator<string> {
  yield `${header}\n`;
  for (let number = 1; number <= rows; number += 1) yield `${row(number)}\n`;
}

/** A proxy of the stand-in, and whom it forwards to. */
async function openProxy({ standIn }: Arena, answer: string | Buffer): Promise<() => Promise<void>> {
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.end(answer));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  await standIn.control.proxies.configure({ id: "bench", target: `http://127.0.0.1:${port}` });
  return async () => {
    server.closeAllConnections();
    await once(server.close(), "close");
  };
}
