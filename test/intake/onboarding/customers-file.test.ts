import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { InputError } from "../../../src/domain/failures.js";
import { type FrozenRow, isRight } from "../../../src/domain/onboarding/customer.js";
import { readCustomers } from "../../../src/intake/onboarding/customers-file.js";
import { FrozenBatches } from "../../../src/lake/onboarding/frozen-batch.js";
import { SealedStore } from "../../../src/lake/store/sealed-store.js";
import { createSealer } from "../../../src/temporal/encryption/cipher.js";
import { eachFile, tempDirectory } from "../../helpers/each-test.js";
import { openTestLake, type TestLake } from "../../helpers/lake/delta-lake.js";
import { TEST_KEYS } from "../../helpers/temporal/temporal-environment.js";

const temp = eachFile(tempDirectory);
beforeAll(async () => {
  await mkdir(join(temp.path, "files/folder"), { recursive: true });
  await writeFile(join(temp.path, "files/a.png"), "image");
  await writeFile(join(temp.path, "files/empty.pdf"), "");
});

const purpose = { playbook: "pb_1", mode: "async", service: "" } as const;

async function customers(content: string | Uint8Array, name = "customers.csv", of = purpose) {
  const path = join(temp.path, name);
  await writeFile(path, content);
  return readCustomers(path, of);
}

async function rowsOf(file: Awaited<ReturnType<typeof customers>>): Promise<FrozenRow[]> {
  const rows: FrozenRow[] = [];
  for await (const { row } of file.freezable()) rows.push(row);
  return rows;
}

async function messageOf(content: string | Uint8Array, name?: string): Promise<string> {
  const error: unknown = await customers(content, name).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(InputError);
  return (error as InputError).message;
}

const read = [
  { kind: "user", fpId: "fp_1", prerequisiteData: { tier: "gold" }, vault: { "id.dob": "1980-01-01" } },
  { kind: "user", fpId: null, externalId: "c,2", prerequisiteData: null, vault: {} },
];

describe("a customers file is read the same in every form", () => {
  const header = "fp_id,external_id,data.tier,vault.id.dob";
  const forms: [string, string, string?][] = [
    ["CSV", `${header}\nfp_1,,gold,1980-01-01\n,"c,2",,\n`],
    ["CSV with BOM and CRLF", `\ufeff${header}\r\nfp_1,,gold,1980-01-01\r\n,"c,2",,\r\n`],
    [
      "CSV with columns swapped",
      'vault.id.dob,kind,data.tier,external_id,fp_id\n1980-01-01,,gold,,fp_1\n,user,,"c,2",\n',
    ],
    [
      "JSONL",
      `{"vault.id.dob":"1980-01-01","data.tier":"gold","fp_id":"fp_1"}\n{"external_id":"c,2"}\n`,
      "a.jsonl",
    ],
    [
      "JSONL with objects, by content",
      `\n{"fp_id":"fp_1","data":{"tier":"gold","no":null},"vault":{"id.dob":"1980-01-01"}}\r\n{"kind":null,"external_id":"c,2","fp_id":"","data":null}`,
      "a.txt",
    ],
  ];
  it.each(forms)("%s", async (_, content, name) => {
    const file = await customers(content, name);
    expect(file.problems).toEqual([]);
    expect(file.facts).toMatchObject({ rows: 2, ...purpose });
    expect(file.firstFpId).toBe("fp_1");
    const rows = await rowsOf(file);
    expect(rows.map((row) => isRight(row) && row.customer)).toMatchObject(read);
    const keys = rows.map((row) => isRight(row) && row.rowKey);
    const plain = await rowsOf(await customers(forms[0]?.[1] ?? ""));
    expect(keys).toEqual(plain.map((row) => isRight(row) && row.rowKey));
  });

  it("a number and a text are two things in JSONL; in CSV all is text, zeros in front kept", async () => {
    const [csv] = await rowsOf(await customers("fp_id,data.n\nfp_1,007\n"));
    const [json] = await rowsOf(await customers('{"fp_id":"fp_1","data.n":7}', "n.jsonl"));
    expect(csv).toMatchObject({ customer: { prerequisiteData: { n: "007" } } });
    expect(json).toMatchObject({ customer: { prerequisiteData: { n: 7 } } });
  });
});

it.each([
  ["FP_ID", "write it as fp_id"],
  [" external_id", "write it as external_id"],
  ["Vault.id.dob", "write it as vault.<name>"],
  ["data", "write it as data.<name>"],
  ["vault.", "write it as vault.<name>"],
])("the column %j is almost one of ours, so it is refused", async (column, rule) => {
  expect(await messageOf(`fp_id,${column}\nfp_1,x\n`)).toContain(rule);
});

it.each(["note", "database", "data.a.b c"])("the column %j is ignored, or taken as it is", async (column) => {
  const { problems, warnings } = await customers(`fp_id,${column}\nfp_1,x\n`);
  expect(problems).toEqual([]);
  expect(warnings).toEqual([
    expect.stringMatching(column.includes(".") ? /discards keys .* "a.b c"/ : /ignored/),
  ]);
});

it("ids that a spreadsheet changed are warned of, also in a wrong row", async () => {
  const { warnings } = await customers(
    "kind,fp_id,fp_bid,external_id,vault.id.dob\n,1.2E+11,,,\n,,,NULL,x\nbusiness,,12345.0,,\n",
  );
  expect(warnings.filter((words) => words.includes("pandas"))).toEqual(
    ["fp_id", "external_id", "fp_bid"].map((column, at) =>
      expect.stringMatching(`: column ${column}: 1 id looks .*first in line ${at + 2}`),
    ),
  );
});

describe("a wrong row is not an error of the file: line, column, rule", () => {
  // A code never changes: the batch's id is made of it.
  const cases: [string, string, [number, string | null, string][], string?][] = [
    ["both_ids", "fp_id,external_id\nfp_1,c\nfp_2,\n", [[2, "external_id", "is given together with fp_id"]]],
    ["missing", "fp_id,data.a\nfp_1,1\n,2\n", [[3, "fp_id", "is missing, and so is external_id"]]],
    ["column_count", "fp_id,data.a\nfp_1\nfp_2,2\n", [[2, null, "has 1 columns, the header has 2"]]],
    ["repeated", "fp_id\nfp_1\nfp_2\nfp_1\n", [[4, "fp_id", "is the same as in line 2"]]],
    ["repeated", "external_id\na\na\n", [[3, "external_id", "is the same as in line 2"]]],
    [
      "repeated",
      "kind,vault.business.name\nbusiness,A\nbusiness,A\nbusiness,B\n",
      [[3, null, "is the same as in line 2"]],
    ],
    ["both_ids", "fp_id,external_id\nfp_1,c\nfp_1,\n", [[2, "external_id", "is given together with fp_id"]]],
    [
      "missing",
      'fp_id,data.a\nfp_1,"x\ny"\nfp_2,"a\r\nb"\n,c\n',
      [[6, "fp_id", "is missing, and so is external_id"]],
    ],
    [
      "not_object",
      '{"fp_id":"fp_1"}\nfp_2\n',
      [[2, null, 'is not a JSON object such as {"fp_id":"…"}']],
      "a.jsonl",
    ],
    ["not_object", '{"fp_id":"a","data":3}', [[1, "data", "is not an object"]], "a.jsonl"],
    ["given_twice", '{"fp_id":"a","data":{"x":1},"data.x":1}', [[1, "data.x", "is given twice"]], "a.jsonl"],
    ["mistaken_column", '{"FP_ID":"a","external_id":"b"}', [[1, "FP_ID", "write it as fp_id"]], "a.jsonl"],
    [
      "long_number",
      '{"fp_id":"1234567890.1234567890","data":{"x":1234567890.1234567890}}',
      [[1, null, "has a number of more than 15 digits: give it as text, or it changes"]],
      "a.jsonl",
    ],
    ["lone_surrogate", '{"fp_id":"a\\ud800"}', [[1, "fp_id", "has a lone surrogate"]], "a.jsonl"],
  ];
  it.each(cases)("%s: %j", async (broken, content, problems, name) => {
    const file = await customers(content, name);
    expect(file.problems.map(({ line, column, rule }) => [line, column, rule])).toEqual(problems);
    expect(file.problems.map(({ code }) => code)).toEqual(problems.map(() => broken));
    expect(file.counts.invalid).toBe(problems.length);
    const wrong = (await rowsOf(file)).filter((row) => !isRight(row));
    expect(wrong.map(({ line }) => line)).toEqual(problems.map(([line]) => line));
  });

  it.each([
    ["files/none.png", "no_file", "is the path of a file that is not there"],
    ["files/a.png/b", "no_file", "is the path of a file that is not there"],
    ["files/folder", "directory", "is the path of a directory"],
    ["files/empty.pdf", "empty_file", "is the path of an empty file"],
  ])("a document at %s", async (path, code, rule) => {
    const file = await customers(`fp_id,document.custom.scan\nfp_1,${path}\n`);
    expect(file.problems).toEqual([{ line: 2, column: "document.custom.scan", code, rule }]);
  });
});

it("a document is found from the file's own directory, known by its bytes, and opened when it is frozen", async () => {
  const file = await customers(
    `fp_id,document.custom.scan\nfp_1,files/a.png\nfp_2,${temp.path}/files/a.png\n`,
  );
  expect(file.problems).toEqual([]);
  expect(file.counts).toMatchObject({ documents: 2, document_bytes: 10 });
  const sha256 = createHash("sha256").update("image").digest("hex");
  for await (const { row, open } of file.freezable()) {
    const document = isRight(row) ? row.customer.documents["custom.scan"] : undefined;
    expect(document).toEqual({ bytes: 5, sha256, contentType: "image/png" });
    const parts: Uint8Array[] = [];
    for await (const part of open?.("document.custom.scan") ?? []) parts.push(part);
    expect(Buffer.concat(parts).toString()).toBe("image");
    expect(JSON.stringify(row)).not.toContain("a.png");
  }
});

describe("a file that can't be read as a whole is refused, naming line and column", () => {
  const cases: [string, string | Uint8Array, string[], string?][] = [
    ["empty", "", ["is empty"]],
    ["header only", "fp_id,data.a\n", ["has a header and no customers"]],
    [
      "no column of ours",
      "fpid,name\nfp_1,x\n",
      ["line 1: none of the header's 2 columns is a known column", "fp_id"],
    ],
    ["column twice", "fp_id,data.a,data.a\n1,2,3\n", ["line 1: column data.a appears twice"]],
    [
      "mistaken column",
      "fp_id,Vault.id.dob\n1,2\n",
      ['line 1: column "Vault.id.dob": write it as vault.<name>'],
    ],
    ["no UTF-8", Buffer.from("fp_id\nfp_a\nfp_\xe9b\n", "latin1"), ["line 3, byte 4 of the line: not UTF-8"]],
    [
      "cut in a character",
      Buffer.from("fp_id\nfp_a\nfp_\xc3", "latin1"),
      ["line 3, byte 4 of the line: not UTF-8"],
    ],
    ["UTF-16", Buffer.from("\ufefffp_id\nfp_a\n", "utf16le"), ["is UTF-16"]],
  ];
  it.each(cases)("%s", async (_, content, parts, name) => {
    const message = await messageOf(content, name);
    expect(message).toContain(join(temp.path, name ?? "customers.csv"));
    expect(message).toContain("Nothing was started");
    for (const part of parts) expect(message).toContain(part);
  });

  it("names a file that isn't there, and a directory", async () => {
    await expect(readCustomers(join(temp.path, "none.csv"), purpose)).rejects.toThrow(
      /none\.csv is not there/,
    );
    await expect(readCustomers(join(temp.path, "none"), purpose)).rejects.toThrow(/none is not there/);
    await expect(readCustomers(temp.path, purpose)).rejects.toThrow(/is a directory/);
  });

  it("a bad byte far behind is found at its line, over the pieces that the file is read in", async () => {
    const lines = Array.from({ length: 20_000 }, (_, at) => `fp_${at},ü${at}`);
    const bad = Buffer.concat([
      Buffer.from(`fp_id,data.a\r\n${lines.join("\r\n")}\r\n`),
      Buffer.from([0xff, 10]),
    ]);
    expect(await messageOf(bad)).toContain("line 20002, byte 1 of the line: not UTF-8");
    const double = await customers(`fp_id,data.a\r\n${lines.join("\r\n")}\r\nfp_0,x\r\n`);
    expect(double.problems).toEqual([
      { line: 20_002, column: "fp_id", code: "repeated", rule: "is the same as in line 2", same_as_line: 2 },
    ]);
  });
});

describe("a file that was read is frozen as it was", () => {
  let lake: TestLake;
  beforeEach(async () => {
    lake = await openTestLake();
  });
  afterEach(() => lake.release());

  const text = "fp_id,document.custom.scan,vault.id.dob\nfp_1,files/c.pdf,1980-01-01\nfp 2/,,\nfp_3,,\n";

  async function readAndFreeze(between: () => Promise<void> = async () => undefined) {
    await writeFile(join(temp.path, "files/c.pdf"), "scanned");
    const file = await customers(text);
    await between();
    const batches = new FrozenBatches(new SealedStore(lake.store, createSealer(TEST_KEYS)));
    await batches.freeze(file.facts, file.freezable());
    return { batches, id: file.facts.batchId, rows: await rowsOf(file) };
  }

  it("rows, wrong rows and documents", async () => {
    const { batches, id, rows } = await readAndFreeze();
    expect(await batches.rows(id, 0, 3)).toEqual(rows);
    expect(rows.map(isRight)).toEqual([true, false, true]);
    const parts: Uint8Array[] = [];
    for await (const part of (await batches.document(id, 2, "custom.scan")).open()) parts.push(part);
    expect(Buffer.concat(parts).toString()).toBe("scanned");
  });

  it.each([
    ["the file", "customers.csv", `${text}fp_4,,\n`],
    ["a document", "files/c.pdf", "other"],
  ])("or not at all, where %s changed since", async (_, name, content) => {
    const change = () => writeFile(join(temp.path, name), content);
    await expect(readAndFreeze(change)).rejects.toThrow(/changed while it was read\. Nothing was started/);
  });
});
