import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runPushRequest } from "../../../agent/artifacts/run-push-request.ts";
import { pushBlob } from "../../../agent/registry/push-blob.ts";
import { makeRegistryClient } from "../../../agent/registry/registry-client.ts";
import { testFolder } from "../../support/run/folder.ts";

/** A registry that answers so, and what was written there. */
async function serve(answer: http.RequestListener): Promise<{ origin: string; put: string[] }> {
  const put: string[] = [];
  const server = http.createServer((request, response) => {
    if (request.method === "PUT" || request.method === "PATCH")
      put.push(request.url?.replace(/.*\//, "") ?? "");
    request.resume().once("end", () => answer(request, response));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, put };
}

/** Pushes as the child of an agent does. */
async function pushed(origin: string) {
  const folder = await testFolder();
  const at = (name: string): string => path.join(folder, name);
  await writeFile(at("archive"), "archive");
  const digest = `sha256:${createHash("sha256").update("archive").digest("hex")}`;
  const layer = { file: at("archive"), mediaType: "a/b", digest, size: 7, annotations: {} };
  const config = { mediaType: "a/c", text: "{}" };
  const ids = { runner_job_id: "j", runner_job_execution_id: "e", runner_id: "r" };
  const when = { startedAt: "2026-01-01T00:00:00Z", finishedAt: "2026-01-01T00:00:00Z" };
  const request = {
    registry: { origin, repository: "acme/app" },
    login: {},
    tag: "v1",
    artifact: { artifactType: "a/t", config, layer, annotations: {} },
    provenance: { name: "n", kind: "k", members: {}, labels: {}, ids, version: "1", ...when },
    told: at("told"),
  };
  await writeFile(at("request"), JSON.stringify(request));
  const code = await runPushRequest(at("request"), { env: {}, say: () => {} });
  return { code, told: JSON.parse(await readFile(at("told"), "utf8")) as { digest: string } };
}

test("a tag is written when what is under it has its provenance", async () => {
  const { origin, put } = await serve(({ method }, response) => {
    response.writeHead(method === "PUT" ? 201 : 200, { "oci-subject": "it" }).end();
  });
  const { code, told } = await pushed(origin);
  expect(code).toBe(0);
  expect(put).toEqual([told.digest, expect.stringMatching(/^sha256:/), "v1"]);
});

test("a provenance that is refused leaves nothing under the tag", async () => {
  let puts = 0;
  const { origin, put } = await serve(({ method }, response) => {
    if (method === "PUT") puts += 1;
    response.writeHead(method !== "PUT" ? 200 : puts === 1 ? 201 : 403).end();
  });
  const { code, told } = await pushed(origin);
  expect([code, told]).toEqual([72, expect.objectContaining({ class: "auth" })]);
  expect(put).not.toContain("v1");
});

test("an upload that a registry puts off for too long ends as that", async () => {
  const { origin, put } = await serve(({ method, headers }, response) => {
    if (method === "HEAD") response.writeHead(404).end();
    else if (method === "POST")
      response.writeHead(202, { location: `http://${headers.host}/v2/up` }).end();
    else response.writeHead(429, { "retry-after": "3600" }).end();
  });
  const place = { origin, repository: "acme/app" };
  const client = makeRegistryClient(place, {}, { access: "push" });
  const bytes = Buffer.alloc(300_000);
  const read = async function* () {
    yield await Promise.resolve(bytes);
  };
  const blob = { digest: `sha256:${"0".repeat(64)}`, size: bytes.length, read };
  await expect(pushBlob(client, blob)).rejects.toMatchObject({
    class: "rate_limited",
    message: expect.stringContaining("asks to wait 3600 s") as string,
  });
  expect(put).toEqual(["up"]);
});
