import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { compiledProgram } from "../helpers/command/compiled-program.js";
import { read } from "../repository/source-tree.js";

it("exports what the documents name, with the type and the labels that they say, once for all of a process", () => {
  const text = execFileSync(
    process.execPath,
    [compiledProgram("test/helpers/temporal/exported-metrics.ts")],
    {
      encoding: "utf8",
    },
  );
  const exported = [...text.matchAll(/^# TYPE (nightledger_\w+) (\w+)$/gm)].map(([, name = "", type]) => {
    const labels = new RegExp(`^${name}(?:_count)?\\{([^}]*)\\}`, "m").exec(text)?.[1] ?? "";
    return [name, type, [...labels.matchAll(/(\w+)="/g)].map(([, label]) => label).sort()];
  });
  const rows = read("docs/run/operate.md").matchAll(/^\| `(nightledger_\w+)` \| (\w+) \| ([^|]*) \|/gm);
  const named = [...rows].map(([, name, type, labels = ""]) => {
    return [name, type, [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label).sort()];
  });
  expect(exported.sort()).toEqual(named.sort());
  expect(text).toContain('nightledger_answer_bytes_total{operation="get_user"} 20\n');
  expect(text).toContain("nightledger_open_rows 3\n");
});
