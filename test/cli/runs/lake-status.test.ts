import { join } from "node:path";
import { expect, test } from "vitest";
import { lakeStatus, STATUS_TABLES } from "../../../src/cli/runs/lake-status.js";
import { withRunsView } from "../../../src/cli/runs/view.js";
import { DAY } from "../../../src/domain/duration.js";
import { SILENT } from "../../helpers/command/silent-terminal.js";
import { lakeOfRows } from "../../helpers/query/lake-of-rows.js";

const ago = (days: number) => new Date(Date.now() - days * DAY).toISOString();
const sync = (link_id: string, days: number, status: string, reason: string | null = null) => ({
  ...{ run_id: `run-${days}`, link_id, fp_id: "fp", status, reason, finished_at: ago(days) },
});

test("stale links are those without a commit for so long, but for gone ones and old rosters'; the reason is the last row's", async () => {
  const lake = await lakeOfRows({
    link_syncs: [
      ...[sync("fresh", 9, "failed", "gave_up timeout"), sync("fresh", 1, "synced")],
      ...[sync("quiet", 8, "failed", "gave_up timeout"), sync("quiet", 7, "synced")],
      ...[sync("never", 5, "skipped", "state connecting"), sync("never", 1, "not_ready", "no history yet")],
      ...[sync("young", 1, "failed", "cursor_loop")],
      ...[sync("deleted", 9, "synced"), sync("deleted", 1, "skipped", "state deleted")],
      ...[sync("unlisted", 9, "synced"), sync("quiet", -99, "synced")],
      ...[sync("of an old roster", 40, "synced")],
    ],
    runs: [
      { run_id: "of a clock ahead", finished_at: ago(-99) },
      { run_id: "of a good one", finished_at: ago(9) },
    ],
    bank_links: [{ fp_id: "fp", link_id: "unlisted", observed_at: ago(8), gone: true }],
  });
  try {
    const { directory: cwd } = lake;
    const env = { NIGHTLEDGER_LAKE: cwd, NIGHTLEDGER_HOME: join(cwd, "home") };
    const terminal = { ...SILENT, env, cwd };
    const read = () => withRunsView(terminal, STATUS_TABLES, (view) => lakeStatus(view, 3 * DAY));
    const { stale, dated_ahead } = await read();
    expect(dated_ahead).toEqual(["of a clock ahead"]);
    expect(stale).toEqual({
      total: 2,
      links: [
        { link_id: "never", committed_at: null, status: "not_ready", reason: "no history yet" },
        { link_id: "quiet", committed_at: expect.any(String), status: "synced", reason: null },
      ],
    });
  } finally {
    await lake.release();
  }
});
