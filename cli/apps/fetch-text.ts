import { createHash } from "node:crypto";
import { lookup } from "node:dns/promises";
import type { IncomingMessage } from "node:http";
import * as https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { certificateFault } from "../../shared/api/certificate-fault.ts";
import { decodeText } from "../../shared/app-config/decode-text.ts";
import type { FetchText } from "../../shared/app-config/fetched-text.ts";
import type { FileFault } from "../../shared/app-config/file-fault.ts";
import { textLimits } from "../../shared/app-config/members/kinds.ts";
import { findAddressBlock, findHostBlock } from "../../shared/network/find-block.ts";
import { version } from "../../shared/version.ts";
import { checkTextUrl } from "./check-text-url.ts";

type Parts = {
  /** Addresses of private networks and of this host are allowed; those of cloud metadata never are. */
  readonly isPrivateAllowed: boolean;
  /** All addresses of a name. */
  readonly resolve?: (hostname: string) => Promise<readonly string[]>;
  /** For a text with all redirects. */
  readonly timeoutMs?: number;
};
type Fetching = Required<Parts> & { readonly signal: AbortSignal };

const mostRedirects = 3;
const usualMs = 10_000;
const mostWords = `${textLimits.long / 2 ** 20} MiB`;

/** Why a text cannot be had, in words that follow its URL. */
class FetchError extends Error {}

/**
 * Makes what fetches texts of configs, from public servers by HTTPS: without cookies, credentials or proxies of the environment.
 * Each redirect is checked as the URL itself. The addresses that are checked are those that the socket connects to.
 */
export function makeFetchText({
  isPrivateAllowed,
  resolve = resolveName,
  timeoutMs = usualMs,
}: Parts): FetchText {
  return async (url) => {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const bytes = await fetchBytes(url, { isPrivateAllowed, resolve, timeoutMs, signal });
      const text = decodeText(bytes);
      if (typeof text !== "string") return text;
      return { text, sha256: createHash("sha256").update(bytes).digest("hex") };
    } catch (error) {
      const late = `it did not come within ${timeoutMs / 1000} s`;
      return refusal(signal.aborted ? late : wordsOf(error));
    }
  };
}

const resolveName = async (hostname: string): Promise<readonly string[]> =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);

const refusal = (why: string): FileFault => ({
  code: "remote_contents",
  detail: `cannot be fetched: ${why}`,
});

function wordsOf(error: unknown): string {
  if (error instanceof FetchError) return error.message;
  const { code } = error as { readonly code?: unknown };
  return `its server cannot be reached (${typeof code === "string" ? code : "no connection"})`;
}

async function fetchBytes(given: string, fetching: Fetching): Promise<Buffer> {
  let text = given;
  for (let redirects = 0; redirects <= mostRedirects; redirects++) {
    const where = redirects === 0 ? "it" : `redirect ${redirects}`;
    const url = checkTextUrl(text);
    if (typeof url === "string") throw new FetchError(`${where} ${url}`);
    const answer = await ask(url, fetching);
    const { statusCode = 0, headers } = answer;
    if (![301, 302, 303, 307, 308].includes(statusCode)) return await bytesOf(answer);
    answer.destroy();
    if (headers.location === undefined || !URL.canParse(headers.location, url.href))
      throw new FetchError(`it is answered with ${statusCode} without a place`);
    text = new URL(headers.location, url).href;
  }
  throw new FetchError(`it is redirected more than ${mostRedirects} times`);
}

/** Asks one server, and nobody whom it names. */
async function ask(url: URL, fetching: Fetching): Promise<IncomingMessage> {
  const { hostname } = url;
  const block = findHostBlock(hostname, modeOf(fetching));
  if (block !== undefined) throw new FetchError(blockedWords(hostname, block, fetching));
  return await new Promise((resolve, reject) => {
    const request = https.request(url, {
      agent: new https.Agent({ keepAlive: false, maxCachedSessions: 0 }),
      lookup: vettedLookup(fetching),
      signal: fetching.signal,
      rejectUnauthorized: true,
      headers: { accept: "*/*", "accept-encoding": "identity", "user-agent": `svc/${version}` },
    });
    request.on("response", resolve);
    request.on("error", (error) => {
      const fault = certificateFault(error, url.host, "svc");
      reject(fault === undefined ? error : new FetchError(fault.words));
    });
    request.end();
  });
}

const modeOf = ({ isPrivateAllowed }: Fetching) => (isPrivateAllowed ? "internal" : "strict");

/** One address that is not allowed refuses the name. */
function vettedLookup(fetching: Fetching): LookupFunction {
  return (hostname, { all }, callback) => {
    const answer = async (): Promise<void> => {
      const found = await vetted(hostname, fetching).catch((error: Error) => error);
      if (found instanceof Error) return callback(found, []);
      const addresses = found.map((address) => ({ address, family: isIP(address) }));
      const [first] = addresses;
      return all === true || first === undefined
        ? callback(null, addresses)
        : callback(null, first.address, first.family);
    };
    void answer();
  };
}

async function vetted(hostname: string, fetching: Fetching): Promise<readonly string[]> {
  const addresses = await fetching.resolve(hostname).catch(() => []);
  if (addresses.length === 0) throw new FetchError(`${hostname} does not resolve`);
  for (const address of addresses) {
    const block = findAddressBlock(address, modeOf(fetching));
    if (block !== undefined) throw new FetchError(blockedWords(hostname, block, fetching));
  }
  return addresses;
}

function blockedWords(hostname: string, block: string, { isPrivateAllowed }: Fetching): string {
  const advice = isPrivateAllowed ? "" : "; --fetch-private allows private networks";
  return `${hostname} is at an address that is not public (${block})${advice}`;
}

async function bytesOf(answer: IncomingMessage): Promise<Buffer> {
  const { statusCode, headers } = answer;
  const why = whyNoText(statusCode, headers["content-encoding"]);
  if (why !== undefined) {
    answer.destroy();
    throw new FetchError(why);
  }
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of answer as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > textLimits.long) throw new FetchError(`it has more than ${mostWords}`);
    pieces.push(piece);
  }
  if (!answer.complete) throw new FetchError("its server broke off");
  return Buffer.concat(pieces);
}

function whyNoText(status: number | undefined, encoding: string | undefined): string | undefined {
  if (status !== 200) return `its server answers ${status ?? "nothing"}`;
  const isPlain = encoding === undefined || encoding === "identity";
  return isPlain ? undefined : "its server sends it compressed, which was not asked for";
}
