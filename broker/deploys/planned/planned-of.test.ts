import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { readPlanView } from "../../../shared/plan-view/plan-view.ts";
import { applyPlanOf, plannedDigest } from "./apply-plan-of.ts";
import { type PlannedGiven, plannedOf } from "./planned-of.ts";
import { viewPlan } from "./plans-in-child.ts";
import type { ResultTexts } from "./result-texts.ts";

const packed = (value: unknown): string => gzipSync(JSON.stringify(value)).toString("base64");
const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

const planFile = Buffer.from("PK plan");
const shown = {
  resource_changes: [
    {
      address: "x.a",
      type: "x",
      name: "a",
      change: { actions: ["create"], after: { pw: "hunter22", n: 1 } },
    },
  ],
};
const ofTerraform: ResultTexts = {
  contents: JSON.stringify({
    has_changes: true,
    add: 1,
    lock_sha256: "l".repeat(64),
    source_revision: "rev",
  }),
  contents_display: "Plan: 1 to add",
  contents_gzip: planFile.toString("base64"),
  contents_display_gzip: packed(shown),
};
const login = { username: "job", password: "pass-of-job" };
const bare =
  '{"src_registry":{"repository":"r"},"terraform":{"vars":{"n":12345678901234567890,"pw":"hunter22"}}}';
const plan = bare.replace('"r"}', `"r","ociauth":${JSON.stringify(login)}}`);
const twin = bare.replace("hunter22", "(secret)");

const given = (more: Partial<PlannedGiven> = {}): PlannedGiven => ({
  type: "terraform-deploy",
  plan,
  twin,
  result: ofTerraform,
  mostUnpackedBytes: 2 ** 20,
  ...more,
});

describe("what a planning job found", () => {
  test("is told with a view that has nothing secret in it", () => {
    const planned = plannedOf(given());
    expect(planned).toMatchObject({
      isNoOp: false,
      hasDrift: false,
      counts: { added: 1, changed: 0, replaced: 0, removed: 0 },
      obstacle: undefined,
    });
    expect(planned?.view).not.toMatch(/hunter22|pass-of-job/);
    expect(readPlanView(JSON.parse(planned?.view ?? ""))?.changes[0]?.fields).toEqual([
      { path: "pw", is_sensitive: true },
      { path: "n", after: 1 },
    ]);
  });

  test("has the digest of all but the login", () => {
    const digest = plannedDigest(given());
    expect(plannedOf(given())?.digest).toBe(digest);
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect(plannedDigest(given({ plan: plan.replace("pass-of-job", "another") }))).toBe(digest);
    expect(plannedDigest(given({ plan: bare }))).toBe(digest);
    const others = [
      given({ plan: plan.replace("67890", "67891") }),
      given({ result: { ...ofTerraform, contents_gzip: "UEs=" } }),
      given({ result: { ...ofTerraform, contents: "{}" } }),
    ];
    for (const other of others) expect(plannedDigest(other)).not.toBe(digest);
  });

  test("of a job-deploy always has something to do; of helm and pulumi nothing where nothing changes", () => {
    const isNoOp = (type: PlannedGiven["type"], value: object): boolean | undefined => {
      const result = { contents_gzip: "eA==", contents_display_gzip: packed(value) };
      return plannedOf(given({ type, result }))?.isNoOp;
    };
    const diff = { op: "apply", counts: {}, plan: "", content_diff: [] };
    expect(isNoOp("helm-chart-deploy", diff)).toBe(true);
    expect(isNoOp("kubernetes-manifest-deploy", diff)).toBe(true);
    expect(isNoOp("job-deploy", diff)).toBe(false);
    expect(isNoOp("pulumi-deploy", { steps: [] })).toBe(true);
    expect(isNoOp("sandbox-terraform", { resource_changes: [] })).toBe(true);
    expect(isNoOp("terraform-deploy", {})).toBe(false);
  });

  test("says why it cannot be applied", () => {
    const conflict = { op: "apply", counts: { conflict: 2 }, plan: "", content_diff: [] };
    const type = "kubernetes-manifest-deploy";
    const result = { contents_gzip: packed(conflict), contents_display_gzip: packed(conflict) };
    expect(plannedOf(given({ type, result }))?.obstacle).toMatch(/2 objects: set force_conflicts/);
    expect(plannedOf(given({ result: {} }))).toMatchObject({
      isNoOp: false,
      obstacle: expect.stringMatching(/no contents/) as string,
    });
    const large = { ...ofTerraform, contents_gzip: "A".repeat(17 * 2 ** 20) };
    expect(plannedOf(given({ result: large }))?.obstacle).toMatch(/^too_large: .*16 MiB/);
  });

  test("that nobody can see cannot be applied, unless it is simulated", () => {
    const type = "helm-chart-deploy";
    const bomb = gzipSync(Buffer.alloc(2 ** 20, " ")).toString("base64");
    const large = { contents_gzip: bomb, contents_display_gzip: bomb };
    const unseen = given({ type, result: large, mostUnpackedBytes: 0 });
    const obstacleOf = (more: Partial<PlannedGiven>): string | undefined =>
      plannedOf({ ...unseen, ...more })?.obstacle;
    expect(obstacleOf({})).toMatch(/too large to be shown: .*in parts/);
    expect(obstacleOf({ result: { contents_gzip: "AAAA" }, mostUnpackedBytes: 1024 })).toMatch(
      /^The plan cannot be shown: /,
    );
    expect(obstacleOf({ plan: '{"sandbox_mode":{"enabled":true}}' })).toBeUndefined();
    expect(obstacleOf({ result: { ...large, contents_display: "as text" } })).toBeUndefined();
    const contents = JSON.stringify({ has_changes: true, add: 1 });
    expect(obstacleOf({ result: { ...large, contents } })).toBeUndefined();
    const simulated = packed({ op: "install", plan: "simulated", content_diff: [] });
    for (const one of ["helm-chart-deploy", "pulumi-deploy"] as const) {
      const result = { contents_gzip: simulated, contents_display_gzip: simulated };
      expect(obstacleOf({ type: one, result, mostUnpackedBytes: 1024 })).toBeUndefined();
    }
  });

  test("of other runners is read where it is, and breaks nothing", () => {
    const diff = { content_diff: [{ kind: "A", name: "b", before: null, after: { a: 1 } }] };
    const type = "helm-chart-deploy";
    expect(plannedOf(given({ type, result: { contents_gzip: packed(diff) } }))?.counts.added).toBe(
      1,
    );
    const text = { contents: JSON.stringify(diff) };
    expect(plannedOf(given({ type, result: text }))).toMatchObject({
      counts: { added: 1 },
      obstacle: undefined,
    });
    const junk = { contents: "17", contents_display: "as text", contents_display_gzip: "H4sIAAAA" };
    expect(JSON.parse(plannedOf(given({ result: junk }))?.view ?? "")).toMatchObject({
      text: "as text",
      is_noop: false,
    });
  });

  test("is not unpacked past what may be, whatever it says of its size", () => {
    const bomb = gzipSync(Buffer.alloc(32 * 2 ** 20, " ")).toString("base64");
    const result = { ...ofTerraform, contents_display_gzip: bomb };
    expect(plannedOf(given({ result, mostUnpackedBytes: 2 ** 20 }))).toBeUndefined();
    const asked = { type: "terraform-deploy", mostUnpackedBytes: 2 ** 20 } as const;
    const bytes = [JSON.stringify(result), plan, twin].map((text) => Buffer.from(text));
    const { told, bytes: views } = viewPlan({ asked, bytes });
    expect(told).toMatchObject({ isNoOp: false, counts: { added: 1 } });
    expect(JSON.parse(String(views[0]))).toMatchObject({ text: "Plan: 1 to add", changes: [] });
  });
});

describe("the plan of the job that applies", () => {
  test("is the planning job's without its login, byte for byte, with what was approved", () => {
    const members = {
      apply_plan_contents: ofTerraform.contents_gzip,
      approved: {
        plan_sha256: sha256(planFile),
        lock_sha256: "l".repeat(64),
        source_revision: "rev",
      },
      apply_plan_display: ofTerraform.contents_display_gzip,
    };
    const text = `${bare.slice(0, -1)},${JSON.stringify(members).slice(1)}`;
    expect(applyPlanOf(given())).toEqual({ text });
  });

  test("of pulumi has no lock, of helm and manifests no digests beside their contents", () => {
    const approvedOf = (type: PlannedGiven["type"]): unknown => {
      const made = applyPlanOf(given({ type }));
      return "text" in made ? (JSON.parse(made.text) as Record<string, unknown>)["approved"] : made;
    };
    expect(approvedOf("pulumi-deploy")).toEqual({
      plan_sha256: sha256(planFile),
      source_revision: "rev",
    });
    expect(approvedOf("helm-chart-deploy")).toBeUndefined();
    expect(approvedOf("kubernetes-manifest-deploy")).toBeUndefined();
  });

  test("has what people saw only where it fits, and is refused where it does not fit itself", () => {
    const display = "A".repeat(10 * 2 ** 20);
    const result = {
      ...ofTerraform,
      contents_gzip: "A".repeat(8 * 2 ** 20),
      contents_display_gzip: display,
    };
    const made = applyPlanOf(given({ result }));
    expect("text" in made && made.text.includes("apply_plan_display")).toBe(false);
    expect("text" in made && made.text.length).toBeGreaterThan(8 * 2 ** 20);
    const long = applyPlanOf(
      given({ result, plan: JSON.stringify({ a: "b".repeat(9 * 2 ** 20) }) }),
    );
    expect(long).toMatchObject({ obstacle: expect.stringMatching(/^too_large/) as string });
    expect(applyPlanOf(given({ plan: "{}", result: { contents: "c" } }))).toEqual({
      text: '{"apply_plan_contents":"c"}',
    });
  });
});
