import { PackRetention } from "../../domain/bulk/cip/retention.js";
import {
  contentSha256,
  OUTCOMES_FILE,
  type PackCounts,
  type PackManifest,
  POPULATION_FILE,
} from "../../lake/bulk/pack/manifest.js";
import { PackFiles, RowSpool } from "../../lake/bulk/pack/pack-files.js";
import { sealPack } from "../../lake/bulk/pack/signature.js";
import { csvLine } from "../../lake/csv-line.js";
import { CIP_TABLES } from "../../lake/tables/cip.js";
import { CHANGE_COLUMNS, CHANGE_KINDS, type ChangeKind, eachChange, hasReportsOf } from "./changes.js";
import type { PackFacts, PackTools } from "./facts.js";
import {
  exceptionsSpool,
  type ListedException,
  listedExceptions,
  writeExceptions,
} from "./listed-exceptions.js";
import type { CipMember } from "./member.js";
import {
  type JudgedMember,
  judged,
  OUTCOMES_HEAD,
  outcomeLine,
  POPULATION_HEAD,
  populationLine,
} from "./member-lines.js";
import { Overview } from "./overview.js";
import { type ShownChanges, writeReport } from "./report.js";
import { cipRows } from "./rows.js";

interface WrittenPack {
  readonly counts: PackCounts;
  readonly manifest: PackManifest;
  readonly manifestSha256: string;
}

/**
 * Writes the files of a CIP export (docs/use/exports.md) into an empty directory; `publishPack` names it.
 * @param members in the order of `fpId`
 * @throws when they are not the frozen population
 */
export async function writeCipPack(
  tools: PackTools,
  directory: string,
  facts: PackFacts,
  members: AsyncIterable<CipMember>,
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
  /** Members come by id, rows of each in order. */
  readonly #tables: ReadonlyMap<(typeof CIP_TABLES)[number]["name"], RowSpool>;
  readonly #exceptions: RowSpool<ListedException>;

  constructor(
    private readonly tools: PackTools,
    private readonly files: PackFiles,
    private readonly facts: PackFacts,
  ) {
    const { duckdb } = tools.lake;
    this.#tables = new Map(CIP_TABLES.map(({ name, columns }) => [name, new RowSpool(duckdb, { columns })]));
    this.#exceptions = exceptionsSpool(duckdb);
  }

  async write(members: AsyncIterable<CipMember>): Promise<WrittenPack> {
    const { files, facts } = this;
    const counts = this.#counts;
    await this.#writeMembers(members);
    for (const [name, spool] of this.#tables) {
      const path = `${name}.parquet`;
      await files.add(path, await spool.writeParquet(await files.place(path)));
    }
    await writeExceptions(this.#exceptions, files);
    await writeReport(files, {
      facts,
      counts,
      changes: await this.#writeChanges(),
      contentSha256: contentSha256(files.files),
      overview: this.#overview,
      exceptions: this.#exceptions,
    });
    const { exportId, population, signKey, previous, amends, ...statement } = facts;
    const sealed = await sealPack(
      files,
      {
        kind: "cip",
        export_id: exportId,
        facts: { ...statement, retention: this.#retention.summary(facts.retention) },
        counts,
        population,
        amends,
        previous: previous && {
          export_id: previous.manifest.export_id,
          manifest_sha256: previous.sha256,
        },
      },
      signKey,
    );
    return { counts, ...sealed };
  }

  async release(): Promise<void> {
    for (const spool of [...this.#tables.values(), this.#exceptions]) await spool.release();
  }

  /** Writes `changes.csv`; only a header where there is no earlier export. */
  async #writeChanges(): Promise<ShownChanges> {
    const { tools, files } = this;
    const { previous, unmasked } = this.facts;
    const before = previous?.manifest.export_id ?? "";
    const isKnown =
      previous !== null &&
      (previous.manifest.counts.exported === 0 || (await hasReportsOf(tools.lake, before)));
    const each: ShownChanges["each"] = async (write) => {
      if (isKnown) await eachChange(tools, { before, directory: files.directory, unmasked }, write);
    };
    const counts = Object.fromEntries(CHANGE_KINDS.map((kind) => [kind, 0])) as Record<ChangeKind, number>;
    await files.write("changes.csv", async (out) => {
      await out(csvLine(CHANGE_COLUMNS));
      let rows = 0;
      let last = "";
      await each(async (change) => {
        await out(csvLine(CHANGE_COLUMNS.map((name) => change[name])));
        rows += 1;
        const own = `${change.change} ${change.fp_id}`;
        if (own !== last) counts[change.change] += 1;
        last = own;
      });
      return rows;
    });
    return { counts: isKnown ? counts : null, each };
  }

  /** Reads the members once: writes a line for each, and spools what is sorted later. */
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
    const { member, purge } = one;
    const rows = cipRows(member, this.facts.exportId, this.tools.sealer);
    for (const [name, spool] of this.#tables) await spool.add(rows[name]);
    await this.#exceptions.add(listedExceptions(one, this.#counts.population));
    this.#retention.add(purge);
    this.#overview.add(one);
    this.#counts.population += 1;
    this.#counts[member.status] += 1;
  }
}
