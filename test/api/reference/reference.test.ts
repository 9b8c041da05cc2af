import { expect, it } from "vitest";
import { OPERATIONS } from "../../../src/api/operations/index.js";
import { AUTH, operationFacts, operationText } from "../../../src/api/reference/reference.js";

const HEAD = `# Operations

Generated from the registry in \`src/api/operations/\`; a test fails when it is stale. \`npx vitest run test/api/reference/reference.test.ts -u\` rewrites it.

Every operation of the service, as the client knows it. The client checks a request before it sends anything, and refuses one that breaks a rule with the field, the rule and the accepted form. Answers may hold fields that are not named here; a named field of another type is a \`SchemaError\`, which is not retried. The service's document does not show error bodies, so they are never used: only the status decides (\`errors.md\`). Redirects are never followed.

*Idempotent* means that sending a request twice does no harm. *Lost answer* says how to resolve a request that may have been carried out although no usable answer came. Jobs do this when they repeat a call; the client itself never sends anything twice. If they look for an effect and don't find it, they send the request again no sooner than ten seconds after the lost one, and \`synchronous_timeout_secs\` later where that was given. A request that was refused (a 4xx but 408), or never left, is not lost.

An answer that is not JSON (a proxy's page, an empty body, truncated JSON), or has another 2xx status than 200 (202, 206), which only the vault proxy passes on, says nothing about what the service did. Where the answer is \`{}\`, anything else says nothing either, such as a list of errors. For a request that changes something it is a lost answer and is resolved as one: after at most five such answers, to the request or to the search for its effect, in about two minutes, the request fails with a \`LostAnswerError\`, which says where to look. A read is sent again as often. Any other JSON of the wrong shape is a \`SchemaError\`, and so is an answer with a key twice.

An answer may name what it is about. If it names something else than what was asked for, as when a cache mixes up answers, it is not used: that is an \`AnotherSubjectError\`, which is not retried. A field that the answer leaves out, and one for which the request gave nothing, is not compared.

Server operations send the secret key (HTTP Basic, no password); client operations send a client token in \`x-fp-authorization\` and never the key.
`;

function referencePage(): string {
  const parts = [...new Set(OPERATIONS.map(({ part }) => part))];
  const sections = parts.map((part) => {
    const operations = OPERATIONS.filter((operation) => operation.part === part);
    return `## ${part[0]?.toUpperCase()}${part.slice(1)}\n\n${operations.map(operationText).join("\n")}`;
  });
  return `${HEAD}\n${indexTable()}\n${sections.join("\n")}`;
}

function indexTable(): string {
  const lines = OPERATIONS.map(
    ({ name, method, path, auth, idempotent }) =>
      `| [\`${name}\`](#${name}) | \`${method} ${path}\` | ${AUTH[auth]} | ${idempotent ? "yes" : "no"} |`,
  );
  return `${["| operation | request | authentication | idempotent |", "| --- | --- | --- | --- |", ...lines].join("\n")}\n`;
}

it("docs/reference/api-operations.md says what the registry says", async () => {
  await expect(referencePage()).toMatchFileSnapshot("../../../docs/reference/api-operations.md");
});

it("every parameter says what is accepted, and has a name of its own within its operation", () => {
  for (const { operation, params } of operationFacts()) {
    expect(
      params.filter(({ rule }) => rule === ""),
      operation,
    ).toEqual([]);
    expect(new Set(params.map(({ name }) => name)).size, operation).toBe(params.length);
  }
});

it("every write says how a lost answer is resolved, and none that is not idempotent is sent again unseen", () => {
  for (const { name, idempotent, lostAnswer, method } of OPERATIONS) {
    expect(lostAnswer, name).toMatch(/\.$/);
    if (method === "GET") expect(idempotent, name).toBe(true);
    if (!idempotent)
      expect(lostAnswer, name).toMatch(
        /external_id|not sent again|Not sent again|Never sent again|changes nothing else/,
      );
  }
});
