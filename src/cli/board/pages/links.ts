import { DAY, durationWords, SECOND } from "../../../domain/duration.js";
import { linkSyncs } from "../../../lake/tables/link-syncs.js";
import {
  chip,
  code,
  headline,
  joined,
  type Markup,
  paragraph,
  section,
  table,
} from "../../../pages/parts.js";
import { bankLinkStream } from "../../../streams/bank-links.js";
import { filterForm } from "../filters.js";
import {
  type GridFilter,
  type GridLink,
  type LinkGrid,
  readGrid,
  TURNS,
  type Turn,
} from "../links/link-grid.js";
import { nightLegend, nightStrip, nightWords } from "../links/night-strip.js";
import { syncAction } from "../links/sync-action.js";
import { page } from "../page.js";
import { linkTo } from "../shown.js";

const STALE_MS = 3 * DAY;
const ALL = `nightledger query "select * from link_freshness order by age_s desc"`;

interface Links extends Omit<LinkGrid, "links"> {
  readonly filter: GridFilter;
  readonly links: readonly (GridLink & { readonly action: string | null })[];
}

export const links = page<Links>("/links", {
  name: "Links",
  tables: [linkSyncs, bankLinkStream.table],
  async read({ query }, { filter }) {
    const asked = { turn: filter("turn"), text: filter("text") };
    const grid = await readGrid(query, asked);
    const shown = grid.links.map((one) => ({ ...one, action: syncAction(one.last_status, one.last_reason) }));
    return { filter: asked, ...grid, links: shown };
  },
  title: () => "Links",
  draw: (model, asked) =>
    joined(
      paragraph(summary(model), "lead"),
      headline(
        TURNS.map((turn) => ({
          value: model.turns[turn],
          label: TURN_LABELS[turn],
          tone: turn === "us" && model.turns.us > 0 ? "bad" : undefined,
        })),
      ),
      filterForm(asked, "/links", [
        { name: "turn", label: "Whose turn", choices: TURNS.map((turn) => [turn, TURN_NAMES[turn]]) },
        { name: "text", label: "In the id of link or user", type: "search" },
      ]),
      section(`The last ${model.days.length} nights`, nightLegend(), grid(model), rest(model)),
    ),
});

const TURN_NAMES: Readonly<Record<Turn, string>> = {
  customer: "the customer",
  bank: "the bank",
  service: "the service",
  us: "us",
};
const TURN_LABELS: Readonly<Record<Turn, string>> = {
  customer: "links wait for their customer",
  bank: "wait for their bank",
  service: "wait for the service",
  us: "wait for us",
};

function summary({ total, turns }: Links): string {
  if (total === 0) return "No run has found a link in these nights. A sync brings them.";
  const waiting = TURNS.reduce((sum, turn) => sum + turns[turn], 0);
  const links = `${total} ${total === 1 ? "link was" : "links were"} found in these nights`;
  return waiting === 0
    ? `${links}; each committed when it was found last.`
    : `${links}; when they were found last, ${total - waiting} committed and ${waiting} did not.`;
}

function grid({ days, links }: Links): Markup {
  const columns = [
    { name: "Link" },
    { name: `${days[0]} to ${days.at(-1)} (UTC)` },
    { name: "Last commit" },
    { name: "Whose turn" },
    { name: "Bank" },
    { name: "Why, and what to do" },
  ];
  const rows = links.map((one) => [
    joined(linkTo("links", one.link_id), " ", code(one.fp_id)),
    strip(days, one),
    lastCommit(one),
    one.turn === null
      ? chip("nobody's", "good")
      : chip(TURN_NAMES[one.turn], one.turn === "us" ? "bad" : "note"),
    one.institution_name,
    one.turn === null ? null : [one.last_reason, one.action].filter((words) => words !== null).join(" → "),
  ]);
  return table("Links by night, the longest without a commit on top", columns, rows, "No link matches.");
}

function lastCommit({ committed_at, age_s }: GridLink): Markup | string {
  const age = `${durationWords(age_s * SECOND)} ago`;
  if (committed_at === null) return chip("never", "bad");
  return age_s * SECOND > STALE_MS ? chip(age, "bad") : age;
}

function strip(days: readonly string[], { nights }: GridLink): Markup {
  return nightStrip(
    days.map((day) => {
      const night = nights.find((one) => one.day === day);
      const state = night?.state ?? "none";
      const rows = night?.state === "news" ? `, ${night.changed} rows changed` : "";
      const why = night?.reason == null ? "" : `: ${night.reason}`;
      return { state, words: `${day}: ${nightWords(state)}${rows}${why}` };
    }),
  );
}

function rest({ links, matching, older }: Links): Markup {
  const more = matching > links.length ? `${matching - links.length} more match. ` : "";
  const gone = older === 0 ? "" : `${older} were last found before these nights. `;
  return paragraph(joined(more, gone, "All of them: ", code(ALL)), "aside");
}
