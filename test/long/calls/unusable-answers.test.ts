import { beforeEach, describe, it } from "vitest";
import { openCallBench } from "../../helpers/calls/call-bench.js";
import { expectSettled, NOT_JSON } from "../../helpers/calls/unusable-answers.js";
import { declarePlaybooks, WRITES } from "../../helpers/calls/writes.js";
import { eachTest } from "../../helpers/each-test.js";

const bench = eachTest(openCallBench);
beforeEach(async () => {
  declarePlaybooks(bench.sandbox);
});

describe.each(WRITES)("$what whose answer is not JSON takes effect once", (write) => {
  it.each(NOT_JSON)("%s", (_, fault) => expectSettled(bench, write, fault));
});
