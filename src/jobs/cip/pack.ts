import { hash } from "node:crypto";
import { PackRetention } from "../../domain/bulk/cip/retention.js";
import { SampleDraw, strataOf } from "../../domain/bulk/cip/sample.js";
import {
  contentSha256,
  OUTCOMES_FILE,
  type PackCounts,
  type PackManifest,
  POPULATION_FILE,
} from "../../lake/bulk/pack/manifest.js";
import { PackFiles, RowSpool } from "../../lake/bulk/pack/pack-files.js";
import { sealPack } from "../../lake/bulk/pack/signature.js";
import { readProvenManifest } from "../../lake/bulk/pack/verify-pack.js";
import { CIP_TABLES } from "../../lake/tables/cip.js";
import { ChangesSpool } from "./changes/changes-spool.js";
import { requireUnchanged } from "./changes/compared-packs.js";
import { findChromium, printPdf } from "./chromium.js";
import { ExceptionsSpool } from "./exceptions-spool.js";
import type { PackFacts, PackTools } from "./facts.js";
import type { CipMember } from "./member.js";
import {
  type JudgedMember,
  judged,
  OUTCOMES_HEAD,
  outcomeLine,
  POPULATION_HEAD,
  populationLine,
} from "./member-lines.js";
import { Overview } from "./pages/overview.js";
import { PeoplePages, REPORT_PAGE } from "./pages/page.js";
import { writePages } from "./pages/write-pages.js";
import { cipRows } from "./rows.js";

const PDF_FILE = "report.pdf";

/** A pack that is written and has no name yet. */
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
 * @throws when the members are not the frozen population: a pack says who was meant before the first call.
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
  /** Members come by id, and the rows of each in their order. */
  readonly #tables: ReadonlyMap<(typeof CIP_TABLES)[number]["name"], RowSpool>;
  readonly #exceptions: ExceptionsSpool;
  readonly #changes: ChangesSpool;
  readonly #sample: SampleDraw;

  constructor(
    private readonly tools: PackTools,
    private readonly files: PackFiles,
    private readonly facts: PackFacts,
  ) {
    const { duckdb } = tools;
    this.#tables = new Map(CIP_TABLES.map(({ name, columns }) => [name, new RowSpool(duckdb, { columns })]));
    this.#exceptions = new ExceptionsSpool(duckdb);
    this.#changes = new ChangesSpool(tools, facts.unmasked);
    const { seed } = facts.sample;
    this.#sample = new SampleDraw(facts.sample, (stratum, fpId) =>
      hash("sha256", JSON.stringify([seed, stratum, fpId])),
    );
  }

  async write(members: Members): Promise<WrittenPack> {
    const { files, facts } = this;
    const counts = this.#counts;
    const before = facts.previous;
    const previous = before === null ? null : await readProvenManifest(before);
    if (before !== null && previous !== null) await requireUnchanged(before, previous.manifest);
    await this.#writeMembers(members());
    for (const [name, spool] of this.#tables) {
      const path = `${name}.parquet`;
      await files.add(path, await spool.writeParquet(await files.place(path)));
    }
    await this.#exceptions.writeList(files);
    if (before !== null) await this.#changes.compare(before, files.directory);
    await this.#changes.writeList(files);
    await writePages(
      {
        ...{ files, facts, counts, overview: this.#overview, exceptions: this.#exceptions },
        ...{ changes: this.#changes, sample: this.#sample, pages: this.#pages },
        contentSha256: contentSha256(files.files),
        previous: previous?.manifest.export_id ?? null,
      },
      members(),
    );
    const pdf = await this.#writePdf();
    const { exportId, population, signKey, previous: _, amends, sample: sizes, ...statement } = facts;
    const sealed = await sealPack(
      files,
      {
        kind: "cip",
        export_id: exportId,
        facts: {
          ...statement,
          sample: { ...sizes, drawn: this.#sample.counts() },
          retention: this.#retention.summary(facts.retention),
          pdf,
        },
        ...{ counts, population, amends },
        previous: previous && { export_id: previous.manifest.export_id, manifest_sha256: previous.sha256 },
      },
      signKey,
    );
    return { counts, ...sealed };
  }

  async release(): Promise<void> {
    for (const spool of [...this.#tables.values(), this.#exceptions, this.#changes]) await spool.release();
  }

  /** Reads the members once: writes the files with a line for each, and collects what is sorted or counted later. */
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
    const rows = cipRows(member, this.facts.exportId, this.tools.sealer);
    for (const [name, spool] of this.#tables) await spool.add(rows[name]);
    await this.#exceptions.addMember(one, this.#counts.population);
    this.#retention.add(purge);
    this.#overview.add(one);
    this.#pages.add(member.fpId);
    this.#sample.add(member.fpId, strataOf({ ...member, exceptions }));
    this.#counts.population += 1;
    this.#counts[member.status] += 1;
  }

  /** Prints the report if there is a browser; a pack without it is complete. Returns in words what came of it. */
  async #writePdf(): Promise<string> {
    const { chromium = await findChromium(process.env), signal } = this.tools;
    if (chromium === undefined || chromium === null) return "not printed: no Chromium was found";
    const [page, pdf] = [await this.files.place(REPORT_PAGE), await this.files.place(PDF_FILE)];
    const failure = await printPdf(chromium, page, pdf, { signal });
    if (failure !== undefined) return `not printed: ${failure}`;
    await this.files.add(PDF_FILE, null);
    return `${PDF_FILE} is ${REPORT_PAGE}, printed`;
  }
}
