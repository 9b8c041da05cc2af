import { BALANCES_VIEW } from "./balances-view.js";
import { DAILY_CHANGES } from "./daily-changes-view.js";
import { LINK_FRESHNESS, STALE_LINKS } from "./link-freshness-view.js";
import { BATCH_BURNDOWN, ONBOARDING_QUEUE } from "./onboarding-views.js";
import { QUARANTINE_OPEN, QUARANTINE_SOURCES, QUARANTINE_STATES } from "./quarantine-view.js";
import { RUN_TRENDS } from "./run-trends-view.js";

/** A view that a query has beside the tables, if the caller knows the tables that it is made of. */
interface LakeView {
  readonly name: string;
  /** Names of tables. */
  readonly sources: readonly string[];
  readonly sql: string;
}

const OF_QUARANTINE = QUARANTINE_SOURCES.map(({ name }) => name);

/** Every view, those that others are made of first (docs/use/tables.md has a section for each). */
export const VIEWS: readonly LakeView[] = [
  { name: "account_balances", sources: ["accounts"], sql: BALANCES_VIEW },
  { name: "quarantine_states", sources: OF_QUARANTINE, sql: QUARANTINE_STATES },
  { name: "quarantine_open", sources: OF_QUARANTINE, sql: QUARANTINE_OPEN },
  { name: "link_freshness", sources: ["link_syncs", "bank_links", "erasures"], sql: LINK_FRESHNESS },
  { name: "stale_links", sources: ["link_syncs", "bank_links", "erasures"], sql: STALE_LINKS },
  { name: "daily_changes", sources: ["transaction_changes"], sql: DAILY_CHANGES },
  { name: "run_trends", sources: ["runs"], sql: RUN_TRENDS },
  { name: "onboarding_queue", sources: ["onboardings", "onboarding_events"], sql: ONBOARDING_QUEUE },
  { name: "batch_burndown", sources: ["onboardings", "onboarding_events"], sql: BATCH_BURNDOWN },
];

/** Gives the statements that make the views of these tables. */
export function viewStatements(tables: ReadonlySet<string>): string[] {
  const made = VIEWS.filter(({ sources }) => sources.every((name) => tables.has(name)));
  return made.map(({ name, sql }) => `create temp view ${name} as ${sql}`);
}
