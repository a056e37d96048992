import { pause } from "../client/pause.ts";
import {
  type AddressGuard,
  type Body,
  exchange,
  type IsProxiedTo,
  LostConnection,
  type RegistryAnswer,
} from "./exchange.ts";
import { RegistryFault } from "./registry-fault.ts";

const attempts = 4;
const mostRedirects = 5;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** A registry that wants more patience is told of as it is. */
export const mostAskedMs = 60_000;

/**
 * The timeouts of an answer: `silentMs` for each silence, `altogetherMs` until it ends, so that a slow body is cut off.
 */
export type Patience = { readonly silentMs: number; readonly altogetherMs: number };
const usual: Patience = { silentMs: 60_000, altogetherMs: 60 * 60_000 };

export type Sent = {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Body | undefined;
  readonly patience?: Patience | undefined;
  readonly guard?: AddressGuard | undefined;
  /** The guard for what a host at this address leads on to. */
  readonly guardAfter?: ((address: string) => AddressGuard | undefined) | undefined;
  readonly isProxiedTo?: IsProxiedTo | undefined;
};

/**
 * Sends a request, and again after temporary failures. It follows redirects, but not from TLS to plain HTTP, and sends
 * credentials only to the first origin. Throws RegistryFault. A streamed body is sent once: LostConnection says that the
 * connection broke, and an answer of any status is returned.
 */
export async function sendWithRetries(sent: Sent): Promise<RegistryAnswer> {
  const isOnce = sent.body !== undefined && !(sent.body instanceof Uint8Array);
  if (isOnce) return await follow(sent);
  for (let attempt = 1; ; attempt += 1) {
    const answer = await follow(sent).catch((error: unknown) => {
      if (error instanceof LostConnection) return error;
      throw error;
    });
    const isLast = attempt === attempts;
    if (answer instanceof LostConnection) {
      if (isLast)
        throw new RegistryFault("network", `the registry cannot be reached: ${answer.message}`);
    } else if (isLast || (answer.status !== 429 && answer.status < 500)) return answer;
    const asked = answer instanceof LostConnection ? undefined : askedPauseMs(answer);
    if (asked !== undefined && asked > mostAskedMs) return answer as RegistryAnswer; // it asked
    if (!(answer instanceof LostConnection)) answer.body.destroy();
    await pause(Math.max(asked ?? 0, 200 * 4 ** (attempt - 1) * (0.5 + Math.random())));
  }
}

/** How long a registry wants to be left alone: seconds or an instant; undefined when it does not say. */
export function askedPauseMs({ headers }: RegistryAnswer): number | undefined {
  const said = headers["retry-after"] ?? "";
  if (/^\d{1,9}$/.test(said)) return Number(said) * 1000;
  const atMs = Date.parse(said);
  return Number.isNaN(atMs) ? undefined : atMs - Date.now();
}

async function follow(sent: Sent): Promise<RegistryAnswer> {
  const { patience = usual, guardAfter, method, body } = sent;
  let url = new URL(sent.url);
  let { headers } = sent;
  let { guard } = sent;
  const signal = AbortSignal.timeout(patience.altogetherMs);
  const { silentMs } = patience;
  for (let step = 0; step <= mostRedirects; step += 1) {
    const isProxied = sent.isProxiedTo?.(url) === true;
    const asked = { method, url, headers, body, silentMs, signal, guard, isProxied };
    const answer = await exchange(asked);
    const { location } = answer.headers;
    if (!redirects.has(answer.status) || location === undefined) return answer;
    answer.body.destroy();
    if (method !== "GET" && method !== "HEAD") {
      throw new RegistryFault(
        "network",
        `the registry redirects a ${method}, which is not followed`,
      );
    }
    const next = nextAfter(url, location);
    if (next.origin !== url.origin) headers = withoutLogin(headers);
    guard = guardAfter?.(answer.address) ?? guard;
    url = next;
  }
  throw new RegistryFault("network", "the registry redirects too many times");
}

/** The address that an answer from `url` leads to. Throws RegistryFault for one that must not be followed. */
export function nextAfter(url: URL, location: string): URL {
  const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
  const isSafe = next?.protocol === "https:" || next?.protocol === url.protocol;
  if (next === undefined || !isSafe || !/^https?:$/.test(next.protocol)) {
    throw new RegistryFault("network", "the registry redirects to an address without TLS");
  }
  return next;
}

const withoutLogin = (headers: Sent["headers"]): Sent["headers"] =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => name.toLowerCase() !== "authorization"),
  );
