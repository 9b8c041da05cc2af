import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that wait for processes to be killed, to end and to start again. */
const SLOW = ["kill", "shutdown", "disk-full", "command", "crash", "calls"];

/** Starts the slowest files first, on a fresh clone too, so that none is left to run alone at the end. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isSlow = ({ moduleId }: TestSpecification) =>
      moduleId.includes("/integration/") && SLOW.some((word) => moduleId.includes(word));
    const sorted = await super.sort(files);
    return [...sorted.filter(isSlow), ...sorted.filter((one) => !isSlow(one))];
  }
}
