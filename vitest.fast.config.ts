import { SLOW_FILES, SMOKE_FILES } from "./test/helpers/fast-files.js";
import { integration, replay, suite, UNIT_FILES, unit } from "./vitest.config.js";

// npm test
const { include, exclude } = UNIT_FILES;
export default suite(
  [
    unit({ include, exclude: [...exclude, ...SLOW_FILES] }, { TEST_FILES_ARE_FAST: "1" }),
    replay(),
    integration({ include: SMOKE_FILES }),
  ],
  3,
);
