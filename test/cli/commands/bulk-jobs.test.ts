import { resolve } from "node:path";
import { expect, test } from "vitest";
import { scheduledJobs } from "../../../src/cli/commands/bulk-jobs.js";
import { createProgram } from "../../../src/cli/main.js";
import { parseScheduledCommand } from "../../../src/cli/schedules/scheduled-command.js";
import { continueCommand } from "../../../src/domain/bulk/bulk-job.js";
import type { BulkRequest } from "../../../src/intake/bulk/bulk-request.js";
import { JOBS } from "../../../src/jobs/index.js";
import { KINDS } from "../../../src/jobs/kinds/index.js";
import { importsOf } from "../../repository/source-tree.js";

const asked = async (...words: readonly string[]) =>
  (await parseScheduledCommand({ cwd: "/here" }, words)) as BulkRequest;

test("every kind that is declared is there, and does what it says", () => {
  expect(JOBS.map(({ kind }) => kind)).toEqual(KINDS.map(({ kind }) => kind));
  for (const job of JOBS)
    expect(job).toMatchObject({ effect: KINDS.find(({ kind }) => kind === job.kind)?.effect });
});

test("declarations load no SQL engine, no HTTP client and no file of Temporal's: every start loads them", () => {
  const seen = new Set<string>();
  const visit = (path: string) => {
    if (seen.has(path)) return;
    seen.add(path);
    if (!path.startsWith("src/")) return;
    for (const { to, typeOnly } of importsOf(path)) if (!typeOnly) visit(to);
  };
  visit("src/jobs/kinds/index.ts");
  expect(
    [...seen].filter((path) => /^src\/(lake|temporal|api\/(http|lists|operations))\//.test(path)),
  ).toEqual([]);
  expect([...seen].filter((path) => !path.startsWith("src/"))).toEqual(["zod"]);
});

test.each(["0", "5001", "1e2", "-1"])("%s rows of one request are refused", async (rows) => {
  await expect(asked("import", "--transactions", "x", `--chunk=${rows}`)).rejects.toThrow(
    "--chunk is not a whole number from 1 to 5000. Nothing was started.",
  );
});

const CIP = ["export", "cip", "--roster", "u.csv", "--approver", "a"];

test.each<[string, string[], RegExp]>([
  ["a blank approver", ["--approver", " "], /^--approver is blank\. Give the name or e-mail address/],
  ["a blank reason", ["--reason", " "], /^--reason is blank\. Say why the export is made/],
  ["a blank reason to unmask", ["--reason", "", "--unmasked"], /^--reason is blank\./],
  ["no reason to unmask", ["--unmasked"], /^--unmasked shows .* needs --reason/],
])("an export of CIP reports with %s is refused", async (_, words, message) => {
  const cip = words[0] === "--approver" ? CIP.slice(0, -2) : CIP;
  await expect(asked(...cip, ...words)).rejects.toThrow(message);
  await expect(asked(...cip, ...words)).rejects.toThrow(/Nothing was started/);
});

test("what is left out of an export of CIP reports has its value, and paths are absolute", async () => {
  expect((await asked(...CIP)).options).toEqual({
    ...{ approver: "a", since: null, reason: null, unmasked: false, out: null },
  });
  const words = ["--out", "packs", "--since", "cip-1", "--sign-key", "k.pem"];
  expect(await asked(...CIP, ...words)).toMatchObject({
    options: { out: "/here/packs", since: "cip-1" },
    inputs: { sign_key: "/here/k.pem" },
  });
  expect((await asked(...CIP, "--since", "packs/cip-1")).options.since).toBe(resolve("/here/packs/cip-1"));
});

test("days, links and rows of a reconciliation; what is left out is no part of the job", async () => {
  const words = ["reconcile", "--roster", "u.csv"];
  expect((await asked(...words)).options).toEqual({});
  const range = ["--from", "2026-01-01", "--to", "2026-01-31", "--links", "b, a,b", "--rows"];
  expect((await asked(...words, ...range)).options).toEqual({
    ...{ from: "2026-01-01", to: "2026-01-31", links: ["a", "b"], rows: true },
  });
  await expect(asked(...words, "--from", "2026-02-01", "--to", "2026-01-31")).rejects.toThrow(
    "--from is after --to. Exchange the two days. Nothing was started.",
  );
  await expect(asked(...words, "--from", "2026-02-30")).rejects.toThrow(
    /^--from is not a day of the calendar/,
  );
  await expect(asked(...words, "--links", "a,,b")).rejects.toThrow(/^--links has a link id that is empty/);
});

const VAULT = ["export", "vault", "--roster", "users.csv"];

test.each<[Record<string, string>, RegExp]>([
  [{ fields: "id.ssn9" }, /--fields: id.ssn9 would be decrypted as it is, and is a secret/],
  [{ fields: "id.email,custom.cardNo", transforms: "to_lowercase" }, /: custom.cardNo would be/],
  [{ fields: "id.ssn9,id.ssn4", transforms: "suffix(4)" }, /: id.ssn4 would be/],
  [{ fields: "id.ssn9", transforms: "hmac_sha256('k')" }, /must not be on the command line/],
  [{ transforms: "shout" }, /--transforms: not a known transform/],
  [{ transforms: "suffix(4" }, /--transforms: /],
  [{ fields: "id.nickname" }, /--fields: id.nickname is not a data identifier/],
  [{ fields: "business.tin" }, /of the group business/],
  [{ fields: " ," }, /--fields names no field/],
  [{ reason: " " }, /--reason is blank/],
])("an export of vault data of %j is refused, and nothing is started", async (flags, message) => {
  const given = { fields: "id.email", reason: "yearly review", ...flags };
  const words = Object.entries(given).flatMap(([name, text]) => [`--${name}`, text]);
  await expect(asked(...VAULT, ...words)).rejects.toMatchObject({
    name: "InputError",
    message: expect.stringMatching(message),
  });
  await expect(asked(...VAULT, ...words)).rejects.toThrow(/Nothing was started/);
});

test("options of vault data name each field once and each transform in its one form", async () => {
  const transforms = "suffix( 3 ), replace('a, (b','')";
  const words = ["--fields", "id.dob, id.email,id.dob", "--reason", "review"];
  expect((await asked(...VAULT, ...words, "--transforms", transforms)).options).toEqual({
    fields: ["id.dob", "id.email"],
    reason: "review",
    transforms: ["suffix(3)", "replace('a, (b','')"],
  });
  expect((await asked(...VAULT, ...words, "--transforms", " ")).options.transforms).toBeNull();
});

test("a key is no part of the options, and --allow-plain is", async () => {
  const words = [...VAULT, "--fields", "id.ssn9", "--reason", "review"];
  const keyed = await asked(...words, "--transforms", "hmac_sha256", "--hmac-key", "key.txt");
  expect(keyed).toMatchObject({
    options: { transforms: ["hmac_sha256"] },
    inputs: { hmac_key: "/here/key.txt" },
  });
  expect(JSON.stringify(keyed.options)).not.toContain("key.txt");
  expect((await asked(...words, "--allow-plain")).options).toMatchObject({ allow_plain: true });
});

test.each(KINDS)(
  "$kind has its command, its schedule and, with an effect, the command that continues it",
  (kind) => {
    const program = createProgram({} as never, () => undefined);
    const found = (words: string) =>
      words
        .split(" ")
        .reduce<typeof program | undefined>(
          (at, word) => at?.commands.find((command) => command.name() === word),
          program,
        );
    expect(found(kind.command)?.options.map(({ long }) => long)).toContain(kind.file.option);
    expect(scheduledJobs.map(({ words }) => words.join(" "))).toContain(kind.command);
    const continued = continueCommand(kind.kind).replace("nightledger ", "");
    if (kind.effect) expect(found(continued)).toBeDefined();
  },
);
