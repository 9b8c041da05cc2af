import { shellWord } from "../../../domain/words/shell-word.js";
import { QUARANTINE_SOURCES } from "../../../lake/query/quarantine-view.js";
import { facts, joined, section } from "../../../pages/parts.js";
import { accountStream } from "../../../streams/accounts.js";
import { bankLinkStream } from "../../../streams/bank-links.js";
import { balanceCharts, readBalances } from "../links/balances.js";
import { type LinkFacts, readLink } from "../links/link-model.js";
import {
  about,
  badRows,
  commands,
  findings,
  type LinkModel,
  runs,
  users,
  verdict,
} from "../links/link-sections.js";
import { page } from "../page.js";

export const link = page<LinkModel>("/links/:link", {
  tables: [...QUARANTINE_SOURCES, bankLinkStream.table, accountStream.table],
  async read({ query }, { part }) {
    const id = part("link");
    const known = await readLink(query, id);
    return { ...known, balances: await readBalances(query, id), commands: commandsOf(known) };
  },
  title: ({ link_id }) => `Link ${link_id}`,
  draw: (model, asked) =>
    joined(
      verdict(model),
      facts(about(model)),
      section("Users", users(model)),
      section("What kept it from being committed", findings(model)),
      section("Open bad rows", badRows(model, asked)),
      section("Balances", balanceCharts(model.balances, model.link_id)),
      section("Runs", runs(model)),
      section("Commands", commands(model)),
    ),
});

function commandsOf({ link_id, findings }: LinkFacts): LinkModel["commands"] {
  const id = shellWord(link_id);
  const isSmaller = findings.some(({ reason }) => reason.startsWith("resync_would_remove"));
  return [
    { command: `nightledger sync --roster <file> --links ${id}`, does: "read this link alone" },
    ...(isSmaller
      ? [
          {
            command: `nightledger sync --roster <file> --full --links ${id}`,
            does: "take the shorter list, once you know why so many transactions are gone",
          },
        ]
      : []),
    {
      command: `nightledger explain <transaction> --link ${id}`,
      does: "where a transaction came from, and what became of it",
    },
  ];
}
