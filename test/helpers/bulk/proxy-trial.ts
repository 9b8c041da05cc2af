import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startSandbox } from "../../../sandbox/index.js";
import { Random } from "../../../sandbox/world/random.js";
import { openJobFolder } from "../command/job-folder.js";
import type { TrialReport } from "../kill/kill-trial.js";
import { rowsOf, withLake } from "../lake/lake-audit.js";
import { holding } from "../onboarding/planted-texts.js";
import { type Receiver, startReceiver } from "../webhooks/receiver.js";
import { runKilledJob } from "./killed-job.js";

const ARGS = ["proxy", "--config", "p", "--requests", "rows.jsonl", "--header", "@headers", "--json"];
const SECRET = "Bearer planted-secret";
const ROWS = 240;

/** Makes rows so long that they are three groups, which are worked on together. */
const PADDING = ".".repeat(80_000);

/** Every third row may be sent again; the others at most once. */
const rows = Array.from({ length: ROWS }, (_, at) => ({
  id: `r${at}`,
  repeatable: at % 3 === 0,
  body: `r${at} ${PADDING}`,
}));

/**
 * One proxy run with kills at moments of its seed; the command is run again until its run has ended. What the target
 * got, and what the table says of it, are compared.
 */
export async function runProxyTrial(seed: number, kills: number): Promise<TrialReport> {
  const random = new Random(`proxy/${seed}`);
  const target = await startReceiver();
  target.answer = async ({ body }) => {
    await sleep(80);
    return { body: `answer to ${idIn(body)}` };
  };
  const sandbox = await startSandbox({ seed });
  sandbox.proxies.configure({ id: "p", target: target.url });
  const folder = await openJobFolder(sandbox, { NIGHTLEDGER_API_CONCURRENCY: "4" });
  try {
    await writeFile(join(folder.directory, "headers"), `x-fp-proxy-fwd-authorization: ${SECRET}\n`);
    await writeFile(
      join(folder.directory, "rows.jsonl"),
      rows.map((row) => `${JSON.stringify(row)}\n`).join(""),
    );
    const { kills: told, summary } = await runKilledJob(folder, ARGS, random, kills);
    if (summary === undefined) return { kills: told, problems: ["the command never ended its run"] };
    const problems = await problemsOf(folder.lake, target);
    for (const place of await holding(folder.directory, [SECRET]))
      if (!place.startsWith("headers:")) problems.push(`in the clear: ${place}`);
    return { kills: told, problems };
  } finally {
    await folder.release();
    await sandbox.close();
    await target.close();
  }
}

function idIn(body: Buffer): string {
  return String(body.subarray(0, body.indexOf(" ")));
}

/** Compares each row of the table with what the target got. */
async function problemsOf(lake: string, target: Receiver): Promise<string[]> {
  const received = new Map<string, number>();
  for (const { body } of target.received) {
    const id = idIn(body);
    received.set(id, (received.get(id) ?? 0) + 1);
  }
  const problems: string[] = [];
  await withLake(lake, async (query) => {
    const table = await rowsOf(
      query,
      `select id, count(*)::int n, count(*) filter (status = 'answered')::int answered, sum(asked)::int asked,
         any_value(response_bytes)::int bytes
       from proxy_calls where status <> 'skipped' group by id`,
    );
    const known = new Map(table.map((row) => [String(row.id), row]));
    for (const { id, repeatable } of rows) {
      const row = known.get(id);
      const got = received.get(id) ?? 0;
      if (row === undefined) {
        problems.push(`${id} is missing`);
        continue;
      }
      // A command that is run again after its run has ended tells of what is not known once more.
      if (row.n !== 1 && row.answered !== 0) problems.push(`${id}: ${row.n} rows`);
      if (got > 1 && !repeatable) problems.push(`${id} reached the target ${got} times`);
      if (repeatable && row.answered !== 1) problems.push(`${id} may be repeated and has no answer`);
      if (row.answered === 1 && (got === 0 || row.bytes !== `answer to ${id}`.length))
        problems.push(`${id}: an answer that the target did not give`);
      if (Number(row.asked) < got) problems.push(`${id}: ${got} requests, the table says ${row.asked}`);
    }
    if (known.size !== ROWS) problems.push(`${known.size} requests in the table`);
  });
  return problems;
}
