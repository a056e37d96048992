import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { givenRunnerWithAgent } from "../../support/agent/given-jobs.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { testFolder } from "../../support/run/folder.ts";
import { startRegistryDouble } from "../../support/sources/start-registry-double.ts";
import { tarArchive } from "../../support/sources/tar-archive.ts";
import { zipArchive } from "../../support/sources/zip-archive.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

const module = gzipSync(tarArchive([{ name: "deep/what", text: "module" }]));
const interpolated_command = 'echo "what=$(cat what)" >>"$SVC_ACTIONS_OUTPUT_FILEPATH"';
const tellWhat = (source: object, more: object = {}) => ({ source, interpolated_command, ...more });
const title = (name: string) => ({ "org.opencontainers.image.title": name });

describe("an artifact in a registry", () => {
  test("is fetched at a tag or a digest, and unpacked where the step runs", async () => {
    const registry = await startRegistryDouble();
    const digest = registry.push("acme/app", "v1", [{ bytes: module }]);
    const { runSteps } = await givenRunnerWithAgent(fleet);
    const oci = { url: registry.host, repository: "acme/app", path: "deep" };
    for (const source of [
      { oci: { ...oci, tag: "v1" } },
      { oci: { ...oci, digest } },
      { oci: { url: `oci://${registry.host}/acme/app:v1`, path: "deep" } },
    ]) {
      expect(await runSteps([tellWhat(source)])).toMatchObject({
        status: "finished",
        outputs: { what: "module" },
      });
    }
  });

  test("may be files by their names, or a folder that was packed for the way", async () => {
    const registry = await startRegistryDouble();
    const folder = { ...title("dir"), "io.deis.oras.content.unpack": "true" };
    registry.push("acme/app", "v1", [
      { bytes: Buffer.from("file"), annotations: title("what") },
      { bytes: module, annotations: folder },
      { bytes: module, annotations: title("kept.tgz") },
    ]);
    const { runSteps } = await givenRunnerWithAgent(fleet);
    const script = `cd "$PWD"; echo "what=$(cat what deep/what)$(ls kept.tgz)" >>$SVC_ACTIONS_OUTPUT_FILEPATH`;
    const source = { oci: `${registry.host}/acme/app:v1` };
    const ended = await runSteps([{ source, interpolated_command: script }]);
    expect(ended.outputs["what"]).toBe("filemodulekept.tgz");
  });

  test.each([
    ["by a password", "basic", { username: "me", password: "pass-word-9" }],
    [
      "by a token that its registry hands out",
      "token",
      { username: "me", password: "pass-word-9" },
    ],
    ["by a token of nobody", "token", undefined],
  ] as const)("that is private is fetched %s, which shows nowhere", async (_, kind, auth) => {
    const login = auth && { login: "me:pass-word-9" };
    const registry = await startRegistryDouble(
      kind === "basic" ? { kind, login: "me:pass-word-9" } : { kind, ...login },
    );
    registry.push("acme/app", "v1", [{ bytes: module }]);
    const { runSteps, agent } = await givenRunnerWithAgent(fleet);
    const oci = { url: `${registry.host}/acme/app`, tag: "v1", path: "deep", auth };
    const ended = await runSteps([tellWhat({ oci })]);
    expect(ended).toMatchObject({ status: "finished", outputs: { what: "module" } });
    expect(JSON.stringify([ended, agent.logged])).not.toContain("pass-word-9");
  });

  test.each([
    ["without credentials", undefined, "the plan has no credentials"],
    [
      "with wrong ones",
      { username: "me", password: "wrong-one-1" },
      "refused the credentials (401)",
    ],
  ])("that is private is not had %s", async (_, auth, words) => {
    const registry = await startRegistryDouble({ kind: "token", login: "me:right-one-1" });
    registry.push("acme/app", "v1", [{ bytes: module }]);
    const { runSteps } = await givenRunnerWithAgent(fleet);
    const oci = { url: `${registry.host}/acme/app`, tag: "v1", auth };
    const ended = await runSteps([tellWhat({ oci }, { name: "get" })]);
    expect(ended).toMatchObject({
      status: "failed",
      result: { error_metadata: { reason: "source_unavailable", class: "auth", step: "get" } },
    });
    expect(ended.description).toContain(`Step get: the source ${registry.host}/acme/app:v1: `);
    expect(ended.description).toContain(words);
    expect(JSON.stringify(ended)).not.toContain("wrong-one");
  });

  test("that is not there, or is another one than its digest says, fails as such", async () => {
    const registry = await startRegistryDouble();
    registry.push("acme/app", "v1", [{ bytes: module }]);
    const { runSteps } = await givenRunnerWithAgent(fleet);
    const absent = await runSteps([tellWhat({ oci: `${registry.host}/acme/app:v2` })]);
    expect(absent.result?.error_metadata["class"]).toBe("not_found");
    const other = Buffer.concat([module.subarray(0, -1), Buffer.from([255])]);
    for (const path of registry.blobs()) registry.replace(path, other);
    const changed = await runSteps([tellWhat({ oci: `${registry.host}/acme/app:v1` })]);
    expect(changed.result?.error_metadata["class"]).toBe("digest");
    expect(changed.description).toContain("has the digest sha256:");
    const untold = await runSteps([tellWhat({ oci: `${registry.host}/acme/app` })]);
    expect(untold.result?.error_metadata["reason"]).toBe("plan_invalid");
    expect(untold.description).toContain("a tag or a digest is required");
  });

  test("is asked for again when its registry has an ill moment, and fails when it stays away", async () => {
    const registry = await startRegistryDouble();
    registry.push("acme/app", "v1", [{ bytes: module }]);
    const { runSteps } = await givenRunnerWithAgent(fleet);
    const source = { oci: { url: `${registry.host}/acme/app:v1`, path: "deep" } };
    registry.failNext(3);
    expect((await runSteps([tellWhat(source)])).outputs["what"]).toBe("module");
    const away = await runSteps([tellWhat({ oci: "127.0.0.1:2/acme/app:v1" })]);
    expect(away.result?.error_metadata).toMatchObject({ class: "network" });
    expect(away.description).toContain("the registry cannot be reached");
  });

  test("may not be larger than the agent allows", async () => {
    const registry = await startRegistryDouble();
    const large = gzipSync(tarArchive([{ name: "what", text: "0".repeat(100_000) }]));
    registry.push("acme/app", "v1", [{ bytes: large }]);
    const { runSteps } = await givenRunnerWithAgent(fleet, { "source-size": "64KiB" });
    const ended = await runSteps([tellWhat({ oci: `${registry.host}/acme/app:v1` })]);
    expect(ended.result?.error_metadata["class"]).toBe("too_large");
    expect(ended.description).toContain('at the entry "what"');
  });
});

describe("an archive in a plan", () => {
  test.each([
    ["tar with gzip", module],
    ["zip", zipArchive([{ name: "deep/what", text: "module" }])],
  ])("of %s is unpacked where the step runs", async (_, bytes) => {
    const { runSteps } = await givenRunnerWithAgent(fleet);
    const archive = { contents: bytes.toString("base64url"), path: "deep" };
    expect((await runSteps([tellWhat({ archive })])).outputs["what"]).toBe("module");
  });

  test("that would leave its folder is one failed job that names the entry", async () => {
    const { runSteps } = await givenRunnerWithAgent(fleet);
    const archive = gzipSync(tarArchive([{ name: "../../evil", text: "x" }])).toString("base64");
    const ended = await runSteps([tellWhat({ archive }, { name: "get" })]);
    expect(ended.result?.error_metadata).toMatchObject({
      reason: "source_unavailable",
      class: "unsafe",
    });
    expect(ended.description).toContain('the entry "../../evil" is a path outside');
    const none = await runSteps([tellWhat({ archive: "aGVsbG8=" })]);
    expect(none.description).toContain("it is not a supported archive");
  });
});

describe("a folder of the host", () => {
  test("is copied where the operator allows it, and refused where not", async () => {
    const folder = await testFolder(0o755);
    await mkdir(path.join(folder, "deep"));
    await writeFile(path.join(folder, "deep", "what"), "of the host");
    const allowed = await givenRunnerWithAgent(fleet, { "allow-file-sources": "yes" });
    const step = tellWhat({ path: folder }, { directory: "deep" });
    expect((await allowed.runSteps([step])).outputs["what"]).toBe("of the host");
    const { runSteps } = await givenRunnerWithAgent(fleet);
    const ended = await runSteps([step]);
    expect(ended.result?.error_metadata["reason"]).toBe("plan_invalid");
    expect(ended.description).toContain("allow-file-sources");
  });
});
