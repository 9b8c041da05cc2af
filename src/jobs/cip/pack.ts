import { createHash } from "node:crypto";
import { PackRetention } from "../../domain/bulk/cip/retention.js";
import { SampleDraw, strataOf } from "../../domain/bulk/cip/sample.js";
import {
  contentSha256,
  OUTCOMES_FILE,
  type PackCounts,
  type PackManifest,
  POPULATION_FILE,
} from "../../lake/bulk/pack/manifest.js";
import { PackFiles } from "../../lake/bulk/pack/pack-files.js";
import { sealPack } from "../../lake/bulk/pack/seal-pack.js";
import { readProvenManifest } from "../../lake/bulk/pack/verify-pack.js";
import { ChangesSpool } from "./changes/changes-spool.js";
import { requireUnchanged } from "./changes/compared-packs.js";
import { findChromium, printPdf } from "./chromium.js";
import { ExceptionsSpool } from "./exceptions-spool.js";
import type { PackFacts, PackTools } from "./facts.js";
import type { CipMember } from "./member.js";
import { type JudgedMember, judged, OUTCOMES_HEAD, outcomeLine } from "./member-lines.js";
import { PackTables } from "./pack-tables.js";
import { Overview } from "./pages/overview.js";
import { PeoplePages, REPORT_PAGE } from "./pages/people-pages.js";
import { writePages } from "./pages/write-pages.js";
import { POPULATION_HEAD, populationLine } from "./population.js";
import { cipRows } from "./rows.js";

const PDF_FILE = "report.pdf";

/** A pack that was written and has no name yet. */
export interface WrittenPack {
  readonly counts: PackCounts;
  readonly manifest: PackManifest;
  readonly manifestSha256: string;
}

/** Every member of an export in the order of `fpId`; each call reads them again. */
export type Members = () => AsyncIterable<CipMember>;

/**
 * Writes all files of a CIP export (docs/use/exports.md) into an empty directory. `publishPack` gives it its name.
 *
 * @throws when the members are not the population that was frozen: a pack says who was meant before the first call.
 */
export async function writeCipPack(
  tools: PackTools,
  directory: string,
  facts: PackFacts,
  members: Members,
): Promise<WrittenPack> {
  const pack = new CipPack(tools, new PackFiles(directory), facts);
  try {
    return await pack.write(members);
  } finally {
    await pack.release();
  }
}

class CipPack {
  readonly #counts = { population: 0, exported: 0, failed: 0, excluded: 0 };
  readonly #retention = new PackRetention();
  readonly #overview = new Overview();
  readonly #pages = new PeoplePages();
  readonly #tables: PackTables;
  readonly #exceptions: ExceptionsSpool;
  readonly #changes: ChangesSpool;
  readonly #sample: SampleDraw;

  constructor(
    private readonly tools: PackTools,
    private readonly files: PackFiles,
    private readonly facts: PackFacts,
  ) {
    this.#tables = new PackTables(tools.duckdb);
    this.#exceptions = new ExceptionsSpool(tools.duckdb);
    this.#changes = new ChangesSpool(tools, facts.unmasked);
    const { seed } = facts.sample;
    this.#sample = new SampleDraw(facts.sample, (stratum, fpId) =>
      createHash("sha256")
        .update(JSON.stringify([seed, stratum, fpId]))
        .digest("hex"),
    );
  }

  async write(members: Members): Promise<WrittenPack> {
    const before = this.facts.previous;
    const previous = before === null ? null : await readProvenManifest(before);
    if (before !== null && previous !== null) await requireUnchanged(before, previous.manifest);
    await this.#writeMembers(members());
    await this.#tables.write(this.files);
    await this.#exceptions.writeCsv(this.files);
    if (before !== null) await this.#changes.compare(before, this.files.directory);
    await this.#changes.writeCsv(this.files);
    await writePages(
      {
        files: this.files,
        facts: this.facts,
        contentSha256: contentSha256(this.files.files),
        counts: this.#counts,
        overview: this.#overview,
        exceptions: this.#exceptions,
        changes: this.#changes,
        sample: this.#sample,
        previous: previous?.manifest.export_id ?? null,
        pages: this.#pages,
      },
      members(),
    );
    const pdf = await this.#writePdf();
    const { manifest, manifestSha256 } = await sealPack(
      this.files,
      {
        kind: "cip",
        export_id: this.facts.exportId,
        facts: { ...this.#statement(), pdf },
        counts: this.#counts,
        population: this.facts.population,
        previous: previous && { export_id: previous.manifest.export_id, manifest_sha256: previous.sha256 },
        amends: this.facts.amends,
      },
      this.facts.signKey,
    );
    return { counts: this.#counts, manifest, manifestSha256 };
  }

  async release(): Promise<void> {
    await this.#tables.release();
    await this.#exceptions.release();
    await this.#changes.release();
  }

  /** Goes through the members once: the files with a line each, and everything that is sorted or counted later. */
  async #writeMembers(members: AsyncIterable<CipMember>): Promise<void> {
    const frozen = await this.files.write(POPULATION_FILE, async (population) => {
      await population(POPULATION_HEAD);
      await this.files.write(OUTCOMES_FILE, async (outcomes) => {
        await outcomes(OUTCOMES_HEAD);
        let before = "";
        for await (const member of members) {
          if (this.#counts.population > 0 && member.fpId <= before) {
            throw new Error("the members of an export do not come in the order of their ids, each once");
          }
          before = member.fpId;
          const one = judged(member, this.facts);
          await population(populationLine(member));
          await outcomes(outcomeLine(one));
          await this.#count(one);
        }
        return this.#counts.population;
      });
      return this.#counts.population;
    });
    const { rows, sha256 } = this.facts.population;
    if (frozen.rows !== rows || frozen.sha256 !== sha256) {
      throw new Error(`the ${frozen.rows} members of an export are not the ${rows} that were frozen for it`);
    }
  }

  async #count(one: JudgedMember): Promise<void> {
    const { member, exceptions, purge } = one;
    await this.#tables.add(cipRows(member, this.facts.exportId, this.tools.sealer));
    await this.#exceptions.add(one, this.#counts.population);
    this.#retention.add(purge);
    this.#overview.add(one);
    this.#pages.add(member.fpId);
    this.#sample.add(member.fpId, strataOf({ ...member, exceptions }));
    this.#counts.population += 1;
    this.#counts[member.status] += 1;
  }

  /** Prints the report where a browser is at hand; a pack without it is whole. In words, what came of it. */
  async #writePdf(): Promise<string> {
    const { chromium, signal } = this.tools;
    const browser = chromium === undefined ? await findChromium(process.env) : chromium;
    if (browser === undefined || browser === null) return "not printed: no Chromium was found";
    const [page, pdf] = [await this.files.place(REPORT_PAGE), await this.files.place(PDF_FILE)];
    const failure = await printPdf(browser, page, pdf, { signal });
    if (failure !== undefined) return `not printed: ${failure}`;
    await this.files.add(PDF_FILE, null);
    return `${PDF_FILE} is ${REPORT_PAGE}, printed`;
  }

  #statement(): Record<string, unknown> {
    const { facts } = this;
    return {
      operator: facts.operator,
      host: facts.host,
      version: facts.version,
      approver: facts.approver,
      service_url: facts.serviceUrl,
      service_mode: facts.serviceMode,
      key_fingerprint: facts.keyFingerprint,
      started_at: facts.startedAt,
      finished_at: facts.finishedAt,
      unmasked: facts.unmasked,
      reason: facts.reason,
      sample: { ...facts.sample, drawn: this.#sample.counts() },
      retention: this.#retention.summary(),
    };
  }
}
