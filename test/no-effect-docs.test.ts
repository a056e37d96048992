import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { notDeployed } from "../shared/app-config/not-deployed.ts";
import { runnerSettingEffects } from "../shared/runner-setting-effects.ts";
import { readRootFile } from "./support/run/source-files.ts";

type Document = {
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly properties?: object }>>;
  };
};
const page = await readFile("docs/no-effect.md", "utf8");
const [, table = ""] = /<!-- no-effect -->\n([^]*?)<!-- \/no-effect -->/.exec(page) ?? [];
const rows = [...table.matchAll(/^\| `([\w.]+)` \| `([\w.[\]]+)` \|/gm)].map(
  ([, of = "", member = ""]) => [of, member] as const,
);

test("the table has rows", () => {
  expect(rows.length).toBeGreaterThan(10);
  expect(rows).toHaveLength(table.trim().split("\n").length - 2);
});

const files = await readRootFile("docs/app-config-files.md");
const { components } = JSON.parse(await readRootFile("test/openapi.json")) as Document;

/** The members of a file of app configs, or of a type of the API. */
function membersOf(of: string): readonly string[] {
  if (!of.endsWith(".toml")) return Object.keys(components.schemas[of]?.properties ?? {});
  const [, section = ""] = files.split(`## \`${of}\`\n`);
  const [own = ""] = section.split("\n## ");
  return [...own.matchAll(/^\| (?:\*\*)?`([^`]+)`/gm)].map(([, name = ""]) => name);
}

test.each(rows)(
  "%s has the member %s, which docs/no-effect.md says has no effect",
  (of, member) => {
    expect(membersOf(of)).toContain(member);
  },
);

test("a setting of runners that it names is one on which nobody acts", () => {
  const named = rows.filter(([of]) => of === "RunnerGroupSettings");
  for (const [, member] of named)
    expect(runnerSettingEffects[member as keyof typeof runnerSettingEffects].by).toBe("nobody");
});

const notThere = [
  "| a config's | in this version | comes with |",
  "|---|---|---|",
  ...notDeployed.map(({ part, today, comesWith }) => `| ${part} | ${today} | ${comesWith} |`),
  "",
].join("\n");

test.each(["README.md", "docs/workflows.md"])(
  "%s has the table of what is not there",
  async (name) => {
    const [, told] =
      /<!-- not-deployed -->\n([^]*?)<!-- \/not-deployed -->/.exec(await readFile(name, "utf8")) ??
      [];
    expect(told).toBe(notThere);
  },
);
