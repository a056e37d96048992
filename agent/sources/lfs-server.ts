import { z } from "zod";
import { type AddressRules, addressRules } from "../registry/address-rules.ts";
import { checkedBytes } from "../registry/checked-bytes.ts";
import type { AddressGuard } from "../registry/exchange.ts";
import { readBounded } from "../registry/read-bounded.ts";
import { type RegistryClass, RegistryFault } from "../registry/registry-fault.ts";
import { nextAfter, sendWithRetries } from "../registry/send-with-retries.ts";
import type { LfsPointer } from "./lfs-pointers.ts";
import type { LfsRequest } from "./lfs-request.ts";

/** Where the contents of one file are: the way is led by the server. */
export type LfsContents = { readonly read: () => AsyncIterable<Uint8Array> };

type Asked = Pick<LfsRequest, "url" | "login"> & { readonly isProxied: boolean };
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
 * Asks the server of a repository for files by the batch API of Git LFS. The login goes to its own server alone; who is at a
 * public address leads to no private one. Throws RegistryFault.
 */
export async function findLfsContents(
  asked: Asked,
  wanted: readonly Wanted[],
): Promise<ReadonlyMap<string, LfsContents>> {
  const found = new Map<string, LfsContents>();
  for (let at = 0; at < wanted.length; at += mostAtOnce)
    for (const [oid, contents] of await askBatch(asked, wanted.slice(at, at + mostAtOnce)))
      found.set(oid, contents);
  return found;
}

async function askBatch(asked: Asked, wanted: readonly Wanted[]) {
  const server = serverOf(asked.url);
  const rules = addressRules(asked.isProxied);
  const objects = wanted.map(({ oid, size }) => ({ oid, size }));
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
  const sizes = new Map(wanted.map(({ oid, size }) => [oid, size]));
  const led: Led = { asked, server, rules, guard: rules.after(answer.address) };
  return data.objects.flatMap(({ oid, actions, error }): [string, LfsContents][] => {
    const size = sizes.get(oid);
    if (size === undefined) return [];
    if (error != null) throw refusalOf(error.code);
    const action = actions?.download;
    return action == null ? [] : [[oid, contentsAt(led, { oid, size }, action)]];
  });
}

type Led = {
  readonly asked: Asked;
  readonly server: URL;
  readonly rules: AddressRules;
  readonly guard: AddressGuard | undefined;
};
type Action = {
  readonly href: string;
  readonly header?: Readonly<Record<string, string>> | null | undefined;
};

function contentsAt(led: Led, { oid, size }: Wanted, { href, header }: Action): LfsContents {
  const url = nextAfter(led.server, href);
  const given = Object.fromEntries(
    Object.entries(header ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const headers = { ...loginFor(led.asked, url), ...given };
  const isOwn = url.origin === led.server.origin;
  const read = checkedBytes({ digest: `sha256:${oid}`, size }, async function* (from) {
    const range = from === 0 ? {} : { range: `bytes=${from}-` };
    const answer = await sendWithRetries({
      method: "GET",
      url: url.href,
      headers: { ...headers, ...range },
      guard: isOwn ? led.rules.always : led.guard,
      guardAfter: led.rules.after,
    });
    if (answer.status === (from === 0 ? 200 : 206)) return yield* answer.body;
    answer.body.destroy();
    throw refusalOf(answer.status);
  });
  return { read: () => read(0) };
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

function loginFor({ login }: Asked, { origin }: URL): Record<string, string> {
  if (login?.origin !== origin) return {};
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
