import { InputError } from "../../src/domain/failures.js";
import { loopbackUrl } from "../http/loopback.js";
import { parseIngressRule } from "./ingress-rule.js";

/** A proxy configuration, as it is made in the dashboard. */
export interface NewProxy {
  id: string;
  /** `http(s)://127.0.0.1:<port>/…`; the stand-in reaches no other machine. */
  target: string;
  /** Headers sent with every request. */
  headers?: Readonly<Record<string, string>>;
  /** `<data identifier>=<JSON path>` for the vault of `x-fp-id`, or `<fp_id>.<data identifier>=<JSON path>`. */
  ingress?: readonly string[];
  /** Milliseconds for the target's answer; default 30 s. */
  timeoutMs?: number;
}

export interface ProxyConfiguration extends Required<Omit<NewProxy, "target">> {
  readonly target: URL;
}

/** A request that was forwarded: what it was, never what was in it. */
interface ForwardedRequest {
  readonly proxy: string;
  readonly method: string;
  readonly path: string;
  readonly fp_id: string | undefined;
  readonly placeholders: readonly string[];
  readonly forwarded_headers: readonly string[];
  readonly stored: readonly string[];
  /** The target's, or the code of what went wrong. */
  readonly result: number | string;
}

/** The proxy configurations, and what went through them. */
export class ProxyStore {
  readonly #proxies = new Map<string, ProxyConfiguration>();
  readonly #forwarded: ForwardedRequest[] = [];

  constructor(proxies: readonly NewProxy[] = []) {
    for (const proxy of proxies) this.configure(proxy);
  }

  /** Adds a configuration, or puts it in the place of the one with its id. @throws InputError */
  configure(proxy: NewProxy): void {
    const target = loopbackUrl(proxy.target, `proxy ${proxy.id}`);
    for (const rule of proxy.ingress ?? []) {
      if (!parseIngressRule(rule, "fp_id_any")) {
        throw new InputError(`proxy ${proxy.id}: an ingress rule of the wrong form; nothing was configured`);
      }
    }
    this.#proxies.set(proxy.id, { headers: {}, ingress: [], timeoutMs: 30_000, ...proxy, target });
  }

  find(id: string): ProxyConfiguration | undefined {
    return this.#proxies.get(id);
  }

  note(request: ForwardedRequest): void {
    this.#forwarded.push(request);
  }

  /** What went through, the first one first. */
  forwarded(proxy?: string): ForwardedRequest[] {
    return this.#forwarded.filter((one) => proxy === undefined || one.proxy === proxy);
  }
}
