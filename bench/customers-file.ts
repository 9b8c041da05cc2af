import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** Writes a customers file of so many users, as the stand-in's volume population names them. */
export async function writeCustomers(path: string, customers: number): Promise<void> {
  await pipeline(Readable.from(lines(customers)), createWriteStream(path));
}

function* lines(customers: number): Generator<string> {
  yield "fp_id,data.source,data.score\n";
  for (let number = 1; number <= customers; number += 1) {
    yield `fp_id_${String(number).padStart(6, "0")},import-${number % 7},${number % 900}\n`;
  }
}
