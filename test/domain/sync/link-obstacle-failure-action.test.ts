import { expect, test } from "vitest";
import { failureAction } from "../../../src/domain/sync/link-obstacle.js";

test.each([
  ["bank_links: user not found", /roster/],
  ["gave_up http_503", /check the service/],
  ["bank_links: gave_up timeout", /check the service/],
  ["cursor_loop", /loop/],
  ["resync_would_remove 40 of 60", /--full --links/],
  ["resync_without_cursor", /next run/],
  ["refused http_422", /every page size/],
  ["accounts: refused http_404", /refuses this list/],
  ["update_refused http_400 after 5 restarts", /quiet hour/],
  ["every_row_bad 12", /quarantine list/],
  ["investment_transactions: id_twice", /report/],
  ["staged_page_torn after 5 restarts", /quiet hour|disk/],
  ["staged_page_gone", /disk/],
  ["accounts: list_moved", /quiet hour/],
  ["schema transactions.created", /NIGHTLEDGER_API_URL/],
  ["StagingLostError: gone", /staging area/],
  ["something new", /docs\/run\/errors\.md/],
])("of %s it says what to do", (reason, action) => {
  expect(failureAction(reason)).toMatch(action);
});
