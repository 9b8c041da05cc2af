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

/** Writes a customers file as wide as they get: ids, initial data and values of the vault. */
export async function writeWideCustomers(path: string, customers: number): Promise<void> {
  await pipeline(Readable.from(wideLines(customers)), createWriteStream(path));
}

function* wideLines(customers: number): Generator<string> {
  yield "kind,fp_id,data.source,data.score,vault.id.first_name,vault.id.last_name,vault.id.dob,vault.custom.note\n";
  for (let number = 1; number <= customers; number += 1) {
    const day = String(1 + (number % 28)).padStart(2, "0");
    yield `user,fp_id_${String(number).padStart(6, "0")},import-${number % 7},${number % 900},` +
      `Ada ${number},"O'Neil, ${number}",1980-05-${day},"said ""yes"", ${number}"\n`;
  }
}
