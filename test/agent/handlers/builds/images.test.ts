import { writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { type Fleet, givenFleet } from "../../../support/broker/given-fleet.ts";
import { givenBuilds } from "../../../support/builds/given-builds.ts";
import {
  fillContext,
  givenDockerContext,
  imageTools,
  running,
} from "../../../support/builds/given-docker-context.ts";
import { runTool } from "../../../support/programs/run-tool.ts";
import { describeWithTools } from "../../../support/run/describe-with-tools.ts";
import { testFolder } from "../../../support/run/folder.ts";
import { givenRepository, type Repository } from "../../../support/sources/given-repository.ts";
import { type Registry, startRegistry } from "../../../support/sources/start-registry.ts";
import { tarArchive } from "../../../support/sources/tar-archive.ts";

let fleet: Fleet;
let registry: Registry;

const base = "FROM scratch\nCOPY busybox /bin/busybox\nCOPY etc/ /etc/\n";
const stages = `
ARG REGISTRY
FROM \${REGISTRY}/acme/part:b1 AS tools
ARG WORD=none
ARG OTHER
RUN ["/bin/busybox", "sh", "-c", "echo $WORD $OTHER >/said"]
FROM scratch AS last
COPY --from=tools /said /said
COPY --from=REGISTRY/acme/part:b1 /etc/name /name
COPY --from=REGISTRY/acme/docker:1 /word /
ENTRYPOINT ["/bin/busybox"]
FROM unknown.example.com/never AS later
RUN nobody
`;

describeWithTools(imageTools, "an image that is built by a Dockerfile", () => {
  beforeAll(async () => {
    fleet = await givenFleet();
    registry = await startRegistry({ isOfFile: true });
  });

  test("is the same from another place, and others are made of it, by a target and arguments", async () => {
    const runner = await givenBuilds(fleet, registry, { "build-disk": "200MiB" });
    const { build, statementFor } = runner;
    const [one, other] = [await givenRepository(), await givenRepository()];
    const commits: string[] = [];
    for (const { folder, commit } of [one, other]) {
      await fillContext(path.join(folder, "app"), { "etc/name": "one\n", Dockerfile: base });
      commits.push(await commit(`${folder === one.folder ? "a" : "b"}.md`, "beside it"));
    }
    const planOf = ({ folder }: Repository, dst_tag: string) => ({
      git_source: { url: `file://${folder}`, path: "app" },
      dst_tag,
    });
    const built = await build("docker-build", planOf(one, "b1"));
    expect(built).toMatchObject({ status: "finished", outputs: { source_ref: commits[0] } });
    const again = await build("docker-build", planOf(other, "b2"));
    const equal = ["digest", "checksum", "source_checksum", "size"];
    expect(equal.map((name) => again.outputs[name])).toEqual(
      equal.map((name) => built.outputs[name]),
    );
    const crane = async (...args: string[]) => await runTool("crane", args);
    await crane(
      "validate",
      "--remote",
      `${registry.host}/acme/part@${String(built.outputs["digest"])}`,
    );

    // An image of the types that Docker gave them before there were others.
    const layer = path.join(await testFolder(), "layer.tar");
    await writeFile(layer, tarArchive([{ name: "word", text: "of Docker's" }]));
    await crane("append", "-f", layer, "-t", `${registry.host}/acme/docker:1`);
    const text = stages.replaceAll("REGISTRY/", `${registry.host}/`);
    const context = await givenDockerContext("", { "docker/Dockerfile.last": text });
    const docker_build_plan = {
      dockerfile: "docker/Dockerfile.last",
      target: "last",
      build_args: { WORD: "so", OTHER: `it's "said" $HOME`, REGISTRY: registry.host },
    };
    const made = await build("docker-build", {
      source: { path: context },
      docker_build_plan,
      dst_tag: "b3",
    });
    expect(made).toMatchObject({
      status: "finished",
      outputs: {
        tag: "b3",
        base_images: [
          { image: `${registry.host}/acme/part:b1`, digest: built.outputs["digest"] },
          { image: `${registry.host}/acme/docker:1` },
        ],
      },
    });
    const digest = String(made.outputs["digest"]);
    const image = `${registry.host}/acme/part@${digest}`;
    const tar = path.join(await testFolder(), "image.tar");
    await crane("export", image, tar);
    await crane("validate", "--remote", image);
    const { execa } = await import("execa");
    const read = async (name: string) => (await execa("tar", ["-xOf", tar, name])).stdout;
    expect(await read("said")).toBe(`so it's "said" $HOME`);
    expect([await read("name"), await read("word")]).toEqual(["one", "of Docker's"]);
    const config = JSON.parse(await crane("config", image)) as { created: string; config: object };
    expect(config).toMatchObject({
      created: "1970-01-01T00:00:00Z",
      config: { Entrypoint: ["/bin/busybox"] },
    });
    expect(JSON.stringify(config)).not.toContain(made.id);
    const { resolvedDependencies } = (await statementFor(made)).predicate.buildDefinition;
    const sha256 = String(built.outputs["digest"]).replace("sha256:", "");
    expect(resolvedDependencies).toMatchObject([{ digest: { sha256 } }, {}]);
  });

  test("that cannot be built says why, in a class and a sentence", async () => {
    const { build, manifest } = await givenBuilds(fleet, registry, {
      "build-disk": "100MiB",
      "job-pids-max": "150",
      "build-network": "none",
    });
    const context = await givenDockerContext(running("echo well; exit 3"));
    const files = {
      "none.docker": "RUN true\n",
      "base.docker": `FROM scratch AS one\nFROM ${registry.host}/acme/nothing:1\n`,
      "far.docker": "FROM scratch\nCOPY --from=127.0.0.2:1/acme/image:1 / /\n",
      "copy.docker": "FROM scratch\nCOPY nothing /nothing\n",
      "args.docker": "ARG NAME\nFROM $NAME\n",
      "fork.docker": running("while sleep 60 & do :; done; echo so many"),
      "disk.docker": running(
        "for i in 1 2 3; do dd if=/dev/zero of=/big$i bs=1M count=60 2>/dev/null; done; sleep 600",
      ),
    };
    for (const [name, text] of Object.entries(files))
      await writeFile(path.join(context, name), text);
    const all: Readonly<Record<string, readonly [object, string | undefined, string]>> = {
      missing: [{ dockerfile: "no/Dockerfile" }, "not_found", "no/Dockerfile: it does not exist"],
      outside: [{ dockerfile: "../Dockerfile" }, "outside", "outside of the context"],
      absolute: [{ dockerfile: "/etc/passwd" }, undefined, "docker_build_plan.dockerfile must be"],
      context: [{ context: "nowhere" }, "not_found", "nowhere does not exist"],
      target: [
        { target: "two", dockerfile: "base.docker" },
        "not_found",
        'no stage "two": it has one',
      ],
      none: [{ dockerfile: "none.docker" }, "config_invalid", "none.docker: it has no FROM"],
      args: [
        { dockerfile: "args.docker" },
        "config_invalid",
        "args.docker:2: FROM $NAME names no image",
      ],
      base: [{ dockerfile: "base.docker" }, "not_found", "acme/nothing:1 of line 2: the registry"],
      far: [
        { dockerfile: "far.docker" },
        "refused",
        "127.0.0.2 (loopback), where nothing is asked",
      ],
      copy: [{ dockerfile: "copy.docker" }, "not_found", "COPY nothing"],
      run: [{}, "step_failed", "exit status 3"],
      fork: [{ dockerfile: "fork.docker" }, "step_failed", "building at STEP"],
      disk: [{ dockerfile: "disk.docker" }, "disk", "more than 100 MiB of the disk (build-disk)"],
    };
    for (const [name, [docker_build_plan, kind, words]] of Object.entries(all)) {
      const plan = { source: { path: context }, docker_build_plan, dst_tag: "never" };
      const { status, description, result } = await build("docker-build", plan);
      expect([name, status, result?.error_metadata["class"]]).toEqual([name, "failed", kind]);
      expect(description).toContain(words);
    }
    expect(await manifest("never")).toBeUndefined();
  });
});
