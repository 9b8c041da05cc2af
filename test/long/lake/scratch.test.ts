import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eachTest } from "../../helpers/each-test.js";
import { openTestLake } from "../../helpers/lake/delta-lake.js";
import { runDeltaChild } from "../../helpers/lake/delta-process.js";
import { canIsolate } from "../../helpers/lake/spill.js";

const lake = eachTest(openTestLake);

test.skipIf(!canIsolate())(
  "engines in containers of their own, each with process id 1, read their own rows",
  async () => {
    const base = join(lake.directory, "_staging", "scratch");
    const isolated = ["unshare", "--pid", "--fork", "--mount-proc"];
    const found = await Promise.all(
      [1, 2, 3].map((seed) =>
        runDeltaChild(["spill", lake.directory, base, String(seed)], { before: isolated }),
      ),
    );
    expect(found).toEqual([1, 2, 3].map((seed) => ({ seed, pid: 1, spilled: true, wrong: 0 })));
    expect(await readdir(base)).toEqual([]);
  },
);
