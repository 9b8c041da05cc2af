import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CipMember } from "../../../src/jobs/cip/member.js";
import { verifyPack } from "../../../src/lake/bulk/pack/verify-pack.js";
import { createSealer } from "../../../src/temporal/encryption/cipher.js";
import { parseEncryptionKeys } from "../../../src/temporal/encryption/keys.js";
import {
  birthDateOf,
  fpIdOf,
  madeUpMember,
  madeUpMembers,
  madeUpReport,
  taxIdOf,
} from "../../helpers/bulk/cip-members.js";
import { openPackRoom } from "../../helpers/bulk/cip-pack.js";
import { eachTest } from "../../helpers/each-test.js";

const room = eachTest(openPackRoom);

const csv = async (directory: string, name: string) =>
  (await readFile(join(directory, name), "utf8")).split("\r\n").slice(0, -1);
const withReport = (index: number, fields: Readonly<Record<string, unknown>>): CipMember => ({
  ...madeUpMember(index),
  ...{ status: "exported", reason: null, action: null, report: madeUpReport(index, fields) },
});

/** Every file of a pack that a person may open, by path, as text. */
async function texts(directory: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    found.set(path.slice(directory.length + 1), await readFile(path, "latin1"));
  }
  return found;
}

test("every member is in outcomes.csv exactly once, and the equation holds", async () => {
  const { directory, counts, manifest } = await room.write(madeUpMembers(40));
  expect(counts.population).toBe(40);
  expect(counts.exported + counts.failed + counts.excluded).toBe(40);
  const lines = (await csv(directory, "outcomes.csv")).slice(1);
  expect(lines.map((line) => line.split(",")[0])).toEqual(
    Array.from({ length: 40 }, (_, index) => fpIdOf(index)),
  );
  for (const status of ["exported", "failed", "excluded"] as const) {
    expect(lines.filter((line) => line.split(",")[2] === status)).toHaveLength(counts[status]);
  }
  expect(manifest.files.find(({ path }) => path === "outcomes.csv")?.rows).toBe(40);
  await verifyPack(directory, room.tools);
});

test("members that are not those who were frozen, or come twice, make no pack", async () => {
  const population = { rows: 3, sha256: "0".repeat(64) };
  await expect(room.write(madeUpMembers(3), { population })).rejects.toThrow(
    "are not the 3 that were frozen",
  );
  const twice = madeUpMembers(3, (member, index) => (index === 2 ? { ...member, fpId: fpIdOf(1) } : member));
  await expect(room.write(twice)).rejects.toThrow("each once");
});

test("the same export written twice has the same bytes of rows", async () => {
  const [one, two] = [
    await room.write(madeUpMembers(60)),
    await room.write(madeUpMembers(60), { exportId: "cip-1b" }),
  ];
  expect(one.manifest.content_sha256).not.toBe(two.manifest.content_sha256);
  const other = await openPackRoom();
  const same = await other.write(madeUpMembers(60));
  expect(same.manifest).toEqual(one.manifest);
  await other.release();
});

describe("masking", () => {
  const members = madeUpMembers(30, (member, index) =>
    index === 2
      ? withReport(index, {
          approved_by: "Rita Reviewer",
          approved_reason: `seen ${taxIdOf(2)}, born ${birthDateOf(2)}`,
        })
      : member,
  );
  const planted = Array.from({ length: 30 }, (_, index) => [
    taxIdOf(index),
    birthDateOf(index),
    `${index + 1} Elm Street`,
  ]).flat();

  test("no tax id, birth date or address is in any file", async () => {
    const before = await room.write(
      madeUpMembers(30, (member, index) =>
        index === 4
          ? withReport(4, {
              checked_data: {
                ...member.report?.checked_data,
                tax_id: taxIdOf(29),
                date_of_birth: birthDateOf(28),
              },
            })
          : member,
      ),
    );
    const { directory } = await room.write(members, { previous: before });
    expect((await csv(directory, "changes.csv")).join("\n")).toContain("checked_data_tax_id,•••");
    // A reviewer's own words stay as they are in Parquet.
    const shown = [...(await texts(directory))].filter(([path]) => path !== "cip_reports.parquet");
    const found = [...shown, ...(await texts(before.directory))].flatMap(([path, text]) =>
      planted.filter((value) => text.includes(value)).map((value) => `${path}: ${value}`),
    );
    expect(found).toEqual([]);
  });

  test("an unmasked pack shows them, and says so and why", async () => {
    const { directory, manifest } = await room.write(members, { unmasked: true, reason: "examination 7" });
    const report = await readFile(join(directory, "report.html"), "utf8");
    for (const value of ["examination 7", "Unmasked"]) expect(report).toContain(value);
    const listed = (await csv(directory, "exceptions.csv")).join("\n");
    for (const value of [taxIdOf(2), birthDateOf(2)]) expect(listed).toContain(value);
    expect(manifest.facts).toMatchObject({ unmasked: true, reason: "examination 7" });
  });
});

test("hostile texts are text wherever they are", async () => {
  const hostile = `"><script>alert(1)</script>'&<img src=x onerror=y>\u202egnp.exe\u0000\u001b[2J\r\n=1+1`;
  const members = madeUpMembers(4, (member, index) =>
    index === 1
      ? {
          ...withReport(index, {
            ...{ approved_by: hostile, approved_reason: hostile, approved_at: hostile, zodiac: hostile },
            ...{ tax_id_breakdown: [hostile], tax_id: "consider" },
            self_reported: { occupation: hostile, [hostile]: hostile },
            checked_data: { ...member.report?.checked_data, customer_name: hostile },
            watchlist: { ...member.report?.watchlist, records: [hostile, { [hostile]: hostile }] },
          }),
          ...{ externalId: hostile, risk: hostile, accountClosedOn: null },
        }
      : member,
  );
  const { directory } = await room.write(members, {
    ...{ operator: hostile, host: hostile, approver: hostile, service_url: hostile, service_mode: hostile },
    ...{ reason: hostile, unmasked: true, key_fingerprint: hostile, amends: "cip-0" },
  });
  const html = await readFile(join(directory, "report.html"), "utf8");
  expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
  for (const raw of ["<script", "<img", "\u0000", "\u001b"]) expect(html).not.toContain(raw);
  // Nothing but what the templates wrote: tags and attributes that they know.
  const tags = new Set([...html.matchAll(/<\/?([a-z0-9]+)/gi)].map(([, tag]) => tag));
  for (const tag of ["script", "img", "iframe", "object", "link"]) expect(tags).not.toContain(tag);
  const outcomes = await readFile(join(directory, "outcomes.csv"), "utf8");
  expect(outcomes).toContain(`""><script>`);
  await verifyPack(directory, room.tools);
});

describe("changes", () => {
  test("against the pack before: what matters most on top, masked", async () => {
    const first = await room.write(madeUpMembers(25));
    const second = await room.write(
      madeUpMembers(27, (member, index) => {
        if (index === 0) return undefined;
        if (index === 1) return { ...member, status: "failed", reason: "gone", report: null };
        if (index !== 3 || member.report === null) return member;
        const { checked_data, watchlist } = member.report;
        return withReport(3, {
          ...{ matched_address: "consider", matched_addresses: ["service", "source_2"] },
          checked_data: { ...checked_data, date_of_birth: "1999-01-01" },
          watchlist: { ...watchlist, check_completed_at: "2026-11-21T00:00:00Z" },
        });
      }),
      { previous: first },
    );
    const [, ...changes] = await csv(second.directory, "changes.csv");
    expect(changes.map((line) => line.split(",").toSpliced(2, 1).join(","))).toEqual([
      "clear_to_consider,fp_id_made_up_000003,matched_address,clear,consider,",
      "changed,fp_id_made_up_000003,checked_data_date_of_birth,1953-••-••,1999-••-••,",
      "added,fp_id_made_up_000025,,,,no report in the export before",
      "added,fp_id_made_up_000026,,,,no report in the export before",
      "removed,fp_id_made_up_000000,,,,not in the population any more",
      "removed,fp_id_made_up_000001,,,,failed in this export",
      expect.stringMatching(/^screened_again,fp_id_made_up_000003,watchlist_check_completed_at_text,/),
    ]);
    expect(second.manifest.previous).toEqual({ export_id: "cip-1", manifest_sha256: first.manifestSha256 });
    expect((await verifyPack(second.directory, room.tools)).chain).toEqual(["cip-1"]);
  });

  test("the report shows them without a new screening, and how many people they are", async () => {
    const first = await room.write(madeUpMembers(5));
    const { directory } = await room.write(
      madeUpMembers(5, (member, index) => {
        const watchlist = { ...member.report?.watchlist, check_completed_at: "2026-11-21T00:00:00Z" };
        return withReport(index, { watchlist, ...(index === 3 && { tax_id: "consider" }) });
      }),
      { previous: first },
    );
    const html = await readFile(join(directory, "report.html"), "utf8");
    const part = html.slice(html.indexOf('<h2 id="changes">'));
    expect(part).toContain('<th scope="row">clear → consider</th><td class="count">1</td>');
    expect(part).toContain('<th scope="row">screened again</th><td class="count">5</td>');
    expect(part.match(/<tr><th scope="row"><bdi>/g)).toHaveLength(1);
    expect(part).toContain('<span class="verdict consider">clear → consider</span>');
  });

  test("values under a key that was rotated are no change, and under one that is gone are not compared", async () => {
    const first = await room.write(madeUpMembers(3));
    const keys = `k2:${Buffer.alloc(32, 8).toString("base64")}`;
    const both = createSealer(parseEncryptionKeys(`${keys},k1:${Buffer.alloc(32, 7).toString("base64")}`));
    const rotated = await room.write(madeUpMembers(3), { previous: first }, both);
    expect(await csv(rotated.directory, "changes.csv")).toHaveLength(1);
    const gone = await room.write(
      madeUpMembers(3),
      { previous: first },
      createSealer(parseEncryptionKeys(keys)),
    );
    const [, line] = await csv(gone.directory, "changes.csv");
    expect(line).toMatch(
      /,ip_address,,,not compared: one of the two is encrypted with a key that is not here$/,
    );
  });

  test("the lake has no reports of the pack before: nothing is compared, and the report says so", async () => {
    const first = await room.write(madeUpMembers(5));
    const other = await openPackRoom();
    const { directory } = await other.write(madeUpMembers(5), { previous: first });
    expect(await csv(directory, "changes.csv")).toHaveLength(1);
    const html = await readFile(join(directory, "report.html"), "utf8");
    expect(html).toContain("The lake has no reports of <code>cip-1</code>, so nothing is compared.");
    await other.release();
  });
});

test("the headline says whose customers these are and how many are under a legal hold", async () => {
  const members = madeUpMembers(30, (member, index) => (index < 2 ? { ...member, legalHold: null } : member));
  const { directory, manifest } = await room.write(members, { institution: "Example <Bank>" });
  const report = await readFile(join(directory, "report.html"), "utf8");
  expect(report).toContain("<strong>2</strong><span>under a legal hold; of 2 it is not known</span>");
  expect(report).toMatch(/class="kicker"><bdi>Example &lt;Bank&gt;<\/bdi>/);
  expect(manifest.facts).toMatchObject({ institution: "Example <Bank>" });
});

test("an export of nobody is a pack", async () => {
  const { directory, counts } = await room.write(madeUpMembers(0));
  expect(counts).toEqual({ population: 0, exported: 0, failed: 0, excluded: 0 });
  await verifyPack(directory, room.tools);
});
