import { expect, test } from "vitest";
import { checkConfigDocument } from "./check-config.ts";
import { filesOfDocument } from "./files-of-document.ts";

const document = {
  "metadata.toml": { name: "shop" },
  "inputs.toml": { input: [{ name: "size" }] },
  actions: {
    "a.toml": {
      name: "a",
      steps: [
        {
          name: "s",
          command: "echo {{ .acme.install.id }} {{ .acme.inputs.inputs.size | shellquote }}",
        },
      ],
    },
  },
};
const codes = ({ errors, warnings }: Awaited<ReturnType<typeof checkConfigDocument>>) =>
  [...errors, ...warnings].map(({ code }) => code);

test("what a brand names is read as that of svc is: inputs are used, ids stand in commands", async () => {
  expect(codes(await checkConfigDocument(document, { brands: ["acme"] }))).toEqual([]);
  expect(codes(await checkConfigDocument(document))).toEqual(["unknown_root", "unused_input"]);
  const wrong = {
    ...document,
    "runner.toml": { runner_type: "aws", helm_driver: "{{ .acme.instal.id }}" },
  };
  const { errors } = await checkConfigDocument(wrong, { brands: ["acme"] });
  expect(errors.map(({ code }) => code)).toContain("reference_unknown");
});

test("brands are a part of a config, and come from whom it is given to", async () => {
  const [plain, branded] = [
    await checkConfigDocument(document),
    await checkConfigDocument(document, { brands: ["acme"] }),
  ];
  expect(plain.config?.text).not.toContain("brands");
  expect(branded.config?.document.brands).toEqual(["acme"]);
  expect(branded.config?.checksum).not.toBe(plain.config?.checksum);
  const again = {
    ...filesOfDocument(branded.config?.document ?? ({} as never)),
    brands: ["other"],
  };
  const { config } = await checkConfigDocument(again, { brands: ["acme"] });
  expect(config?.checksum).toBe(branded.config?.checksum);
});

test("Rego may be of a brand's package, and principals of a brand", async () => {
  const policy = (name: string) => ({
    ...document,
    "policies.toml": { policy: [{ name: "p", type: "sandbox", contents: `package ${name}\n` }] },
    "permissions.toml": { provision_role: { name: "maker" } },
    "operation_roles.toml": {
      rules: [{ operation: "deploy", principal: `${name}::action:a`, role: "maker" }],
    },
  });
  expect(codes(await checkConfigDocument(policy("acme"), { brands: ["acme"] }))).toEqual([]);
  expect(codes(await checkConfigDocument(policy("svc"), { brands: ["acme"] }))).toEqual([]);
  const { errors } = await checkConfigDocument(policy("beta"), { brands: ["acme"] });
  expect(errors.map(({ code, detail }) => `${code}: ${detail}`)).toEqual([
    "bad_value: principal must be sandbox, component:NAME, action:NAME or *",
    "bad_rego: contents must be Rego that begins with `package svc` or `package acme`",
  ]);
});
