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

  test("are not the places of secrets that are to be copied", () => {
    const one = {
      secret_name: "license",
      secret_arn: "arn:aws:secretsmanager:eu-central-1:123456789012:secret:license",
      azure_key_vault_secret_id: "https://acme.vault.azure.net/secrets/license",
      key_name: "license.key",
      targets: [{ name: "license", key: "license.key", namespaces: ["shop", "desk"] }],
    };
    expect(planSecrets({ kubernetes_secrets: [one] })).toEqual([]);
  });

  test.each(["secrets", "secret_env_vars", "secretVariables", "hidden_env"])(
    "are whatever stands in %s, under any name",
    (holder) => {
      const names = (
        "DATABASE_URL SIGNING_KEY_ID LOGIN_EMAIL CERT_FILE ADMIN_NAME MY_REGION PATH public " +
        "user_id name value"
      ).split(" ");
      const values = names.map((_, at) => `s3cr3tvalue-${at}`);
      const members = Object.fromEntries(names.map((name, at) => [name, values[at]]));
      const steps = [{ [holder]: members }];
      expect(planSecrets({ steps })).toEqual(values);
      const group = Object.fromEntries(names.slice(0, 9).map((name, at) => [name, values[at]]));
      expect(planSecrets({ [holder]: { group } })).toEqual(values.slice(0, 9));
      const list = names.map((name, at) => ({ name, type: "string", value: values[at] }));
      expect(planSecrets({ [holder]: list })).toEqual(values);
      expect(planSecrets({ [holder]: ["one-of-them"] })).toEqual(["one-of-them"]);
      expect(planSecrets({ [holder]: members["ADMIN_NAME"] })).toEqual(["s3cr3tvalue-4"]);
    },
  );

  test("of a service account are its key, and not its names, also when it was given as one text", () => {
    const account = { type: "service_account", project_id: "p-1", private_key: "the-key-itself" };
    const text = JSON.stringify(account);
    expect(planSecrets({ secret_env_vars: { ACCOUNT: text } })).toEqual([text, "the-key-itself"]);
    expect(planSecrets({ gcp_auth: { service_account_key: account } })).toEqual(["the-key-itself"]);
  });

  test("of a kubeconfig are its tokens and keys, not what every log of a cluster is full of", () => {
    const kube_config = JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "c", cluster: { server: "https://cluster.example" } }],
      contexts: [{ name: "c", context: { cluster: "c", namespace: "shop" } }],
      users: [{ name: "u", user: { token: "the-token", "client-key-data": "the-key" } }],
    });
    const found = planSecrets({ cluster_info: { kube_config } });
    expect(found).toEqual([kube_config, "the-token", "the-key"]);
  });

  test("are the passwords in URLs, as written and as meant", () => {
    const plan = { git_source: { url: "https://x:p%40ss@example.com/a.git" } };
    expect(planSecrets(plan)).toEqual(["p%40ss", "p@ss"]);
    const lone = "0123456789abcdef0123";
    for (const login of [lone, `${lone}:`, `x:${lone}`]) {
      expect(planSecrets({ url: `https://${login}@example.com/a.git` })).toEqual([lone]);
    }
  });

  test("are not the names of users in URLs, which any log is full of", () => {
    const urls = [
      "ssh://git@h/a.git",
      "postgres://root@db/app",
      "rsync://ubuntu@10.0.0.1/x",
      "a://b:@c",
    ];
    expect(planSecrets({ builtin_env_vars: Object.fromEntries(Object.entries(urls)) })).toEqual([]);
  });

  test.each([
    ["PGPASSWORD", "hunter2hunter"],
    ["SSHPASS", "hunter2hunter"],
    ["REDISCLI_AUTH", "hunter2hunter"],
    ["NPM_AUTHTOKEN", "hunter2hunter"],
    ["db_password", 1234567890],
    ["kube_config", "users: []"],
    ["CONFIG", '{"password":"hunter2hunter"}', "hunter2hunter"],
    ["DB", "host=db user=a password=hunter2hunter", "hunter2hunter"],
    ["SETTINGS", "user: a\ntoken: 'opaque 12345'\n", "opaque 12345"],
    ["STORAGE", "Protocol=https;AccountName=a;AccountKey=abcd+EFGH==", "abcd+EFGH=="],
    ["FILE", 'client_secret = "a b"', "a b"],
  ])("are known by common names and within texts: %s", (name, value, secret = String(value)) => {
    expect(planSecrets({ builtin_env_vars: { [name]: value } })).toEqual([secret]);
  });

  test("of a cluster are its whole config and what stands in it", () => {
    const config = "users:\n- user:\n    token: opaque-token-12345\n    password: hunter2hunter\n";
    expect(planSecrets({ cluster_info: { kube_config: config } })).toEqual([
      config,
      "opaque-token-12345",
      "hunter2hunter",
    ]);
  });

  test("are looked for in long texts in one pass", () => {
    const words = ["x", "x.", "x ", "x = ", 'x="', "://", "://x:"];
    for (const word of words) planSecrets({ env_vars: { A: word.repeat(200_000) } });
    expect(planSecrets({ env_vars: { A: `${"x".repeat(200_000)} token=abc` } })).toEqual(["abc"]);
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
      bypass: "no-checks",
      compass: "north-west",
      auth: { kind: "basic-auth" },
      script: "login --password=$PASSWORD --token={{ token }} --key=value",
    };
    expect(planSecrets(plan)).toEqual([]);
  });
});
