import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { Workspace } from "../../shared/api/terraform-workspaces.ts";
import { send } from "../support/broker/broker.ts";
import { type CommandLine, startCommandLine } from "../support/programs/command-line.ts";
import {
  type PlayedEnd,
  type PlayedRunner,
  playRunner,
} from "../support/programs/played-runner.ts";
import { svc, type SvcOptions } from "../support/programs/svc.ts";
import { givenToken } from "../support/rows/given-token.ts";
import { testFolder } from "../support/run/folder.ts";

const folder = path.join(import.meta.dirname, "..", "..", "examples", "terraform-hello");
let cli: CommandLine;
let runner: PlayedRunner;
beforeAll(async () => {
  cli = await startCommandLine();
  runner = await playRunner(cli);
});

const run = (words: readonly string[], options: SvcOptions = {}) =>
  svc(["terraform", ...words], { env: { SVC_URL: cli.url, SVC_TOKEN: cli.token }, ...options });
const at = () => [folder, "--runner", cli.runner.runnerId];

const saved = Buffer.from("a saved plan");
const digest = createHash("sha256").update(saved).digest("hex");

/** What a planning job brings. */
const planned = (summary: object = { has_changes: true }): PlayedEnd => ({
  status: "finished",
  result: {
    success: true,
    contents: JSON.stringify({ add: 1, plan_sha256: digest, lock_sha256: null, ...summary }),
    contents_display: "# one will be created\n\nPlan: 1 to add.",
    contents_compressed: saved.toString("base64"),
    contents_display_compressed: Buffer.from("shown").toString("base64"),
  },
});
const applied: PlayedEnd = {
  status: "finished",
  result: { success: true },
  outputs: { url: "https://example.com" },
};

describe("svc terraform", () => {
  test("plans by a plan that holds the folder, the variables and the workspace, and nothing else", async () => {
    const file = path.join(await testFolder(), "more.tfvars");
    await writeFile(file, 'size = "small"\n');
    const words = ["--var", "name=you", "--var", 'zones=["a","b"]', "--var-file", file];
    const more = ["--target", "aws_vpc.main"];
    const [planning, { job, plan }] = await Promise.all([
      run(["plan", ...at(), ...words, ...more]),
      runner.next(planned()),
    ]);
    expect(planning).toMatchObject({ code: 0 });
    expect(planning.out).toBe("# one will be created\n\nPlan: 1 to add.\n");
    expect(planning.err).toContain(`Apply exactly this: svc terraform apply --job ${job.id}`);
    expect(job).toMatchObject({ type: "terraform-deploy", operation: "create-apply-plan" });
    const { terraform } = plan as { terraform: Record<string, unknown> };
    expect(Object.keys(plan)).toEqual(["terraform"]);
    expect(terraform).toEqual({
      terraform_backend: { WorkspaceID: expect.stringMatching(/^tfw_/) as string },
      source: { archive: expect.stringMatching(/^H4sI/) as string },
      vars: { name: "you", zones: ["a", "b"] },
      vars_files: ['size = "small"\n'],
      targets: ["aws_vpc.main"],
    });
    const { WorkspaceID: id } = terraform["terraform_backend"] as { WorkspaceID: string };
    const { body } = await send<Workspace>(cli.url, `GET /v1/terraform-workspaces/${id}`, {
      token: cli.token,
    });
    expect(body).toMatchObject({ owner_type: "svc-terraform", owner_id: job.owner_id });
  });

  test("applies after a yes exactly what was planned, by the digest of its bytes", async () => {
    const [applying, first, second] = await Promise.all([
      run(["apply", ...at()], { input: "yes\n" }),
      runner.next(planned()),
      runner.next(applied),
    ]);
    expect(applying).toMatchObject({ code: 0 });
    expect(applying.out).toContain('url = "https://example.com"');
    expect(second.job).toMatchObject({ operation: "apply-plan", owner_id: first.job.owner_id });
    expect(second.plan).toEqual({
      ...first.plan,
      apply_plan_contents: saved.toString("base64"),
      apply_plan_display: Buffer.from("shown").toString("base64"),
      approved: { plan_sha256: digest },
    });
  });

  test("applies nothing without a yes, and a planned job's plan later", async () => {
    const [refused, { job, plan }] = await Promise.all([
      run(["destroy", ...at()], { input: "y\n" }),
      runner.next(planned()),
    ]);
    expect(job.operation).toBe("create-teardown-plan");
    expect(refused.code).toBe(1);
    expect(refused.err).toContain(
      `Nothing was applied. Later: svc terraform apply --job ${job.id}`,
    );
    const [later, second] = await Promise.all([
      run(["apply", "--job", job.id, "--auto-approve"]),
      runner.next(applied),
    ]);
    expect(later).toMatchObject({ code: 0 });
    expect(second.job.operation).toBe("apply-plan");
    expect(second.plan).toMatchObject({ ...plan, approved: { plan_sha256: digest } });
  });

  test("exits by the job's fate, and by a code of its own for drift", async () => {
    const ends: readonly (readonly [PlayedEnd, number])[] = [
      [planned({ has_changes: false, has_drift: true }), 7],
      [planned({ has_changes: false, has_drift: false }), 0],
      [{ status: "failed", result: { success: false } }, 1],
      [{ status: "timed-out", result: { success: false } }, 124],
      [{ status: "cancelled", result: { success: false } }, 130],
    ];
    for (const [end, code] of ends) {
      const [looked, { plan }] = await Promise.all([run(["drift", ...at()]), runner.next(end)]);
      expect(plan).toMatchObject({ terraform: { refresh_only: true } });
      expect(looked.code).toBe(code);
    }
    for (const [has_changes, code] of [
      [true, 7],
      [false, 0],
    ] as const) {
      const [detailed] = await Promise.all([
        run(["plan", ...at(), "--detailed-exitcode"]),
        runner.next(planned({ has_changes })),
      ]);
      expect(detailed.code).toBe(code);
    }
    const [failed] = await Promise.all([
      run(["apply", ...at(), "--auto-approve"]),
      runner.next({ status: "failed", result: { success: false } }),
    ]);
    expect(failed.code).toBe(1);
    const [calm] = await Promise.all([
      run(["apply", ...at()]),
      runner.next(planned({ has_changes: false })),
    ]);
    expect(calm).toMatchObject({ code: 0 });
    expect(calm.err).toContain("There is nothing to apply.");
  });

  test("keeps a workspace for each folder and name, and tells programs what a plan comes to", async () => {
    const plan = async (...words: string[]) => {
      const [{ out }] = await Promise.all([
        run(["plan", ...at(), "-o", "json", ...words]),
        runner.next(planned()),
      ]);
      return JSON.parse(out) as { workspace_id: string; plan: object };
    };
    const [one, same, other] = [await plan(), await plan(), await plan("--workspace", "staging")];
    expect(same.workspace_id).toBe(one.workspace_id);
    expect(other.workspace_id).not.toBe(one.workspace_id);
    expect((await plan("--workspace", one.workspace_id)).workspace_id).toBe(one.workspace_id);
    expect(one.plan).toMatchObject({ has_changes: true, add: 1, plan_sha256: digest });
  });

  test("leaves a job that shows how far it came and why it failed", async () => {
    const [, { job }] = await Promise.all([
      run(["plan", ...at()]),
      runner.next({
        status: "failed",
        steps: [
          { name: "aws_vpc.main", status: "finished" },
          { name: "aws_subnet.a", status: "error", detail: "quota" },
        ],
        result: {
          success: false,
          composite_error: {
            type: "terraform.quota",
            title: "The quota is used up",
            detail: "vpc quota\u001b[2J",
            retryable: true,
          },
        },
      }),
    ]);
    const { out } = await cli.run(`job get ${job.id}`);
    expect(out).toMatch(/error +terraform\.quota: The quota is used up\n +vpc quota/);
    expect(out).not.toContain("\u001b");
    expect(out).toMatch(/progress +2 of 2 steps ended\n +failed: aws_subnet\.a/);
  });

  test("refuses what cannot be planned or applied in words that say what to do", async () => {
    const wrong = async (...words: string[]) => (await run(words)).err;
    expect(await wrong("apply")).toContain("Name a folder, or with --job the job that planned.");
    expect(await wrong("apply", folder)).toContain("--runner");
    expect(await wrong("plan", ...at(), "--var", "zones=[a")).toContain("given as JSON");
    expect(await wrong("plan", ...at(), "--var-file", "/none")).toContain(
      "cannot be read (ENOENT)",
    );
    const noop = await cli.run(`job create --runner ${cli.runner.runnerId} --type noop -o name`);
    expect(await wrong("apply", "--job", noop.out.trim())).toContain(
      "only what svc terraform plan",
    );
    const [, { job }] = await Promise.all([run(["plan", ...at()]), runner.next(planned())]);
    const { orgId } = cli.runner;
    const SVC_TOKEN = await givenToken(cli.db, { orgId, role: "org_support" });
    const env = { SVC_URL: cli.url, SVC_TOKEN };
    const masked = await svc(["terraform", "apply", "--job", job.id, "--auto-approve"], { env });
    expect(masked.code).toBe(4);
  });
});
