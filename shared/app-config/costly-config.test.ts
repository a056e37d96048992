import { describe, expect, test } from "vitest";
import { checkTexts, type ConfigTexts } from "../../test/support/apps/config-of.ts";
import { checkConfigDocument } from "./check-config.ts";

const metadata = { "metadata.toml": 'name = "shop"\n' };
const repo = '[public_repo]\nrepo = "r"\n';
const lines = (bytes: number, line: (at: number) => string): string => {
  const count = Math.floor(bytes / line(10_000).length);
  return Array.from({ length: count }, (_, at) => line(at)).join("");
};
const room = 128 * 1024 - 400;
const vars = (line: (at: number) => string): ConfigTexts => ({
  "sandbox.toml": `${repo}[vars]\n${lines(room, line)}`,
});
const included = (text: string): ConfigTexts => ({
  "sandbox.toml": `${repo}[[var_file]]\ncontents = "./text"\n`,
  text: text.slice(0, 2 ** 20),
});
const script = (text: string): ConfigTexts => ({
  "actions/a.toml": 'name = "a"\n[[steps]]\nname = "s"\ninline_contents = "./script"\n',
  script: text,
});
const ways = "{{ if .svc.id }}{{ end }}".repeat(20_000);
const inputs = Array.from({ length: 500 }, (_, at) => `[[input]]\nname = "i${at}"\n`).join("");

/** Each costs more than its bytes where something is done for each part, name or fault with all the others. */
const costly: readonly [string, ConfigTexts, readonly string[]][] = [
  [
    "a table's name of many parts",
    { "runner.toml": `[${"a.".repeat(60_000)}a]` },
    ["config_too_costly"],
  ],
  ["values in one another", { "runner.toml": `a = ${"[".repeat(60_000)}` }, ["bad_value"]],
  [
    "a long name above many",
    { "runner.toml": `["${"x".repeat(60_000)}"]\n${lines(60_000, (at) => `k${at}=1\n`)}` },
    ["missing_key"],
  ],
  [
    "names that are not known",
    { "runner.toml": lines(room, (at) => `k${at}=1\n`) },
    ["missing_key"],
  ],
  [
    "values of a wrong type",
    { "sandbox.toml": `${repo}[env_vars]\n${lines(room, (at) => `"-${at}"=1\n`)}` },
    ["bad_value"],
  ],
  ["a script with much in one another", script("$(".repeat(250_000) + ways), []],
  ["a script with many documents in a line", script("<<a ".repeat(100_000) + ways), []],
  ["what may be secrets", vars((at) => `k${at}_token="x"\n`), []],
  [
    "texts with templates that are none",
    vars((at) => `k${at}="{{uppr .svc.id}}"\n`),
    ["bad_template"],
  ],
  [
    "a text that is named often",
    {
      "sandbox.toml": repo + lines(room, () => '[[var_file]]\ncontents="./s"\n'),
      s: "s".repeat(1e6),
    },
    ["bad_value", "config_too_costly"],
  ],
  [
    "policies whose texts have no room, of which none is said to be no Rego",
    {
      "policies.toml": Array.from(
        { length: 20 },
        (_, at) => `[[policy]]\nname = "p${at}"\ntype = "sandbox"\ncontents = "./s"\n`,
      ).join(""),
      s: `package svc\n#${"s".repeat(1e6)}`,
    },
    ["config_too_costly"],
  ],
  [
    "inputs that are not there",
    included(lines(2 ** 20, (at) => `{{.svc.inputs.inputs.x${at}}}\n`)),
    ["reference_unknown"],
  ],
  [
    "inputs that are there",
    {
      "inputs.toml": inputs,
      ...included(lines(2 ** 20, (at) => `{{.svc.inputs.inputs.i${100 + (at % 400)}}}\n`)),
    },
    [],
  ],
  [
    "keys that are nearly a required one",
    { "inputs.toml": lines(room, (at) => `[[input]]\nnam="i${at}"\n`) },
    ["bad_value", "unknown_key"],
  ],
  [
    "long keys where required ones are missing",
    {
      "components/a.toml": `name="a"\ntype="container_image"\n[gcp_gar]\n${lines(room, (at) => `${`k${at}`.padEnd(64, "x")}=1\n`)}`,
    },
    ["missing_key", "one_of"],
  ],
  [
    "policies without names",
    { "policies.toml": lines(room, () => '[[policy]]\ntype="sandbox"\ncontents="package svc"\n') },
    ["bad_value"],
  ],
  [
    "roles in one list",
    { "permissions.toml": lines(room, () => '[[roles]]\ntype="custom"\nname="r"\n') },
    ["bad_value", "duplicate_name"],
  ],
  [
    "texts that are nowhere",
    { "sandbox.toml": repo + lines(room, (at) => `[[var_file]]\ncontents="./${at}"\n`) },
    ["bad_value", "missing_file"],
  ],
  [
    "a file in a thousand folders",
    {
      [`actions/${"a/".repeat(1000)}a.toml`]: `name = "a"\nsteps = [{ name = "${"s".repeat(300)}" }]`,
    },
    ["bad_value", "one_of"],
  ],
  ["actions that do not end", included("{{".repeat(2 ** 19)), ["config_too_costly"]],
  [
    "components that need all others",
    Object.fromEntries(
      Array.from({ length: 500 }, (_, at) => [
        `components/c${at}.toml`,
        `type="job"\nname="c${at}"\nimage_url="i"\ndependencies=[${Array.from({ length: 200 }, (_, nth) => `"c${(at + nth + 1) % 500}"`).join()}]\n`,
      ]),
    ),
    ["dependency_cycle"],
  ],
];

describe("a check costs what a config's bytes cost", () => {
  test.each(costly)("%s", async (_, texts, codes) => {
    const { errors, errorCount } = await checkTexts({ ...metadata, ...texts });
    expect([...new Set(errors.map(({ code }) => code))].sort()).toEqual(codes);
    expect(errors.length).toBe(Math.min(errorCount, 500));
    expect(
      Math.max(0, ...errors.map(({ detail, pointer }) => detail.length + pointer.length)),
    ).toBeLessThan(1600);
  });
});

describe("counts alone decide", () => {
  const told = async (document: object) =>
    (await checkConfigDocument({ "metadata.toml": { name: "shop" }, ...document })).errors.map(
      ({ file, code, detail }) => `${file} ${code}: ${detail}`,
    );
  const sandbox = (value: unknown) => ({ vars: { a: value }, public_repo: { repo: "r" } });

  test("how many values a file of a document has", async () => {
    const list = (length: number) => ({ "sandbox.toml": sandbox(Array(length).fill(1)) });
    expect(await told(list(65_536 - 5))).toEqual([]);
    expect(await told(list(65_536 - 4))).toEqual([
      "sandbox.toml config_too_costly: has more than 65536 values, the most that a file may have",
    ]);
  });

  test("how many all have, and how many bytes their texts", async () => {
    const action = (value: unknown) => ({ name: "a", steps: [], other: value });
    const files = (count: number, value: unknown) => ({
      actions: Object.fromEntries(
        Array.from({ length: count }, (_, at) => [`a${100 + at}.toml`, action(value)]),
      ),
    });
    expect(await told(files(20, Array(60_000).fill(1)))).toContain(
      "actions/a104.toml config_too_costly: brings the config to more than 262144 values, the most that it may have",
    );
    expect(await told(files(20, "x".repeat(2 ** 20)))).toContain(
      "actions/a115.toml config_too_costly: brings the config with all its texts to more than 16 MiB, the most that it may have",
    );
  });

  test("how many levels, in a document as in TOML", async () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    const { errors } = await checkConfigDocument({
      "metadata.toml": { name: "shop" },
      "sandbox.toml": sandbox(deep),
    });
    expect(errors).toMatchObject([
      { file: "sandbox.toml", code: "bad_value", detail: "is too deep: at most 32 levels" },
    ]);
    expect(errors[0]?.pointer).toBe(`#/sandbox.toml/vars/a${"/0".repeat(31)}`);
  });

  test("how many files, in a document as in a directory", async () => {
    const names = Array.from({ length: 2_000 }, (_, at) => `a${at}.toml`);
    const most = "config_too_costly: is one file more than a config has: at most 2000";
    expect(await told({ actions: Object.fromEntries(names.map((name) => [name, {}])) })).toContain(
      `actions/a1999.toml ${most}`,
    );
    const texts = Object.fromEntries(names.map((name) => [`actions/${name}`, ""]));
    const { errors } = await checkTexts({ ...metadata, ...texts });
    expect(errors.map(({ code }) => code)).toContain("config_too_costly");
  });

  test("how many values TOML files have, and no further file is read", async () => {
    const install = (name: string) =>
      `name = "${name}"\n[[inputs]]\nlist = [${"1,".repeat(65_000)}]\n`;
    const names = ["a", "b", "c", "d", "e"];
    const texts = Object.fromEntries(names.map((name) => [`installs/${name}.toml`, install(name)]));
    const { errors } = await checkTexts({ ...metadata, ...texts, "sandbox.toml": "nonsense" });
    const costly = errors.filter(({ code }) => code === "config_too_costly");
    expect(costly.map(({ file }) => file)).toEqual(["installs/e.toml"]);
    expect(costly[0]?.detail).toContain("262144 values");
    expect(errors.filter(({ file }) => file === "sandbox.toml")).toEqual([]);
  });

  test("how many templates, whoever's they are", async () => {
    const texts = (count: number) => ({
      ...metadata,
      "sandbox.toml": repo + '[[var_file]]\ncontents = "./text"\n'.repeat(count),
      text: "{{.a}}".repeat(100_000),
    });
    expect((await checkTexts(texts(5))).errors).toEqual([]);
    expect((await checkTexts(texts(6))).errors).toMatchObject([
      { file: "sandbox.toml", line: 14, code: "config_too_costly" },
    ]);
  });
});
