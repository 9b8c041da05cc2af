import { commit } from "../../../src/activities/sync/commit/commit.js";
import { load } from "../../../src/activities/sync/load/load.js";
import { createApiClient } from "../../../src/api/http/client.js";
import type { SyncTotals } from "../../../src/domain/sync/sync-totals.js";
import { rowsOf, withLake } from "../lake/lake-audit.js";
import { type LyingProxy, startLyingProxy } from "../stand-in/lying-proxy.js";
import { type ActivityBench, openActivityBench } from "../temporal/activity-bench.js";

/** What a night came to: why users failed while they were read, and the totals of its commit. */
interface Night {
  readonly failed: readonly string[];
  readonly totals: SyncTotals;
}

/** Nights of everyone's sync by its activities, through a proxy that may lie. */
export class LiedToNights {
  #nights = 0;

  private constructor(
    readonly bench: ActivityBench,
    private readonly liar: LyingProxy,
    private readonly deps: ActivityBench["deps"],
  ) {}

  static async open(): Promise<LiedToNights> {
    const bench = await openActivityBench();
    const liar = await startLyingProxy(bench.sandbox.url);
    const api = createApiClient({
      ...{ baseUrl: liar.url, apiKey: bench.sandbox.apiKey, concurrency: 4, userAgent: "nightledger/test" },
      ...{ headersTimeoutMs: 60_000, bodyTimeoutMs: 60_000, maxBodyBytes: 1 << 24 },
    });
    return new LiedToNights(bench, liar, { ...bench.deps, api });
  }

  /** @param lie what is told in this night alone */
  async night(
    streams: readonly string[],
    {
      lie,
      full = false,
      only = null,
      size = 100,
    }: { lie?: LyingProxy["lie"]; full?: boolean; only?: string[] | null; size?: number } = {},
  ): Promise<Night> {
    const { bench, deps } = this;
    this.#nights += 1;
    const runId = `night-${this.#nights}`;
    await bench.freeze(
      [...bench.sandbox.world.users.keys()].map((fp_id) => ({ fp_id })),
      runId,
    );
    this.liar.lie = lie;
    const given = { streams: [...streams], full, only, budgetMs: 60_000, size };
    const { report, failed: users, links: open } = await bench.read({ ...given, runId, deps });
    this.liar.lie = undefined;
    const failed = users.map(({ reason }) => reason);
    const reports = report === null ? [] : [report];
    // What the night has not read to its end is committed as if it had been read for as long as it may.
    const links = open.map(({ link, progress }) => ({
      ...{ link, stage: "read" as const },
      progress: { ...progress, stillReading: true as const },
    }));
    const { manifest } = await bench.run(() => load(deps, { runId, reports, links }));
    const { totals } = await bench.run(() =>
      commit(deps, {
        ...{ runId, chunk: 0, streams: [...streams], full, removed: {}, links, failed: [] },
        ...{
          reports,
          loaded: reports.map((one) => ({ report: one, manifest, without: [] })),
          manifests: [manifest],
        },
      }),
    );
    return { failed, totals };
  }

  rows(sql: string) {
    return withLake(this.bench.deps.lake.store.address, (query) => rowsOf(query, sql));
  }

  async close(): Promise<void> {
    await this.deps.api.close();
    await this.liar.close();
    await this.bench.close();
  }
}
