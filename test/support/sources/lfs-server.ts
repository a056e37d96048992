import { createHash } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";

export const oidOf = (contents: string): string =>
  createHash("sha256").update(contents).digest("hex");

/** A pointer of Git LFS to these contents. */
export const pointerTo = (contents: string, size = contents.length): string =>
  `version https://git-lfs.github.com/spec/v1\noid sha256:${oidOf(contents)}\nsize ${size}\n`;

export type Lfs = {
  /** The contents at the server, by their digest. */
  readonly objects: Record<string, string>;
  /** `user:password` of whom the batch API answers; anybody, unless told. */
  readonly login?: string;
  /** Who is behind it, for what is not asked of the batch API. */
  readonly gitUrl?: string;
  /** Answers a request to the store in its place, if it answers true. */
  readonly store?: (request: http.IncomingMessage, response: http.ServerResponse) => boolean;
};

export type LfsServer = {
  readonly url: string;
  /** What it and its store were asked, and by whom. */
  readonly asked: string[];
};

/** A server of repositories' files in LFS, before one of git: the batch API, and the files elsewhere. */
export async function startLfsServer({
  objects,
  login,
  gitUrl = "",
  store,
}: Lfs): Promise<LfsServer> {
  const asked: string[] = [];
  const storePort = await listen((request, response) => {
    const { authorization = "nobody", range = "" } = request.headers;
    asked.push(`store ${authorization} ${String(request.headers["x-pass"])} ${range}`.trim());
    if (store?.(request, response) === true) return;
    const contents = objects[request.url?.slice(1) ?? ""];
    const [, from] = /^bytes=(\d+)-$/.exec(range) ?? [];
    if (contents === undefined) response.writeHead(404).end();
    else if (from === undefined) response.writeHead(200).end(contents);
    else {
      const said = `bytes ${from}-${contents.length - 1}/${contents.length}`;
      response.writeHead(206, { "content-range": said }).end(contents.slice(Number(from)));
    }
  });
  const port = await listen((request, response) => {
    void (async () => {
      if (!request.url?.endsWith("/info/lfs/objects/batch"))
        return await pass(gitUrl, request, response);
      const { authorization = "" } = request.headers;
      const said = Buffer.from(authorization.replace("Basic ", ""), "base64").toString();
      asked.push(`batch ${said}`);
      if (login !== undefined && said !== login) return void response.writeHead(401).end();
      const body = JSON.parse((await buffer(request)).toString()) as { objects: { oid: string }[] };
      const told = body.objects.map(({ oid }) => {
        if (objects[oid] === undefined)
          return { oid, error: { code: 404, message: "no such object" } };
        const href = `http://127.0.0.1:${storePort}/${oid}`;
        return { oid, actions: { download: { href, header: { "x-pass": "of-the-store" } } } };
      });
      response.writeHead(200, { "content-type": "application/vnd.git-lfs+json" });
      response.end(JSON.stringify({ objects: told }));
    })();
  });
  return { url: `http://127.0.0.1:${port}`, asked };
}

async function listen(serve: http.RequestListener): Promise<number> {
  const server = http.createServer(serve);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function pass(to: string, request: http.IncomingMessage, response: http.ServerResponse) {
  const passed = await fetch(`${to}${request.url}`, {
    method: request.method ?? "GET",
    headers: request.headers as Record<string, string>,
    ...(request.method === "POST" && { body: await buffer(request) }),
  });
  const type = passed.headers.get("content-type") ?? "";
  response.writeHead(passed.status, { "content-type": type });
  response.end(Buffer.from(await passed.arrayBuffer()));
}
