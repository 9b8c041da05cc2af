import { Refusal } from "../http/answer.js";
import type { Operation } from "../http/router.js";
import { forward } from "../proxy/forward.js";

/** POST /vault_proxy/{id} (docs/reference/service.md, "Vault proxy"): a body of any type. */
export const callVaultProxy: Operation = {
  name: "call_vault_proxy",
  method: "POST",
  path: "/vault_proxy/{id}",
  body: "whole",
  async handle({ params, headers, body, state }) {
    const proxy = state.proxies.find(params.id ?? "");
    if (!proxy) throw new Refusal(404, "not_found", "no such proxy configuration");
    return forward(state, proxy, headers, await body.read());
  },
};
