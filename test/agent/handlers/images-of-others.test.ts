import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { type Artifact, pushArtifact } from "../../../agent/registry/push-artifact.ts";
import { givenRunnerWithAgent } from "../../support/agent/given-jobs.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { runTool } from "../../support/programs/run-tool.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";
import { pushImage, pushIndex, pusherOf, writeLayer } from "../../support/sources/given-images.ts";
import { type Registry, startRegistry } from "../../support/sources/start-registry.ts";

let fleet: Fleet;
let registry: Registry;

describeWithTools(["registry", "crane"], "images of others", () => {
  beforeAll(async () => {
    fleet = await givenFleet();
    registry = await startRegistry({ isOfFile: true });
  });
  const build = (pull: object, repository: string, dst_tag = "b1"): string =>
    JSON.stringify({
      container_image_pull_plan: pull,
      dst_registry: { loginServer: registry.host, repository },
      dst_tag,
    });

  test("become a component's, the newest version that the policy means, and once only", async () => {
    const client = pusherOf(registry.host, "others/app");
    for (const tag of ["1.2.0", "1.10.0", "2.0.0", "latest"]) await pushImage(client, { tag });
    const { run } = await givenRunnerWithAgent(fleet);
    const pull = { image: `${registry.host}/others/app`, update_policy: "^1.2" };
    const plan = build(pull, "own/app");
    const first = await run({ type: "container-image-build", plan });
    const digest = (
      await runTool("crane", ["digest", `${registry.host}/others/app:1.10.0`])
    ).trim();
    const source = {
      source_image: `${registry.host}/others/app`,
      resolved_tag: "1.10.0",
      source_digest: digest,
    };
    expect(first.outputs).toMatchObject({ ...source, digest, no_op: false, image: { tag: "b1" } });
    expect((await runTool("crane", ["digest", `${registry.host}/own/app:b1`])).trim()).toBe(digest);
    const known = { ...pull, previous_source_digest: digest };
    const again = await run({ type: "container-image-build", plan: build(known, "own/app", "b2") });
    expect(again.outputs).toMatchObject({ ...source, digest, no_op: true });
    expect(again.description).toContain(`is still ${digest}: nothing is copied`);
    const absent = runTool("crane", ["digest", `${registry.host}/own/app:b2`]);
    await expect(absent).rejects.toThrow(/UNKNOWN|not found/);
    const gone = await run({ type: "container-image-build", plan: build(known, "own/gone") });
    expect(gone.outputs).toMatchObject({ digest, no_op: false });
    const none = await run({
      type: "container-image-build",
      plan: build({ ...pull, update_policy: ">=3" }, "own/app"),
    });
    expect(none.result?.error_metadata["class"]).toBe("not_found");
    expect(none.description).toContain(
      "none of its 4 tags is a version that the update policy >=3",
    );
  });

  test("are looked at by a policy: the tag that it means now, and its digest, with nothing else asked", async () => {
    const client = pusherOf(registry.host, "others/looked");
    for (const tag of ["1.2.0", "1.10.0", "2.0.0"]) await pushImage(client, { tag });
    const { run } = await givenRunnerWithAgent(fleet);
    const look = async (more: object) =>
      await run({
        type: "fetch-image-metadata",
        plan: JSON.stringify({
          registry: { loginServer: registry.host, repository: "others/looked" },
          ...more,
        }),
      });
    const digest = (
      await runTool("crane", ["digest", `${registry.host}/others/looked:1.10.0`])
    ).trim();
    const found = await look({ update_policy: "^1.2", digest_only: true });
    expect(found.outputs).toEqual({
      image: `${registry.host}/others/looked`,
      registry: registry.host,
      repository: "others/looked",
      tag: "1.10.0",
      digest,
      update_policy: "^1.2",
    });
    expect((await look({ update_policy: "^1.2" })).outputs).toMatchObject({
      tag: "1.10.0",
      update_policy: "^1.2",
      signatures: [],
    });
    expect((await look({ tag: "1.10.0", digest_only: true })).outputs).toMatchObject({ digest });
    const none = await look({ update_policy: ">=3", digest_only: true });
    expect(none.result?.error_metadata["class"]).toBe("not_found");
    const wrong = await look({ update_policy: "some", digest_only: true });
    expect(wrong.description).toContain("update_policy must be newest, or a range of versions");
  });

  test("whose registry lists tags without end are not waited for", async () => {
    let page = 0;
    const server = http.createServer((_, response) => {
      page += 1;
      const link = `</v2/a/b/tags/list?last=${page}>; rel="next"`;
      response.writeHead(200, { link }).end(JSON.stringify({ tags: [`1.0.${page}`] }));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const image = `127.0.0.1:${(server.address() as AddressInfo).port}/a/b`;
    const { run } = await givenRunnerWithAgent(fleet);
    const plan = build({ image, update_policy: "newest" }, "own/app");
    const ended = await run({ type: "container-image-build", plan });
    expect(ended.result?.error_metadata["class"]).toBe("too_large");
    expect(page).toBeLessThan(200);
  });

  test("tell their platforms, signatures, SBOMs and attestations", async () => {
    const client = pusherOf(registry.host, "others/signed");
    const statement = { mediaType: "application/vnd.in-toto+json", bytes: Buffer.from('{"a":1}') };
    const index = await pushIndex(client, { tag: "one" });
    const { digest, mediaType, size } = index;
    const about = async (artifactType: string, more: Partial<Artifact>) =>
      await pushArtifact(client, { artifactType, config: statement, layers: [], ...more });
    const subject = { digest, mediaType, size };
    await about("application/vnd.cncf.notary.signature", { subject });
    await about("application/spdx+json", { subject: index.images[0] ?? subject });
    const slsa = "https://slsa.dev/provenance/v1";
    const bundle = "application/vnd.dev.sigstore.bundle.v0.3+json";
    const made = { "dev.sigstore.bundle.predicateType": slsa };
    await about(bundle, { annotations: made, subject });
    const cosign = `${digest.replace(":", "-")}.sig`;
    await runTool("crane", [
      "tag",
      `${registry.host}/others/signed@${index.images[1]?.digest}`,
      cosign,
    ]);
    const { run } = await givenRunnerWithAgent(fleet);
    const named = { loginServer: registry.host, repository: "others/signed" };
    const plan = {
      registry: named,
      tag: "one",
      include_index: true,
      include_attestation_manifests: true,
    };
    const { outputs, description } = await run({
      type: "fetch-image-metadata",
      plan: JSON.stringify(plan),
    });
    expect(description).toContain("2 signatures, 1 SBOMs, 1 attestations");
    expect(outputs).toMatchObject({
      digest,
      media_type: mediaType,
      size,
      tag: "one",
      platforms: [
        { os: "linux", architecture: "amd64", digest: index.images[0]?.digest },
        { os: "linux", architecture: "arm64" },
      ],
      signatures: [{ found_by: "referrers" }, { found_by: "tag" }],
      sboms: [{ subject: index.images[0]?.digest, artifact_type: "application/spdx+json" }],
      attestations: [{ predicate_type: slsa, subject: digest }],
      metadata: { signed: true, sbom: true, attestations: [slsa] },
      index: { schemaVersion: 2 },
      attestation_manifests: [{}, {}],
    });
    expect(outputs).not.toHaveProperty("attestation_layers");
  });

  test("tell what builders say of them in their index, and the statements where they are asked for", async () => {
    const client = pusherOf(registry.host, "others/built");
    const image = await pushImage(client, {});
    const statement = await writeLayer(Buffer.from('{"said":"so"}'));
    const predicate = { "in-toto.io/predicate-type": "https://spdx.dev/Document" };
    const mediaType = "application/vnd.in-toto+json";
    const layers = [{ ...statement, mediaType, annotations: predicate }];
    const config = {
      mediaType: "application/vnd.oci.image.config.v1+json",
      bytes: Buffer.from("{}"),
    };
    const said = await pushArtifact(client, { config, layers });
    const annotations = {
      "vnd.docker.reference.type": "attestation-manifest",
      "vnd.docker.reference.digest": image.digest,
    };
    const platform = { os: "unknown", architecture: "unknown" };
    await pushIndex(client, { tag: "one", besides: [{ ...said, annotations, platform }] });
    const { run } = await givenRunnerWithAgent(fleet);
    const plan = {
      registry: { loginServer: registry.host, repository: "others/built" },
      tag: "one",
      include_attestation_layers: true,
    };
    const { outputs } = await run({ type: "fetch-image-metadata", plan: JSON.stringify(plan) });
    expect(outputs).toMatchObject({
      sboms: [
        { subject: image.digest, found_by: "index", predicate_type: "https://spdx.dev/Document" },
      ],
      attestation_layers: [{ digest: statement.digest, content: { said: "so" } }],
    });
    expect(outputs["platforms"]).toHaveLength(2);
    expect(outputs).not.toHaveProperty("index");
  });
});
