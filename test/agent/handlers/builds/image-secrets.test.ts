import path from "node:path";
import { execa } from "execa";
import { beforeAll, expect, test } from "vitest";
import { type Fleet, givenFleet } from "../../../support/broker/given-fleet.ts";
import { until } from "../../../support/broker/given-polling.ts";
import { givenBuilds } from "../../../support/builds/given-builds.ts";
import { givenDockerContext, imageTools } from "../../../support/builds/given-docker-context.ts";
import { runTool } from "../../../support/programs/run-tool.ts";
import { describeWithTools } from "../../../support/run/describe-with-tools.ts";
import { testFolder } from "../../../support/run/folder.ts";
import { type Registry, startRegistry } from "../../../support/sources/start-registry.ts";

let fleet: Fleet;
let registry: Registry;

const value = 'of-the-tests "only" $HOME\nin two lines\n';
const first = "of-the-tests";
const run = (mounts: string, script: string): string =>
  `RUN ${mounts} ${JSON.stringify(["/bin/busybox", "sh", "-c", script])}\n`;
const base = `FROM scratch\nCOPY busybox /bin/busybox\nRUN ["/bin/busybox", "--install", "-s", "/bin"]\n`;
const mount = "--mount=type=secret,id=npm_token,required";

/** Files below a folder that have this text. */
const filesWith = async (folder: string): Promise<string> =>
  (await execa("grep", ["-rlF", first, folder], { reject: false })).stdout;

describeWithTools(imageTools, "a secret of a Dockerfile", () => {
  beforeAll(async () => {
    fleet = await givenFleet();
    registry = await startRegistry({ isOfFile: true });
  });

  test("is there for the RUN that mounts it, and nowhere else, while it runs and afterwards", async () => {
    const runner = await givenBuilds(fleet, registry);
    const { dataDir } = runner.agent;
    const expected = Buffer.from(value).toString("base64").replaceAll("=", "");
    const text =
      base +
      run(
        mount,
        `base64 -w 0 /run/secrets/npm_token | tr -d = >/seen; cat /run/secrets/npm_token`,
      ) +
      run("", `[ "$(cat /seen)" = ${expected} ] && echo same; ls /run/secrets | wc -l; rm /seen`) +
      run(
        "--mount=type=secret,id=npm_token,target=/here --mount=type=secret,id=other",
        "test -s /here && ! test -e /run/secrets/other && echo begun; read -t 8 x </dev/zero; sleep 3",
      );
    const plan = {
      source: { path: await givenDockerContext(text) },
      docker_build_plan: { secrets: { npm_token: value } },
      dst_tag: "s1",
    };
    const id = await runner.enqueue(runner.draft("docker-build", plan));
    await until(async () => (await runner.logOf(id)).includes("begun"));
    // It is on no disk and in no argument while it is used.
    expect(await filesWith(dataDir)).toBe("");
    expect((await execa("ps", ["-eo", "args"])).stdout).not.toContain(first);
    const made = await runner.ended(id);
    const log = await runner.logOf(id);
    expect(made.status, `${made.description}\n${log.join("\n")}`).toBe("finished");
    expect(log).toContain("same");
    expect(log.join("\n")).not.toContain(first);
    expect(JSON.stringify([made, await runner.statementFor(made)])).not.toContain(first);
    const image = `${registry.host}/acme/part@${String(made.outputs["digest"])}`;
    const tar = path.join(await testFolder(), "image.tar");
    await runTool("crane", ["pull", image, tar]);
    await execa("tar", ["-xf", tar, "-C", path.dirname(tar)]);
    const script = 'for layer in *.tar.gz; do gzip -dc "$layer"; done; cat sha256*';
    const how = { cwd: path.dirname(tar), encoding: "latin1" } as const;
    const { stdout } = await execa("sh", ["-c", script], how);
    expect(stdout.length).toBeGreaterThan(1_000);
    expect(stdout).not.toContain(first);
    const other = await runner.build("docker-build", {
      ...plan,
      docker_build_plan: { secrets: { npm_token: "another" } },
      dst_tag: "s2",
    });
    expect(other.outputs["source_checksum"]).toBe(made.outputs["source_checksum"]);
  });

  test("that is required and not given is told before anything runs", async () => {
    const { build } = await givenBuilds(fleet, registry);
    const source = { path: await givenDockerContext(base + run(mount, "true")) };
    const { description, result } = await build("docker-build", { source, dst_tag: "never" });
    expect(result?.error_metadata["class"]).toBe("config_invalid");
    expect(description).toContain(
      "Dockerfile:4: RUN requires the secret npm_token, which is not given",
    );
  });
});
