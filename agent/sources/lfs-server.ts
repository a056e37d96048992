import { z } from "zod";
import { type AddressRules, addressRules } from "../registry/address-rules.ts";
import { checkedBytes } from "../registry/checked-bytes.ts";
import type { AddressGuard, RegistryAnswer } from "../registry/exchange.ts";
import { readBounded } from "../registry/read-bounded.ts";
import { type RegistryClass, RegistryFault } from "../registry/registry-fault.ts";
import { resumedBytes } from "../registry/resumed-bytes.ts";
import { nextAfter, sendWithRetries } from "../registry/send-with-retries.ts";
import type { LfsPointer } from "./lfs-pointers.ts";
import type { LfsRequest } from "./lfs-request.ts";

/** A file and its contents, which are checked: whoever has their end has the file. */
export type LfsContents = {
  readonly pointer: LfsPointer;
  readonly contents: AsyncIterable<Uint8Array>;
};

type Asked = Pick<LfsRequest, "url" | "logins"> & { readonly isProxied: boolean };
type Wanted = Pick<LfsPointer, "oid" | "size">;

const mostAtOnce = 100;
const mostAnswerBytes = 4 * 2 ** 20;
const mediaType = "application/vnd.git-lfs+json";

const batchAnswer = z.looseObject({
  objects: z.array(
    z.looseObject({
      oid: z.string(),
      actions: z
        .looseObject({
          download: z
            .looseObject({
              href: z.string(),
              header: z.record(z.string(), z.string()).nullish(),
            })
            .nullish(),
        })
        .nullish(),
      error: z.looseObject({ code: z.int(), message: z.string() }).nullish(),
    }),
  ),
});

/**
 * Asks the server of a repository for files by the batch API of Git LFS, so many at once as are read before the addresses that it
 * gives are good no more. A login goes to its own server alone; who is at a public address leads to no private one. Reading throws
 * RegistryFault.
 */
export async function* readLfsContents(
  asked: Asked,
  wanted: readonly LfsPointer[],
): AsyncGenerator<LfsContents> {
  for (let at = 0; at < wanted.length; at += mostAtOnce) {
    const some = wanted.slice(at, at + mostAtOnce);
    const found = await locate(asked, some);
    for (const pointer of some)
      yield { pointer, contents: contentsOf(asked, pointer, found.get(pointer.oid)) };
  }
}

/** Where the contents of one file are: the way is led by the server. */
type Located = {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly guard: AddressGuard | undefined;
  readonly guardAfter: AddressRules["after"];
};
type Found = ReadonlyMap<string, Located | RegistryFault>;

async function locate(asked: Asked, wanted: readonly Wanted[]): Promise<Found> {
  const server = serverOf(asked.url);
  const rules = addressRules(asked.isProxied);
  const sizes = new Map(wanted.map(({ oid, size }) => [oid, size]));
  const objects = [...sizes].map(([oid, size]) => ({ oid, size }));
  const body = { operation: "download", transfers: ["basic"], objects, hash_algo: "sha256" };
  const answer = await sendWithRetries({
    method: "POST",
    url: `${server.href}/objects/batch`,
    headers: { accept: mediaType, "content-type": mediaType, ...loginFor(asked, server) },
    body: Buffer.from(JSON.stringify(body)),
    guard: rules.always,
  });
  const text = await readBounded(answer.body, mostAnswerBytes);
  if (answer.status !== 200) throw refusalOf(answer.status);
  const { data } = batchAnswer.safeParse(jsonOf(text));
  if (data === undefined)
    throw new RegistryFault("refused", "the server's answer is none of Git LFS");
  const found = new Map<string, Located | RegistryFault>();
  for (const { oid, actions, error } of data.objects) {
    const action = actions?.download;
    if (error != null) found.set(oid, refusalOf(error.code));
    else if (action != null) {
      const url = nextAfter(server, action.href);
      const headers = { ...loginFor(asked, url), ...inLowerCase(action.header ?? {}) };
      const guard = url.origin === server.origin ? rules.always : rules.after(answer.address);
      found.set(oid, { url, headers, guard, guardAfter: rules.after });
    }
  }
  return found;
}

const inLowerCase = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, of]) => [name.toLowerCase(), of]));

/** What a store answers, too, when an address is good no more. */
const perhapsOver: ReadonlySet<number> = new Set([400, 401, 403, 410]);

async function* contentsOf(
  asked: Asked,
  { oid, size }: Wanted,
  first: Located | RegistryFault | undefined,
): AsyncGenerator<Uint8Array> {
  let at = locatedOr(first);
  const read = checkedBytes({ digest: `sha256:${oid}`, size }, (from) =>
    resumedBytes(size, from, async (range) => {
      const answer = await get(at, range);
      if (!perhapsOver.has(answer.status)) return expectBytes(answer);
      answer.body.destroy();
      at = locatedOr((await locate(asked, [{ oid, size }])).get(oid));
      return expectBytes(await get(at, range));
    }),
  );
  yield* read(0);
}

function locatedOr(found: Located | RegistryFault | undefined): Located {
  if (found instanceof RegistryFault) throw found;
  if (found === undefined) throw new RegistryFault("not_found", "it is not at the server");
  return found;
}

const get = async ({ url, headers, ...guards }: Located, range: Located["headers"]) =>
  await sendWithRetries({
    method: "GET",
    url: url.href,
    headers: { ...headers, ...range },
    ...guards,
  });

function expectBytes(answer: RegistryAnswer): RegistryAnswer {
  if (answer.status === 200 || answer.status === 206) return answer;
  answer.body.destroy();
  throw refusalOf(answer.status);
}

/** Where the server of a repository has its files; by ssh and without TLS it is not asked. */
function serverOf(url: string): URL {
  const whole = URL.canParse(url) && /^https?:/.test(url) ? new URL(url) : undefined;
  if (whole === undefined)
    throw new RegistryFault("refused", "files of Git LFS are fetched by HTTPS only");
  const path = whole.pathname.replace(/\/+$/, "");
  whole.pathname = `${path.endsWith(".git") ? path : `${path}.git`}/info/lfs`;
  return whole;
}

function loginFor({ logins }: Asked, { origin }: URL): Record<string, string> {
  const login = logins.find((one) => one.origin === origin);
  if (login === undefined) return {};
  const words = Buffer.from(`${login.username}:${login.password}`).toString("base64");
  return { authorization: `Basic ${words}` };
}

const refusals: Readonly<Record<number, readonly [RegistryClass, string]>> = {
  401: ["auth", "the server asks who is there"],
  403: ["auth", "the server lets nobody in with this login"],
  404: ["not_found", "the server has it not, or has no Git LFS"],
  410: ["not_found", "the server has it no more"],
  429: ["rate_limited", "the server takes no more requests for now"],
};

const refusalOf = (status: number): RegistryFault =>
  new RegistryFault(...(refusals[status] ?? ["refused", `the server answered ${status}`]));

function jsonOf(text: Buffer | undefined): unknown {
  try {
    return JSON.parse(text?.toString("utf8") ?? "");
  } catch {
    return undefined;
  }
}
