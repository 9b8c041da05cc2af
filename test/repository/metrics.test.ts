import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { ROOT, read } from "./source-tree.js";

const named = new Set(
  [...read("docs/run/operate.md").matchAll(/^\| `(nightledger_\w+)` \|/gm)].map(([, name]) => name),
);

it.each(["deploy/prometheus/nightledger.rules.yml", "deploy/grafana/nightledger.json"])(
  "%s asks for metrics that there are",
  (path) => {
    const used = [...read(path).matchAll(/nightledger_\w+/g)].map(([name]) =>
      name.replace(/_(bucket|sum|count)$/, ""),
    );
    expect(used.length).toBeGreaterThan(4);
    expect(used.filter((name) => !named.has(name))).toEqual([]);
  },
);

it("every alert says what to do, by a command or variable of ours", () => {
  const { groups } = parse(read("deploy/prometheus/nightledger.rules.yml"));
  for (const { annotations } of groups[0].rules)
    expect(annotations.action).toMatch(/nightledger \w+|NIGHTLEDGER_/);
});

const hasPromtool = (() => {
  try {
    return execFileSync("promtool", ["--version"]).length > 0;
  } catch {
    return false;
  }
})();

it.skipIf(!hasPromtool)("promtool accepts the rules, and they fire when they should", () => {
  const run = (...args: string[]) =>
    execFileSync("promtool", args, { cwd: `${ROOT}/deploy/prometheus`, encoding: "utf8" });
  expect(run("check", "rules", "nightledger.rules.yml")).toContain("SUCCESS");
  expect(run("test", "rules", "nightledger.test.yml")).toContain("SUCCESS");
});
