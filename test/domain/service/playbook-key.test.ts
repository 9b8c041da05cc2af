import fc from "fast-check";
import { expect, it } from "vitest";
import { parsePlaybookKey } from "../../../src/domain/service/playbook-key.js";

it.each<[string, object]>([
  ["pb_live_1", { playbook: "pb_live_1" }],
  ["pb_1:v3", { playbook: "pb_1", version: 3 }],
])("%s is a playbook key", (text, key) => expect(parsePlaybookKey(text)).toEqual(key));

it.each([
  "",
  ":v1",
  "pb:",
  "pb:v",
  "pb:v0",
  "pb:v01",
  "pb:v-1",
  "pb:v1.5",
  "pb:3",
  "pb:V3",
  "pb:v1:v2",
  "p b",
  " pb",
  "pb\n",
])("%j is none", (text) => expect(parsePlaybookKey(text)).toBeUndefined());

it("a key is read back as it was written", () => {
  fc.assert(
    fc.property(
      fc.stringMatching(/^[a-z0-9_-]{1,20}$/),
      fc.option(fc.integer({ min: 1, max: 999_999_999 }), { nil: undefined }),
      (playbook, version) => {
        const key = version === undefined ? { playbook } : { playbook, version };
        expect(parsePlaybookKey(version === undefined ? playbook : `${playbook}:v${version}`)).toEqual(key);
      },
    ),
  );
});
