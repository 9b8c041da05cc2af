import { expect, test } from "vitest";
import { type ReportFrame, reportFoot, reportHead } from "../../../src/jobs/cip/report-page.js";

const FRAME: ReportFrame = {
  exportId: "cip-20261120.abc",
  contentSha256: "a".repeat(64),
  unmasked: false,
};

test("a sheet prints its number and the content's hash, loads nothing and runs nothing", () => {
  const head = reportHead(FRAME);
  expect(head).toContain(`content sha256 ${FRAME.contentSha256}`);
  expect(head).toContain('"page " counter(page) " of " counter(pages)');
  expect(head).toContain("default-src 'none'");
  expect(head).toContain("<title>CIP report · cip-20261120.abc</title>");
  expect(reportHead(FRAME) + reportFoot(FRAME)).not.toMatch(/<script|url\(|@import|https?:/);
});

test("the institution is on every sheet and in the footer, and never leaves its string in the style sheet", () => {
  const institution = `B\u00e4nk "A" \\ </style>`;
  const head = reportHead({ ...FRAME, institution });
  expect(head).toContain(
    '@bottom-left { content: "B\u00e4nk \\22 A\\22  \\5c  \\3c \\2f style\\3e \\A CIP export cip-2026',
  );
  expect(head.match(/<\/style>/g)).toHaveLength(1);
  expect(reportFoot({ ...FRAME, institution })).toContain(
    "<bdi>B\u00e4nk &quot;A&quot; \\ &lt;/style&gt;</bdi>",
  );
});

test("an unmasked report says so on every sheet", () => {
  expect(reportHead(FRAME)).not.toContain("UNMASKED");
  expect(reportHead({ ...FRAME, unmasked: true })).toContain("UNMASKED");
  expect(reportFoot({ ...FRAME, unmasked: true })).toContain("Unmasked:");
});

test.each([{ exportId: '"; } body { display: none' }, { exportId: "" }, { contentSha256: "</style>" }])(
  "%j does not reach the style sheet",
  (fields) => {
    expect(() => reportHead({ ...FRAME, ...fields })).toThrow("letters, digits, dots and dashes only");
  },
);
