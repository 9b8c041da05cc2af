import { join } from "node:path";
import { describe } from "vitest";
import { createLocalStore } from "../../../src/lake/store/local/local-store.js";
import { conformance } from "../../helpers/store/conformance.js";

describe("a directory", () => {
  conformance(async (directory) => {
    const place = join(directory, "lake");
    return { store: createLocalStore(place), other: createLocalStore(place), release: async () => undefined };
  });
});
