import { createCipReport } from "../../api/operations/cip-report.js";
import { createClientToken } from "../../api/operations/client-token.js";
import { getUser } from "../../api/operations/user.js";
import { decryptVault } from "../../api/operations/vault-decryption.js";
import { updateVault } from "../../api/operations/vault-update.js";
import { uploadToVault } from "../../api/operations/vault-upload.js";
import { isByteSource } from "../../api/schemas/byte-source.js";
import { callPart, shapedCallPart } from "./call-part.js";

/** The operations of docs/service.md, "Users and vault", as activities. */
export const userCalls = {
  /** Proves that a token can be made; the token itself is forgotten. Client operations make their own. */
  createClientToken: shapedCallPart({
    operation: createClientToken,
    send: async ({ deps }, params, options) => {
      const { expires_at, fields } = await deps.api.read(createClientToken, params, options);
      return { expires_at, fields };
    },
    facts: ({ expires_at, fields }) => ({ expires_at, fields: fields?.length ?? null }),
  }),
  decryptVault: callPart({
    operation: decryptVault,
    facts: (values) => ({ values: Object.keys(values).length }),
  }),
  updateVault: callPart({
    operation: updateVault,
    facts: (_, { body }) => ({ values: Object.keys(body ?? {}).length }),
  }),
  uploadToVault: callPart({
    operation: uploadToVault,
    facts: (_, { body }) => ({ bytes: isByteSource(body) ? (body.size ?? null) : Buffer.byteLength(body) }),
  }),
  createCipReport: callPart({
    operation: createCipReport,
    settle: () => ({ rule: "again" }),
    facts: ({ result, watchlist }) => ({ result, watchlist_result: watchlist.result }),
  }),
  getUser: callPart({ operation: getUser, facts: (user) => ({ fields: Object.keys(user).length }) }),
};
