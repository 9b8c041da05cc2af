import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openLake } from "../../../../src/lake/lake.js";
import { bringUpLinks } from "../../../../src/lake/lineage/bring-up-links.js";
import { transactionChanges, transactions } from "../../../../src/lake/tables/transactions.js";
import { linkRows } from "./link-rows.js";

/** The rows of `transaction_links` that a rebuild from the whole feed has too, or lacks, in words. */
export async function auditLinks(directory: string): Promise<string[]> {
  const copy = await mkdtemp(join(tmpdir(), "nightledger-links-"));
  for (const { name } of [transactionChanges, transactions]) {
    await symlink(join(directory, name), join(copy, name));
  }
  const [lake, rebuilt] = [openLake({ directory }), openLake({ directory: copy })];
  try {
    await bringUpLinks(rebuilt, { prefix: "audit" });
    const expected = new Set(await linkRows({ directory: copy, lake: rebuilt }));
    const rows = await linkRows({ directory, lake });
    const extra = rows.filter((row) => !expected.delete(row));
    return [
      ...pairedTwice(rows).map((posted) => `transaction_links: two rows became ${posted}`),
      ...extra.map((row) => `transaction_links: the feed does not say ${row}`),
      ...[...expected].map((row) => `transaction_links: ${row} is missing`),
    ];
  } finally {
    await lake.close();
    await rebuilt.close();
    await rm(copy, { recursive: true, force: true });
  }
}

/** Posted transactions that two rows of an account name. */
function pairedTwice(rows: readonly string[]): string[] {
  const seen = new Set<string>();
  return rows.flatMap((text) => {
    const { link_id, account_id, posted_transaction_id } = JSON.parse(text) as Record<string, string | null>;
    if (posted_transaction_id == null) return [];
    const posted = JSON.stringify([link_id, account_id, posted_transaction_id]);
    const isSecond = seen.has(posted);
    seen.add(posted);
    return isSecond ? [posted] : [];
  });
}
