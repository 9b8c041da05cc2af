import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readCustomers } from "../../../src/intake/onboarding/customers-file.js";
import { eachFile, tempDirectory } from "../../helpers/each-test.js";

const temp = eachFile(tempDirectory);

const purpose = { playbook: "pb_1", mode: "async", service: "" } as const;

async function idOf(content: string, name = "customers.csv", of = purpose): Promise<string> {
  const path = join(temp.path, name);
  await writeFile(path, content);
  return (await readCustomers(path, of)).facts.batchId;
}

describe("a batch's id", () => {
  const text = "fp_id,data.a\nfp_1,1\nfp_2,2\n";

  it("is that of the content, not of its form or name", async () => {
    const id = await idOf(text);
    expect(id).toMatch(/^onb_[0-9a-f]{24}$/);
    expect(await idOf(text.replaceAll("\n", "\r\n"), "other.csv")).toBe(id);
    expect(await idOf("data.a,fp_id\n1,fp_1\n2,fp_2\n")).toBe(id);
  });

  it("is another where a row repeats another line", async () => {
    expect(await idOf("fp_id\nfp_1\nfp_2\nfp_1\n")).not.toBe(await idOf("fp_id\nfp_1\nfp_2\nfp_2\n"));
  });

  it("is the same for ever, with wrong rows or without", async () => {
    const of = { playbook: "pb_1:v3", mode: "async", service: "s1" } as never;
    const right = "fp_id,external_id,data.tier\nfp_1,,gold\n,c-2,\n";
    expect(await idOf(right, undefined, of)).toBe("onb_2809984a1085e927b371e509");
    expect(await idOf(`${right}fp/3,,\n,,x\n`, undefined, of)).toBe("onb_ab4b3d927f810a76b4d17526");
  });
});
