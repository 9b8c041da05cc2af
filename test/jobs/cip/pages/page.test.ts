import { expect, test } from "vitest";
import { type PageFrame, pageFoot, pageHead } from "../../../../src/jobs/cip/pages/page.js";

const FRAME: PageFrame = {
  ...{
    exportId: "cip-20261120.abc",
    contentSha256: "a".repeat(64),
    title: "<Report>",
    unmasked: false,
    kind: "report",
  },
};

test("a page prints its number and the content's hash, loads nothing and runs nothing", () => {
  const head = pageHead(FRAME);
  expect(head).toContain(`content sha256 ${FRAME.contentSha256}`);
  expect(head).toContain('"page " counter(page) " of " counter(pages)');
  expect(head).toContain("default-src 'none'");
  expect(head).toContain("<title>&lt;Report&gt; · cip-20261120.abc</title>");
  expect(pageHead(FRAME) + pageFoot(FRAME)).not.toMatch(/<script|url\(|@import|https?:/);
});

test("an unmasked page says so on every sheet", () => {
  expect(pageHead(FRAME)).not.toContain("UNMASKED");
  expect(pageHead({ ...FRAME, unmasked: true })).toContain("UNMASKED");
  expect(pageFoot({ ...FRAME, unmasked: true })).toContain("Unmasked:");
});

test.each([{ exportId: '"; } body { display: none' }, { exportId: "" }, { contentSha256: "</style>" }])(
  "%j does not reach the style sheet",
  (fields) => {
    expect(() => pageHead({ ...FRAME, ...fields })).toThrow("letters, digits, dots and dashes only");
  },
);
