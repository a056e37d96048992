import { createHash } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

const mediaType = "application/vnd.oci.image.manifest.v1+json";
const config = Buffer.from("{}");
const digestOf = (bytes: Buffer | string) =>
  `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

/** A registry of others that serves one repository, a/b: an image without layers under each of these tags, which may change. */
export async function startImageRegistry(tags: string[]) {
  const manifestOf = (tag: string): string =>
    JSON.stringify({
      schemaVersion: 2,
      mediaType,
      config: {
        mediaType: "application/vnd.oci.image.config.v1+json",
        digest: digestOf(config),
        size: config.length,
      },
      layers: [],
      annotations: { tag },
    });
  const server = http.createServer(({ method, url = "" }, response) => {
    const [, kind, name = ""] = /^\/v2\/a\/b\/(tags|manifests|blobs)\/([^?]+)/.exec(url) ?? [];
    const tag = tags.find((one) => one === name || digestOf(manifestOf(one)) === name);
    if (kind === "tags") return response.end(JSON.stringify({ tags }));
    if (kind === "blobs" && name === digestOf(config)) return response.end(config);
    if (kind !== "manifests" || tag === undefined) return response.writeHead(404).end();
    const text = manifestOf(tag);
    response.writeHead(200, {
      "content-type": mediaType,
      "content-length": Buffer.byteLength(text),
      "docker-content-digest": digestOf(text),
    });
    return response.end(method === "HEAD" ? undefined : text);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { image: `127.0.0.1:${port}/a/b`, digestOf: (tag: string) => digestOf(manifestOf(tag)) };
}
