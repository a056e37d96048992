import { cp, mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import type { ComponentBuild } from "../../../../shared/api/builds.ts";
import { until } from "../../../support/broker/given-polling.ts";
import { givenBuilderFleet } from "../../../support/deploys/given-builder-fleet.ts";
import { svc } from "../../../support/programs/svc.ts";
import { testFolder } from "../../../support/run/folder.ts";
import { givenRepository } from "../../../support/sources/given-repository.ts";

const program = 'name: net\nruntime: yaml\noutputs:\n  one: "1"\n';

/** A broker with a registry and an agent that builds, and the command line of somebody who may sync. */
async function given() {
  const { fleet, builder: runner } = await givenBuilderFleet({ "allow-file-sources": "yes" });
  const token = runner.operatorToken;
  const env = { SVC_URL: fleet.broker.url, SVC_TOKEN: token };
  const newest = async (id: string): Promise<ComponentBuild> => {
    let seen: ComponentBuild | undefined;
    await until(async () => {
      seen = (await fleet.broker.call<ComponentBuild>(`GET /v1/builds/${id}`, { token })).body;
      return ["active", "error"].includes(seen.status);
    });
    return seen as ComponentBuild; // it was seen
  };
  const run = async (line: string) => await svc(line.split(" "), { env });
  const build = async (name: string): Promise<ComponentBuild> =>
    await newest((await run(`component build shop ${name} --no-wait -o name`)).out.trim());
  return { fleet, runner, token, run, build };
}

test("a folder beside the config is built as the same tree of a repository is, and again only when it changes", async () => {
  const { fleet, run, build, token } = await given();
  const app = path.join(await testFolder(), "shop");
  const source = path.join(app, "net", "sub");
  await mkdir(source, { recursive: true });
  await mkdir(path.join(app, "components"));
  await writeFile(path.join(app, "metadata.toml"), 'name = "shop"\n');
  const repository = await givenRepository();
  await repository.commit("net/Pulumi.yaml", program);
  await writeFile(path.join(app, "net", "Pulumi.yaml"), program);
  await writeFile(path.join(source, "run.sh"), "#!/bin/sh\n", { mode: 0o755 });
  await symlink("sub/run.sh", path.join(app, "net", "run"));
  await cp(path.join(app, "net"), path.join(repository.folder, "net"), {
    recursive: true,
    verbatimSymlinks: true,
  });
  await repository.commit("net/sub/notes.txt", "large\n".repeat(400_000));
  await writeFile(path.join(source, "notes.txt"), "large\n".repeat(400_000));
  await mkdir(path.join(app, "net", ".terraform"));
  await writeFile(path.join(app, "net", ".terraform", "download"), "nothing that is built");
  const shared = 'type = "pulumi"\nruntime = "yaml"\n';
  await writeFile(
    path.join(app, "components", "own.toml"),
    `name = "own"\n${shared}directory = "net"\n`,
  );
  await writeFile(
    path.join(app, "components", "git.toml"),
    `name = "git"\n${shared}[public_repo]\nrepo = "file://${repository.folder}"\ndirectory = "net"\nbranch = "main"\n`,
  );
  const synced = await run(`app sync ${app}`);
  expect([synced.code, synced.err]).toEqual([0, expect.stringContaining("version 1 is active")]);
  const [own, git] = [await build("own"), await build("git")];
  expect([own.status, own.composite_error?.detail, git.status]).toEqual([
    "active",
    undefined,
    "active",
  ]);
  expect(own.artifact?.digest).toBe(git.artifact?.digest);
  expect(own.source_checksum).toBe(git.source_checksum);
  expect([own.config_folder, git.config_folder]).toEqual([true, false]);
  expect(own.source_ref).toMatch(/^sha256:[0-9a-f]{64}$/);
  const again = await build("own");
  expect(again).toMatchObject({ status: "active", no_op: true, artifact: own.artifact });
  const { call } = fleet.broker;
  const source404 = await call(`GET /v1/runner-jobs/${again.build_runner_job_id}/source`, {
    token,
  });
  expect(source404).toMatchObject({ status: 404, body: { code: "source_not_found" } });
  expect((await run(`app sync ${app}`)).err).toContain("version 1 is already active");
  await writeFile(path.join(app, "net", "Pulumi.yaml"), program.replace('"1"', '"2"'));
  expect((await run(`app sync ${app} --dry-run`)).out).toContain("source_digest");
  expect((await run(`app sync ${app}`)).err).toContain("version 2 is active");
  const changed = await build("own");
  expect(changed).toMatchObject({ status: "active", no_op: false });
  expect(changed.artifact?.digest).not.toBe(own.artifact?.digest);
  const ref = await build("own --ref v1");
  expect(ref).toMatchObject({ status: "error", composite_error: { code: "repo_unsupported" } });
});
