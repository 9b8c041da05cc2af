import { expect, test } from "vitest";
import { retryRun } from "../../../src/cli/runs/steer.js";
import { SILENT } from "../../helpers/command/silent-terminal.js";

// A sync or a batch took another kind's inputs and ignored them.
test.each([
  ["a sync", "sync-20261121T021500Z-3f9c2a", "sync"],
  ["a run of a batch", "onboard-20261121T021500Z-3f9c2a", "onboard"],
  ["a batch", "onb_0123456789abcdef01234567", "onboard"],
])("a retry of %s refuses the key of an export", async (_, id, kind) => {
  await expect(retryRun(SILENT, id, { signKey: "k.pem" })).rejects.toThrow(
    `--sign-key is not for a run of ${kind}. Nothing was started. Leave it out.`,
  );
});
