import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { schemaActions } from "../../../src/lake/delta/delta-schema.js";
import { openLake } from "../../../src/lake/lake.js";
import { maintainTable } from "../../../src/lake/maintain/table-upkeep.js";
import { readTables } from "../../../src/lake/query/query-views.js";
import { createS3Store } from "../../../src/lake/store/s3/s3-store.js";
import { addOf, writeRows } from "../../../src/lake/tables/parquet-file.js";
import { webhookEvents } from "../../../src/lake/tables/webhook-events.js";
import { type S3Server, startS3Server, whyNoS3Server } from "../../helpers/store/s3-server.js";

const missing = await whyNoS3Server();
const COMMITS = 25;

describe.skipIf(missing !== undefined)(`a bucket${missing === undefined ? "" : ` (${missing})`}`, () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await startS3Server();
  });
  afterAll(() => server?.stop());

  test("is maintained as a directory is, beside a writer on another machine", async () => {
    const base = await mkdtemp(join(tmpdir(), "nightledger-bucket-"));
    const { address } = await server.makeBucket();
    const machine = (name: string) => {
      const directory = join(base, name);
      const cache = { directory: join(directory, "objects"), mostBytes: 2 ** 30 };
      return openLake({ directory, store: createS3Store(address, cache, server.endpoint) });
    };
    const [one, two] = [machine("one"), machine("two")];
    try {
      const append = async (lake: typeof one, n: number) => {
        const rows = [{ message_id: `msg_${n}`, received_at: new Date(n * 1_000).toISOString() }];
        const files = await writeRows(lake, webhookEvents, "events", rows);
        await lake
          .table(webhookEvents.name)
          .commit((snapshot) => [
            ...schemaActions(webhookEvents, snapshot, 0),
            ...files.map((file) => ({ add: addOf(file) })),
          ]);
      };
      for (let n = 0; n < COMMITS; n += 1) await append(one, n);
      const options = () => ({ before: Date.now() + 60_000, dryRun: false });
      await Promise.all([
        maintainTable(one, webhookEvents, { ...options(), before: 0 }),
        append(two, COMMITS),
      ]);
      await maintainTable(two, webhookEvents, options());
      const last = await maintainTable(one, webhookEvents, options());
      expect(last).toMatchObject({ live: { before: 1, after: 1 }, old: { kept: { files: 0 } } });
      const files = (await two.store.list(`${webhookEvents.name}/`)).filter(({ key }) =>
        /parquet$/.test(key),
      );
      expect(files.filter(({ key }) => !key.includes("checkpoint"))).toHaveLength(1);
      const found = await readTables(two, [webhookEvents], (sql) =>
        sql.rows("select message_id from webhook_events"),
      );
      const ids = Array.from({ length: COMMITS + 1 }, (_, n) => `msg_${n}`);
      expect(found.map(({ message_id }) => message_id).sort()).toEqual(ids.sort());
    } finally {
      await one.close();
      await two.close();
      await rm(base, { recursive: true, force: true });
    }
  });
});
