import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEFAULT_SAMPLE } from "../../../src/domain/bulk/cip/sample.js";
import type { PackFacts, PackTools } from "../../../src/jobs/cip/facts.js";
import { populationOf } from "../../../src/jobs/cip/member-lines.js";
import { type Members, type WrittenPack, writeCipPack } from "../../../src/jobs/cip/pack.js";
import { publishPack } from "../../../src/lake/bulk/pack/pack-place.js";
import { createDuckDb } from "../../../src/lake/sql/duckdb.js";
import { createSealer } from "../../../src/temporal/encryption/cipher.js";
import { parseEncryptionKeys } from "../../../src/temporal/encryption/keys.js";
import { APPROVER } from "./cip-members.js";

/** A directory of packs in temp, with what they are written with. */
export interface PackRoom {
  readonly root: string;
  readonly tools: PackTools;
  /** Writes and publishes a pack below the root, under its export id. */
  write(members: Members, facts?: Partial<PackFacts>): Promise<WrittenPack & { readonly directory: string }>;
  release(): Promise<void>;
}

export const SEALER = createSealer(parseEncryptionKeys(`k1:${Buffer.alloc(32, 7).toString("base64")}`));

export async function openPackRoom(chromium: string | null = null): Promise<PackRoom> {
  const root = await mkdtemp(join(tmpdir(), "nightledger-packs-"));
  const duckdb = createDuckDb({ scratchDirectory: join(root, "scratch") });
  const tools: PackTools = { duckdb, sealer: SEALER, chromium };
  let number = 0;
  return {
    root,
    tools,
    async write(members, given = {}) {
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
        sample: { ...DEFAULT_SAMPLE, seed: "2026-Q4" },
        ...given,
      };
      const written = await writeCipPack(tools, temporary, facts, members);
      const directory = join(root, "packs", facts.exportId);
      await publishPack(temporary, directory);
      return { ...written, directory };
    },
    async release() {
      await duckdb.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}
