import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { Random } from "../../../sandbox/world/random.js";
import { auditLake } from "../../helpers/lake/lake-audit.js";
import { startFaultyS3 } from "../../helpers/store/faulty-s3.js";
import { type S3Server, startS3Server, whyNoS3Server } from "../../helpers/store/s3-server.js";
import { openTwoMachines, type TwoMachines } from "../../helpers/store/two-machines.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

/** NIGHTLEDGER_ROUNDS=100 runs a hundred. */
const ROUNDS = Number(process.env.NIGHTLEDGER_ROUNDS ?? 6);
/** A night takes half a minute on two quiet cores, and more than two on busy ones. */
const LONGEST = Math.max(900_000, ROUNDS * 180_000);
const PAGES = { operation: "sync_transactions" };
const missing = await whyNoS3Server();

describe.skipIf(missing !== undefined)(`two machines${missing === undefined ? "" : ` (${missing})`}`, () => {
  const temporal = sharedTemporal();
  let server: S3Server;
  let sandbox: Sandbox;
  let both: TwoMachines | undefined;
  beforeAll(async () => {
    server = await startS3Server();
  });
  afterAll(async () => {
    await server?.stop();
    await temporal.stop();
  });
  beforeEach(async () => {
    sandbox = await startSandbox({
      population: { kind: "synthetic", users: 6, linksPerUser: 3, rows: 400, otherStates: true, seed: 9 },
      latencyMs: 20,
    });
  });
  afterEach(async () => {
    await both?.release();
    both = undefined;
    await sandbox.close();
  });

  test(
    `${ROUNDS} nights of which each loses a machine are exact`,
    async () => {
      both = await openTwoMachines(sandbox, temporal, server, { NIGHTLEDGER_API_CONCURRENCY: "2" });
      const { machines, lake } = both;
      for (const machine of machines) await machine.work();
      const random = new Random("two machines");
      for (let round = 0; round < ROUNDS; round += 1) {
        if (round > 0) sandbox.advance({ seed: round, created: 60, updated: 25, removed: 9 });
        sandbox.clearRequests();
        const moment = sandbox.waitForRequests(1 + random.int(round === 0 ? 60 : 18), PAGES);
        const command = random.pick(machines).folder.sync("--page-size", "100");
        await Promise.race([moment, command.ended]);
        const doomed = random.pick(machines);
        await doomed.die();
        const end = await command.ended;
        expect(end.code, end.stderr).toBe(0);
        expect(await auditLake(lake, sandbox), `round ${round}`).toEqual([]);
        await doomed.work();
      }
    },
    LONGEST,
  );

  test("credentials that end midway are waited for and named, and the night is exact", async () => {
    const faulty = await startFaultyS3(server.endpoint);
    try {
      both = await openTwoMachines(sandbox, temporal, {
        ...server,
        env: { ...server.env, AWS_ENDPOINT_URL_S3: faulty.endpoint },
      });
      const [machine] = both.machines;
      await machine.work();
      const moment = sandbox.waitForRequests(20, PAGES);
      const command = machine.folder.sync("--page-size", "50");
      await moment;
      faulty.strike = () => "expired";
      await machine.logs(/s3:.* can't be used: the credentials are missing or refused \(ExpiredToken/);
      faulty.strike = () => undefined;
      const end = await command.ended;
      expect(end.code, end.stderr).toBe(0);
      expect(await auditLake(both.lake, sandbox)).toEqual([]);
    } finally {
      await both?.release();
      both = undefined;
      await faulty.stop();
    }
  });
});
