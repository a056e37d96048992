import { describe, expect, test } from "vitest";
import { readSecretsRun } from "./secrets-run.ts";

const secret_arn = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:license-AbCdEf";
const copied = { secret_name: "license", secret_arn, namespace: "shop", name: "license" };

const read = (secret: object, plan: object = {}) =>
  readSecretsRun({ kubernetes_secrets: [secret], aws_auth: { use_default: true }, ...plan }, {
    operation: "exec",
  } as Parameters<typeof readSecretsRun>[1]);

describe("a sync that reads a cloud's store", () => {
  test("writes to the host's own cluster where its plan says so, and only there", () => {
    expect(read(copied, { host_cluster: true }).credentials).toMatchObject({ aws_auth: {} });
    expect(() => read(copied)).toThrow("cluster_info is missing");
  });

  test("needs no cluster for a value that is made, and stays in its store", () => {
    const made = { secret_name: "seed", secret_arn, auto_generate: true };
    expect(read(made)).toMatchObject({ credentials: undefined, secrets: [{ targets: [] }] });
    expect(() => read({ ...made, auto_generate: false })).toThrow(
      "kubernetes_secrets[0].namespace is missing",
    );
  });
});
