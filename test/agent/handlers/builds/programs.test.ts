import { existsSync } from "node:fs";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { type Fleet, givenFleet } from "../../../support/broker/given-fleet.ts";
import { givenBuilds } from "../../../support/builds/given-builds.ts";
import { givenPulumiPath, projectFile } from "../../../support/pulumi/given-pulumi.ts";
import { describeWithTools } from "../../../support/run/describe-with-tools.ts";
import { testFolder } from "../../../support/run/folder.ts";
import { type Registry, startRegistry } from "../../../support/sources/start-registry.ts";
import { archiveOf } from "../../../support/terraform/given-terraform.ts";

let fleet: Fleet;
let registry: Registry;

/** A program that imports a package which lies beside it, whose script runs at an install that runs scripts. */
async function givenFiles(): Promise<{ files: Record<string, string>; owned: string }> {
  const owned = path.join(await testFolder(0o777), "owned");
  const scripts = { preinstall: `touch ${owned}`, postinstall: `touch ${owned}` };
  const inside = { "": { name: "app", dependencies: { words: "file:../words" } } };
  const lock = {
    name: "app",
    lockfileVersion: 3,
    requires: true,
    packages: {
      ...inside,
      "../words": { version: "1.0.0", hasInstallScript: true },
      "node_modules/words": { resolved: "../words", link: true },
    },
  };
  const files = {
    "words/package.json": JSON.stringify({ name: "words", version: "1.0.0", scripts }),
    "words/index.js": 'module.exports = "hello";\n',
    "app/Pulumi.yaml": projectFile,
    "app/index.js": 'exports.said = require("words");\n',
    "app/package.json": JSON.stringify(inside[""]),
    "app/package-lock.json": JSON.stringify(lock),
    "app/.npmrc": `ignore-scripts=false\ngit=${owned}\n`,
  };
  return { files, owned };
}

describeWithTools(["registry", "npm-pulumi"], "a build of a program for Pulumi", () => {
  beforeAll(async () => {
    fleet = await givenFleet();
    registry = await startRegistry({ isOfFile: true });
  });

  test("installs by the lock file without running scripts, and is the same from another place", async () => {
    await givenPulumiPath();
    const { build, manifest, statementFor } = await givenBuilds(fleet, registry);
    const { files, owned } = await givenFiles();
    const planOf = async () => ({
      source: { archive: { path: "app", contents: await archiveOf(files) } },
      pulumi_build_plan: { labels: { team: "one" } },
    });
    const built = await build("pulumi-build", await planOf());
    expect(built).toMatchObject({ status: "finished", description: /^It is built/ });
    expect(built.outputs).toMatchObject({ runtime: "nodejs", project: "words", references: [] });
    expect((await manifest("b1"))?.artifactType).toBe("application/vnd.svc.pulumi-program.v1");
    const again = await build("pulumi-build", { ...(await planOf()), dst_tag: "b2" });
    const equal = ["digest", "checksum", "source_checksum", "size"];
    expect(equal.map((name) => again.outputs[name])).toEqual(
      equal.map((name) => built.outputs[name]),
    );
    expect(existsSync(owned)).toBe(false);
    const { predicate } = await statementFor(built);
    expect(JSON.stringify(predicate)).toContain('"team":"one"');
  });

  test("that has not what it needs, or leaves its directory, is told, and nothing is pushed", async () => {
    await givenPulumiPath();
    const { build, manifest } = await givenBuilds(fleet, registry);
    const { files: all } = await givenFiles();
    const { "app/Pulumi.yaml": _, ...nameless } = all;
    const { "app/package-lock.json": lock = "", ...lockless } = all;
    const wanting = { name: "app", dependencies: { words: "file:../words", "left-pad": "1.3.0" } };
    const locked = JSON.parse(lock) as { packages: Record<string, object> };
    locked.packages[""] = wanting;
    locked.packages["node_modules/left-pad"] = { version: "1.3.0" };
    const more = { ...all, "app/package.json": JSON.stringify(wanting) };
    const yaml = (text: string) => ({ ...all, "app/Pulumi.yaml": text });
    const lockFile = "package-lock.json";
    const outOfGit = JSON.stringify({
      lockfileVersion: 3,
      packages: { "node_modules/x": { resolved: "git+ssh://git@example.com/x.git#1" } },
    });
    const rows: readonly (readonly [Record<string, string>, string, string])[] = [
      [nameless, "not_found", "Pulumi.yaml"],
      [yaml("name: a b\nruntime: nodejs\n"), "config_invalid", "Pulumi.yaml"],
      [yaml("name: words\nruntime: { name: python }\n"), "config_invalid", "Pulumi.yaml"],
      [yaml(`${projectFile}main: ../words\n`), "outside", "Pulumi.yaml"],
      [lockless, "not_found", lockFile],
      [{ ...all, [`app/${lockFile}`]: "{" }, "config_invalid", lockFile],
      // npm makes these by settings of their own, which can name programs.
      [{ ...all, [`app/${lockFile}`]: outOfGit }, "config_invalid", lockFile],
      [{ ...all, "app/.npmrc": "node-options=--require=./x.js\n" }, "config_invalid", ".npmrc"],
      [
        { ...all, "app/.npmrc": "registry=https://x/${HTTPS_PROXY}/\n" },
        "config_invalid",
        ".npmrc",
      ],
      [{ ...more, [`app/${lockFile}`]: JSON.stringify(locked) }, "dependency_missing", lockFile],
    ];
    const told: unknown[] = [];
    for (const [files] of rows) {
      const source = { archive: { path: "app", contents: await archiveOf(files) } };
      const { result } = await build("pulumi-build", { source, dst_tag: "none" });
      told.push(result?.error_metadata);
    }
    expect(told).toMatchObject(
      rows.map(([, of, file]) => ({ reason: "build_failed", class: of, file })),
    );
    expect(await manifest("none")).toBeUndefined();
  });
});
