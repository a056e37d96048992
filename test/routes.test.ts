import { describe, expect, test } from "vitest";
import { pathAliases } from "../shared/path-aliases.ts";
import { endpoints } from "./support/broker/route-rules.ts";

const surfaces = {
  open: "Anyone, without a token",
  runner: "Runners",
  "control-plane": "Control planes",
  operator: "Operators",
} as const;

describe("the table of routes", () => {
  test("is docs/routes.md, made from the route objects (npx vitest run test/routes.test.ts -u)", async () => {
    await expect(page()).toMatchFileSnapshot("../docs/routes.md");
  });

  test("has each operationId and each path with its method once", () => {
    const ids = endpoints.map(({ operationId }) => operationId);
    const places = endpoints.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(places).size).toBe(places.length);
  });

  test("holds the large bodies of apps as configs until they are checked, and no others", () => {
    const ids = (of: typeof endpoints) => of.map(({ operationId }) => operationId);
    const held = endpoints.filter(({ rule }) => rule.heldAs === "configs");
    const large = endpoints.filter(({ rule }) => rule.maxBody !== undefined);
    expect(ids(held)).toEqual(ids(large.filter(({ path }) => path.startsWith("/v1/apps/"))));
    expect(ids(held)).toContain("syncAppConfig");
    expect(held.length).toBe(26);
  });
});

function page(): string {
  const sections = Object.entries(surfaces).map(([surface, title]) => {
    const rows = endpoints
      .filter(({ rule }) => rule.surface === surface)
      .toSorted((a, b) =>
        a.path === b.path ? (a.method < b.method ? -1 : 1) : a.path < b.path ? -1 : 1,
      )
      .map(
        ({ method, path, operationId, rule }) =>
          `| ${method.toUpperCase()} \`${path}\` | ${operationId} | ${rule.permission ?? ""} | ${traits({ method, path, rule })} |`,
      );
    return `## ${title}\n\n| route | operation | permission | besides |\n|---|---|---|---|\n${rows.join("\n")}\n`;
  });
  const head = `# Routes

Every route, who calls it and which permission it needs. Made from the route objects in \`shared/api/\`; the last column is explained in
\`shared/route-rule.ts\`.
`;
  return [head, ...sections].join("\n");
}

type Endpoint = (typeof endpoints)[number];

function traits({ method, path, rule }: Pick<Endpoint, "method" | "path" | "rule">): string {
  const named = Object.entries(rule)
    .filter(([name]) => name !== "surface" && name !== "permission")
    .map(([name, value]) => (value === true ? name : `${name}: ${String(value)}`));
  return [...named, ...pathAliases({ method, path }).map((alias) => `also ${alias}`)].join(", ");
}
