import { type ChildProcess, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { request } from "node:http";
import path from "node:path";
import { expect, test } from "vitest";
import { hasBlob } from "../../../agent/registry/push-blob.ts";
import { makeRegistryClient } from "../../../agent/registry/registry-client.ts";
import { givenOperator } from "../../support/broker/given-operator.ts";
import { freePorts } from "../../support/network/free-ports.ts";
import { askToken } from "../../support/registry/ask-token.ts";
import { afterFile } from "../../support/run/after-file.ts";
import { testFolder } from "../../support/run/folder.ts";

const program = path.join(import.meta.dirname, "../../support/registry/dev-registry-program.ts");
const mebibyte = 2 ** 20;

async function startProgram(...args: string[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  afterFile(async () => {
    const ended = child.exitCode === null && child.signalCode === null ? once(child, "exit") : [];
    child.kill("SIGKILL");
    await ended;
  });
  if (child.stdout !== null) await once(child.stdout, "data");
  return child;
}

test("a registry that is killed in the middle of an upload has no half blob, and the upload goes on", async () => {
  const folder = await testFolder();
  const [port = 0] = await freePorts(1);
  const host = `127.0.0.1:${port}`;
  const env = { SVC_REGISTRY: `http://${host}`, SVC_REGISTRY_AUTH: "token" };
  const { broker, orgId, token: password } = await givenOperator("org_admin", { env });
  const login = { username: "svc", password };
  const args = [folder, String(port), broker.url];
  const killed = await startProgram(...args);

  const repository = `${orgId}/killed`;
  const client = makeRegistryClient({ origin: `http://${host}`, repository }, login, {
    access: "push",
  });
  const bytes = randomBytes(8 * mebibyte);
  const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  const begun = await client.ask({ method: "POST", at: "blobs/uploads/" });
  begun.body.resume();
  const at = String(begun.headers.location);
  const scope = `repository:${repository}:pull,push`;
  const { token } = (await askToken(broker.url, login, [scope], host)).body;
  const headers = { authorization: `Bearer ${token}`, "content-length": bytes.length };
  const sending = request(`http://${host}${at}`, { method: "PATCH", headers });
  const broken = once(sending, "error");
  sending.write(bytes.subarray(0, 5 * mebibyte));
  const rangeOf = async () => {
    const answer = await client.ask({ at: `http://${host}${at}` });
    answer.body.resume();
    return Number(/^0-(\d+)$/.exec(answer.headers.range ?? "")?.[1] ?? 0);
  };
  await expect.poll(rangeOf).toBeGreaterThan(mebibyte);
  killed.kill("SIGKILL");
  await Promise.all([once(killed, "exit"), broken]);

  await startProgram(...args);
  expect(await hasBlob(client, digest)).toBe(false);
  expect(await readdir(path.join(folder, "temporary"))).toEqual([]);
  const from = (await rangeOf()) + 1;
  const ended = await client.ask({
    method: "PUT",
    at: `http://${host}${at}?digest=${digest}`,
    headers: { "content-range": `${from}-${bytes.length - 1}` },
    body: bytes.subarray(from),
  });
  ended.body.resume();
  expect(ended.status).toBe(201);
  expect(await hasBlob(client, digest)).toBe(true);
});
