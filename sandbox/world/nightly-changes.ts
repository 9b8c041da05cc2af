import { jsonObjectOf } from "../../src/domain/json/value.js";
import type { AdvanceReport, RowMaker } from "./advance.js";
import type { BankLink } from "./bank-link.js";
import { addDays } from "./days.js";
import { Random } from "./random.js";
import type { World } from "./world.js";

/** A night's changes for benchmarks; the shares of kinds are relative to each other. */
export interface NightlyChangesOptions {
  /** How many events, spread evenly over the links. */
  changes: number;
  /** Place of the link that the first change concerns; the others follow, one link each in turn. */
  firstLink?: number;
  created?: number;
  updated?: number;
  removed?: number;
  /** Share of the changes that concern rows of the last `recentDays`; 0 spreads them evenly over all rows. */
  recentShare?: number;
  recentDays?: number;
  seed?: number;
}

const SPAN_DAYS = 730;

/** Appends a night's changes to all links and moves the date by one day. */
export function nightlyChanges(
  world: World,
  makeRow: RowMaker,
  options: NightlyChangesOptions,
): AdvanceReport {
  const {
    changes,
    firstLink = 0,
    created = 0.6,
    updated = 0.3,
    removed = 0.1,
    recentShare = 0.95,
    recentDays = 30,
  } = options;
  const random = new Random(`${options.seed ?? 1}/${world.today}`);
  world.today = addDays(world.today, 1);
  const report: AdvanceReport = { today: world.today, created: 0, updated: 0, removed: 0 };
  const links = [...world.links.values()];
  for (let index = 0; index < changes && links.length > 0; index++) {
    const link = links[(firstLink + index) % links.length]!;
    const recent = random.chance(recentShare);
    const kind = random.next() * (created + updated + removed);
    if (kind < created) {
      const date = addDays(world.today, -random.int(recent ? recentDays : SPAN_DAYS));
      const id = link.newTransactionId();
      link.write("created", id, makeRow(random, id, link.accountFor(random), date));
      report.created++;
    } else {
      changeRow(link, random, recent ? recentDays : 0, kind < created + updated, report);
    }
  }
  return report;
}

function changeRow(
  link: BankLink,
  random: Random,
  recentDays: number,
  update: boolean,
  report: AdvanceReport,
): void {
  const from = recentDays > 0 ? (link.log.base?.firstWithin?.(recentDays) ?? 0) : 0;
  const row = link.log.pickLive(random, from);
  if (!row) return;
  const values = jsonObjectOf(row.text);
  if (update && values) {
    const cents = String(random.int(100)).padStart(2, "0");
    const amount = `${random.int(900)}.${cents}`;
    link.write("updated", row.id, { ...values, amount, description: "Corrected by the bank" });
    report.updated++;
  } else {
    link.drop(row.id);
    report.removed++;
  }
}
