import { createHash } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A layer to push. */
export type PushedLayer = {
  readonly bytes: Buffer;
  readonly mediaType?: string;
  readonly annotations?: Readonly<Record<string, string>>;
};

export type TestRegistry = {
  /** `127.0.0.1:PORT` */
  readonly host: string;
  /** Pushes an artifact; answers its digest. */
  readonly push: (repository: string, tag: string, layers: readonly PushedLayer[]) => string;
  /** What was asked, as `GET /v2/…`, with who asked. */
  readonly asked: string[];
  /** The digests of all layers. */
  readonly blobs: () => string[];
  /** Bytes that are sent in place of a blob. */
  readonly replace: (digest: string, bytes: Buffer) => void;
  /** Lets blobs wait until the answer is called. */
  readonly hold: () => () => void;
  /** The next so many requests are answered 503. */
  readonly failNext: (count: number) => void;
};

type Access =
  | { readonly kind: "anonymous" }
  | { readonly kind: "basic"; readonly login: string }
  /** Tokens are handed out beside it, to anybody where there is no login. */
  | { readonly kind: "token"; readonly login?: string };

const digestOf = (bytes: Buffer): string =>
  `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
const token = "registry-token-77";

/** A registry for pulls, by the distribution specification's words on them. */
export async function startRegistryDouble(
  access: Access = { kind: "anonymous" },
): Promise<TestRegistry> {
  const stored = new Map<string, { bytes: Buffer; type: string }>();
  const asked: string[] = [];
  let failures = 0;
  let held = Promise.resolve();
  const answer = async (
    request: http.IncomingMessage,
    response: http.ServerResponse,
  ): Promise<void> => {
    const url = new URL(request.url ?? "", "http://registry");
    const said = request.headers.authorization ?? "";
    asked.push(`${url.pathname} ${said.split(" ")[0]}`.trim());
    if (failures > 0) {
      failures -= 1;
      return void response.writeHead(503).end();
    }
    if (url.pathname === "/token") return giveToken(access, url, said, response);
    if (!isLetIn(access, said))
      return void response.writeHead(401, challengeOf(access, host)).end("{}");
    const found = stored.get(url.pathname);
    if (found === undefined) return void response.writeHead(404).end("{}");
    if (url.pathname.includes("/blobs/")) await held;
    const headers = {
      "content-type": found.type,
      "docker-content-digest": url.pathname.includes("/manifests/") ? digestOf(found.bytes) : "",
    };
    response.writeHead(200, headers).end(found.bytes);
  };
  const server = http.createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const store = (path: string, bytes: Buffer, type = "application/octet-stream"): void =>
    void stored.set(`/v2/${path}`, { bytes, type });
  return {
    host,
    asked,
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
    blobs: () => [...stored.keys()].flatMap((path) => path.split("/blobs/").slice(1)),
    failNext: (count) => void (failures = count),
    replace: (digest, bytes) => {
      for (const path of stored.keys()) if (path.endsWith(digest)) store(path.slice(4), bytes);
    },
    push: (repository, tag, layers) => {
      const described = layers.map(
        ({ bytes, mediaType = "application/vnd.oci.image.layer.v1.tar+gzip", annotations }) => {
          const digest = digestOf(bytes);
          store(`${repository}/blobs/${digest}`, bytes);
          return { mediaType, digest, size: bytes.length, ...(annotations && { annotations }) };
        },
      );
      const type = "application/vnd.oci.image.manifest.v1+json";
      const manifest = Buffer.from(
        JSON.stringify({ schemaVersion: 2, mediaType: type, layers: described }),
      );
      for (const name of [tag, digestOf(manifest)])
        store(`${repository}/manifests/${name}`, manifest, type);
      return digestOf(manifest);
    },
  };
}

function isLetIn(access: Access, said: string): boolean {
  if (access.kind === "anonymous") return true;
  if (access.kind === "token") return said === `Bearer ${token}`;
  return said === basicOf(access.login);
}

const basicOf = (login: string): string => `Basic ${Buffer.from(login).toString("base64")}`;

function challengeOf(access: Access, host: string): Record<string, string> {
  const basic = 'Basic realm="test"';
  const bearer = `Bearer realm="http://${host}/token",service="test",scope="repository:acme/app:pull"`;
  return { "www-authenticate": access.kind === "basic" ? basic : bearer };
}

function giveToken(access: Access, url: URL, said: string, response: http.ServerResponse): void {
  const login = access.kind === "token" ? access.login : undefined;
  const isKnown = login === undefined || said === basicOf(login);
  const isAsked = url.searchParams.get("scope") === "repository:acme/app:pull";
  if (!isKnown || !isAsked) return void response.writeHead(401).end("{}");
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ token }));
}
