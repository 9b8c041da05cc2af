import { expect, test } from "vitest";
import { codeInWords, fieldName, withTimes } from "../../../src/jobs/cip/report-words.js";

test.each([
  ["source_12", "source 12"],
  ["no_completed_onboarding (rejected: x)", "no completed onboarding (rejected: x)"],
  ["not_found", "not found"],
  ["wrong row: column fp_id is blank", "wrong row: column fp_id is blank"],
  ["me_too@bank.example", "me_too@bank.example"],
])("the code that begins %j is in words", (text, words) => {
  expect(codeInWords(text)).toBe(words);
});

test.each([
  ["watchlist.check_completed_at", "Watchlists screened"],
  ["watchlist_check_completed_at_text", "Watchlists screened"],
  ["checked_data_tax_id", "Checked tax id"],
  ["tax_id", "Tax id"],
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
