import { expect, test } from "vitest";
import { html } from "../../src/pages/parts.js";

test("what is written is escaped, null is nothing, control characters are none", () => {
  const page = (a: string | null, b: string | null, c: string) =>
    html`<p title="${a}">${b}</p>${{ html: c }}`.html;
  expect(page(`"'`, "<b>&\u0000\u0007", "<i>")).toBe(
    '<p title="&quot;&#39;">&lt;b&gt;&amp;\ufffd\ufffd</p><i>',
  );
  expect(page(null, null, "")).toBe('<p title=""></p>');
});
