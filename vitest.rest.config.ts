import { SLOW_FILES, SMOKE_FILES } from "./test/helpers/fast-files.js";
import { INTEGRATION_FILES, integration, real, suite, unit } from "./vitest.config.js";

// npm run test:rest: what `npm test` leaves out of the unit and integration tests.
export default suite([
  unit({ include: SLOW_FILES }),
  integration({ ...INTEGRATION_FILES, exclude: SMOKE_FILES }),
  real(),
]);
