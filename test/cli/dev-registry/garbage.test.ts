import { createHash, randomBytes } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { request } from "node:http";
import path from "node:path";
import { expect, test } from "vitest";
import { artifactsAt, digestOfBytes } from "../../support/registry/given-artifacts.ts";
import { givenDevRegistry } from "../../support/registry/given-dev-registry.ts";

let free = 2 ** 40;
const { host, folder, orgId, ask, tokenFor, sweep, restart } = await givenDevRegistry({
  looksEveryBytes: 2 ** 16,
  freeBytes: 1,
  freeIn: () => Promise.resolve(free),
});
const artifacts = artifactsAt(ask);
const at = (name: string, rest: string) => `/v2/${orgId}/${name}/${rest}`;
const isThere = async (name: string, digest: string): Promise<boolean> =>
  (await ask(`GET ${at(name, `blobs/${digest}`)}`)).status === 200;

async function upload(name: string, bytes: Uint8Array): Promise<string> {
  const digest = digestOfBytes(bytes);
  const put = await ask(`POST ${at(name, `blobs/uploads/?digest=${digest}`)}`, { body: bytes });
  expect(put.status).toBe(201);
  return digest;
}

async function pushManifest(name: string, tag: string, layer: string): Promise<number> {
  const config = await upload(name, Buffer.from("{}"));
  const blob = (digest: string) => ({ mediaType: "application/x", digest, size: 2 });
  const text = JSON.stringify({ schemaVersion: 2, config: blob(config), layers: [blob(layer)] });
  const headers = { "content-type": "application/vnd.oci.image.manifest.v1+json" };
  return (await ask(`PUT ${at(name, `manifests/${tag}`)}`, { body: text, headers })).status;
}

test("blobs that no manifest names are removed after a while, and those that one names never", async () => {
  const lost = await upload("one", Buffer.from("lost"));
  const layer = await upload("one", Buffer.from("layer"));
  expect(await pushManifest("one", "a", layer)).toBe(201);
  const other = await upload("one/below", Buffer.from("layer"));
  await sweep({ youngMs: 60_000 });
  expect(await isThere("one", lost)).toBe(true);
  await sweep({ youngMs: -1000 });
  expect(await isThere("one", lost)).toBe(false);
  expect(await isThere("one", layer)).toBe(true);
  expect(await isThere("one/below", other)).toBe(false); // another repository's manifest says nothing of it
  const { body } = await ask(`GET ${at("one", "manifests/a")}`);
  expect((await ask(`DELETE ${at("one", `manifests/${digestOfBytes(body)}`)}`)).status).toBe(202);
  await sweep({ youngMs: -1000 });
  expect(await isThere("one", layer)).toBe(false);
});

test("nothing is removed of a repository to which somebody still uploads: the manifest comes last", async () => {
  const layer = await upload("long", Buffer.from("first"));
  const other = await upload("other", Buffer.from("first"));
  const begun = await ask(`POST ${at("long", "blobs/uploads/")}`);
  await sweep({ youngMs: -1000 });
  expect(await isThere("long", layer)).toBe(true);
  expect(await isThere("other", other)).toBe(false);
  const location = String(begun.headers["location"]);
  expect((await ask(`DELETE ${location}`)).status).toBe(204);
  await sweep({ youngMs: -1000 });
  expect(await isThere("long", layer)).toBe(false);
});

test("a blob that somebody who pushes has asked for, or mounted, counts as new", async () => {
  const layer = await upload("asked", Buffer.from("asked"));
  const mounted = await upload("from", Buffer.from("mounted"));
  await upload("asked", Buffer.from("mounted"));
  const changedAt = async (digest: string) => {
    const [algorithm = "", hex = ""] = digest.split(":");
    const blobs = path.join(folder, "repositories", orgId, "asked", "_blobs");
    return (await stat(path.join(blobs, algorithm, hex))).ctimeMs;
  };
  const before = [await changedAt(layer), await changedAt(mounted)] as const;
  const mount = `POST ${at("asked", `blobs/uploads/?mount=${mounted}&from=${orgId}/from`)}`;
  const scopes = [`repository:${orgId}/asked:pull,push`, `repository:${orgId}/from:pull`];
  const toPull = { scopes: [`repository:${orgId}/asked:pull`] };
  expect((await ask(`HEAD ${at("asked", `blobs/${layer}`)}`, toPull)).status).toBe(200);
  expect(await changedAt(layer)).toBe(before[0]);
  const head = async () => {
    expect((await ask(`HEAD ${at("asked", `blobs/${layer}`)}`)).status).toBe(200);
    return await changedAt(layer);
  };
  await expect.poll(head).toBeGreaterThan(before[0]);
  const mountIt = async () => {
    expect((await ask(mount, { scopes })).status).toBe(201);
    return await changedAt(mounted);
  };
  await expect.poll(mountIt).toBeGreaterThan(before[1]);
});

test("whoever pushes while garbage is collected finds what he has pushed: a manifest that was taken is whole", async () => {
  const blobs = Array.from({ length: 12 }, (_, n) => Buffer.from(`racing ${n}`));
  const collected = new AbortController();
  const collector = (async () => {
    while (!collected.signal.aborted) await sweep({ youngMs: -1000 });
  })();
  // All is garbage at once, the moment it has come: a manifest may be refused, but never taken and then broken.
  const taken = await Promise.all(
    blobs.map(async (bytes, n) => {
      for (let tries = 0; tries < 200; tries++) {
        const layer = await upload("race", bytes);
        const status = await pushManifest("race", `t${n}`, layer);
        if (status === 201) return layer;
        expect(status).toBe(400); // MANIFEST_BLOB_UNKNOWN
      }
      return undefined;
    }),
  );
  collected.abort();
  await collector;
  await sweep({ youngMs: -1000 });
  expect(taken.filter((layer) => layer !== undefined)).toHaveLength(blobs.length);
  for (const layer of taken) expect(await isThere("race", layer ?? "")).toBe(true);
});

test("what a blob's upload in one request leaves when its connection breaks is gone", async () => {
  const bytes = randomBytes(2 ** 20);
  const token = await tokenFor([`repository:${orgId}/broken:push`]);
  const [address = "", port] = host.split(":");
  const sending = request({
    host: address,
    port,
    method: "POST",
    path: at("broken", `blobs/uploads/?digest=${digestOfBytes(bytes)}`),
    headers: { authorization: `Bearer ${token}`, "content-length": bytes.length },
  });
  sending.on("error", () => {}); // it is broken
  sending.write(bytes.subarray(0, 1000));
  const open = async () => (await readdir(path.join(folder, "uploads"))).length;
  await expect.poll(open).toBe(1);
  sending.destroy();
  await expect.poll(open).toBe(0);
});

test("a disk that fills up while a long piece comes refuses it, and what came before stays", async () => {
  const begun = await ask(`POST ${at("full", "blobs/uploads/")}`);
  const location = String(begun.headers["location"]);
  const bytes = randomBytes(2 ** 18);
  const token = await tokenFor([`repository:${orgId}/full:push`]);
  const [address = "", port] = host.split(":");
  const status = await new Promise((resolve, reject) => {
    const sending = request(
      {
        host: address,
        port,
        method: "PATCH",
        path: location,
        headers: { authorization: `Bearer ${token}`, "content-length": bytes.length * 2 },
      },
      (response) => {
        response.resume();
        resolve(response.statusCode);
      },
    );
    sending.once("error", reject);
    sending.write(bytes, () => {
      free = 0;
      sending.end(bytes);
    });
  });
  free = 2 ** 40;
  expect(status).toBe(507);
});

test.each(["sha256", "sha512"])(
  "a blob that came in pieces, over a restart, has its %s",
  async (algorithm) => {
    const bytes = randomBytes(300_000);
    const begun = await ask(`POST ${at("pieces", "blobs/uploads/")}`);
    const to = String(begun.headers["location"]);
    for (const [from, end] of [
      [0, 100_000],
      [100_000, 200_000],
    ] as const) {
      const sent = await ask(`PATCH ${to}`, {
        body: bytes.subarray(from, end),
        headers: { "content-range": `${from}-${end - 1}` },
      });
      expect(sent.status).toBe(202);
      if (from > 0) await restart();
    }
    const digest = `${algorithm}:${createHash(algorithm).update(bytes).digest("hex")}`;
    const ended = await ask(`PUT ${to}?digest=${digest}`, { body: bytes.subarray(200_000) });
    expect(ended.status).toBe(201);
  },
);

test("a list of what refers to a manifest comes in pages that fit into memory, and annotations have an end", async () => {
  const subject = await artifacts.push(`${orgId}/many`, { says: "subject", tag: "s" });
  const says = (n: number) => `${n} ${"x".repeat(60_000)}`;
  for (let n = 0; n < 24; n++)
    await artifacts.push(`${orgId}/many`, { says: says(n), about: subject });
  await expect(
    artifacts.push(`${orgId}/many`, { says: "x".repeat(70_000), about: subject }),
  ).rejects.toThrow("413");
  const found = new Set<string>();
  let next: string | undefined = at("many", `referrers/${subject.digest}`);
  let pages = 0;
  while (next !== undefined) {
    const { body, headers } = await ask(`GET ${next}`);
    const { manifests } = JSON.parse(body.toString()) as { manifests: { digest: string }[] };
    for (const { digest } of manifests) found.add(digest);
    pages += 1;
    expect(body.length).toBeLessThan(2 * 2 ** 20);
    next = /^<([^>]+)>/.exec(String(headers["link"] ?? ""))?.[1];
  }
  expect([found.size, pages]).toEqual([24, 2]);
});
