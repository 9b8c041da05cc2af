import { expect, test } from "vitest";
import { STREAMS } from "../../src/streams/index.js";
import { observedListings } from "../../src/streams/observed-listings.js";

const read = (selected: readonly string[], links: readonly string[] | null) =>
  observedListings(STREAMS, selected, links).map(
    ({ name, per, operation }) => `${name} ${per} ${operation.name}`,
  );

const LINKS = "bank_links user list_bank_links";
const ACCOUNTS = "accounts user list_user_accounts";

test.each([
  [["accounts"], null, [ACCOUNTS]],
  [["accounts"], ["l"], [LINKS, "accounts link list_link_accounts"]],
  [["accounts", "bank_links"], ["l"], [LINKS, ACCOUNTS]],
])("of %j and the links %j a run reads %j", (selected, links, lists) => {
  expect(read(selected, links)).toEqual(lists);
});
