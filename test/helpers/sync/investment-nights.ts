import type { SandboxOptions } from "../../../sandbox/index.js";
import { commit } from "../../../src/activities/sync/commit/commit.js";
import { ALL_DAYS } from "../../../src/api/schemas/parameters.js";
import type { ReportRef } from "../../../src/domain/sync/run/slice-work.js";
import type { UserProgress } from "../../../src/domain/sync/user-reading.js";
import { rowsOf, withLake } from "../lake/lake-audit.js";
import { type ActivityBench, openActivityBench, type SliceGiven } from "../temporal/activity-bench.js";

export const INVESTMENTS = ["investment_transactions", "securities"];
const OPERATION = "list_investment_transactions";
const DAY = 86_400_000;

export const daysAgo = (days: number) => new Date(Date.now() - days * DAY).toISOString().slice(0, 10);

/** One user with one link, read night after night by the activities of a sync. */
export class InvestmentNights {
  #nights = 0;
  /** The first day that each night asked for, or "all". */
  readonly asked: string[] = [];

  private constructor(readonly bench: ActivityBench) {}

  static async open(options?: SandboxOptions): Promise<InvestmentNights> {
    const bench = await openActivityBench(options);
    bench.sandbox.addLink({ fp_id: "u", id: "l", accounts: [{ id: "a" }] });
    return new InvestmentNights(bench);
  }

  async night(given: SliceGiven = {}): Promise<void> {
    const commits = await this.read(given);
    await commits();
  }

  /** Reads until no user is open, as a run's workflow does; gives what commits it. */
  async read(given: SliceGiven = {}): Promise<() => Promise<unknown>> {
    const { bench } = this;
    const { requests } = bench.sandbox;
    const before = requests({ operation: OPERATION }).length;
    this.#nights += 1;
    const runId = `night-${this.#nights}`;
    const streams = given.streams ?? INVESTMENTS;
    await bench.freeze([{ fp_id: "u" }], runId);
    const reports: ReportRef[] = [];
    let users: UserProgress[] = [];
    for (let slice = 0; slice === 0 || users.length > 0; slice += 1) {
      const fresh = slice === 0 ? { from: 0, to: 1 } : null;
      const result = await bench.read({ runId, slice, users, fresh, ...given, streams });
      if (result.report !== null) reports.push(result.report);
      if (result.failed.length > 0) throw new Error(`a user failed ${JSON.stringify(result.failed)}`);
      users = result.users.map(({ progress }) => progress);
    }
    const { start_date } = requests({ operation: OPERATION })[before]?.query ?? {};
    this.asked.push(start_date === ALL_DAYS.start_date ? "all" : String(start_date));
    const work = { runId, chunk: 0, streams, full: false, removed: {}, reports, loaded: [], links: [] };
    return () => bench.run(() => commit(bench.deps, { ...work, manifests: [], failed: [] }));
  }

  rows(sql: string) {
    return withLake(this.bench.deps.lake.store.address, (query) => rowsOf(query, sql));
  }

  /** Makes the list too long for one page, by rows of long ago: it then is read by windows. */
  lengthen(): void {
    for (let n = 0; n < 100; n += 1) this.add(`filler${n}`, { date: daysAgo(700), account_id: "a" });
  }

  /** The feed in short, in order, without what made the list long. */
  async feed(): Promise<unknown[]> {
    const rows = await this.rows(
      `select concat_ws(' ', investment_transaction_id, change_type, description, amount) as text
       from investment_transaction_changes where investment_transaction_id not like 'filler%' order by observed_at, 1`,
    );
    return rows.map(({ text }) => text);
  }

  add(id: string, fields: Record<string, unknown> = {}): void {
    this.bench.sandbox.investments.add("l", {
      transactions: [{ investment_transaction_id: id, date: daysAgo(1), ...fields }],
    });
  }

  close(): Promise<void> {
    return this.bench.close();
  }
}
