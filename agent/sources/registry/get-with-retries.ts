import { pause } from "../../client/pause.ts";
import { SourceFault } from "../source-failure.ts";

const attempts = 4;
const mostRedirects = 5;
const silentAfterMs = 60_000;
const mostAltogetherMs = 60 * 60_000;

type Headers = Readonly<Record<string, string>>;
/**
 * The timeouts of an answer: `silentMs` until it begins, `altogetherMs` until it ends, so that a slow body is cut off.
 */
type Patience = { readonly silentMs: number; readonly altogetherMs: number };
const usual: Patience = { silentMs: silentAfterMs, altogetherMs: mostAltogetherMs };

/**
 * A GET that retries temporary failures a few times. It follows redirects, but not from TLS to plain HTTP, and sends
 * credentials only to the first origin. Throws SourceFault.
 */
export async function getWithRetries(
  url: string,
  headers: Headers,
  patience: Patience = usual,
): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await follow(url, headers, patience).catch((error: unknown) => error as Error);
    const isLast = attempt === attempts;
    if (response instanceof SourceFault) throw response;
    if (response instanceof Error) {
      if (isLast)
        throw new SourceFault("network", `the registry cannot be reached: ${causeOf(response)}`);
    } else if (isLast || (response.status !== 429 && response.status < 500)) return response;
    else await response.body?.cancel();
    await pause(200 * 4 ** (attempt - 1) * (0.5 + Math.random()));
  }
}

async function follow(from: string, headers: Headers, patience: Patience): Promise<Response> {
  let url = new URL(from);
  let told = headers;
  const over = AbortSignal.timeout(patience.altogetherMs);
  for (let step = 0; step <= mostRedirects; step += 1) {
    const response = await once(url, told, { over, silentMs: patience.silentMs });
    const location = response.headers.get("location");
    const isRedirect = [301, 302, 303, 307, 308].includes(response.status);
    if (!isRedirect || location === null) return response;
    await response.body?.cancel();
    const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
    const isSafe = next?.protocol === "https:" || next?.protocol === url.protocol;
    if (next === undefined || !isSafe || !/^https?:$/.test(next.protocol)) {
      throw new SourceFault("network", "the registry redirects to an address without TLS");
    }
    if (next.origin !== url.origin) {
      told = Object.fromEntries(
        Object.entries(told).filter(([name]) => name.toLowerCase() !== "authorization"),
      );
    }
    url = next;
  }
  throw new SourceFault("network", "the registry redirects too many times");
}

type Bounds = { readonly over: AbortSignal; readonly silentMs: number };

async function once(url: URL, headers: Headers, { over, silentMs }: Bounds): Promise<Response> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(new Error("it does not respond")), silentMs);
  const signal = AbortSignal.any([silence.signal, over]);
  try {
    return await fetch(url, { headers, signal, redirect: "manual" });
  } finally {
    clearTimeout(timer);
  }
}

/** Node's error code, which contains no address. */
function causeOf(error: Error): string {
  const { code } = (error.cause ?? {}) as NodeJS.ErrnoException;
  return code ?? error.message;
}
