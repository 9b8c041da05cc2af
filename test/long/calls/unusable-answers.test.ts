import { afterEach, beforeEach, describe, it } from "vitest";
import { type CallBench, openCallBench } from "../../helpers/calls/call-bench.js";
import { expectSettled, NOT_JSON } from "../../helpers/calls/unusable-answers.js";
import { declarePlaybooks, WRITES } from "../../helpers/calls/writes.js";

let bench: CallBench;
beforeEach(async () => {
  bench = await openCallBench();
  declarePlaybooks(bench.sandbox);
});
afterEach(() => bench.close());

describe.each(WRITES)("$what whose answer is not JSON takes effect once", (write) => {
  it.each(NOT_JSON)("%s", (_, fault) => expectSettled(bench, write, fault));
});
