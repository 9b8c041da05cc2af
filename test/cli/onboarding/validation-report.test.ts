import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { validationSummary, validationText } from "../../../src/cli/onboarding/validation-report.js";
import { problemLines } from "../../../src/intake/files/judged-file.js";
import { invalidRowsError, readCustomers } from "../../../src/intake/onboarding/customers-file.js";
import { eachFile, tempDirectory } from "../../helpers/each-test.js";

const temp = eachFile(tempDirectory);

async function customers(content: string) {
  const path = join(temp.path, "customers.csv");
  await writeFile(path, content);
  return readCustomers(path, { playbook: "pb_1", mode: "async", service: "" });
}

describe("what is said of a file", () => {
  const text =
    "fp_id,fp_bid,kind,external_id,data.a,data.b,vault.id.dob,note,PLANTED\n" +
    "fp_1,,,,PLANTED-1,,PLANTED-2,PLANTED-3,\n,,business,b-1,,2,,,\nPLANTED 4/,,,,,,,,\nPLANTED-5,,,PLANTED-6,,,,,\n";

  it("ignored columns, data keys and external ids are warned of once, names only", async () => {
    const { warnings, counts } = await customers(text.replace(",PLANTED\n", ",zip\n"));
    expect(warnings).toEqual([
      expect.stringMatching(/ignored "note", "zip"; its columns are kind, fp_id, .*, data.<name>/),
      expect.stringContaining("external id shorter than 10 characters"),
      expect.stringMatching(/silently discards keys .* "a", "b"$/),
      expect.stringMatching(/^1 customer has only an external id/),
    ]);
    expect(counts).toMatchObject({ total: 4, invalid: 2, users: 1, businesses: 1, created: 1, vaults: 1 });
  });

  it("reports hold every problem and no value", async () => {
    const file = await customers(text.replace(",PLANTED\n", ",zip\n"));
    const summary = validationSummary(file, 1);
    expect(summary).toMatchObject({ status: "invalid", batch_id: file.facts.batchId });
    expect(summary.problems).toHaveLength(2);
    const refusal = invalidRowsError("customers.csv", file).message;
    expect(refusal).toContain("2 of its rows break a rule:\n  line 4, column fp_id: has a slash");
    expect(refusal).toContain("Nothing was started. Fix them, or run the rest (2) with --continue-invalid.");
    const lines = problemLines(file.problems);
    expect(lines[1]).toBe("line 5, column external_id: is given together with fp_id");
    const words = [JSON.stringify(summary), validationText(file, 1), refusal, ...lines].join("\n");
    expect(words).not.toContain("PLANTED");
    expect(validationText(file, 1)).toContain(
      "customers 4: 2 valid, 2 invalid, 1 already done\nvalid     1 user, 1 business (1 to be created)\n",
    );
  });

  it("a batch has no id yet where nothing says which service it is for", async () => {
    const file = await customers("fp_id\nfp_1\n");
    expect(validationSummary(file, null)).toMatchObject({ status: "valid", batch_id: null });
    expect(validationText(file, null)).not.toContain(file.facts.batchId);
  });

  it("a header that may be data is not quoted", async () => {
    const error: unknown = await customers("PLANTED,x\nPLANTED,y\n").catch((reason: unknown) => reason);
    expect(String(error)).toContain("none of the header's 2 columns");
    expect(String(error)).not.toContain("PLANTED");
  });

  it("a refusal shows the first 20 problems and counts the others; the lines hold all", async () => {
    const file = await customers(`fp_id,data.a\n${",1\n".repeat(25)}`);
    const message = invalidRowsError("c.csv", file).message;
    expect(message.match(/is missing/g)).toHaveLength(20);
    expect(message).toContain("and 5 more");
    expect(problemLines(file.problems)).toHaveLength(25);
    expect(validationSummary(file, 1).problems).toHaveLength(25);
  });
});
