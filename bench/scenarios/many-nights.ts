import { ageLogs, type LogBytes, lakeFiles, logBytes } from "../lake-files.js";
import { inArena, type Scenario } from "../scenario.js";
import { runSync } from "../sync-command.js";

const CONCURRENCY = 64;
const MOST_CHECKPOINTS = 5;
/** Of the links that a night changes. */
const SHARE = 0.1;
const TABLE = "transaction_changes";

/** Night after night over the same links: the log of the table that holds their state must not grow with them. */
export const manyNights: Scenario = {
  name: "many-nights",
  title: "100 nights of 20,000 links, 10 % of them changed each",
  onRequest: true,
  async run({ quick, report }) {
    const links = quick ? 300 : 20_000;
    const nights = quick ? 12 : 100;
    return inArena({ users: links, linksPerUser: 1, rows: 5 }, async ({ standIn, roster, directory }) => {
      const place = await directory();
      let log: LogBytes = { total: 0, ofTable: 0, checkpoint: 0 };
      let largest = 0;
      let seconds = 0;
      for (let night = 1; night <= nights; night += 1) {
        if (night > 1) {
          await ageLogs(place);
          const changes = Math.round(links * SHARE);
          await standIn.control.nightlyChanges({ changes, firstLink: night * changes });
        }
        const run = await runSync({ standIn, roster, directory: place, concurrency: CONCURRENCY });
        seconds = run.seconds;
        log = logBytes(await lakeFiles(place), TABLE);
        largest = Math.max(largest, log.ofTable);
        if (night % 10 === 0) report(`night ${night} of ${nights}: ${log.ofTable} bytes of log`);
      }
      const ratio = log.checkpoint === 0 ? undefined : largest / log.checkpoint;
      return [
        {
          scenario: manyNights.name,
          variant: `${links} links, ${nights} nights`,
          measured: {
            changes_log_bytes: log.ofTable,
            largest_changes_log_bytes: largest,
            changes_checkpoint_bytes: log.checkpoint,
            log_bytes: log.total,
            seconds_of_last_night: seconds,
          },
          ...(ratio !== undefined && { ratio }),
          target: `log of ${TABLE} ≤ ${MOST_CHECKPOINTS} × one checkpoint, in every night`,
          met: ratio !== undefined && ratio <= MOST_CHECKPOINTS,
        },
      ];
    });
  },
};
