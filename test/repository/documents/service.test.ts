import { expect, it } from "vitest";
import { OPERATIONS } from "../../../src/api/operations/index.js";
import { TOKEN_SCOPES } from "../../../src/domain/service/client-token-grant.js";
import { EVENT_KINDS } from "../../../src/domain/service/event-kind.js";
import { ONBOARDING_STATUSES } from "../../../src/domain/service/onboarding-status.js";
import { VAULT_IDENTIFIERS } from "../../../src/domain/service/vault/vault-identifier.js";
import { firstTable, section } from "../markdown.js";
import { read } from "../source-tree.js";

const PATH = "docs/reference/service.md";

const firstColumn = (text: string) =>
  firstTable(text).flatMap(([cell = ""]) => [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => word));

it("docs/reference/service.md names every operation with its method and path", () => {
  const text = read(PATH);
  const missing = OPERATIONS.filter(({ method, path }) => !text.includes(`\`${method} ${path}\``));
  expect(missing.map(({ name }) => name)).toEqual([]);
});

it("docs/reference/service.md has every data identifier in its order, and no other", () => {
  const cells = firstTable(section(PATH, "Data identifiers")).map(([, identifiers = ""]) => identifiers);
  const named = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => word));
  expect(named.filter((word) => word !== "custom.<name>")).toEqual(VAULT_IDENTIFIERS);
});

const proxy = OPERATIONS.find(({ name }) => name === "call_vault_proxy");
const headers = Object.values(proxy?.headerNames ?? {}).filter((name) => name !== "content-type");

it.each([
  ["Onboarding statuses", "", ONBOARDING_STATUSES],
  ["Client tokens", "| scope |", TOKEN_SCOPES],
  ["Webhook events", "", EVENT_KINDS],
  ["Proxy headers", "", headers],
] as const)("docs/reference/service.md, %s, has a row for each", (heading, head, words) => {
  const text = section(PATH, heading);
  expect(firstColumn(text.slice(text.indexOf(head)))).toEqual(words);
});
