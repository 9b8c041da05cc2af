import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { InputError } from "../../../src/domain/failures.js";
import { readRoster, retryRoster } from "../../../src/intake/sync/roster-file.js";

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "nightledger-roster-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function roster(content: string | Uint8Array, name = "users.csv") {
  const path = join(directory, name);
  await writeFile(path, content);
  return readRoster(path);
}

async function messageOf(content: string | Uint8Array, name?: string): Promise<string> {
  const error = await roster(content, name).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(InputError);
  return (error as InputError).message;
}

const expected = [{ fp_id: "fp_a", external_id: "A,1" }, { fp_id: "fp_b" }];

describe("a roster is read the same in every form", () => {
  const forms: [string, string, string?][] = [
    ["CSV", 'fp_id,external_id\nfp_b,\nfp_a,"A,1"\n'],
    ["CSV with BOM and CRLF", '\ufefffp_id,external_id\r\nfp_b,\r\nfp_a,"A,1"\r\n'],
    ["CSV with columns swapped, no last line end", 'external_id,fp_id\n"A,1",fp_a\n,fp_b'],
    ["CSV with empty lines", 'fp_id,external_id\n\nfp_a,"A,1"\n\nfp_b,\n\n'],
    ["JSONL", '{"fp_id":"fp_b","external_id":null}\n{"external_id":"A,1","fp_id":"fp_a"}\n', "users.jsonl"],
    ["JSONL by content", '\n{"fp_id":"fp_b"}\r\n\r\n{"fp_id":"fp_a","external_id":"A,1"}', "users.txt"],
    ["JSONL with BOM", '\ufeff{"fp_id":"fp_b"}\n{"fp_id":"fp_a","external_id":"A,1"}', "users.ndjson"],
  ];
  it.each(forms)("%s", async (_, content, name) => {
    const read = await roster(content, name);
    expect(read.rows).toEqual(expected);
    const text = '{"fp_id":"fp_a","external_id":"A,1"}\n{"fp_id":"fp_b"}\n';
    expect(read.sha256).toBe(createHash("sha256").update(text).digest("hex"));
    expect(read.warnings).toEqual([]);
  });

  it("takes JSONL with an empty external_id, and with a long number that it ignores", async () => {
    const lines = '{"fp_id":"fp_b","external_id":"","sum":1.2345678901234567}\n{"fp_id":"fp_a"}\n';
    const { rows, sha256 } = await roster(lines, "users.jsonl");
    expect(rows).toEqual([{ fp_id: "fp_a" }, { fp_id: "fp_b" }]);
    expect(sha256).toBe((await roster("fp_id\nfp_a\nfp_b\n")).sha256);
  });

  it("names columns that it ignores", async () => {
    const { rows, warnings } = await roster("fp_id,name,zip\nfp_a,Ann,1\n");
    expect(rows).toEqual([{ fp_id: "fp_a" }]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('"name", "zip"');
  });
});

describe("a bad roster is refused, naming file, line and column", () => {
  const cases: [string, string | Uint8Array, string[], string?][] = [
    ["empty file", "", ["is empty"]],
    ["white space only", " \n\n", ["is empty"]],
    ["header only", "fp_id,external_id\n", ["has a header and no users"]],
    ["no column fp_id", "user,external_id\nfp_a,1\n", ["line 1", "none of the header's 2 columns is fp_id"]],
    ["column twice", "fp_id,fp_id\nfp_a,fp_b\n", ["line 1", "fp_id appears twice"]],
    ["blank fp_id", "fp_id,external_id\nfp_a,1\n ,2\n", ["line 3, column fp_id: is blank"]],
    ["spaces around", "fp_id\nfp_a\nfp_b \n", ["line 3, column fp_id: has spaces around it"]],
    ["spaces around external_id", "fp_id,external_id\nfp_a, x\n", ["line 2, column external_id: has spaces"]],
    ["NUL", "fp_id\nfp\0a\n", ["line 2, column fp_id: has a control character"]],
    ["slash", "fp_id\nfp/a\n", ["line 2, column fp_id: has a slash"]],
    ["duplicate", "fp_id\nfp_a\nfp_b\nfp_a\n", ["line 4, column fp_id: is the same as in line 2"]],
    ["too few columns", "fp_id,external_id\nfp_a\n", ["line 2: has 1 columns, the header has 2"]],
    ["quote never closed", 'fp_id\nfp_b\n"fp_a\n', ["a quote is opened and never closed"]],
    ["text after a quote", 'fp_id\nfp_b\n"fp"a\n', ["line 3", "text follows a closing quote"]],
    ["quote inside", 'fp_id\nfp"a\n', ["line 2", "a quote is in the middle"]],
    [
      "not UTF-8",
      Buffer.from("fp_id\nfp_a\nfp_\xe9b\n", "latin1"),
      ["line 3, byte 5 of the line: not UTF-8"],
    ],
    ["UTF-16", Buffer.from("\ufefffp_id\nfp_a\n", "utf16le"), ["is UTF-16"]],
    ["line not JSON", '{"fp_id":"fp_a"}\nfp_b\n', ["line 2: is not a JSON object"], "users.jsonl"],
    ["line an array", '["fp_a"]\n', ["line 1: is not a JSON object"], "users.jsonl"],
    ["fp_id a number", '{"fp_id":5}\n', ["line 1, column fp_id: is not text"], "users.jsonl"],
    ["fp_id missing", '{"external_id":"a"}\n', ["line 1, column fp_id: is missing"], "users.jsonl"],
    [
      "external_id an object",
      '{"fp_id":"a","external_id":{}}\n',
      ["column external_id: is not text"],
      "users.jsonl",
    ],
    ["lone surrogate", '{"fp_id":"a\\ud800"}\n', ["column fp_id: has a lone surrogate"], "users.jsonl"],
  ];
  it.each(cases)("%s", async (_, content, parts, name) => {
    const message = await messageOf(content, name);
    expect(message).toContain(join(directory, name ?? "users.csv"));
    expect(message).toContain("Nothing was started");
    for (const part of parts) expect(message).toContain(part);
  });

  it("counts lines through quoted line breaks", async () => {
    const message = await messageOf('fp_id,note\nfp_a,"two\nlines"\nfp_b,"a\r\nb"\nfp_a,x\n');
    expect(message).toContain("line 6, column fp_id: is the same as in line 2");
  });

  it("counts lines of a file with CRLF", async () => {
    expect(await messageOf("fp_id\r\nfp_a\r\n\r\nfp_a\r\n")).toContain("line 4, column fp_id");
  });

  it("lists the first 20 problems and counts the others", async () => {
    const message = await messageOf(`fp_id\n${" \n".repeat(25)}`);
    expect(message).toContain("25 problems");
    expect(message.match(/is blank/g)).toHaveLength(20);
    expect(message).toContain("and 5 more");
  });

  it("lists what is wrong before the line where the file stops being CSV, and that", async () => {
    const message = await messageOf('fp_id\nfp_a \n\nfp"b\n');
    expect(message).toMatch(/2 problems:\n {2}line 2, column fp_id: has spaces.*\n {2}line 4: a quote is/);
  });

  it("never quotes an id or a line", async () => {
    const message = await messageOf("secret_person_1,x\nsecret_person_2,y\n");
    expect(message).not.toContain("secret_person");
  });

  it("names a file that isn't there, and a directory", async () => {
    await expect(readRoster(join(directory, "none.csv"))).rejects.toThrow(/none\.csv is not there/);
    await expect(readRoster(directory)).rejects.toThrow(/is a directory/);
  });
});

describe("size", () => {
  it("reads 20,000 rows, each once and in their order", async () => {
    const lines = Array.from({ length: 20_000 }, (_, i) => `fp_id_${(i * 7919) % 20_000},customer-${i}`);
    const path = join(directory, "large.csv");
    await writeFile(path, `fp_id,external_id\n${lines.join("\n")}\n`);
    const { rows } = await readRoster(path);
    expect(rows).toHaveLength(20_000);
    expect(new Set(rows.map(({ fp_id }) => fp_id)).size).toBe(20_000);
  });
});

it("a user who failed is read whole, another one by the links that failed, whatever their order", () => {
  const links = [
    { fp_id: "u3", link_id: "y" },
    { fp_id: "u1", link_id: "b" },
    { fp_id: "u3", link_id: "x" },
    { fp_id: "u2", link_id: "z" },
  ];
  const roster = retryRoster({ users: ["u2"], links });
  const rows = [{ fp_id: "u1", links: ["b"] }, { fp_id: "u2" }, { fp_id: "u3", links: ["x", "y"] }];
  expect(roster.rows).toEqual(rows);
  expect(retryRoster({ users: ["u2", "u2"], links: [...links].reverse() }).sha256).toBe(roster.sha256);
});
