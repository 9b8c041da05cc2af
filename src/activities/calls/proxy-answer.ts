import { PassThrough } from "node:stream";
import type { CallOptions } from "../../api/http/client.js";
import type { ParamsOf } from "../../api/operations/operation.js";
import { callVaultProxy } from "../../api/operations/vault-proxy.js";
import type { ProxyAnswer, SealedRequest } from "../../lake/calls/staged-call.js";
import { putStream } from "../../lake/store/sealed-store.js";
import type { Dependencies } from "../dependencies.js";

interface ProxyPlace {
  readonly deps: Dependencies;
  readonly prefix: string;
  readonly request: SealedRequest;
}

type ProxyParams = ParamsOf<typeof callVaultProxy>;

/** Calls a proxy and keeps all bytes of its answer as a sealed stream. */
export async function streamProxyAnswer(
  { deps, prefix, request }: ProxyPlace,
  params: ProxyParams,
  options: CallOptions,
): Promise<ProxyAnswer> {
  const body = `${prefix}body`;
  const through = new PassThrough();
  const stored = putStream(deps.sealed, body, through).catch((error) => {
    through.destroy(error);
    throw error;
  });
  // A failure of either ends the other; the call's own error wins.
  stored.catch(() => undefined);
  const accepted = { ...options, ...(request.anyStatus && { accepts: () => true }) };
  const { status, headers } = await deps.api.download(callVaultProxy, params, through, accepted);
  return { status, headers, body, ...(await stored) };
}
