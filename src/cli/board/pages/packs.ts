import { shellWord } from "../../../domain/words/texts.js";
import { exportsIn } from "../../../jobs/cip/earlier-exports.js";
import type { ObjectStore } from "../../../lake/store/object-store.js";
import { runs } from "../../../lake/tables/runs.js";
import { chip, code, joined, paragraph } from "../../../pages/parts.js";
import { type EndedRun, endedRuns } from "../../runs/ended-runs.js";
import { page } from "../page.js";
import { listing } from "../shown.js";

const MOST_PACKS = 100;

export const packs = page("/packs", {
  title: "Packs",
  tables: [runs],
  async read({ query, lake }) {
    const ended = await endedRuns(query, { kind: "cip" }, MOST_PACKS);
    const made = ended.filter(({ status }) => status === "completed" || status === "completed_with_failures");
    return { packs: await Promise.all(made.map((run) => packOf(lake.store, run))) };
  },
  draw: ({ packs: made }) =>
    joined(
      listing("Packs, the newest first", NONE, made, {
        Pack: "run_id",
        Status: "status",
        Made: "finished_at",
        People: "people",
        "Without a report": "failed",
        Approver: "approver",
        "Prove it": ({ directory, is_there }) =>
          is_there ? code(`nightledger verify ${shellWord(directory)}`) : chip("it is not there", "bad"),
      }),
      paragraph(
        "A pack proves itself: verify reads every file of it, so it is run when somebody asks. The report of a pack is report.html in its directory.",
        "aside",
      ),
    ),
});

const NONE =
  "No pack was made in this lake. nightledger plan export cip --roster users.csv --approver <name> says what one would cost.";

async function packOf(
  lake: ObjectStore,
  { run_id, status, finished_at, counts: { users = 0, failed = 0 }, options }: EndedRun,
) {
  const given = (options ?? {}) as Readonly<Record<string, string | null>>;
  const { approver = null, reason = null, out = null } = given;
  const exports = exportsIn(lake, out);
  const directory = exports.addressOf(run_id);
  const is_there = await exports.isThere(run_id);
  return { run_id, status, finished_at, people: users, failed, approver, reason, directory, is_there };
}
