import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { EndedJob } from "../../../support/agent/given-jobs.ts";
import { type Fleet, givenFleet } from "../../../support/broker/given-fleet.ts";
import { givenBuilds } from "../../../support/builds/given-builds.ts";
import { givenDockerContext, imageTools } from "../../../support/builds/given-docker-context.ts";
import { describeWithTools } from "../../../support/run/describe-with-tools.ts";
import { type Registry, startRegistry } from "../../../support/sources/start-registry.ts";

let fleet: Fleet;
let registry: Registry;

const key = (letter: string): string => letter.repeat(64);
const run = (script: string): string =>
  `RUN ${JSON.stringify(["/bin/busybox", "sh", "-c", script])}\n`;
const dockerfile =
  "FROM scratch AS tools\nCOPY busybox /bin/busybox\n" +
  run("/bin/busybox --install -s /bin; echo made >/made") +
  "FROM scratch\nCOPY busybox /bin/busybox\nENV A=b\nCOPY --from=tools /made /made\nCOPY name /name\n" +
  run("echo last >/last");
const imageOf = ({ outputs }: EndedJob): unknown => outputs["digest"];

describeWithTools(imageTools, "layers of a build", () => {
  beforeAll(async () => {
    fleet = await givenFleet();
    registry = await startRegistry({ isOfFile: true });
  });

  test("are used by the next build of the same component alone, and change nothing of its image", async () => {
    const runner = await givenBuilds(fleet, registry);
    const context = await givenDockerContext(dockerfile, { name: "one" });
    const kept = path.join(runner.agent.dataDir, "image-layers");
    let tags = 0;
    const build = async (plan: object) => {
      tags += 1;
      const made = await runner.build("docker-build", {
        source: { path: context },
        docker_build_plan: plan,
        dst_tag: `l${tags}`,
      });
      const log = await runner.logOf(made.id);
      expect(made.status, `${made.description}\n${log.join("\n")}`).toBe("finished");
      return { made, used: log.filter((line) => line.startsWith("--> Using cache")).length };
    };
    const plain = await build({});
    const first = await build({ cache_key: key("a") });
    // The second stage begins as the first does.
    expect([plain.used, first.used]).toEqual([1, 1]);
    const second = await build({ cache_key: key("a") });
    expect(second.used).toBe(7);
    expect((await build({ cache_key: key("b") })).used).toBe(1);
    for (const { made } of [first, second]) expect(imageOf(made)).toBe(imageOf(plain.made));

    await writeFile(path.join(context, "name"), "two");
    const changed = await build({ cache_key: key("a") });
    expect(changed.used).toBe(5);
    expect(imageOf(changed.made)).not.toBe(imageOf(plain.made));
    expect(imageOf((await build({ cache_key: key("a"), no_cache: true })).made)).toBe(
      imageOf(changed.made),
    );
    const both = await Promise.all([
      build({ cache_key: key("a") }),
      build({ cache_key: key("a") }),
    ]);
    expect(both.map(({ used }) => used)).toEqual([7, 7]);
    expect(readdirSync(kept).toSorted()).toEqual([key("a"), key("b")]);
    expect(readdirSync(path.join(kept, key("a")))).toHaveLength(1);
  });

  test("are made anew where what is kept is damaged, and are the newest whatever the clock has said", async () => {
    const runner = await givenBuilds(fleet, registry);
    const context = await givenDockerContext(dockerfile, { name: "one" });
    const own = path.join(runner.agent.dataDir, "image-layers", key("a"));
    const build = async () => {
      const made = await runner.build("docker-build", {
        source: { path: context },
        docker_build_plan: { cache_key: key("a") },
        dst_tag: "damaged",
      });
      const log = await runner.logOf(made.id);
      expect(made.status, `${made.description}\n${log.join("\n")}`).toBe("finished");
      return { log, used: log.filter((line) => line.startsWith("--> Using cache")).length };
    };
    const place = (): string => path.join(own, readdirSync(own).join(" of many "));
    await build();
    const blobs = path.join(place(), "blobs", "sha256");
    for (const name of readdirSync(blobs)) {
      const file = path.join(blobs, name);
      const bytes = readFileSync(file);
      if (bytes.length > 100_000) writeFileSync(file, bytes.fill(0, 1_000, 2_000));
    }
    expect((await build()).used).toBe(1);
    expect((await build()).used).toBe(7);

    renameSync(place(), path.join(own, `${Date.now() + 10 ** 9}-1`));
    await writeFile(path.join(context, "name"), "two");
    expect((await build()).used).toBe(5);

    await rm(path.join(place(), "index.json"));
    mkdirSync(path.join(place(), "index.json"));
    const without = await build();
    expect(without.log.join("\n")).toContain("the layers of the build before are not used: E");
    expect(without.used).toBe(1);
  });

  test("are left out where the build has no room beside them", async () => {
    const runner = await givenBuilds(fleet, registry, { "build-disk": "64MiB" });
    const base = "FROM scratch\nCOPY busybox /bin/busybox\n";
    const zeros = (megabytes: number) =>
      `/bin/busybox dd if=/dev/zero of=/zeros bs=1M count=${megabytes}`;
    const build = async (script: string) => {
      const made = await runner.build("docker-build", {
        source: { path: await givenDockerContext(base + run(script)) },
        docker_build_plan: { cache_key: key("a") },
        dst_tag: "room",
      });
      const log = (await runner.logOf(made.id)).join("\n");
      expect(made.status, `${made.description}\n${log}`).toBe("finished");
      return log;
    };
    await build(zeros(12));
    const log = await build(`${zeros(48)}; /bin/busybox sleep 5; /bin/busybox rm /zeros`);
    expect(log).toContain("steps of the build before are known");
    expect(log).toContain("it begins again without them");
  });

  test("are neither used nor kept where a step reads what they do not tell of", async () => {
    const runner = await givenBuilds(fleet, registry);
    const sh = (mount: string) =>
      `RUN --mount=${mount} ${JSON.stringify(["/bin/busybox", "sh", "-c", "/bin/busybox cat /in/name >/seen"])}\n`;
    const shell = "FROM scratch AS shell\nCOPY busybox /bin/busybox\n";
    const other = "FROM scratch AS other\nCOPY name /name\nFROM shell\n";
    const base = await givenDockerContext("FROM scratch\nCOPY name /name\n", { name: "one" });
    const build = async (context: string, letter: string, dst_tag = "mounts") => {
      const made = await runner.build("docker-build", {
        source: { path: context },
        docker_build_plan: letter === "" ? {} : { cache_key: key(letter) },
        dst_tag,
      });
      const log = await runner.logOf(made.id);
      expect(made.status, `${made.description}\n${log.join("\n")}`).toBe("finished");
      return { digest: imageOf(made), log };
    };
    const mounts = [
      shell + sh("type=bind,target=/in"),
      shell + sh("target=/in"),
      shell + other + sh("from=other,target=/in"),
      shell + sh(`from=${registry.host}/acme/part:base,target=/in`),
    ];
    await build(base, "", "base");
    const contexts = await Promise.all(
      mounts.map(async (text) => await givenDockerContext(text, { name: "one" })),
    );
    const all = async () =>
      await Promise.all(contexts.map(async (one, at) => await build(one, "abcd"[at] ?? "")));
    const first = await all();
    for (const one of [base, ...contexts]) await writeFile(path.join(one, "name"), "two");
    await build(base, "", "base");
    for (const [at, { digest, log }] of (await all()).entries()) {
      expect([at, digest]).not.toEqual([at, first[at]?.digest]);
      expect(log.join("\n")).toContain("no layers are kept or used: RUN --mount");
    }
    expect(readdirSync(runner.agent.dataDir)).not.toContain("image-layers");
  });

  test("go when they are more than is set, those first that were used longest ago", async () => {
    const runner = await givenBuilds(fleet, registry, { "build-cache": "2MiB" });
    const kept = path.join(runner.agent.dataDir, "image-layers");
    const build = async (letter: string, files: Readonly<Record<string, string>> = {}) => {
      const made = await runner.build("docker-build", {
        source: { path: await givenDockerContext(`FROM scratch\nCOPY . /${letter}\n`, files) },
        docker_build_plan: { cache_key: key(letter) },
        dst_tag: letter,
      });
      expect(made).toMatchObject({ status: "finished" });
      return await runner.logOf(made.id);
    };
    await build("a"); // busybox takes a little more than 1 MiB
    expect(readdirSync(kept)).toEqual([key("a")]);
    await build("b");
    expect(readdirSync(kept)).toEqual([key("b")]);
    const none = await givenBuilds(fleet, registry, { "build-cache": "0" });
    const off = await none.build("docker-build", {
      source: { path: await givenDockerContext("FROM scratch\nCOPY . /\n") },
      docker_build_plan: { cache_key: key("a") },
      dst_tag: "off",
    });
    expect(off.status).toBe("finished");
    expect(readdirSync(none.agent.dataDir)).not.toContain("image-layers");
  });
});
