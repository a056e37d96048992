import { createHash, randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { getManifest } from "../../../agent/registry/manifests.ts";
import { pullArtifact } from "../../../agent/registry/pull-artifact.ts";
import { type Artifact, pushArtifact } from "../../../agent/registry/push-artifact.ts";
import { listReferrers } from "../../../agent/registry/referrers.ts";
import { makeRegistryClient } from "../../../agent/registry/registry-client.ts";
import { runTool } from "../../support/programs/run-tool.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";
import { testFolder } from "../../support/run/folder.ts";
import { startFaultyRegistry } from "../../support/sources/faulty-registry.ts";
import { type Registry, startRegistry } from "../../support/sources/start-registry.ts";

const title = "org.opencontainers.image.title";
const empty = { mediaType: "application/vnd.oci.empty.v1+json", bytes: Buffer.from("{}") };
const largeBytes = 3 * 2 ** 20;

async function givenArtifact(): Promise<Artifact & { readonly folder: string }> {
  const folder = await testFolder();
  const layerOf = async (name: string, bytes: Buffer) => {
    const file = path.join(folder, name);
    await writeFile(file, bytes);
    const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
    const annotations = { [title]: name };
    return { file, mediaType: "application/octet-stream", size: bytes.length, digest, annotations };
  };
  const layers = [
    await layerOf("large", randomBytes(largeBytes)),
    await layerOf("small", randomBytes(100)),
    await layerOf("none", Buffer.alloc(0)),
  ];
  return { folder, artifactType: "application/vnd.acme.thing", config: empty, layers };
}

const clientOf = (host: string, repository = "acme/thing") =>
  makeRegistryClient({ origin: `http://${host}`, repository }, {}, { access: "push" });

describeWithTools(["registry", "oras"], "an artifact that is pushed", () => {
  let registry: Registry;
  beforeAll(async () => {
    registry = await startRegistry({ isOfFile: true });
  });

  test("is what another client pulls, has the same digest each time, and what refers to it is found", async () => {
    const artifact = await givenArtifact();
    const client = clientOf(registry.host, "acme/whole");
    const pushed = await pushArtifact(client, artifact, "one");
    expect(await pushArtifact(client, artifact)).toEqual(pushed);
    const to = await testFolder();
    await runTool("oras", ["pull", "--plain-http", `${registry.host}/acme/whole:one`], { cwd: to });
    for (const { file } of artifact.layers)
      expect(await readFile(path.join(to, path.basename(file)))).toEqual(await readFile(file));
    const about = { artifactType: "application/vnd.acme.note", config: empty, layers: [] };
    const notes = [];
    for (const said of ["a", "b"])
      notes.push(
        await pushArtifact(client, {
          ...about,
          subject: pushed,
          annotations: { said, a: "first" },
        }),
      );
    const found = await listReferrers(client, pushed.digest);
    expect(found.map(({ digest }) => digest)).toEqual(notes.map(({ digest }) => digest));
    const discover = ["discover", "--plain-http", "--format", "json"];
    const seen = await runTool("oras", [...discover, `${registry.host}/acme/whole:one`]);
    expect(JSON.parse(seen)).toMatchObject({
      referrers: [{ artifactType: about.artifactType }, {}],
    });
  });

  test("goes on where its connection broke, and is under its tag when all of it is there", async () => {
    const artifact = await givenArtifact();
    const faulty = await startFaultyRegistry(registry.host);
    const client = clientOf(faulty.host, "acme/cut");
    faulty.fail(/^PATCH /, { cutRequestAt: 1_500_000 });
    faulty.fail(/^PUT .*uploads/, { status: 503 });
    const tag = faulty.hold(/^PUT .*\/manifests\//);
    const pushing = pushArtifact(client, artifact, "one");
    await expect.poll(() => faulty.passed.some(({ path }) => /manifests/.test(path))).toBe(true);
    const direct = clientOf(registry.host, "acme/cut");
    await expect(getManifest(direct, "one")).rejects.toMatchObject({ class: "not_found" });
    tag();
    const { digest } = await pushing;
    expect((await getManifest(direct, "one")).digest).toBe(digest);
    const ranges = faulty.passed
      .filter(({ method }) => method === "PATCH")
      .map(({ headers }) => headers["content-range"]);
    expect(ranges[0]).toBeUndefined();
    expect(ranges[1]).toMatch(new RegExp(`^[1-9]\\d*-${largeBytes - 1}$`));
  });

  test("is pulled whole though its connection breaks, and never as something else", async () => {
    const artifact = await givenArtifact();
    const [large] = artifact.layers;
    const { digest } = await pushArtifact(clientOf(registry.host), artifact, "pulled");
    const faulty = await startFaultyRegistry(registry.host);
    const blob = new RegExp(`^GET .*${large?.digest}`);
    faulty.fail(blob, { cutAnswerAt: 1_000_000 });
    const how = { folder: await testFolder(), mostBytes: 2 ** 30 };
    const named = { tag: "pulled", digest: undefined };
    const pulled = await pullArtifact(clientOf(faulty.host), named, how);
    expect(pulled.digest).toBe(digest);
    expect(await readFile(pulled.layers[0]?.file ?? "")).toEqual(await readFile(large?.file ?? ""));
    expect(faulty.passed.map(({ headers }) => headers.range).join(" ")).toMatch(/bytes=[1-9]/);
    const other = await readFile(large?.file ?? "");
    other.writeUInt8(other.readUInt8(77) ^ 1, 77);
    faulty.fail(blob, { status: 200, body: other });
    await expect(pullArtifact(clientOf(faulty.host), named, how)).rejects.toMatchObject({
      class: "digest",
    });
  });

  test("whose file changed meanwhile is refused, and leaves nothing under its tag", async () => {
    const artifact = await givenArtifact();
    const client = clientOf(registry.host, "acme/changed");
    await writeFile(artifact.layers[0]?.file ?? "", randomBytes(largeBytes));
    await expect(pushArtifact(client, artifact, "one")).rejects.toMatchObject({ class: "digest" });
    await expect(getManifest(client, "one")).rejects.toMatchObject({ class: "not_found" });
  });

  test("to who is not let in fails as that", async () => {
    const { host, login } = await startRegistry({ asks: true });
    const artifact = await givenArtifact();
    const place = { origin: `http://${host}`, repository: "acme/thing" };
    const { user, password } = login ?? { user: "", password: "" };
    const by = async (said: object) =>
      await pushArtifact(makeRegistryClient(place, said, { access: "push" }), artifact, "one");
    await expect(by({ username: user, password: "wrong" })).rejects.toMatchObject({
      class: "auth",
    });
    await expect(by({})).rejects.toThrow("requires a login");
    expect((await by({ username: user, password })).digest).toMatch(/^sha256:/);
  });
});
