import { createHash } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { givenRunnerWithAgent } from "../../support/agent/given-jobs.ts";
import { givenFleet } from "../../support/broker/given-fleet.ts";

const fleet = await givenFleet();
const mediaType = "application/vnd.oci.image.manifest.v1+json";
const manifest = JSON.stringify({ schemaVersion: 2, mediaType, layers: [] });
const digest = `sha256:${createHash("sha256").update(manifest).digest("hex")}`;

/** A registry that answers so, and what it was asked. */
async function givenRegistry(answer: { readonly status?: number; readonly tellsDigest: boolean }) {
  const asked: string[] = [];
  const server = http.createServer(({ method = "", url = "" }, response) => {
    asked.push(`${method} ${url}`);
    if (answer.status !== undefined) response.writeHead(answer.status).end();
    else if (url.startsWith("/v2/a/b/tags/list"))
      response.end(JSON.stringify({ tags: ["7.2.9", "7.10.0", "8.0.0", "latest"] }));
    else {
      const told = answer.tellsDigest ? { "docker-content-digest": digest } : {};
      response.writeHead(200, { "content-type": mediaType, ...told });
      response.end(method === "HEAD" ? undefined : manifest);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked, host: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function look(host: string) {
  const { run } = await givenRunnerWithAgent(fleet);
  const registry = { loginServer: host, repository: "a/b", registryType: "public_oci" };
  const plan = JSON.stringify({ registry, update_policy: "^7.2", digest_only: true });
  return await run({ type: "fetch-image-metadata", plan });
}

test("a look at an image by a policy is one list of tags and one HEAD, and a GET where that tells no digest", async () => {
  for (const tellsDigest of [true, false]) {
    const { asked, host } = await givenRegistry({ tellsDigest });
    expect((await look(host)).outputs).toEqual({
      image: `${host}/a/b`,
      registry: host,
      repository: "a/b",
      tag: "7.10.0",
      digest,
      update_policy: "^7.2",
    });
    expect(asked).toEqual([
      "GET /v2/a/b/tags/list?n=1000",
      "HEAD /v2/a/b/manifests/7.10.0",
      ...(tellsDigest ? [] : ["GET /v2/a/b/manifests/7.10.0"]),
    ]);
  }
});

test("a registry that refuses a look ends it by a class and a sentence", async () => {
  const { host } = await givenRegistry({ status: 403, tellsDigest: true });
  const ended = await look(host);
  expect(ended.result?.error_metadata["class"]).toBe("auth");
  expect(ended.description).toContain(`The metadata of ${host}/a/b`);
});
