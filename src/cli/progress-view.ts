import cliProgress from "cli-progress";
import type { SyncProgress } from "../workflows/messages.js";
import type { Terminal } from "./terminal.js";

const LINE_EVERY_MS = 3_000;

/** Live progress on standard error. */
export interface ProgressView {
  show(progress: SyncProgress): void;
  /** Nobody answers for the run at the moment. */
  silent(embedded: boolean): void;
  stop(): void;
}

interface Figures {
  readonly users: string;
  readonly done: number;
  readonly total: number;
  readonly rows: number;
  readonly links: number;
  readonly phase: string;
}

function figures(progress: SyncProgress): Figures {
  const { totals, groups, usersDone, usersTotal, phase } = progress;
  const going = groups.reduce((sum, group) => sum + group.rowsRead, 0);
  const linksGoing = groups.reduce((sum, group) => sum + group.linksDone, 0);
  const { created, updated, removed } = totals.rows;
  const links = Object.values(totals.links).reduce((sum, count) => sum + count, 0);
  return {
    users: `${usersDone}/${usersTotal}`,
    done: usersDone,
    total: usersTotal,
    rows: created + updated + removed + going,
    links: links + linksGoing,
    phase,
  };
}

/** Bars on a terminal, a line every few seconds otherwise. */
export function createProgressView(terminal: Terminal): ProgressView {
  return terminal.interactive ? barView() : lineView(terminal);
}

function barView(): ProgressView {
  const bar = new cliProgress.SingleBar({
    format: "{phase} {bar} {users} users · {links} links · {rows} rows · {duration_formatted}",
    stream: process.stderr,
    hideCursor: true,
    clearOnComplete: true,
    barsize: 24,
  });
  let started = false;
  return {
    show(progress) {
      const { total, done, ...shown } = figures(progress);
      if (started) bar.update(done, shown);
      else bar.start(total, done, shown);
      started = true;
    },
    silent: () => undefined,
    stop() {
      if (started) bar.stop();
      started = false;
    },
  };
}

function lineView(terminal: Terminal): ProgressView {
  let said = Date.now();
  let toldOfSilence = false;
  return {
    show(progress) {
      toldOfSilence = false;
      if (Date.now() - said < LINE_EVERY_MS) return;
      said = Date.now();
      const { users, links, rows, phase } = figures(progress);
      terminal.say(`${phase}: ${users} users, ${links} links, ${rows} rows`);
    },
    silent(embedded) {
      if (toldOfSilence || embedded) return;
      toldOfSilence = true;
      terminal.say("no worker answers for this run; it waits. Start one with `nightledger worker`");
    },
    stop: () => undefined,
  };
}
