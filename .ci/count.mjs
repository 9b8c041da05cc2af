// What the steps of a directory did, by vitest's reports: a line each, and the sum as the last line.
import { existsSync, readdirSync, readFileSync } from "node:fs";

const directory = process.argv[2];
const sum = { passed: 0, failed: 0 };
process.stdout.write("\n");
for (const file of readdirSync(directory)
  .filter((name) => name.endsWith(".step"))
  .sort()) {
  const [name, seconds, code] = readFileSync(`${directory}/${file}`, "utf8").split("\n");
  const report = `${directory}/${file.replace(/step$/, "json")}`;
  const tests = existsSync(report) ? counted(JSON.parse(readFileSync(report, "utf8"))) : undefined;
  const { passed = 0, skipped = 0 } = tests ?? {};
  // A step may fail before its tests, by lint or types, or beside them: that is a failure of its own.
  const failed = Math.max(tests?.failed ?? 0, code === "0" ? 0 : 1);
  sum.passed += passed;
  sum.failed += failed;
  const time = `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const counts = tests && `${passed} passed, ${failed} failed, ${skipped} skipped, `;
  process.stdout.write(
    name.includes(": left out, ")
      ? `${name}\n`
      : `${name}: ${counts ?? (failed === 0 ? "" : "failed, ")}${time}\n`,
  );
}
process.stdout.write(`${sum.passed} passed, ${sum.failed} failed\n`);
process.exitCode = sum.failed === 0 ? 0 : 1;

/** A file that fails outside its tests has no failed test. */
function counted({ numPassedTests, numFailedTests, numPendingTests, testResults }) {
  const files = testResults.filter(
    ({ status, assertionResults }) =>
      status === "failed" && !assertionResults.some((test) => test.status === "failed"),
  );
  return { passed: numPassedTests, failed: numFailedTests + files.length, skipped: numPendingTests };
}
