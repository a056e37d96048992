import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { copyImage } from "../../../agent/registry/copy-image.ts";
import { getManifest } from "../../../agent/registry/manifests.ts";
import { makeRegistryClient } from "../../../agent/registry/registry-client.ts";
import { startScripted } from "../../support/registry/scripted-registry.ts";

const image = "application/vnd.oci.image.manifest.v1+json";
const index = "application/vnd.oci.image.index.v1+json";
const digestOf = (body: object): string =>
  `sha256:${createHash("sha256").update(JSON.stringify(body)).digest("hex")}`;
const platforms = ["amd64", "arm64"].map((says) => ({ schemaVersion: 2, annotations: { says } }));
const manifests = platforms.map((one) => ({ mediaType: image, digest: digestOf(one), size: 1 }));
const whole = { schemaVersion: 2, mediaType: index, manifests };
const lost = manifests[1]?.digest ?? "";

test("an index of which a platform was deleted by itself is copied again, and nothing else of it", async () => {
  const all = new Map([...platforms, whole].map((one) => [digestOf(one), one]));
  const source = await startScripted(({ path }) => {
    const body = all.get(path.split("/").at(-1) ?? "");
    return body === undefined ? { status: 404 } : { status: 200, body };
  });
  const there = new Set(["b1", digestOf(whole), manifests[0]?.digest]);
  const target = await startScripted(({ method, path }) => {
    const name = path.split("/").at(-1) ?? "";
    if (method === "PUT") {
      there.add(name);
      return { status: 201 };
    }
    const digest = name === "b1" ? digestOf(whole) : name;
    const headers = { "docker-content-digest": digest };
    return there.has(name) ? { status: 200, headers } : { status: 404 };
  });
  const clientOf = (host: string, access: "pull" | "push") =>
    makeRegistryClient({ origin: `http://${host}`, repository: "a/b" }, {}, { access });
  const from = clientOf(source.host, "pull");
  const to = clientOf(target.host, "push");
  const manifest = await getManifest(from, digestOf(whole));
  const copy = { from, to, manifest, tag: "b1", say: () => {} };
  const written = () =>
    target.seen.flatMap(({ method, path }) =>
      method === "PUT" ? [path.split("/").at(-1) ?? ""] : [],
    );
  expect(await copyImage(copy)).toMatchObject({ isThere: false });
  expect(written()).toEqual([lost, "b1"]);
  expect(await copyImage(copy)).toMatchObject({ isThere: true });
  expect(written()).toHaveLength(2);
});
