import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSandbox } from "../../../sandbox/index.js";
import type { SyncSummary } from "../../../src/domain/sync/sync-summary.js";
import { type S3Server, startS3Server, whyNoS3Server } from "../../helpers/store/s3-server.js";
import { openTwoMachines } from "../../helpers/store/two-machines.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

/** What a slice, a commit and the end of a run take: 74 with 600 links, and some for slices of a busy machine. */
const MOST = 100;
const missing = await whyNoS3Server();

describe.skipIf(missing !== undefined)(`requests${missing === undefined ? "" : ` (${missing})`}`, () => {
  const temporal = sharedTemporal();
  let server: S3Server;
  beforeAll(async () => {
    server = await startS3Server();
  });
  afterAll(async () => {
    await server?.stop();
    await temporal.stop();
  });

  test.each([6, 600])("of a second quiet night are as few with %i links", async (links) => {
    const population = { kind: "synthetic", users: links / 3, linksPerUser: 3, rows: 2, seed: 9 } as const;
    const sandbox = await startSandbox({ population });
    const both = await openTwoMachines(sandbox, temporal, server);
    try {
      const [machine] = both.machines;
      await machine.work();
      const night = async () => {
        const { code, stdout, stderr } = await machine.folder.sync().ended;
        expect(code, stderr).toBe(0);
        return JSON.parse(stdout) as SyncSummary;
      };
      const first = await night();
      const second = await night();
      expect(second.links).toMatchObject({ synced: 0, unchanged: links });
      const { reads = 0, writes = 0 } = second.lake_requests ?? {};
      expect(reads + writes).toBeLessThanOrEqual(MOST);
      const listed = machine.folder.command(["runs", "show", second.run_id]);
      expect((await listed.ended).stdout).toContain(`${reads} reads and ${writes} writes of the bucket`);
      expect(Math.min(reads, writes, first.lake_requests?.writes ?? 0)).toBeGreaterThan(0);
    } finally {
      await both.release();
      await sandbox.close();
    }
  });
});
