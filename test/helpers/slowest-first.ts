import { readFileSync } from "node:fs";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const TIMES = new URL("../times.json", import.meta.url);

/** Starts the slowest files first, on a fresh clone too, so that none is left to run alone at the end. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const seconds = JSON.parse(readFileSync(TIMES, "utf8")) as Readonly<Record<string, number>>;
    const of = ({ moduleId }: TestSpecification) =>
      seconds[moduleId.slice(moduleId.lastIndexOf("/test/") + 1)] ?? 0;
    return [...files].sort((a, b) => of(b) - of(a));
  }
}
