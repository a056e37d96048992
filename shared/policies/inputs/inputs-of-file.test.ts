import { describe, expect, test } from "vitest";
import { hideSecrets } from "../hide-secrets.ts";
import { inputsOfFile } from "./inputs-of-file.ts";
import { reviewInputs } from "./review-inputs.ts";

/** A part of what `terraform show -json` prints of a plan: a password in an argument, in an output, a variable, and in a module. */
const plan = {
  format_version: "1.2",
  terraform_version: "1.9.0",
  variables: { size: { value: 5 }, token: { value: "token-of-var" } },
  configuration: { root_module: { variables: { size: {}, token: { sensitive: true } } } },
  resource_changes: [
    {
      address: "db.main",
      type: "db",
      change: {
        actions: ["update"],
        before: { name: "main", password: "old-word", tags: [{ key: "k", value: "tag-word" }] },
        after: { name: "main", password: "new-word", tags: [{ key: "k", value: "tag-word" }] },
        before_sensitive: { password: true, tags: [{ value: true }] },
        after_sensitive: { password: true, tags: [{}] },
      },
    },
  ],
  output_changes: {
    url: { before: null, after: "https://a", before_sensitive: false, after_sensitive: false },
    key: { before: null, after: { id: 12_345 }, before_sensitive: false, after_sensitive: true },
  },
  planned_values: {
    outputs: {
      plain: { sensitive: false, value: "shown" },
      dark: { sensitive: true, value: "in-output" },
    },
    root_module: {
      resources: [{ values: { name: "main" }, sensitive_values: {} }],
      child_modules: [
        { resources: [{ values: { keys: ["in-module"] }, sensitive_values: { keys: [true] } }] },
      ],
    },
  },
};

describe("what policies read of a file", () => {
  test("of a plan of terraform all, and what terraform marks as sensitive is hidden in messages", () => {
    const { inputs, secrets } = inputsOfFile(plan, "plan.json");
    expect(inputs).toEqual([{ identity: "plan.json", document: { plan } }]);
    expect([...secrets].sort()).toEqual([
      "12345",
      "in-module",
      "in-output",
      "new-word",
      "old-word",
      "tag-word",
      "token-of-var",
    ]);
    expect(hideSecrets('main has "new-word" and shown', secrets)).toBe(
      'main has "(secret)" and shown',
    );
  });

  test("of a preview of Pulumi all; its secrets are found wherever they are", () => {
    const secret = {
      "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
      plaintext: '"pulumi-word"',
    };
    const preview = { steps: [{ op: "create", newState: { inputs: { password: secret } } }] };
    const { inputs, secrets } = inputsOfFile(preview, "p");
    expect(inputs).toEqual([{ identity: "p", document: { plan: preview } }]);
    expect(secrets).toContain('"pulumi-word"');
  });

  test("of objects of Kubernetes a review each, in one file or a list", () => {
    const deployment = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web", namespace: "shop" },
    };
    const secret = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "key" },
      data: { word: Buffer.from("kube-word").toString("base64") },
      stringData: { other: "plain-word" },
    };
    const list = { apiVersion: "v1", kind: "List", items: [deployment, secret] };
    const { inputs, secrets } = inputsOfFile(list, "-");
    expect(inputs).toEqual(inputsOfFile([deployment, secret], "-").inputs);
    expect(inputs).toMatchObject([
      {
        identity: "Deployment shop/web",
        document: {
          review: {
            kind: { group: "apps", version: "v1", kind: "Deployment" },
            namespace: "shop",
            name: "web",
            operation: "CREATE",
            object: deployment,
            oldObject: null,
          },
        },
      },
      {
        identity: "Secret key",
        document: { review: { kind: { group: "", version: "v1", kind: "Secret" }, namespace: "" } },
      },
    ]);
    expect([...secrets].sort()).toEqual([secret.data.word, "kube-word", "plain-word"].sort());
  });

  test("of a deleted object what it was; of anything else itself", () => {
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } };
    const gone = reviewInputs([{ operation: "DELETE", object: undefined, oldObject: object }]);
    expect(gone.inputs).toMatchObject([
      { identity: "ConfigMap c", document: { review: { object: null, oldObject: object } } },
    ]);
    expect(inputsOfFile({ image: "a" }, "f")).toEqual({
      inputs: [{ identity: "f", document: { image: "a" } }],
      secrets: [],
    });
  });
});
