import { readdir } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { openConfigFolder } from "../../cli/apps/open-config-folder.ts";
import { checkTexts, tomlFile } from "../../test/support/apps/config-of.ts";
import { checkConfigDocument, checkConfigFolder } from "./check-config.ts";
import { configFaultCodes, configWarningCodes } from "./config-fault.ts";
import { configFiles } from "./config-files.ts";
import { filesOfDocument } from "./files-of-document.ts";

const metadata = 'name = "shop"\n';

/** One file a line of thought; each fault is in it once. */
const wrong = {
  "metadata.toml":
    'name = "Shop"\nverzion = "v2"\nreadme = "../README.md"\n\n[default_labels]\n"a b" = "x"\n',
  "inputs.toml":
    '[[input]]\nname = "port"\ntype = "nmber"\ngroup = "net"\n\n[[input]]\nname = "used-one"\ndefault = 5\n\n[[input]]\nname = "used_one"\nrequired = "yes"\n',
  "sandbox.toml": "[vars\n",
  "runner.toml": 'runner_type = "aws"\ninit_script_url = "ftp://x"\n',
  "stack.toml": 'type = "gcp-terraform"\n',
  "policies.toml":
    '[[policy]]\nname = "p"\ntype = "helm_chart"\nengine = "kyverno"\ncomponents = ["nope"]\ncontents = "package other"\n',
  "policies/other.toml":
    'name = "q"\ntype = "pulumi"\ncomponents = ["*"]\ncontents = "https://example.com/q.rego"\n',
  "operation_roles.toml":
    '[[rules]]\noperation = "deploy"\nprincipal = "action:nope"\nrole = "nobody"\n',
  "permissions.toml": '[provision_role]\nname = "maker"\nnamed_policy_names = ["nope"]\n',
  "components/a.toml":
    'type = "job"\nname = "a"\nimage_url = "i"\ndependencies = ["b", "a"]\n\n[env_vars]\nADMIN_PASSWORD = "swordfish"\n',
  "components/b.toml": 'type = "job"\nname = "b"\nimage_url = "i"\ndependencies = ["a"]\n',
  "components/c.toml":
    'type = "container_image"\nname = "c"\nbuild_timeout = "25h"\n\n[azure_acr]\nimage_url = "i"\ntag = "1"\nregistry_url = "r"\ntenant_id = "t"\nclient_id = "c"\nclient_secret_name = 1\n',
  "actions/act.toml":
    'name = "act"\nkubernetes_context = "nope"\n\n[[triggers]]\ntype = "cron"\ncron_schedule = "every day"\n\n[[steps]]\nname = "s"\ncommand = "{{ .svc.inputs.inputs.used_one }} {{ .svc.inputs.inputs.prt }} {{ uper .svc.id }}"\ninline_contents = "./gone.sh"\n\n[[steps]]\nname = "t"\ncommand = "echo {{ .svc.name | quote }} {{ .acme.install.id }}"\n',
  "trigger_rules.toml":
    '[[rule]]\nname = "r"\nevent_types = ["e"]\ntarget_type = "runbook"\nrunbook = "nope"\nbranch = "nope"\n',
  "installs/i.toml": 'name = "i"\ninputs = [{ nope = "x" }]\n',
  "secrets.toml": '[[secret]]\ndisplay_name = "S"\nnam = "s"\n',
  "runbooks/r.toml":
    'name = "r"\nreadme = "./notes.md"\n\n[[steps]]\nname = "s"\ntype = "sandbox_reprovision"\n',
  "runbooks/notes.md": "",
  "notes.md": "",
  "component/x.toml": "",
  "branch.toml": `${"a.".repeat(32)}a = 1\n`,
};

test("what a state has can be read", async () => {
  const paths = [
    ...["org", "app", "install", "inputs", "domain", "runner", "actions"].map(
      (part) => `${part}.populated`,
    ),
    "sandbox.populated",
    "install_stack.populated",
    "install_stack.template_json",
  ];
  const texts = (all: readonly string[]) => ({
    "metadata.toml": metadata,
    "sandbox.toml": 'terraform_version = "1.9.0"\n[public_repo]\nrepo = "r"\n',
    "stack.toml": 'type = "aws-cloudformation"\nname = "n"\n',
    "components/db.toml": `type = "job"\nname = "db"\nimage_url = "i"\nargs = [${all.map((path) => `"{{ .svc.${path} }}"`).join()}]\n`,
    "actions/a.toml": `name = "a"\n[[steps]]\nname = "s"\ncommand = "true"\n[steps.env_vars]\nB = "{{ .svc.components.db.name }}"\nA = "{{ .svc.actions.populated.x }}"\n`,
  });
  const { errors } = await checkTexts(texts(paths));
  expect(errors.map(({ code, detail }) => `${code}: ${detail}`)).toEqual([
    "reference_unknown: A: .svc.actions.populated.x: there is no action populated",
  ]);
});

describe("a config that is wrong in every way", () => {
  test("is told all of it at once, each with its place", async () => {
    const { errors, warnings, config } = await checkTexts(wrong);
    expect(config).toBeUndefined();
    const told = [...errors, ...warnings].map(
      ({ file, line, column, pointer, code, detail }) =>
        `${file}:${line}:${column} ${pointer} ${code}: ${detail}`,
    );
    expect(told).toMatchSnapshot();
    const codes = new Set([...errors, ...warnings].map(({ code }) => code));
    expect([...configFaultCodes, ...configWarningCodes].filter((code) => !codes.has(code))).toEqual(
      ["policy_unavailable"], // told by brokers alone
    );
  });

  test("is told where: but for whole files, every code with its line and column", async () => {
    const { errors, warnings } = await checkTexts(wrong);
    const placed = new Set(
      [...errors, ...warnings]
        .filter(({ line, column }) => line !== null && column !== null)
        .map(({ code }) => code),
    );
    const codes = [...configFaultCodes, ...configWarningCodes];
    expect(codes.filter((code) => !placed.has(code))).toEqual(["both_forms", "policy_unavailable"]);
  });

  test("is told the word that is near, of whatever kind it is", async () => {
    const { errors, warnings } = await checkTexts({
      "metadata.toml": `${metadata}descripton = "x"\n`,
      "inputs.toml":
        '[[group]]\nname = "network"\n\n[[input]]\nname = "port"\ngroup = "netwrk"\ntype = "numbr"\n',
      "secrets.toml": '[[secret]]\nname = "license"\n',
      "components/web.toml":
        'type = "job"\nname = "web"\nimage_url = "i"\ndependencies = ["databse"]\n',
      "components/database.toml": 'type = "jobb"\nname = "database"\nimage_url = "i"\n',
      "actions/greet.toml":
        'name = "greet"\n\n[[steps]]\nname = "s"\ncommand = "{{ .svc.inputs.inputs.prt }} {{ .svc.secrets.licens }}"\n',
      "runbooks/r.toml": 'name = "r"\n\n[[steps]]\nname = "s"\ntype = "action"\naction = "gret"\n',
      "operation_roles.toml":
        '[[rules]]\noperation = "deploy"\nprincipal = "component:wb"\nrole = "makr"\n',
      "permissions.toml": '[provision_role]\nname = "maker"\n',
      "action/x.toml": "",
    });
    const words = [...errors, ...warnings].flatMap(
      ({ detail }) => /did you mean ([^?]+)\?/.exec(detail)?.[1] ?? [],
    );
    expect(words.toSorted()).toMatchInlineSnapshot(`
      [
        "actions/",
        "database",
        "description",
        "greet",
        "job",
        "license",
        "maker",
        "network",
        "number",
        "port",
        "web",
      ]
    `);
  });

  test("has at most 500 faults shown, and says how many there are", async () => {
    const many = Array.from({ length: 900 }, (_, at) => `k${at} = 1\n`).join("");
    const { errors, errorCount } = await checkTexts({
      "metadata.toml": `${metadata}[links]\n${many}`,
    });
    expect([errors.length, errorCount]).toEqual([500, 900]);
  });
});

describe("a valid config", () => {
  test.each(["examples/app", "test/support/apps/rich-app"])(
    "%s has one checksum as a directory, as its JSON document, and as what was stored",
    async (folder) => {
      const read = await checkConfigFolder(await openConfigFolder(folder));
      expect(read.errors).toEqual([]);
      expect(read.warnings).toEqual([]);
      const { document, checksum } = read.config ?? {};
      const again = await checkConfigDocument(
        filesOfDocument(document ?? { metadata: { name: "" } }),
      );
      expect(again.errors).toEqual([]);
      expect(again.config?.checksum).toBe(checksum);
    },
  );

  test("has every section in the fixture of tests", async () => {
    const read = await checkConfigFolder(await openConfigFolder("test/support/apps/rich-app"));
    const sections = new Set(configFiles.map(({ section }) => section));
    expect(Object.keys(read.config?.document ?? {}).sort()).toEqual([...sections].sort());
    expect(read.config?.graph).toEqual({
      order: ["database", "image", "api"],
      edges: [
        { from: { type: "action", name: "migrate" }, to: "database", declared: true },
        { from: { type: "component", name: "api" }, to: "database", declared: true },
        { from: { type: "component", name: "api" }, to: "image", declared: false },
      ],
    });
  });

  test("counts the files that it is made of, and no others", async () => {
    const { files } = await checkConfigFolder(await openConfigFolder("examples/app"));
    const there = await readdir("examples/app", { recursive: true, withFileTypes: true });
    expect(files.length).toBe(there.filter((entry) => entry.isFile()).length);
  });

  test("is the same config whatever its files are called, and in which order things are", async () => {
    const step = { steps: [{ name: "s", command: "true" }] };
    const [a, b] = [
      tomlFile({ name: "a", ...step }),
      tomlFile({ name: "b", timeout: "1m", ...step }),
    ];
    const long = b.replace('"1m"', "60000000000");
    const one = await checkTexts({
      "metadata.toml": metadata,
      "actions/1.toml": a,
      "actions/2.toml": b,
    });
    const two = await checkTexts({
      "metadata.toml": metadata,
      "actions/z.toml": a,
      "actions/b.toml": long,
    });
    expect(one.config?.checksum).toBe(two.config?.checksum);
    const other = await checkTexts({ "metadata.toml": metadata, "actions/1.toml": a });
    expect(other.config?.checksum).not.toBe(one.config?.checksum);
  });
});

describe("a config's bounds", () => {
  const codesOf = async (texts: Record<string, string>) =>
    (await checkTexts({ "metadata.toml": metadata, ...texts })).errors.map(({ code }) => code);

  test("a TOML file has at most 128 KiB, levels have an end", async () => {
    expect(await codesOf({ "runner.toml": `# ${"x".repeat(131_072)}` })).toEqual([
      "config_too_costly",
    ]);
    const deep = `vars = { a = ${"[".repeat(40)}${"]".repeat(40)} }\n[public_repo]\nrepo = "r"\n`;
    expect(await codesOf({ "sandbox.toml": deep })).toEqual(["bad_value"]);
    const deeper = `a = ${"[".repeat(60_000)}${"]".repeat(60_000)}`;
    expect(await codesOf({ "sandbox.toml": deeper })).toEqual(["bad_value"]);
  });

  test("a text that is named often counts each time", async () => {
    const files = Array.from({ length: 40 }, () => '[[var_file]]\ncontents = "./big"\n').join("");
    const texts = { "sandbox.toml": files, big: "x".repeat(1_000_000) };
    expect(await codesOf(texts)).toContain("bad_value");
  });

  test("names that programs stumble over are refused", async () => {
    const texts = { "sandbox.toml": '[vars]\n__proto__ = 1\n[public_repo]\nrepo = "r"\n' };
    expect(await codesOf(texts)).toEqual(["bad_value"]);
    expect(await codesOf({ "runner.toml": 'runner_type = "a\\u0000"\n' })).toContain("bad_value");
  });

  test("a document that is no tree of files is told so", async () => {
    for (const document of [
      null,
      5,
      "x",
      [],
      { "metadata.toml": 5 },
      { "metadata.toml": { name: "a" }, actions: [] },
      {
        "metadata.toml": { name: "a" },
        "permissions.toml": "oops",
        permissions: { "policies/a.toml": { name: "a", contents: "{}" } },
      },
      { "metadata.toml": { name: "a" }, permissions: { "a.toml": "oops" } },
    ]) {
      const { errors } = await checkConfigDocument(document);
      expect(errors.map(({ code }) => code)).toContain("wrong_type");
    }
    const { errors } = await checkConfigDocument({ "metadata.toml": { name: "a", readme: "./x" } });
    expect(errors).toMatchObject([{ code: "missing_file", pointer: "#/metadata.toml/readme" }]);
  });
});
