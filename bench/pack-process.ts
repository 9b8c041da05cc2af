import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { cipReport } from "../sandbox/cip/cip-report.js";
import { cipReportSchema } from "../src/api/schemas/cip-report.js";
import { DEFAULT_SAMPLE } from "../src/domain/bulk/cip/sample.js";
import type { CipMember } from "../src/jobs/cip/member.js";
import { populationOf } from "../src/jobs/cip/member-lines.js";
import { writeCipPack } from "../src/jobs/cip/pack.js";
import { publishPack } from "../src/lake/bulk/pack/pack-place.js";
import { createDuckDb } from "../src/lake/sql/duckdb.js";
import { createSealer } from "../src/temporal/encryption/cipher.js";
import { parseEncryptionKeys } from "../src/temporal/encryption/keys.js";

// Writes two packs of so many people, the second against the first: pack-process <directory> <people>
const [root = "", people = "0"] = process.argv.slice(2);
const APPROVER = "compliance@bank.example";
const MADE_AT = "2026-11-20T08:00:00.000Z";

async function* members(night: number): AsyncIterable<CipMember> {
  for (let index = 0; index < Number(people); index += 1) {
    const fpId = `fp_id_${String(index).padStart(9, "0")}`;
    const vault: Readonly<Record<string, string>> = {
      "id.first_name": `Given ${index}`,
      "id.last_name": "Name",
      "id.dob": "1980-02-03",
      "id.ssn9": String(900_000_000 + index),
      "id.address_line1": `${index} Elm Street, Springfield`,
    };
    const report = cipReportSchema.parse(
      cipReport({
        fpId,
        seed: index % 50 === 0 ? `night ${night}` : "every night",
        now: new Date(Date.parse(MADE_AT) + night * 1_000).toISOString(),
        approvedBy: index % 10 === 0 ? "Rita Reviewer" : APPROVER,
        reviewed: index % 10 === 0,
        decidedAt: undefined,
        vault: (name) => vault[name],
        script: {},
      }),
    );
    const status = "exported" as const;
    const subject = {
      fpId,
      externalId: `customer-${index}`,
      risk: "low",
      accountClosedOn: null,
      legalHold: false,
    };
    yield { ...subject, status, reason: null, action: null, asked: 1, askedAt: MADE_AT, report };
  }
}

async function write(night: number, previous: string | null): Promise<string> {
  const temporary = join(root, `writing-${night}`);
  await mkdir(temporary);
  const duckdb = createDuckDb({ scratchDirectory: join(root, "scratch") });
  const sealer = createSealer(parseEncryptionKeys(`k:${Buffer.alloc(32, 1).toString("base64")}`));
  try {
    const facts = {
      ...{ exportId: `cip-${night}`, operator: "bench", host: "bench", version: "bench", approver: APPROVER },
      ...{ service_url: "https://service.example", service_mode: null, key_fingerprint: "none" },
      ...{
        started_at: MADE_AT,
        finished_at: MADE_AT,
        unmasked: false,
        reason: null,
        lake_root: null,
        previous,
        amends: null,
      },
      population: await populationOf(members(night)),
      sample: { ...DEFAULT_SAMPLE, seed: "bench" },
    };
    await writeCipPack({ duckdb, sealer, chromium: null }, temporary, facts, () => members(night));
    const directory = join(root, facts.exportId);
    await publishPack(temporary, directory);
    return directory;
  } finally {
    await duckdb.close();
  }
}

const started = performance.now();
const first = await write(1, null);
const one = performance.now();
await write(2, first);
const seconds = { first: (one - started) / 1_000, second: (performance.now() - one) / 1_000 };
process.stdout.write(`${JSON.stringify(seconds)}\n`);
