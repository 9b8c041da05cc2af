import { expect, test } from "vitest";
import { codeInWords, reasonInWords, withTimes } from "../../../../src/jobs/cip/pages/values.js";
import { fieldName } from "../../../../src/jobs/cip/pages/words.js";

test.each([
  ["le100k", "up to 100,000"],
  ["lt50k", "less than 50,000"],
  ["gt_1m", "more than 1,000,000"],
  ["ge5000", "5,000 or more"],
  ["s50k_to_100k", "50,000 to 100,000"],
  ["grow_wealth", "grow wealth"],
  ["source_12", "source 12"],
  ['["grow_wealth","lt50k"]', "grow wealth, less than 50,000"],
  ["[1]", "[1]"],
  ["[not json", "[not json"],
  ["US", "US"],
  ["legal", "legal"],
  ["seen le100k", "seen le100k"],
  ["me_too@bank.example", "me_too@bank.example"],
])("%s is shown as %s", (code, words) => {
  expect(codeInWords(code)).toBe(words);
});

test.each([
  ["no_completed_onboarding (rejected: x)", "no completed onboarding (rejected: x)"],
  ["not_found", "not found"],
  ["wrong row: column fp_id is blank", "wrong row: column fp_id is blank"],
])("the code that begins %j is in words", (reason, words) => {
  expect(reasonInWords(reason)).toBe(words);
});

test.each([
  ["watchlist.check_completed_at", "Watchlists screened"],
  ["watchlist_check_completed_at_text", "Watchlists screened"],
  ["checked_data_tax_id", "Checked tax id"],
  ["tax_id", "Tax id"],
  ["self_reported_us_legal_status", "US legal status"],
  ["approved_by", "Approved by"],
  ["a_new_field", "A new field"],
  ["constructor", "Constructor"],
])("the field %s is called %s", (field, name) => {
  expect(fieldName(field)).toBe(name);
});

test("an instant is in UTC to the second and keeps what was written; what is none stays as it is", () => {
  expect(withTimes("<at> 2024-02-02T09:00:00.5+02:00, 2024-02-31T09:00:00Z").html).toBe(
    '&lt;at&gt; <time datetime="2024-02-02T09:00:00.5+02:00">2024-02-02 07:00:00 UTC</time>, 2024-02-31T09:00:00Z',
  );
});
