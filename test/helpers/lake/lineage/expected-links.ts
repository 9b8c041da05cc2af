import { MOST_CANDIDATES } from "../../../../src/domain/lineage/departure.js";
import type { Change } from "../feed-lake.js";

/** A row of `transaction_links` as docs/use/tables.md describes it. */
export interface ExpectedLink {
  readonly pending: Change;
  readonly removal: Change;
  tier: string;
  candidate_tier?: string;
  candidates: Change[];
  pending_candidates: number;
  posted?: Change;
}

/** Says what became of the removed pending transactions of a link: from all of its updates, with no thought for speed. */
export function expectedLinks(updates: readonly (readonly Change[])[]): ExpectedLink[] {
  const links: ExpectedLink[] = [];
  let after = new Map<string, Change>();
  for (const update of updates) {
    const before = after;
    after = liveAfter([...before.values(), ...update]);
    const came: Change[] = [];
    for (const id of new Set(update.map((change) => change.id))) {
      const changes = update.filter((change) => change.id === id);
      const told = changes.findLast(({ type }) => type !== "removed");
      const last = told ?? before.get(id);
      const earlier = links.filter(({ pending }) => pending.id === id);
      if (after.has(id)) for (const link of earlier.filter(isOpen)) link.tier = "returned";
      if (last?.pending && !after.has(id) && (before.has(id) || earlier.length === 0)) {
        const removal = changes.find(({ sequence }) => sequence > last.sequence) as Change;
        links.push({ pending: last, removal, tier: "waiting", candidates: [], pending_candidates: 0 });
      }
      const isNews = after.has(id) || told?.generation === 1;
      const isExplained = links.some(
        ({ pending, posted }) =>
          pending.id === id || (posted?.id === id && pending.account === told?.account),
      );
      if (told?.pending === false && !before.has(id) && isNews && !isExplained) came.push(told);
    }
    const open = links.filter(isOpen);
    const exact = pairsOf(open, came, (pending, posted) => pending.amount === posted.amount);
    const left = {
      open: open.filter(
        (link) => link.candidate_tier !== "exact" && !exact.some((pair) => pair.link === link),
      ),
      came: came.filter((posted) => !exact.some((pair) => pair.posted === posted)),
    };
    decide("exact", exact);
    decide("amount_changed", pairsOf(left.open, left.came, isSameMerchant));
  }
  return links.sort((one, other) => one.removal.sequence - other.removal.sequence);
}

/** The last change of each transaction that is live after these. */
export function liveAfter(changes: readonly Change[]): Map<string, Change> {
  const live = new Map(changes.map((change) => [change.id, change]));
  for (const [id, { type }] of live) if (type === "removed") live.delete(id);
  return live;
}

interface Pair {
  readonly link: ExpectedLink;
  readonly posted: Change;
}

function pairsOf(
  open: readonly ExpectedLink[],
  came: readonly Change[],
  isSame: (pending: Change, posted: Change) => boolean,
): Pair[] {
  return open
    .flatMap((link) => came.map((posted) => ({ link, posted })))
    .filter(({ link: { pending }, posted }) => {
      const days = daysBetween(pending, posted);
      return pending.account === posted.account && days >= 0 && days <= 14 && isSame(pending, posted);
    });
}

function decide(tier: string, pairs: readonly Pair[]): void {
  for (const link of new Set(pairs.map((pair) => pair.link))) {
    const fitting = pairs.filter((pair) => pair.link === link).map(({ posted }) => posted);
    const rivals = fitting.map((one) => pairs.filter(({ posted }) => posted === one).length);
    if (link.candidate_tier !== tier) {
      Object.assign(link, { candidate_tier: tier, candidates: [], pending_candidates: 0 });
    }
    link.candidates.push(...fitting);
    link.pending_candidates = Math.max(link.pending_candidates, ...rivals);
    const isPair = link.candidates.length === 1 && link.pending_candidates === 1;
    link.tier = isPair ? tier : "ambiguous";
    if (isPair) link.posted = fitting[0] as Change;
  }
}

const isOpen = ({ tier }: ExpectedLink) => tier === "waiting" || tier === "ambiguous";

export function daysBetween({ date: from = "" }: Change, { date: to = "" }: Change): number {
  return (Date.parse(to) - Date.parse(from)) / 86_400_000;
}

function isSameMerchant(pending: Change, posted: Change): boolean {
  if (isFilled(pending.merchant) && isFilled(posted.merchant)) return pending.merchant === posted.merchant;
  return isFilled(pending.description) && pending.description === posted.description;
}

const isFilled = (text = "") => text.trim() !== "";

/**
 * The ids that a row names, in an order of their own. Candidates of a night are in no order that anybody promised, so of
 * more than ten of them only their number is known.
 */
export function namedIds(ids: readonly string[], candidates: number): readonly string[] {
  return candidates > MOST_CANDIDATES ? [`${MOST_CANDIDATES} ids`] : [...ids].sort();
}
