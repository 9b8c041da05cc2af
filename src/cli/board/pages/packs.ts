import { MINUTE } from "../../../domain/duration.js";
import { InputError, NotThereError } from "../../../domain/failures.js";
import { shellWord } from "../../../domain/words/texts.js";
import { type EndedRun, endedRun, endedRuns } from "../../../intake/runs/ended-runs.js";
import { exportsIn } from "../../../jobs/cip/earlier-exports.js";
import { PackError } from "../../../lake/bulk/pack/manifest.js";
import { FILES_OF_PROOF, provenFile } from "../../../lake/bulk/pack/proven-file.js";
import type { ObjectStore } from "../../../lake/store/object-store.js";
import { runs } from "../../../lake/tables/runs.js";
import { chip, code, facts, joined, link, paragraph, preformatted, section } from "../../../pages/parts.js";
import { provedWords, provePack } from "../../bulk/verify-pack.js";
import { withDuckDb } from "../../lake/reader.js";
import { type Asked, type BoardView, page } from "../page.js";
import { instant, linkTo, listing } from "../shown.js";

const MOST_PACKS = 100;
/** An open page is read again and again; every file of a pack is not. */
const PROOF_LASTS_MS = 10 * MINUTE;

/** Whether a pack is what was written, when somebody last looked, and what verify said. */
interface Proof {
  readonly ok: boolean;
  readonly proved_at: string;
  readonly said: readonly string[];
}

/** By address. */
const proofs = new Map<string, Proof>();

export const packs = page("/packs", {
  title: "Packs",
  tables: [runs],
  async read({ query, lake }) {
    const ended = await endedRuns(query, { kind: "cip" }, MOST_PACKS);
    return { packs: await Promise.all(ended.filter(isMade).map((run) => packOf(lake.store, run))) };
  },
  draw: ({ packs: made }, { form }) =>
    joined(
      listing("Packs, the newest first", NONE, made, {
        Pack: ({ run_id }) => linkTo("packs", run_id),
        Status: "status",
        Made: "finished_at",
        People: "people",
        "Without a report": "failed",
        Approver: "approver",
        Report: (shown) => reportOf(shown),
        "Prove it": ({ run_id, directory, is_there, proof }) => {
          if (!is_there) return chip("it is not there", "bad");
          const command = code(`nightledger verify ${shellWord(directory)}`);
          return joined(
            proof === null ? null : joined(proofChip(proof), " at ", instant(proof.proved_at), " "),
            form === undefined ? command : linkTo("packs", run_id, "verify now"),
          );
        },
      }),
      paragraph(
        "A pack proves itself: verify reads every file of it, so it is run when somebody asks. The report of a pack is report.html in its directory.",
        "aside",
      ),
    ),
});

export const pack = page("/packs/:pack", {
  tables: [runs],
  async read(view, asked) {
    const found = await packAsked(view, asked);
    const { place: _, ...shown } = found;
    return { ...shown, proof: found.is_there ? await provedNow(found) : null };
  },
  title: ({ run_id }) => `Pack ${run_id}`,
  draw: ({ run_id, directory, is_there, unmasked, finished_at, people, approver, reason, proof }) =>
    joined(
      paragraph(proof === null ? chip("it is not there", "bad") : proofChip(proof), "lead"),
      facts({
        Made: instant(finished_at),
        People: people,
        Approver: approver,
        Reason: reason,
        Run: linkTo("runs", run_id),
        Report: reportOf({ run_id, is_there, unmasked, proof }),
        Directory: code(directory),
        Command: code(`nightledger verify ${shellWord(directory)}`),
      }),
      proof === null
        ? null
        : section(
            "What verify says",
            preformatted(proof.said.join("\n")),
            paragraph(
              joined(
                "Proved at ",
                instant(proof.proved_at),
                "; a page that is opened ten minutes later proves it again.",
              ),
              "aside",
            ),
          ),
    ),
});

/** The pages of a pack, by the names that they have in it. */
const fileOf = (path: string, allowed: RegExp, prefix = "") =>
  page(path, {
    tables: [runs],
    async read(view, asked) {
      const name = asked.part("file");
      const found = await packAsked(view, asked);
      if (!allowed.test(name) || !found.is_there || found.unmasked)
        throw new NotThereError(
          found.unmasked
            ? "This pack is unmasked: read its report in its directory."
            : "There is no such page of the pack.",
        );
      return { run_id: found.run_id, text: await pageOf(found, `${prefix}${name}`) };
    },
    title: ({ run_id }) => `Report of ${run_id}`,
    draw: () => joined(),
    foreign: ({ text }) => text,
  });

/** Reads a page of a pack as it was written. @throws NotThereError for any other bytes, whatever holds them */
async function pageOf({ run_id: id, place, directory: address }: PlacedPack, path: string): Promise<string> {
  try {
    return await withDuckDb(async (duckdb) => {
      await duckdb.makeScratch();
      const directory = await place.read(id, duckdb.scratchDirectory, [...FILES_OF_PROOF, path]);
      const { bytes, manifest } = await provenFile(directory, id, path);
      if (manifest.facts.unmasked !== false) throw new PackError(`pack ${id} is unmasked`);
      return bytes.toString("utf8");
    });
  } catch (error) {
    if (!(error instanceof PackError || error instanceof InputError)) throw error;
    throw new NotThereError(
      `${error.message}, so this page does not show it. nightledger verify ${shellWord(address)} says more.`,
    );
  }
}

export const packPage = fileOf("/packs/:pack/:file", /^(report|sample)\.html$/);
export const packPart = fileOf("/packs/:pack/report/:file", /^(people|exceptions)-\d+\.html$/, "report/");

const NONE =
  "No pack was made in this lake. nightledger export cip --roster users.csv --approver <name> makes one.";

function isMade({ status }: EndedRun): boolean {
  return status === "completed" || status === "completed_with_failures";
}

async function packOf(lake: ObjectStore, run: EndedRun) {
  const { place: _, ...shown } = await placedPack(lake, run);
  return shown;
}

type PlacedPack = Awaited<ReturnType<typeof placedPack>>;

async function placedPack(
  lake: ObjectStore,
  { run_id, status, finished_at, counts: { users = 0, failed = 0 }, options }: EndedRun,
) {
  const given = (options ?? {}) as Readonly<Record<string, string | null>>;
  const { approver = null, reason = null, out = null } = given;
  const place = exportsIn(lake, out);
  const directory = place.addressOf(run_id);
  const is_there = await place.isThere(run_id);
  const known = { run_id, status, finished_at, people: users, failed, approver, reason, directory, is_there };
  return { ...known, unmasked: options?.unmasked === true, proof: proofs.get(directory) ?? null, place };
}

async function packAsked({ query, lake }: BoardView, { part }: Asked) {
  const run = await endedRun(query, part("pack"));
  if (run === undefined || run.kind !== "cip" || !isMade(run))
    throw new NotThereError(
      `there is no pack ${part("pack")} of this lake. Packs lists those that there are.`,
    );
  return placedPack(lake.store, run);
}

/** What verify says of a pack, now or some minutes ago. */
async function provedNow({ run_id, directory, place, proof }: PlacedPack): Promise<Proof> {
  if (proof !== null && Date.now() - Date.parse(proof.proved_at) < PROOF_LASTS_MS) return proof;
  const proved_at = new Date().toISOString();
  const found = await withDuckDb((duckdb) => provePack(place, run_id, { duckdb })).then(
    (proved): Proof => ({ ok: true, proved_at, said: provedWords(proved) }),
    (error: unknown): Proof => {
      if (!(error instanceof PackError || error instanceof InputError)) throw error;
      return { ok: false, proved_at, said: [error.message] };
    },
  );
  proofs.set(directory, found);
  return found;
}

function proofChip({ ok }: Proof) {
  return ok ? chip("as it was written", "good") : chip("not what was written", "bad");
}

type ShownReport = Pick<Awaited<ReturnType<typeof packOf>>, "run_id" | "is_there" | "unmasked" | "proof">;

/** A link to the report; none of a pack that is not there, or not what was written. */
function reportOf({ run_id, is_there, unmasked, proof }: ShownReport) {
  if (!is_there || proof?.ok === false) return null;
  return unmasked
    ? "unmasked: in its directory"
    : link(`/packs/${encodeURIComponent(run_id)}/report.html`, "report.html");
}
