import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PackFacts, PackTools } from "../../../src/jobs/cip/facts.js";
import { populationOf } from "../../../src/jobs/cip/member-lines.js";
import { writeCipPack } from "../../../src/jobs/cip/pack.js";
import { cipRows } from "../../../src/jobs/cip/rows.js";
import { publishPack } from "../../../src/lake/bulk/pack/pack-place.js";
import { openLake } from "../../../src/lake/lake.js";
import { appendOnce } from "../../../src/lake/tables/append.js";
import { cipReports } from "../../../src/lake/tables/cip.js";
import { writeRows } from "../../../src/lake/tables/parquet-file.js";
import { createSealer } from "../../../src/temporal/encryption/cipher.js";
import { parseEncryptionKeys } from "../../../src/temporal/encryption/keys.js";
import type { madeUpMembers } from "./cip-members.js";
import { APPROVER } from "./cip-members.js";

export const SEALER = createSealer(parseEncryptionKeys(`k1:${Buffer.alloc(32, 7).toString("base64")}`));

/** A directory of packs in temp, with what they are written with. */
export async function openPackRoom() {
  const root = await mkdtemp(join(tmpdir(), "nightledger-packs-"));
  const lake = openLake({ directory: join(root, "lake") });
  const tools = { lake, duckdb: lake.duckdb, sealer: SEALER };
  let number = 0;
  return {
    root,
    tools,
    /** Writes and publishes a pack below the root, under its export id, and its reports to the lake. */
    async write(
      members: ReturnType<typeof madeUpMembers>,
      given: Partial<PackFacts> = {},
      sealer: PackTools["sealer"] = SEALER,
    ) {
      number += 1;
      const temporary = join(root, `writing-${number}`);
      await mkdir(temporary);
      const facts: PackFacts = {
        operator: "olivia",
        host: "vault-1",
        version: "0.1.0",
        approver: APPROVER,
        service_url: "https://api.service.example",
        service_mode: "test",
        key_fingerprint: "sha256:0123456789abcdef",
        started_at: "2026-11-20T07:59:00.000Z",
        finished_at: "2026-11-20T08:05:00.000Z",
        lake_root: null,
        unmasked: false,
        reason: null,
        exportId: `cip-${number}`,
        population: await populationOf(members()),
        previous: null,
        amends: null,
        ...given,
      };
      const written = await writeCipPack({ lake, sealer }, temporary, facts, members());
      const directory = join(root, "packs", facts.exportId);
      await publishPack(temporary, directory);
      async function* reports() {
        for await (const one of members()) yield* cipRows(one, facts.exportId, sealer)[cipReports.name];
      }
      await appendOnce(lake, cipReports, facts.exportId, () =>
        writeRows(lake, cipReports, facts.exportId, reports()),
      );
      return { ...written, sha256: written.manifestSha256, directory };
    },
    async release() {
      await lake.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}
