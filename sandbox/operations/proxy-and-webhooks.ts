import { notFound, okJson } from "../http/answer.js";
import type { Operation } from "../http/router.js";
import { forward } from "../proxy/forward.js";
import { Fields } from "../vault/fields.js";
import { checkPayload, contractEvent } from "../webhooks/event.js";

export const PROXY_AND_WEBHOOK_OPERATIONS: readonly Operation[] = [
  // docs/reference/service.md, "Vault proxy": a body of any type.
  {
    name: "call_vault_proxy",
    method: "POST",
    path: "/vault_proxy/{id}",
    body: "whole",
    async handle({ params, headers, body, state }) {
      const proxy = state.proxies.find(params.id ?? "") ?? notFound("no such proxy configuration");
      return forward(state, proxy, headers, await body.read());
    },
  },
  // docs/reference/service.md, "Test webhook". `idempotency_key` is there to test idempotency: the same key sends the
  // webhook again under the same `webhook-id`, so that the receiver has to see that it had it.
  {
    name: "send_test_webhook",
    method: "POST",
    path: "/webhooks/test",
    body: "whole",
    handle(call) {
      const body = new Fields(call.body.json(), ["idempotency_key", "payload"]);
      const key = body.text("idempotency_key");
      const given = body.object("payload") ?? body.refuse("payload", "missing");
      const payload = call.state.service.behaves.has("other-prefix") ? contractEvent(given) : given;
      checkPayload(payload);
      call.state.webhooks.emit(payload, key === undefined ? undefined : `test/${key}`);
      return okJson({});
    },
  },
];
