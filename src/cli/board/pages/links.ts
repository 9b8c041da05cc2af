import { DAY, instantText, SECOND } from "../../../domain/duration.js";
import { actionFor } from "../../../domain/sync/link-obstacle.js";
import { counted } from "../../../domain/words/counted.js";
import type { LakeQuery } from "../../../lake/query/query.js";
import { rowsOf } from "../../../lake/query/store-query.js";
import { sqlText } from "../../../lake/sql/duckdb-sql.js";
import { erasures } from "../../../lake/tables/erasures.js";
import { linkSyncs } from "../../../lake/tables/link-syncs.js";
import {
  chip,
  code,
  headline,
  headNumber,
  html,
  joined,
  link,
  type Markup,
  paragraph,
  section,
} from "../../../pages/parts.js";
import { bankLinkStream } from "../../../streams/bank-links.js";
import type { SqlRow } from "../../lake/query.js";
import { filterForm } from "../filters.js";
import { page } from "../page.js";
import { instant, linkTo, listing, saying } from "../shown.js";

/** Days (UTC) of the grid. */
export const NIGHTS = 30;
/** Links of each turn, and of one turn. */
const MOST_OF_TURN = 50;
const MOST_LINKS = 100;
const STALE_MS = 3 * DAY;
const ALL = `nightledger query "select * from link_freshness order by age_s desc"`;

/** Whose turn it is: names, and what they wait for. */
const TURNS = {
  customer: ["the customer", "links wait for their customer"],
  bank: ["the bank", "wait for their bank"],
  service: ["the service", "wait for the service"],
  us: ["us", "wait for us"],
} as const;
export type Turn = keyof typeof TURNS;

const TURN_TITLES = {
  customer: "The customer's",
  bank: "The bank's",
  service: "The service's",
  us: "Our",
} as const satisfies Record<Turn, string>;

const TURN_NAMES = Object.keys(TURNS) as readonly Turn[];

/** Those to act on come first. */
const GROUPS = [...TURN_NAMES, null] as const;

/** A link's night: name, colour and shape. */
const STATES = {
  news: { tone: "a", name: "committed with news", d: "M0 0h9v16h-9z" },
  unchanged: { tone: "b", name: "unchanged", d: "M0 10h9v6h-9z" },
  skipped: { tone: "c", name: "skipped", d: "M4.5 3l4.5 5-4.5 5-4.5-5z" },
  failed: {
    ...{ tone: "consider", name: "failed" },
    d: "M0 5.5l2-2 2.5 2.5 2.5-2.5 2 2-2.5 2.5 2.5 2.5-2 2-2.5-2.5-2.5 2.5-2-2 2.5-2.5z",
  },
  none: { tone: "none", name: "not run", d: "M3.5 7h2v2h-2z" },
};
const SHAPES = Object.entries(STATES).map(([state, shape]) => ({ state, ...shape }));
const STEP = 10;

/** A day of a link: rows that changed, or why nothing was committed. */
type LinkNight = SqlRow<"day", "changed", "reason"> & {
  readonly state: Exclude<keyof typeof STATES, "none">;
};

/** A link of `link_freshness` with its days. */
type GridLink = SqlRow<"link_id" | "fp_id" | "last_status", "age_s", Unsure> & {
  readonly turn: Turn | null;
  readonly nights: readonly LinkNight[];
};
type ShownLink = GridLink & { readonly action: string | null };
type Unsure = "institution_name" | "committed_at" | "last_reason";

/** `total`: links read on one of the days; `older`: before; `matching`: by the filter. */
type LinkGrid = Readonly<Record<"total" | "older" | "matching" | Turn, number>> & {
  readonly days: readonly string[];
  /** Matches by turn. */
  readonly groups: readonly { readonly turn: Turn | null; readonly total: number }[];
  /** Of each turn the longest without a commit first. */
  readonly links: readonly GridLink[];
};

type GridFilter = Readonly<Record<"turn" | "text", string | undefined>>;

export const links = page("/links", {
  title: "Links",
  tables: [linkSyncs, erasures, bankLinkStream.table],
  async read({ query }, { filter: given }) {
    const filter = { turn: given("turn"), text: given("text") };
    const { customer, bank, service, us, ...grid } = await readGrid(query, filter);
    const shown = grid.links.map((one) => ({ ...one, action: syncAction(one.last_status, one.last_reason) }));
    return { filter, ...grid, turns: { customer, bank, service, us }, links: shown };
  },
  draw: (model, asked) => {
    const { days, turns, groups, older } = model;
    const gone = older === 0 ? "" : `${older} were last found before these nights. `;
    return joined(
      paragraph(summary(model.total, turns), "lead"),
      headline(
        TURN_NAMES.map((turn) => headNumber(turns[turn], TURNS[turn][1], turn === "us" && turns.us > 0)),
      ),
      filterForm(asked, "/links", [
        { name: "turn", label: "Whose turn", choices: TURN_NAMES.map((turn) => [turn, TURNS[turn][0]]) },
        { name: "text", label: "In the id of link or user", type: "search" },
      ]),
      section(
        `The last ${days.length} nights`,
        nightLegend(),
        groups.length === 0 ? paragraph("No link matches.", "none") : null,
        paragraph(joined(gone, "All of them: ", code(ALL)), "aside"),
      ),
      ...GROUPS.map((turn) => groupSection(model, turn)),
    );
  },
});

function groupSection(
  { days, groups, links: all }: Pick<LinkGrid, "days" | "groups"> & { readonly links: readonly ShownLink[] },
  turn: Turn | null,
): Markup | null {
  const group = groups.find((one) => one.turn === turn);
  if (group === undefined) return null;
  const shown = all.filter((one) => one.turn === turn);
  const of = turn === null ? "Nobody's turn" : `${TURN_TITLES[turn]} turn`;
  const more = group.total - shown.length;
  const rest = turn === null ? code(ALL) : link(`/links?turn=${turn}`, `${TURN_TITLES[turn]} turn alone`);
  return section(
    `${of}: ${counted(group.total, "link")}`,
    listing(`${of}, the longest without a commit on top`, "No link matches.", shown, {
      Link: ({ link_id, fp_id }) => joined(linkTo("links", link_id), " ", code(fp_id)),
      [`${days[0]} to ${days.at(-1)} (UTC)`]: ({ nights }) => nightStrip(days, nights),
      "Last commit": lastCommit,
      Bank: "institution_name",
      ...(turn !== null && {
        "Why, and what to do": (one: ShownLink) => saying([one.last_reason, one.action]),
      }),
    }),
    more === 0 ? null : paragraph(joined(`${more} more match: `, rest), "aside"),
  );
}

function summary(total: number, turns: Readonly<Record<Turn, number>>): string {
  if (total === 0) return "No run has found a link in these nights. A sync brings them.";
  const waiting = TURN_NAMES.reduce((sum, turn) => sum + turns[turn], 0);
  const found = `${counted(total, "link was", "links were")} found in these nights`;
  return waiting === 0
    ? `${found}; each committed when it was found last.`
    : `${found}; when they were found last, ${total - waiting} committed and ${waiting} did not.`;
}

function lastCommit({ committed_at, age_s }: GridLink) {
  if (committed_at === null) return chip("never", "bad");
  return age_s * SECOND > STALE_MS ? chip(instantText(new Date(committed_at)), "bad") : instant(committed_at);
}

async function readGrid(query: LakeQuery, { turn, text }: GridFilter): Promise<LinkGrid> {
  const has = (column: string) => `contains(lower(${column}), lower(${sqlText(text ?? "")}))`;
  const isAsked = `is_read${turn === undefined ? "" : ` and turn = ${sqlText(turn)}`}${text === undefined ? "" : ` and (${has("link_id")} or ${has("fp_id")})`}`;
  const order = `list_position([${TURN_NAMES.map(sqlText).join(", ")}], turn) nulls last, age_s desc, link_id`;
  const most = turn === undefined ? MOST_OF_TURN : MOST_LINKS;
  const sql = `with days as (
      select unnest(range(current_date - ${NIGHTS - 1}, current_date + 1, interval 1 day))::date as day
    ), fresh as materialized (
      select *, last_at::date >= (select min(day) from days) as is_read from link_freshness
    ), matching as (select * from fresh where ${isAsked}
    ), shown as materialized (select * from matching
      qualify row_number() over (partition by turn order by age_s desc, link_id) <= ${most}
    ), nights as (
      select link_id, finished_at::date as day,
        case when bool_or(status in ('synced', 'still_reading')) then 'news'
          when bool_or(status in ('unchanged', 'superseded')) then 'unchanged'
          when arg_max(status, (finished_at, run_id)) = 'failed' then 'failed' else 'skipped' end as state,
        sum(coalesce(created, 0) + coalesce(updated, 0) + coalesce(removed, 0))::bigint as changed,
        if(state in ('news', 'unchanged'), null, arg_max(reason, (finished_at, run_id))) as reason
      from link_syncs semi join shown using (link_id)
      where finished_at::date >= (select min(day) from days) group by link_id, day
    ), cells as (
      select link_id, list(struct_pack(day, state, changed, reason) order by day) as nights from nights group by link_id
    )
    select (select list(day::varchar order by day) from days) as days, count(*) filter (is_read) as total,
      ${TURN_NAMES.map((name) => `count(*) filter (is_read and turn = '${name}') as "${name}"`).join(", ")},
      count(*) filter (not is_read) as older, (select count(*) from matching) as matching,
      coalesce((select list(one) from (select turn, count(*) as total from matching group by turn) as one), []) as groups,
      coalesce((select list(struct_pack(link_id, fp_id, institution_name, committed_at, age_s, turn, last_status,
        last_reason, nights := cells.nights) order by ${order}) from shown join cells using (link_id)), []) as links
    from fresh`;
  const [grid] = await rowsOf<LinkGrid>(query, sql);
  return grid!;
}

/** Defines the shapes of the cells, once a page. */
function nightLegend(): Markup {
  const items = SHAPES.map(({ state, tone, d, name }) => {
    const shape = html`<path id="night-${state}" class="t-${tone}" d="${d}"/>`;
    return html`<li><svg class="nights" viewBox="0 0 ${STEP} 16" aria-hidden="true">${shape}</svg>${name}</li>\n`;
  });
  return html`<ul class="legend">\n${items}</ul>\n`;
}

/** A cell a day, the oldest first; its label counts them. */
function nightStrip(days: readonly string[], nights: readonly LinkNight[]): Markup {
  const found = days.map((day) => nights.find((one) => one.day === day));
  const cells = found.map((night, at) => {
    const state = night?.state ?? "none";
    const rows = night?.state === "news" ? `, ${counted(Number(night.changed), "row")} changed` : "";
    const words = `${days[at]}: ${STATES[state].name}${rows}${night?.reason == null ? "" : `: ${night.reason}`}`;
    return html`<use href="#night-${state}" x="${at * STEP}"><title>${words}</title></use>\n`;
  });
  const counts = SHAPES.flatMap(({ state, name }) => {
    const count = found.filter((night) => (night?.state ?? "none") === state).length;
    return count === 0 ? [] : [`${count} ${name}`];
  });
  const label = `${days.length} nights: ${counts.join(", ")}`;
  return html`<svg class="nights" viewBox="0 0 ${days.length * STEP} 16" role="img" aria-label="${label}">${cells}</svg>`;
}

/** What to do about a link; null for nothing. */
export function syncAction(status: string, reason: string | null): string | null {
  if (status === "synced" || status === "unchanged" || status === "superseded") return null;
  return actionFor(status, reason ?? "");
}
