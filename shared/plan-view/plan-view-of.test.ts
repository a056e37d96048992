import { describe, expect, test } from "vitest";
import { planViewOf } from "./plan-view-of.ts";
import { type PlanView, viewBounds } from "./plan-view.ts";
import { shownValue } from "./shown-value.ts";
import { textHider } from "./text-hider.ts";

const nothing = { summary: undefined, text: "", secrets: [] };
const ofTerraform = (shown: unknown, more: object = {}): PlanView =>
  planViewOf({ ...nothing, type: "terraform-deploy", shown, ...more });

const resource = (address: string, actions: string[], change: object = {}, more: object = {}) => ({
  address,
  mode: "managed",
  type: address.split(".")[0],
  name: address.split(".")[1],
  provider_name: "registry.terraform.io/hashicorp/aws",
  change: {
    actions,
    before: null,
    after: null,
    after_unknown: {},
    before_sensitive: false,
    after_sensitive: {},
    ...change,
  },
  ...more,
});

const shownPlan = {
  format_version: "1.2",
  terraform_version: "1.11.4",
  resource_changes: [
    resource("aws_s3_bucket.logs", ["create"], {
      after: { bucket: "logs", tags: { team: "core" }, acl: null },
      after_unknown: { arn: true, tags: {} },
    }),
    resource("aws_db_instance.main", ["update"], {
      before: { password: "(sensitive value)", size: 5, engine: "pg" },
      after: { password: "(sensitive value)", size: 9, engine: "pg" },
      before_sensitive: { password: true },
      after_sensitive: { password: true },
    }),
    resource(
      "aws_instance.web",
      ["delete", "create"],
      {
        before: { ami: "ami-1", ebs: [{ size: 8, type: "gp2" }], ids: ["a"] },
        after: { ami: "ami-2", ebs: [{ size: 9, type: "gp2" }], ids: ["a", "b"] },
        replace_paths: [["ami"], ["ebs", 0, "size"]],
      },
      { action_reason: "replace_because_cannot_update" },
    ),
    resource("aws_iam_role.old", ["delete"], { before: { name: "old" } }),
    resource("aws_vpc.same", ["no-op"], { before: { id: 1 }, after: { id: 1 } }),
    resource("data.aws_ami.new", ["read"], { after: { owner: "self" } }),
  ],
  resource_drift: [
    resource("aws_iam_role.old", ["update"], { before: { path: "/" }, after: { path: "/x" } }),
  ],
  output_changes: {
    url: { actions: ["update"], before: "a", after: "b", before_sensitive: false },
    key: { actions: ["create"], before: null, after: "k", after_sensitive: true },
    id: { actions: ["create"], before: null, after_unknown: true, after_sensitive: false },
    same: { actions: ["no-op"], before: 1, after: 1 },
  },
};

const aws = { provider: "registry.terraform.io/hashicorp/aws" };

describe("the view of a plan of terraform", () => {
  test("has each change with what differs, outputs, and what drifted", () => {
    expect(ofTerraform(shownPlan)).toEqual({
      kind: "plan_view",
      tool: "terraform",
      summary: { added: 1, changed: 1, replaced: 1, removed: 1 },
      drift: { added: 0, changed: 1, removed: 0 },
      is_noop: false,
      changes: [
        {
          address: "aws_s3_bucket.logs",
          type: "aws_s3_bucket",
          name: "logs",
          action: "add",
          ...aws,
          fields: [
            { path: "bucket", after: "logs" },
            { path: "tags.team", after: "core" },
            { path: "arn", is_unknown: true },
          ],
        },
        {
          address: "aws_db_instance.main",
          type: "aws_db_instance",
          name: "main",
          action: "change",
          ...aws,
          fields: [
            { path: "password", is_sensitive: true },
            { path: "size", before: 5, after: 9 },
          ],
        },
        {
          address: "aws_instance.web",
          type: "aws_instance",
          name: "web",
          action: "replace",
          ...aws,
          reason: "replace because cannot update",
          fields: [
            { path: "ami", before: "ami-1", after: "ami-2", forces_replacement: true },
            { path: "ebs[0].size", before: 8, after: 9, forces_replacement: true },
            { path: "ids", before: ["a"], after: ["a", "b"] },
          ],
        },
        {
          address: "aws_iam_role.old",
          type: "aws_iam_role",
          name: "old",
          action: "remove",
          ...aws,
          fields: [{ path: "name", before: "old" }],
        },
        {
          address: "data.aws_ami.new",
          type: "data",
          name: "aws_ami",
          action: "read",
          ...aws,
          fields: [{ path: "owner", after: "self" }],
        },
      ],
      outputs: [
        { name: "url", action: "change", before: "a", after: "b" },
        { name: "key", action: "add", is_sensitive: true },
        { name: "id", action: "add", is_unknown: true },
      ],
      drifted: [
        expect.objectContaining({
          address: "aws_iam_role.old",
          action: "change",
          fields: [{ path: "path", before: "/", after: "/x" }],
        }),
      ],
      left_out: 0,
    });
  });

  test("is a no-op only without changes, outputs and drift", () => {
    const still = [resource("a.b", ["no-op"]), resource("data.a", ["read"])];
    const isNoop = (more: object): boolean =>
      ofTerraform({ resource_changes: still, ...more }).is_noop;
    expect(isNoop({})).toBe(true);
    expect(isNoop({ output_changes: { a: { actions: ["create"], after: 1 } } })).toBe(false);
    expect(isNoop({ resource_drift: [resource("a.b", ["update"])] })).toBe(false);
    expect(isNoop({ resource_changes: [resource("a.b", ["no-op"], { importing: {} })] })).toBe(
      false,
    );
    expect(isNoop({ resource_changes: [resource("a.b", ["invented"])] })).toBe(false);
    const said = { summary: { has_changes: true } };
    expect(ofTerraform({ resource_changes: still }, said).is_noop).toBe(false);
  });

  test("hides what is marked although its runner did not, wherever it stands", () => {
    const list = [
      { name: "a", value: "open" },
      { name: "b", value: "s3cret-word" },
    ];
    const view = ofTerraform({
      resource_changes: [
        resource("x.one", ["create"], {
          after: { env: list, url: "https://u:s3cret-word@h", cut: { a: "deep-word" } },
          after_sensitive: { env: [{}, { value: true }], cut: { a: true } },
        }),
        resource("x.two", ["update"], {
          before: { mixed: { a: "deep-word" } },
          after: { mixed: "text" },
          before_sensitive: { mixed: { a: true } },
        }),
      ],
      output_changes: {
        o: { actions: ["create"], after: { a: "in-output" }, after_sensitive: { a: true } },
      },
    });
    expect(JSON.stringify(view)).not.toMatch(/s3cret|deep-word|in-output/);
    expect(view.changes[0]?.fields).toEqual([
      { path: "env[0].name", after: "a" },
      { path: "env[0].value", after: "open" },
      { path: "env[1].name", after: "b" },
      { path: "env[1].value", is_sensitive: true },
      { path: "url", after: "https://u:(secret)@h" },
      { path: "cut.a", is_sensitive: true },
    ]);
  });

  test("hides numbers as it hides texts", () => {
    const tags = (list: unknown) => ({ tags: list, port: 8080 });
    const change = { before: tags([1]), after: tags([48_151_623, true]) };
    const { changes, outputs } = ofTerraform(
      {
        resource_changes: [resource("x.one", ["update"], change)],
        output_changes: { pin: { actions: ["create"], after: 48_151_623 } },
      },
      { secrets: ["48151623"] },
    );
    expect(JSON.stringify([changes, outputs])).not.toContain("48151623");
    expect(shownValue(48_151_623, textHider(["48151623"])).value).toBe("(secret)");
    expect(shownValue(8080, textHider(["48151623"])).value).toBe(8080);
    expect(shownValue([48_151_623, true], textHider(["48151623"])).value).toEqual([
      "(secret)",
      true,
    ]);
  });

  test("that nobody can read is its text, with the counts that are known", () => {
    const view = ofTerraform("junk", {
      summary: { has_changes: true, add: 2, change: "x", destroy: -1 },
      text: `Plan with word-1 ${"y".repeat(1e6)}`,
      secrets: ["word-1"],
    });
    expect(view).toMatchObject({
      summary: { added: 2, changed: 0, replaced: 0, removed: 0 },
      is_noop: false,
      changes: [],
      is_text_cut: true,
    });
    expect(view.text?.startsWith("Plan with (secret) yyy")).toBe(true);
    expect(view.text?.length).toBeLessThan(viewBounds.textBytes);
    expect(ofTerraform(undefined).is_noop).toBe(false);
    expect(ofTerraform(undefined, { summary: { has_changes: false } }).is_noop).toBe(true);
  });
});
