import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { expectCurrentState } from "../../helpers/lake/lake-truth.js";
import { syncWorlds } from "../../helpers/sync/sync-worlds.js";

const worlds = syncWorlds();

const BERKA = process.env.NIGHTLEDGER_TEST_BERKA_DIR ?? "../shared/data/berka";

test.skipIf(!existsSync(BERKA))(
  `the real bank data (${BERKA}): every row, and the sum of every account to the last digit`,
  async () => {
    const world = await worlds.open({
      direct: true,
      api: { concurrency: 32 },
      sandbox: { population: { kind: "berka", directory: BERKA }, recordRequests: 0 },
    });
    const { result } = await world.sync({ streams: ["transactions"] });
    expect(result).toMatchObject({
      status: "completed",
      rows: { created: 49_102, updated: 0, removed: 0, quarantined: 0 },
    });
    const rows = await world.rows(
      "select account_id, count(*) as rows, sum(amount) as amount, sum(signed_amount) as signed_amount from transactions group by all",
    );
    const lake = new Map(rows.map(({ account_id, ...sums }) => [String(account_id), sums]));
    const truth = world.sandbox
      .totals()
      .map(
        ({ account_id, rows: count, amount, signed_amount }) =>
          [account_id, { rows: count, amount, signed_amount }] as const,
      );
    expect(lake).toEqual(new Map(truth));
    await expectCurrentState(world);
  },
);
