import { expect, test } from "vitest";
import { detectSecrets } from "./detect-secrets.ts";

test("variables that look like secrets are found, wherever a plan has them", () => {
  const plan = {
    steps: [{ interpolated_env_vars: { GREETING: "correct4horse9battery", WHO: "you" } }],
    override_env_vars: { B: "x".repeat(15).concat("1") },
    terraform: {
      env_vars: { C: "dGhpcyBpcyBiYXNlNjQ9" },
      vars: { list: [{ deep: "abcdefgh-12345678" }], json: '{"inner":"qwertyuiop123456"}' },
    },
  };
  expect(detectSecrets(plan)).toEqual([
    "correct4horse9battery",
    "xxxxxxxxxxxxxxx1",
    "dGhpcyBpcyBiYXNlNjQ9",
    "abcdefgh-12345678",
    "qwertyuiop123456",
  ]);
});

test.each([
  ["SHORT", "abc123"],
  ["WORDS", "correct horse battery staple 9"],
  ["ONLY_LETTERS", "production-environment"],
  ["ONLY_DIGITS", "12345678901234567890"],
  ["ADDRESS", "https://example.com/path1"],
  ["HOST", "db-1.internal.example.com"],
  ["IMAGE", "ghcr.io/acme/app:v1.2.3"],
  ["COMMIT_SHA", "0123456789abcdef0123456789abcdef01234567"],
  ["INSTALL_ID", "c0ffee00-1111-2222-3333-444455556666"],
  ["INSTALL", "ins_01hzy3x9qk2m4n6p8r0s2t4v6w"],
])("%s = %s is no secret by its look", (name, value) => {
  expect(detectSecrets({ env_vars: { [name]: value } })).toEqual([]);
});

test("certificates in base64 are no secret, unless a key is with them", () => {
  const block = (of: string): string =>
    `-----BEGIN ${of}-----\nMIIDBzCC\nAe+gAwIB\n-----END ${of}-----\n`;
  const found = (...blocks: string[]) => {
    const text = Buffer.from(blocks.map(block).join("")).toString("base64");
    return detectSecrets({ vars: { ca: text } }).length;
  };
  expect([found("CERTIFICATE"), found("CERTIFICATE", "CERTIFICATE")]).toEqual([0, 0]);
  const joined = ["CERTIFICATE", "PRIVATE KEY"].map((of) =>
    Buffer.from(`${block(of)}\n`).toString("base64"),
  );
  expect(joined[0]).toMatch(/=$/); // what follows padding is left out of what is read
  expect(detectSecrets({ vars: { ca: joined.join(".") } })).toHaveLength(1);
  expect([found("CERTIFICATE", "PRIVATE KEY"), found("PRIVATE KEY")]).toEqual([1, 1]);
});

test("what is not a variable is not looked at", () => {
  expect(
    detectSecrets({
      component_name: "abcdefgh12345678",
      labels: { A: "abcdefgh12345678" },
    }),
  ).toEqual([]);
  expect(detectSecrets(null)).toEqual([]);
});
