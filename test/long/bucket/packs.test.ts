import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSandbox } from "../../../sandbox/index.js";
import { createS3Store } from "../../../src/lake/store/s3/s3-store.js";
import { type FaultyS3, startFaultyS3 } from "../../helpers/store/faulty-s3.js";
import { type S3Server, startS3Server, whyNoS3Server } from "../../helpers/store/s3-server.js";
import { openTwoMachines } from "../../helpers/store/two-machines.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

const missing = await whyNoS3Server();
const EXPORT = ["export", "cip", "--roster", "users.csv", "--approver", "c@bank.example", "--json"];
/** The write at which the machine that makes the pack is lost. */
const MOMENTS = [
  ["its files are staged", /_staging\/cip-[^/]+\/pack\//],
  ["it decides what the pack is", /_exports\/cip\/[^/]+\/SHA256SUMS/],
  ["what was decided is put in place", /_exports\/cip\/[^/]+\/outcomes\.csv/],
  ["the pack comes to be there", /_exports\/cip\/[^/]+\/manifest\.json/],
] as const;

describe.skipIf(missing !== undefined)(
  `packs in a bucket${missing === undefined ? "" : ` (${missing})`}`,
  () => {
    const temporal = sharedTemporal();
    let server: S3Server;
    let faulty: FaultyS3;
    beforeAll(async () => {
      server = await startS3Server();
      faulty = await startFaultyS3(server.endpoint);
    });
    afterAll(async () => {
      await faulty?.stop();
      await server?.stop();
      await temporal.stop();
    });

    async function openMachines() {
      const population = {
        kind: "synthetic",
        users: 12,
        linksPerUser: 0,
        accountsPerLink: 0,
        rows: 0,
      } as const;
      const sandbox = await startSandbox({ population });
      const env = { ...server.env, AWS_ENDPOINT_URL_S3: faulty.endpoint };
      const both = await openTwoMachines(sandbox, temporal, { ...server, env });
      const { folder } = both.machines[0];
      const printed = async (args: readonly string[]) => {
        const { code, stdout, stderr } = await folder.command(args).ended;
        expect(code, stderr).toBe(0);
        return JSON.parse(stdout);
      };
      const refused = async (args: readonly string[]) => {
        const { code, stderr } = await folder.command(args).ended;
        return { code, stderr };
      };
      const release = async () => {
        faulty.strike = () => undefined;
        await both.release();
        await sandbox.close();
      };
      return { ...both, sandbox, folder, printed, refused, release };
    }

    test.each(MOMENTS)(
      "a machine that is lost while %s: another one ends the same pack",
      async (_, write) => {
        const { machines, lake, folder, printed, release } = await openMachines();
        const [first, second] = machines;
        try {
          await first.work();
          const struck = new Promise<void>((resolve) => {
            faulty.strike = ({ method, path }) => {
              if (method !== "PUT" || !write.test(path)) return undefined;
              resolve();
              return "answer lost";
            };
          });
          const command = folder.command(EXPORT);
          await Promise.race([struck, command.ended]);
          await first.die();
          faulty.strike = () => undefined;
          await second.work();
          const { code, stdout, stderr } = await command.ended;
          expect(code, stderr).toBe(0);
          const summary = JSON.parse(stdout);
          expect(await readdir(join(lake, "_exports", "cip"))).toEqual([summary.run_id]);
          const proved = await printed(["verify", summary.export, "--json"]);
          expect(proved).toMatchObject({
            ok: true,
            manifest_sha256: summary.manifest_sha256,
            counts: { population: 12, exported: 12 },
          });
          const staged = await readdir(join(lake, "_staging"), { recursive: true }).catch(() => []);
          expect(staged.filter((name) => name.includes("/pack"))).toEqual([]);
        } finally {
          await release();
        }
      },
    );

    test("a pack names the one before, and what was changed or is missing is found", async () => {
      const { machines, lake, sandbox, printed, refused, release } = await openMachines();
      const scratch = await mkdtemp(join(tmpdir(), "nightledger-scratch-"));
      try {
        await machines[0].work();
        const first = await printed(EXPORT);
        const [user = ""] = sandbox.world.users.keys();
        sandbox.cip.script(user, { fields: { ip_address: "203.0.113.9" } });
        const second = await printed(EXPORT);
        expect(second.export).toMatch(new RegExp(`^s3://.*/_exports/cip/${second.run_id}$`));
        expect(second.fetch).toBe(`aws s3 cp --recursive ${second.export} ${second.run_id}`);
        expect(await printed(["verify", second.export, "--json"])).toMatchObject({
          chain: [first.run_id],
          chain_ends_before: null,
        });
        const inBucket = (run: string, path: string) => join(lake, "_exports", "cip", run, path);
        expect(await readFile(inBucket(second.run_id, "changes.csv"), "utf8")).toContain(`${user},`);

        const outcomes = inBucket(first.run_id, "outcomes.csv");
        const changed = (await readFile(outcomes, "utf8")).replace("exported", "exportee");
        // Below the server, which knows a checksum; then as somebody who may write to the bucket.
        await writeFile(outcomes, changed);
        expect((await refused(["verify", first.export])).stderr).toContain("outcomes.csv is damaged");
        const store = createS3Store(first.export, { directory: scratch, mostBytes: 0 }, server.endpoint);
        await store.put("outcomes.csv", changed);
        expect(await refused(["verify", first.export])).toEqual({
          code: 1,
          stderr: expect.stringContaining("outcomes.csv was changed"),
        });
        await store.delete("outcomes.csv");
        expect((await refused(["verify", first.export])).stderr).toContain("outcomes.csv is missing");
        await store.delete("manifest.json");
        expect((await refused(["verify", first.export])).stderr).toContain("manifest.json is missing");
        expect((await refused([...EXPORT, "--since", first.run_id])).stderr).toContain(
          "there is no export s3:",
        );
        expect(await refused(["verify", `${first.export}x`])).toEqual({
          code: 2,
          stderr: expect.stringContaining("there is no pack s3:"),
        });
      } finally {
        await rm(scratch, { recursive: true, force: true });
        await release();
      }
    });
  },
);
