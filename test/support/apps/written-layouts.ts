import type { WrittenConfig } from "./written-config.ts";

const repo = '[public_repo]\nrepo = "o/r"\n';
const step = '[[steps]]\nname = "s"\ncommand = "true"\n';
const job = (name: string): string => `name = "${name}"\ntype = "job"\nimage_url = "i"\n`;
const furtherInputs = {
  "more/net.toml": '[[group]]\nname = "g"\n[[input]]\nname = "b"\ngroup = "g"\n',
};

/** Where things are in a directory, as vendors write it, each with a fault that is planted in it. */
export const writtenLayouts: Readonly<Record<string, WrittenConfig>> = {
  "an app without a name": {
    files: {},
    kept: { metadata: { name: "shop", version: "v2" } },
    planted: ["metadata.toml", "version", 'nme = "shop"\nversion'],
    fault: ["unknown_key", "metadata.toml", 1, 1],
  },
  "an app's onboarding and webhook": {
    files: {
      "metadata.toml":
        'slack_webhook_url = "https://hooks.example.com/x"\n\n[onboarding]\nsteps = ["{{ .svc.none }}"]\n',
    },
    kept: { metadata: { onboarding: { steps: ["{{ .svc.none }}"] } } },
    planted: ["metadata.toml", '"https://hooks.example.com/x"', "5"],
    fault: ["wrong_type", "metadata.toml", 1, 1],
  },
  "an installer": {
    files: { "installer.toml": 'name = "Shop"\nfooter_markdown = "{{ .svc.installer.x }}"\n' },
    kept: { installer: { name: "Shop", footer_markdown: "{{ .svc.installer.x }}" } },
    planted: ["installer.toml", '"Shop"', "[]"],
    fault: ["wrong_type", "installer.toml", 1, 1],
  },
  "a place of installs, beside installs": {
    files: { "installs.toml": repo, "installs/a.toml": 'name = "A"\napp_branch = "main"\n' },
    kept: { installs_config: { public_repo: { repo: "o/r" } }, installs: [{ name: "A" }] },
    planted: ["installs.toml", 'repo = "o/r"', 'rep = "o/r"'],
    fault: ["unknown_key", "installs.toml", 2, 1],
  },
  "a text in the folder of its file": {
    files: {
      "actions/greet/svc.toml": `name = "greet"\n${step.replace("command", "inline_contents").replace('"true"', '"./run.sh"')}`,
      "actions/greet/run.sh": "echo {{ .svc.id }}",
    },
    kept: { actions: [{ steps: [{ inline_contents: "echo {{ .svc.id }}" }] }] },
    planted: ["actions/greet/run.sh", "{{ .svc.id }}", "\n\n{{ .svc.idd }}"],
    fault: ["reference_unknown", "actions/greet/svc.toml", 4, 1],
  },
  "a text in the folder of its kind": {
    files: {
      "components/chart/svc.toml": `name = "c"\ntype = "helm_chart"\nchart_name = "c"\n${repo}[[values_file]]\ncontents = "./chart/values.yaml"\n`,
      "components/chart/values.yaml": "a: 1\n",
    },
    kept: { components: [{ values_file: [{ contents: "a: 1\n" }] }] },
    planted: ["components/chart/svc.toml", "chart/values", "chart/value"],
    fault: ["missing_file", "components/chart/svc.toml", 7, 1],
  },
  "a text of break glass in permissions/": {
    files: {
      "break_glass/admin.toml": 'name = "admin"\npermissions_boundary = "./boundary.json"\n',
      "permissions/boundary.json": "{}",
    },
    kept: { break_glass: { role: [{ name: "admin", permissions_boundary: "{}" }] } },
    planted: ["break_glass/admin.toml", '"./boundary.json"', '"./../../boundary.json"'],
    fault: ["outside_root", "break_glass/admin.toml", 2, 1],
  },
  "values files by path": {
    files: {
      "components/c.toml": `name = "c"\ntype = "helm_chart"\nchart_name = "c"\n${repo}[[values_file]]\npath = "values.yaml"\n[[values_file]]\nsource = "./more.yaml"\n`,
      "components/values.yaml": "a: 1\n",
      "more.yaml": "b: 1\n",
    },
    kept: { components: [{ values_file: [{ contents: "a: 1\n" }, { contents: "b: 1\n" }] }] },
    planted: [
      "components/c.toml",
      'source = "./more.yaml"',
      'source = "./../x.yaml"\ncontents = "y"',
    ],
    fault: ["one_of", "components/c.toml", 9, 1],
  },
  "values in the place of their file's name": {
    files: {
      "components/c.toml": `name = "c"\ntype = "helm_chart"\nchart_name = "c"\n${repo}[[values_file]]\nsource = """\nmy_a: 1\nb: 2\n"""\n`,
    },
    kept: { components: [{ values_file: [{ contents: "my_a: 1\nb: 2\n" }] }] },
    planted: ["components/c.toml", '"""\nmy_a: 1\nb: 2\n"""', '"gone.yaml"'],
    fault: ["missing_file", "components/c.toml", 7, 1],
  },
  "policies without names": {
    files: {
      "policies.toml":
        '[[policy]]\ntype = "sandbox"\ncontents = "./policies/a.rego"\n[[policy]]\ntype = "pulumi"\ncontents = "./policies/a.rego"\n[[policy]]\ntype = "pulumi"\ncontents = "package svc\\n"\n',
      "policies/a.rego": "package svc\n",
    },
    kept: { policies: { policy: [{ name: "a" }, { name: "a-2" }, { name: "policy-3" }] } },
    planted: ["policies/a.rego", "package svc", "package other"],
    fault: ["bad_rego", "policies.toml", 3, 1],
  },
  "a policy by its file's name, of all components": {
    files: { "policies/No Latest.toml": 'type = "helm_chart"\ncontents = "package svc"\n' },
    kept: { policies: { policy: [{ name: "no-latest" }] } },
    planted: ["policies/No Latest.toml", 'type = "helm_chart"', 'tpe = "helm_chart"'],
    fault: ["unknown_key", "policies/No Latest.toml", 1, 1],
  },
  "files with nothing in them": {
    files: { "runner.toml": "# later\n", "components/a.toml": "", "secrets.toml": "\n" },
    kept: { metadata: { name: "shop" } },
    planted: ["components/a.toml", "", 'name = "a"\n'],
    fault: ["missing_key", "components/a.toml", 1, 1],
  },
  "a component in a folder, its type misspelt": {
    files: { "components/api/a.toml": job("a") },
    kept: { components: [{ name: "a" }] },
    planted: ["components/api/a.toml", "type", "Tpye"],
    fault: ["missing_key", "components/api/a.toml", 1, 1],
  },
  "a component in a folder, its type forgotten": {
    files: { "components/api/a.toml": job("a") },
    kept: { components: [{ name: "a" }] },
    planted: ["components/api/a.toml", 'type = "job"\n', ""],
    fault: ["missing_key", "components/api/a.toml", 1, 1],
  },
  "an action in a folder, its name in capitals": {
    files: { "actions/x/a.toml": `name = "a"\n${step}` },
    kept: { actions: [{ name: "a" }] },
    planted: ["actions/x/a.toml", 'name = "a"', 'NAME = "a"'],
    fault: ["missing_key", "actions/x/a.toml", 1, 1],
  },
  "a policy in a folder, its type misspelt": {
    files: { "policies/sub/x.toml": 'type = "sandbox"\ncontents = "package svc"\n' },
    kept: { policies: { policy: [{ name: "x" }] } },
    planted: ["policies/sub/x.toml", "type", "typ"],
    fault: ["unknown_key", "policies/sub/x.toml", 1, 1],
  },
  "further files of inputs": {
    files: {
      ...furtherInputs,
      "inputs/db.toml": '[[input]]\nname = "c"\n',
      "inputs.toml":
        'source = "./more/net.toml"\nsources = ["./inputs/db.toml", "./more/net.toml"]\n[[input]]\nname = "a"\n',
    },
    kept: {
      inputs: { group: [{ name: "g" }], input: [{ name: "a" }, { name: "b" }, { name: "c" }] },
    },
    planted: ["more/net.toml", 'name = "b"', 'name = "a"'],
    fault: ["duplicate_name", "more/net.toml", 4, 1],
  },
  "further files of inputs that name one another": {
    files: {
      "inputs.toml": 'source = "./more/net.toml"\n',
      "more/net.toml": 'sources = ["../inputs.toml", "./db.toml"]\n',
      "more/db.toml": 'source = "net.toml"\n[[input]]\nname = "c"\n',
    },
    kept: { inputs: { input: [{ name: "c" }] } },
    planted: ["more/net.toml", '"./db.toml"', '"./gone.toml"'],
    fault: ["missing_file", "more/net.toml", 1, 30],
  },
  "a further file of inputs that is another file of the config": {
    files: { ...furtherInputs, "inputs.toml": 'sources = ["./more/net.toml"]\n' },
    kept: { inputs: { input: [{ name: "b" }] } },
    planted: ["inputs.toml", "./more/net.toml", "./metadata.toml"],
    fault: ["bad_value", "inputs.toml", 1, 12],
  },
  "further files of inputs that are no list": {
    files: { ...furtherInputs, "inputs.toml": 'sources = ["./more/net.toml"]\n' },
    kept: { inputs: { input: [{ name: "b" }] } },
    planted: ["inputs.toml", '["./more/net.toml"]', '"./more/net.toml"'],
    fault: ["wrong_type", "inputs.toml", 1, 1],
  },
  "further inputs in what is no list": {
    files: { ...furtherInputs, "inputs.toml": 'source = "./more/net.toml"\n' },
    kept: { inputs: { input: [{ name: "b" }] } },
    planted: ["more/net.toml", "[[input]]", "[input]"],
    fault: ["wrong_type", "more/net.toml", 3, 2],
  },
  "folders in folders": {
    files: {
      "components/images/api/a.toml": job("a"),
      "inputs/net/port.toml": 'name = "port"\n',
      "secrets/db/key.toml": 'name = "key"\n',
      "actions/x/y/z.toml": `name = "z"\n${step}`,
    },
    kept: { inputs: { input: [{ name: "port" }] }, secrets: { secret: [{ name: "key" }] } },
    planted: ["components/images/api/a.toml", '"a"', '"A"'],
    fault: ["bad_value", "components/images/api/a.toml", 1, 1],
  },
};
