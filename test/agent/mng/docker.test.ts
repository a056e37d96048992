import { writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { version } from "../../../shared/version.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { until } from "../../support/broker/given-polling.ts";
import { agentOfVersion, oddVersion } from "../../support/mng/agent-versions.ts";
import { givenManagedHost } from "../../support/mng/given-managed-host.ts";
import { killedAt } from "../../support/mng/killed-at.ts";
import { startDocker } from "../../support/mng/start-docker.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";

const repository = "svc.test/agent";
const next = `${repository}:7.1.0`;

let fleet: Fleet;
beforeAll(async () => {
  fleet = await givenFleet();
});

/** A host with a docker, and the image of the present version in it. */
async function setup() {
  const docker = await startDocker();
  const host = await givenManagedHost(fleet);
  await docker.putImage(`${repository}:1`, await agentOfVersion(version));
  const args = path.join(host.folder, "container.args");
  // What must survive a container: the settings, the token and the agent's data.
  const volumes = [host.folder, host.agentDataDir].map((it) => `--volume=${it}:${it}`);
  await writeFile(args, ["# of the owner", ...docker.hostArgs, ...volumes].join("\n"));
  const startMng = (
    more: Readonly<Record<string, string>> = {},
    nodeArgs: readonly string[] = [],
  ) =>
    host.startMng(
      {
        "mng-driver": "docker",
        "mng-container-args": args,
        "mng-image": `${repository}:1`,
        "mng-images": repository,
        ...more,
      },
      docker.env,
      nodeArgs,
    );
  const inspect = async (what: string): Promise<string> =>
    (await docker.docker("container", "inspect", "--format", `{{${what}}}`, "svc-agent")).trim();
  return { ...host, ...docker, startMng, inspect };
}

describeWithTools(["dockerd", "docker", "unshare"], "a managed agent as a docker container", () => {
  test("is started, does jobs, and is started again when it was killed", async () => {
    const host = await setup();
    host.startMng();
    const first = await host.agentUp();
    expect(first.version).toBe(version);
    expect(await host.run({ type: "noop" })).toMatchObject({ status: "finished" });
    const script = { name: "say", interpolated_inline_contents: "#!/bin/sh\nhostname" };
    expect(await host.runSteps([script])).toMatchObject({ status: "finished" });
    await host.docker("kill", "svc-agent");
    const second = await host.agentUp(first.id);
    expect(await host.inspect(".HostConfig.RestartPolicy.Name")).toBe("no");
    const job = await host.run({ type: "mng-runner-restart" });
    expect(job.outputs).toMatchObject({ result: "restarted", driver: "docker" });
    await host.agentUp(second.id);
  });

  test("is made anew from another image, which the runner's settings name, and stopped", async () => {
    const host = await setup();
    await host.putImage(next, await agentOfVersion("7.1.0"));
    const mng = host.startMng();
    const first = await host.agentUp();
    await host.changeSettings({ container_image_url: repository, container_image_tag: "7.1.0" });
    const second = await host.agentUp(first.id);
    expect(second.version).toBe("7.1.0");
    expect(await host.inspect(".Config.Image")).toBe(next);
    mng.kill("SIGKILL"); // the container goes on, and is found again
    await mng.ended;
    host.startMng();
    expect(await host.run({ type: "mng-runner-update-version" })).toMatchObject({
      outputs: { result: "unchanged", to: next },
    });
    expect(await host.run({ type: "mng-shut-down" })).toMatchObject({
      outputs: { result: "stopped" },
    });
    expect(await host.inspect(".State.Running")).toBe("false");
    await host.run({ type: "mng-runner-restart" });
    expect((await host.agentUp(second.id)).version).toBe("7.1.0");
  });

  test("goes back to its former image, when the new one does not work", async () => {
    const host = await setup();
    await host.putImage(next, oddVersion("7.1.0", "process.exit(1);"));
    host.startMng({ "mng-probation": "4s" });
    const first = await host.agentUp();
    const job = await host.run({ type: "mng-runner-update-version", metadata: { image: next } });
    expect(job.outputs).toMatchObject({ result: "rolled_back" });
    expect(job.description).toContain("no heartbeat within 4s (it exited with code 1)");
    expect((await host.agentUp(first.id)).version).toBe(version);
    expect(await host.inspect(".Config.Image")).toBe(`${repository}:1`);
  });

  test.each(["rename svc-agent", `${next} start`, "start svc-agent"])(
    "is switched though its management process is killed at docker's %s",
    async (word) => {
      const host = await setup();
      await host.putImage(next, await agentOfVersion("7.1.0"));
      const before = host.startMng();
      const first = await host.agentUp();
      before.kill("SIGKILL");
      await before.ended;
      const mng = host.startMng({}, killedAt({ at: "commanded", word }));
      const metadata = { image: next };
      const jobId = await host.enqueue({ type: "mng-runner-update-version", metadata });
      expect(await mng.ended).toBe("SIGKILL");
      host.startMng();
      expect(await host.ended(jobId)).toMatchObject({ outputs: { result: "switched" } });
      expect((await host.agentUp(first.id)).version).toBe("7.1.0");
      expect((await host.docker("ps", "--all", "--quiet")).trim().split("\n")).toHaveLength(1);
      expect(await host.agentPids()).toHaveLength(1);
    },
  );

  test("is left alone by images that its owner does not allow, or that cannot be had", async () => {
    const host = await setup();
    host.startMng();
    const first = await host.agentUp();
    const asked = async (image: string) =>
      await host.run({ type: "mng-runner-update-version", metadata: { image } });
    expect((await asked("svc.test/other:1")).description).toContain("not allowed on this host");
    expect((await asked(`${repository}:none`)).description).toContain("could not be pulled");
    await until(async () => (await host.live("install")).length === 1);
    expect((await host.agentUp()).id).toBe(first.id);
  });
});
