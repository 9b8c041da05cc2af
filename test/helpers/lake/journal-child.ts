import { writeSync } from "node:fs";
import { createLocalStore } from "../../../src/lake/store/local/local-store.js";
import { Journal } from "../../../src/lake/sync/journal/journal.js";

// A process that appends pages to one journal of run `run` until it is killed, or the disk takes no more: then it says
// so and appends a small one. Its arguments: the lake, the bytes of a page. It prints each place as JSON, one a line, and
// waits while nobody reads: a line that waited in the process would go with it.
const [lake = "", bytes = ""] = process.argv.slice(2);
const journal = new Journal(createLocalStore(lake), "run", "0");
try {
  for (let page = 0; ; page += 1) {
    const name = { stream: "transactions", owner: "a", attempt: 0, page, after: "" };
    const place = await journal.add({ kind: "page", page: name }, Buffer.alloc(Number(bytes), page));
    writeSync(1, `${JSON.stringify(place)}\n`);
  }
} catch (error) {
  const { name, message } = error as Error;
  writeSync(1, `${JSON.stringify({ name, message })}\n`);
  const again = await journal.addValue("link", "small").catch((thrown: Error) => thrown);
  writeSync(1, `${JSON.stringify(again instanceof Error ? { refused: again.name } : again)}\n`);
}
