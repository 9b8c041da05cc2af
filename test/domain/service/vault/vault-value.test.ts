import fc from "fast-check";
import { expect, test } from "vitest";
import { checkRequest } from "../../../../src/api/http/request.js";
import { uploadToVault } from "../../../../src/api/operations/vault.js";
import { uploadProblem } from "../../../../src/domain/service/vault/vault-value.js";

test.each(["custom.a/b", "custom.a\\b", "custom./"])(
  "%s takes no upload: it would be two segments",
  (name) => {
    expect(uploadProblem(name, "card.png")?.code).toBe("slash");
  },
);

test("what may be uploaded can be sent", () => {
  const names = fc.string({ unit: fc.constantFrom("a", ".", "/", "\\", "%", " ", "\n", "\ud800") });
  fc.assert(
    fc.property(names, (name) => {
      const identifier = `custom.${name}`;
      if (uploadProblem(identifier, "card.png") !== undefined) return;
      checkRequest(uploadToVault, { path: { identifier }, body: "x" });
    }),
  );
});
