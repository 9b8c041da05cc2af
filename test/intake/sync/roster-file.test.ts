import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { InputError } from "../../../src/domain/failures.js";
import { readRoster, retryRoster } from "../../../src/intake/sync/roster-file.js";
import { eachFile, tempDirectory } from "../../helpers/each-test.js";

const temp = eachFile(tempDirectory);

async function roster(content: string | Uint8Array, name = "users.csv") {
  const path = join(temp.path, name);
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
    ["JSONL", '{"fp_id":"fp_b","external_id":null}\n{"external_id":"A,1","fp_id":"fp_a"}\n', "users.jsonl"],
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
    ["header only", "fp_id,external_id\n", ["has a header and no users"]],
    ["blank fp_id", "fp_id,external_id\nfp_a,1\n ,2\n", ["line 3, column fp_id: is blank"]],
    ["duplicate", "fp_id\nfp_a\nfp_b\nfp_a\n", ["line 4, column fp_id: is the same as in line 2"]],
    [
      "external_id an object",
      '{"fp_id":"a","external_id":{}}\n',
      ["column external_id: is not text"],
      "users.jsonl",
    ],
  ];
  it.each(cases)("%s", async (_, content, parts, name) => {
    const message = await messageOf(content, name);
    expect(message).toContain(join(temp.path, name ?? "users.csv"));
    expect(message).toContain("Nothing was started");
    for (const part of parts) expect(message).toContain(part);
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
