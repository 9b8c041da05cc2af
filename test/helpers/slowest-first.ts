import { BaseSequencer, type TestSpecification } from "vitest/node";
import { TIMES } from "./fast-files.js";

/** Starts the slowest files first, on a fresh clone too, so that none is left to run alone at the end. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const seconds = ({ moduleId }: TestSpecification) =>
      TIMES[moduleId.slice(moduleId.lastIndexOf("/test/") + 1)] ?? 0;
    return [...files].sort((a, b) => seconds(b) - seconds(a));
  }
}
