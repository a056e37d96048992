import { describe, expect, test } from "vitest";
import { planSecrets } from "./plan-secrets.ts";

describe("the secrets of a plan", () => {
  test("are the values whose names say so, however deep", () => {
    const plan = {
      install_id: "ins_1",
      secrets: { any: "s3cret-one", list: ["s3cret-two"] },
      steps: [{ interpolated_env_vars: { DB_PASSWORD: "hunter22", DB_HOST: "db.example.com" } }],
      aws_auth: { region: "us-east-1", static_credentials: { accessKeyId: "AKIA1", x: "AKIA2" } },
      helm: { values: [{ name: "smtp.password", value: "mailpw", type: "string" }] },
      secret_env_vars: { HARMLESS: "not-so-harmless" },
    };
    expect(planSecrets(plan).sort()).toEqual(
      [
        "AKIA1",
        "AKIA2",
        "hunter22",
        "mailpw",
        "not-so-harmless",
        "s3cret-one",
        "s3cret-two",
      ].sort(),
    );
  });

  test("are the passwords in URLs, as written and as meant", () => {
    const plan = { git_source: { url: "https://x:p%40ss@example.com/a.git" } };
    expect(planSecrets(plan)).toEqual(["p%40ss", "p@ss"]);
    expect(planSecrets({ url: "https://ghp_abc@example.com/a.git" })).toEqual(["ghp_abc"]);
    expect(planSecrets({ url: "ssh://git@example.com/a.git" })).toEqual([]);
  });

  test("are not what only names a secret, nor what is public", () => {
    const plan = {
      secret_name: "db",
      key_name: "k",
      token_url: "https://example.com/token",
      password_file: "/run/p",
      ssh_public_key: "ssh-ed25519 AAAA",
      key: "deploy",
      author: "me",
    };
    expect(planSecrets(plan)).toEqual([]);
  });
});
