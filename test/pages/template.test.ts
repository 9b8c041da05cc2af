import { expect, test } from "vitest";
import { template } from "../../src/pages/template.js";

test("what is written is escaped, null is nothing, control characters are none", () => {
  const render = template('<p title="<%= it.a %>"><%= it.b %></p><%~ it.c %>');
  expect(render({ a: `"'`, b: "<b>&\u0000\u0007", c: "<i>" })).toBe(
    '<p title="&quot;&#39;">&lt;b&gt;&amp;\ufffd\ufffd</p><i>',
  );
  expect(render({ a: null, b: undefined, c: "" })).toBe('<p title=""></p>');
});
