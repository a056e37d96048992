import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import type { NewJob } from "../../../broker/jobs/new-job.ts";
import type { Workspace } from "../../../shared/api/terraform-workspaces.ts";
import type { EndedJob } from "../agent/given-jobs.ts";
import type { Fleet, TestRunner } from "../broker/given-fleet.ts";
import { testFolder } from "../run/folder.ts";

const run = promisify(execFile);

/** What the jobs of a workspace share. */
export type TestWorkspace = {
  readonly workspaceId: string;
  readonly operatorToken: string;
  /** A job of this workspace; its source is these files. */
  readonly job: (
    operation: string,
    given: { readonly files: Files; readonly body?: object; readonly plan?: object },
  ) => Promise<Partial<NewJob>>;
  readonly workspace: () => Promise<Workspace>;
  /** The current state, as terraform has written it; undefined when there is none. */
  readonly state: () => Promise<{ serial: number; resources: object[] } | undefined>;
  readonly events: () => Promise<{ kind: string }[]>;
};

export type Files = Readonly<Record<string, string>>;

/** A new workspace, and the jobs that work on it. */
export async function givenTerraformWorkspace(
  fleet: Fleet,
  runner: TestRunner,
): Promise<TestWorkspace> {
  const token = runner.operatorToken;
  const owner = { owner_id: "ins_1", owner_type: "installs" };
  const made = await runner.operate("POST /v1/terraform-workspaces", owner);
  const workspaceId = String(made["id"]);
  const at = `/v1/terraform-workspaces/${workspaceId}`;
  return {
    workspaceId,
    operatorToken: token,
    job: async (operation, { files, body = {}, plan = {} }) => ({
      type: "terraform-deploy",
      operation: operation as NonNullable<NewJob["operation"]>,
      owner_id: "dep_1",
      owner_type: "install_deploys",
      plan: JSON.stringify({
        terraform: {
          terraform_backend: { WorkspaceID: workspaceId },
          source: { archive: await archiveOf(files) },
          ...body,
        },
        ...plan,
      }),
    }),
    workspace: async () => (await fleet.broker.call<Workspace>(`GET ${at}`, { token })).body,
    state: async () => {
      const { status, body } = await fleet.broker.call<{ serial: number; resources: object[] }>(
        `GET ${at}/states/current/contents`,
        { token },
      );
      return status === 200 ? body : undefined;
    },
    events: async () =>
      (await fleet.broker.call<{ kind: string }[]>(`GET ${at}/events`, { token })).body,
  };
}

/** What an apply job is told of the job that planned. */
export function approvedPlan(planned: EndedJob): Record<string, unknown> {
  const summary = JSON.parse(planned.result?.contents ?? "{}") as Record<string, string>;
  const { plan_sha256, lock_sha256, source_revision } = summary;
  return {
    apply_plan_contents: planned.result?.contents_gzip ?? "",
    approved: { plan_sha256, lock_sha256, source_revision },
  };
}

/** What `terraform show -json` said of the plan, as it is kept. */
export function shownPlan(planned: EndedJob): Record<string, unknown> {
  const packed = Buffer.from(planned.result?.contents_display_gzip ?? "", "base64");
  return JSON.parse(gunzipSync(packed).toString()) as Record<string, unknown>;
}

/** Base64 of a tar archive of these files. */
export async function archiveOf(files: Files): Promise<string> {
  const folder = await testFolder();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
  const archive = path.join(await testFolder(), "source.tar.gz");
  await run("tar", ["--sort=name", "--mtime=@0", "-czf", archive, "-C", folder, "."]);
  const { stdout } = await run("base64", ["-w0", archive], { maxBuffer: 2 ** 26 });
  return stdout;
}
