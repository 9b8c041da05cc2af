// What the steps of a directory did, by vitest's reports: a line each with the tests that failed below it, and the sum as
// the last line.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { relative } from "node:path";

const MOST_SHOWN = 20;
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
  const failures = tests?.failures ?? [];
  for (const failure of failures.slice(0, MOST_SHOWN)) process.stdout.write(`  ${failure}\n`);
  if (failures.length > MOST_SHOWN) process.stdout.write(`  and ${failures.length - MOST_SHOWN} more\n`);
  if (failed > failures.length) {
    process.stdout.write(`  ended with exit code ${code}: the reason is in the output of this step, above\n`);
  }
}
process.stdout.write(`${sum.passed} passed, ${sum.failed} failed\n`);
process.exitCode = sum.failed === 0 ? 0 : 1;

/** A file that fails outside its tests has no failed test. */
function counted({ numPassedTests, numFailedTests, numPendingTests, testResults }) {
  const tests = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === "failed")
      .map(({ fullName, failureMessages }) => line(name, fullName, failureMessages[0])),
  );
  const files = testResults
    .filter(
      ({ status, assertionResults }) =>
        status === "failed" && !assertionResults.some((test) => test.status === "failed"),
    )
    .map(({ name, message }) => line(name, "outside its tests", message));
  return {
    passed: numPassedTests,
    failed: numFailedTests + files.length,
    skipped: numPendingTests,
    failures: [...tests, ...files],
  };
}

function line(path, test, message = "") {
  return `${relative(process.cwd(), path)}: ${test}: ${message.split("\n")[0]}`;
}
