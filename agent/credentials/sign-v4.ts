import { createHash, createHmac } from "node:crypto";

/** Who signs. */
export type AwsKeys = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  /** Their expiry, if they have one. */
  readonly expiresAtMs?: number | undefined;
};

type Scope = { readonly region: string; readonly service: string; readonly atMs: number };
type Request = {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

const algorithm = "AWS4-HMAC-SHA256";

/** Signs a request to AWS and returns all its headers (Signature Version 4). */
export function signedHeaders(
  request: Request,
  keys: AwsKeys,
  scope: Scope,
): Record<string, string> {
  const headers = {
    ...request.headers,
    host: request.url.host,
    "x-amz-date": stampOf(scope.atMs),
    ...(keys.sessionToken && { "x-amz-security-token": keys.sessionToken }),
  };
  const names = namesOf(headers);
  const signature = signatureOf({ ...request, headers, hash: sha256(request.body) }, keys, scope);
  const credential = `${keys.accessKeyId}/${scopeOf(scope)}`;
  const authorization = `${algorithm} Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...headers, authorization };
}

type Presigned = Omit<Request, "body" | "method"> & {
  readonly expiresSeconds: number;
  /** The digest of the body; of an empty one by default. */
  readonly hash?: string;
};

/** Makes a presigned URL for a GET: everybody who has it may use it until it expires. */
export function presignedUrl(request: Presigned, keys: AwsKeys, scope: Scope): string {
  const url = new URL(request.url);
  const headers = { ...request.headers, host: url.host };
  const told: Record<string, string> = {
    "X-Amz-Algorithm": algorithm,
    "X-Amz-Credential": `${keys.accessKeyId}/${scopeOf(scope)}`,
    "X-Amz-Date": stampOf(scope.atMs),
    "X-Amz-Expires": String(request.expiresSeconds),
    ...(keys.sessionToken && { "X-Amz-Security-Token": keys.sessionToken }),
    "X-Amz-SignedHeaders": namesOf(headers),
  };
  const query = queryOf([...url.searchParams, ...Object.entries(told)]);
  url.search = query;
  const hash = request.hash ?? sha256("");
  const signature = signatureOf({ method: "GET", url, headers, hash }, keys, scope);
  return `${url.origin}${url.pathname}?${query}&X-Amz-Signature=${signature}`;
}

type Hashed = Omit<Request, "body"> & { readonly hash: string };

function signatureOf({ method, url, headers, hash }: Hashed, keys: AwsKeys, scope: Scope): string {
  const sorted = Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value.trim().replaceAll(/ +/g, " ")] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const canonical = [
    method,
    url.pathname,
    queryOf([...url.searchParams]),
    ...sorted.map(([name, value]) => `${name}:${value}`),
    "",
    namesOf(headers),
    hash,
  ].join("\n");
  const text = [algorithm, stampOf(scope.atMs), scopeOf(scope), sha256(canonical)].join("\n");
  const steps = [stampOf(scope.atMs).slice(0, 8), scope.region, scope.service, "aws4_request"];
  const key = steps.reduce<Buffer>(hmac, Buffer.from(`AWS4${keys.secretAccessKey}`));
  return hmac(key, text).toString("hex");
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const hmac = (key: Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

const namesOf = (headers: object): string =>
  Object.keys(headers)
    .map((name) => name.toLowerCase())
    .toSorted()
    .join(";");

/** 20150830T123600Z */
const stampOf = (atMs: number): string =>
  new Date(atMs).toISOString().replaceAll(/[-:]|\.\d+/g, "");

const scopeOf = ({ atMs, region, service }: Scope): string =>
  `${stampOf(atMs).slice(0, 8)}/${region}/${service}/aws4_request`;

/** Sorted by name, then by value. */
function queryOf(pairs: readonly (readonly [string, string])[]): string {
  return pairs
    .map(([name, value]) => [encoded(name), encoded(value)] as const)
    .toSorted(([a, one], [b, other]) => (a === b ? order(one, other) : order(a, b)))
    .map((pair) => pair.join("="))
    .join("&");
}

const order = (a: string, b: string): number => (a < b ? -1 : 1);

/** Encodes everything but letters, digits and -_.~ */
const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
