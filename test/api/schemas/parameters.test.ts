import fc from "fast-check";
import { expect, it } from "vitest";
import { fillPath, segmentProblem } from "../../../src/api/schemas/parameters.js";
import { InputError } from "../../../src/domain/failures.js";

const fill = (id: string) => fillPath("/users/{fp_id}/bank_links", { fp_id: id });

it("every id that is taken stays exactly one segment and comes back as it was", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (id) => {
      if (segmentProblem(id) !== undefined) return;
      const { pathname, search, hash } = new URL(fill(id), "http://x");
      const segments = pathname.split("/");
      expect([segments.length, segments[1], segments[3], search, hash]).toEqual([
        4,
        "users",
        "bank_links",
        "",
        "",
      ]);
      expect(decodeURIComponent(segments[2] ?? "")).toBe(id);
    }),
  );
});

it.each(["", ".", "..", "a/b", "a\\b", "/", "a\0", "a\n", "\ud800"])("%j is refused, unquoted", (id) => {
  expect(() => fill(id)).toThrow(InputError);
  expect(() => fill(id)).toThrow(/path parameter fp_id /);
});

it.each([undefined, 5, {}])("%j is refused", (id) => {
  expect(() => fillPath("/users/{fp_id}", { fp_id: id })).toThrow(/is not text/);
});

it.each(["%2e%2e", "%2F", "..a", "..."])("%j is harmless once encoded", (id) => {
  expect(new URL(fill(id), "http://x").pathname.split("/")).toHaveLength(4);
});
