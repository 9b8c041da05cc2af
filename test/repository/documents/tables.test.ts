import { describe, expect, it } from "vitest";
import { certificateText } from "../../../src/domain/sync/certificate.js";
import { isCurrent } from "../../../src/lake/history/history-spec.js";
import { TABLES } from "../../../src/tables.js";
import { firstTable, section } from "../markdown.js";
import { read, sourcesIn } from "../source-tree.js";

const PATH = "docs/use/tables.md";
const withoutLinks = (text: string) => text.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");

describe("docs/use/tables.md", () => {
  it("has a section for every table that the code makes, and for no other", () => {
    const named = [...read(PATH).matchAll(/^## `(\w+)`$/gm)].map(([, name]) => name);
    expect(named.sort()).toEqual(TABLES.map(({ name }) => name).sort());
    const made = sourcesIn("src/lake/tables", "src/streams").flatMap((path) =>
      [
        ...read(path).matchAll(
          /^ +name: "(\w+)",\n(?:.*\n){0,3}? +columns: \[|\.\.\.(?:observed|changes)\(\s*"(\w+)"/gm,
        ),
      ].map(([, table, observed]) => table ?? observed),
    );
    const currents = TABLES.filter(isCurrent).map(({ name }) => name);
    expect([...made, ...currents].sort()).toEqual(TABLES.map(({ name }) => name).sort());
  });

  it.each(TABLES.map((spec) => [spec.name, spec] as const))(
    "says of %s what its log says, and lists its columns: names, order, types, each with its meaning",
    (name, { about = "?", columns }) => {
      const text = withoutLinks(section(PATH, `\`${name}\``));
      expect(text.trim().slice(0, about.length)).toBe(about);
      const rows = columnRows(name);
      expect(rows.map((row) => row.slice(0, 2))).toEqual(
        columns.map((column) => [`\`${column.name}\``, `\`${column.type}\``]),
      );
      const unlike = rows.filter(([, , meaning = ""], at) => !meaning.startsWith(columns[at]?.about || "?"));
      expect(unlike, "meanings that begin otherwise than those of the code").toEqual([]);
    },
  );

  it.each(TABLES.map((spec) => [spec.name, spec] as const))(
    "calls the encrypted columns of %s encrypted, and no other, and docs/inside/security.md names them",
    (name, { columns }) => {
      const encrypted = columns.filter((column) => column.encrypted).map((column) => column.name);
      const rows = columnRows(name);
      const called = rows.filter(([, , meaning]) => /\bencrypted\b/.test(meaning ?? ""));
      expect(called.map(([column]) => column)).toEqual(encrypted.map((column) => `\`${column}\``));
      const security = section("docs/inside/security.md", "What is encrypted, and where");
      expect(encrypted.filter((column) => !security.includes(`\`${name}.${column}\``))).toEqual([]);
    },
  );

  it("gives the fields of a certificate in the order in which they are hashed", () => {
    const fields = {
      run_id: "r",
      link_id: "l",
      fp_id: "f",
      generation: 1,
      cursor_in: null,
      cursor_out: "c",
      pages: 1,
      created: 0,
      updated: 0,
      removed: 0,
      quarantined: 0,
      sequence_from: null,
      sequence_to: null,
      pages_sha256: "p",
      rows_sha256: "r",
      certificate_prev: null,
    };
    const names = certificateText(fields)
      .trimEnd()
      .split("\n")
      .map((line) => line.split("=")[0] ?? "");
    const text = section(PATH, "Certificate");
    expect(text).toContain(names.map((name) => `\`${name}\``).join(", "));
    expect([...text.matchAll(/'(\w+)=' \|\|/g)].map(([, name]) => name)).toEqual(names);
  });

  it("has the statuses of a link, each with its meaning", () => {
    const text = section(PATH, "`link_syncs`");
    const statuses = firstTable(text.slice(text.indexOf("| `status` |")));
    expect(statuses.map(([status]) => status)).toEqual(
      ["synced", "unchanged", "still_reading", "skipped", "not_ready", "failed", "superseded"].map(
        (status) => `\`${status}\``,
      ),
    );
  });
});

/** The rows that a table's section has of its columns, or those of the table that it names instead, without some. */
function columnRows(name: string): string[][] {
  const text = withoutLinks(section(PATH, `\`${name}\``).split("\n### ", 1)[0] ?? "");
  const [, source, without = ""] = /^The columns are those of `(\w+)`(?: without (.+))?\.$/m.exec(text) ?? [];
  if (source === undefined) return firstTable(text);
  return columnRows(source).filter(([column = "?"]) => !without.split(/, | and /).includes(column));
}
