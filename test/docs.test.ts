import { access, readdir } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { settingNames, variableOf } from "../agent/config/settings.ts";
import { settings } from "../broker/config.ts";
import { startBroker, type TestBroker } from "./support/broker/broker.ts";
import { routeRules } from "./support/broker/route-rules.ts";
import { testDatabase } from "./support/database/database.ts";
import { readRootFile, sourceFiles } from "./support/run/source-files.ts";

const folders = [
  "docs",
  "migrations",
  "shared",
  "broker",
  "cli",
  "agent",
  "test",
  "bench",
  "deploy",
];

type Page = { readonly name: string; readonly text: string };

async function listPages(): Promise<Page[]> {
  const inFolders = folders.map(async (folder) => {
    const entries = await readdir(folder, { recursive: true }).catch(() => []);
    return entries.map((entry) => path.join(folder, entry));
  });
  const names = [await readdir("."), ...(await Promise.all(inFolders))].flat();
  const pages = names.filter((name) => name.endsWith(".md"));
  return Promise.all(pages.map(async (name) => ({ name, text: await readRootFile(name) })));
}

const pages = await listPages();
const page = (name: string): string => pages.find((one) => one.name === name)?.text ?? "";
const operations = page("docs/operations.md");
const api = page("docs/api.md");

/** First cells of the tables' rows that are one word of this shape. */
function firstCells(text: string, shape: RegExp): string[] {
  return [...text.matchAll(/^\| ([^|]+?) \|/gm)].flatMap(([, cell = ""]) =>
    shape.test(cell) ? [cell] : [],
  );
}

async function isThere(name: string): Promise<boolean> {
  return access(name).then(
    () => true,
    () => false,
  );
}

describe("links", () => {
  /** The anchors of a page's headings, as forges make them. */
  const anchors = (text: string): string[] =>
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, "")
        .replaceAll(" ", "-"),
    );

  async function isBroken({ name, text }: Page, link: string): Promise<boolean> {
    if (/^[a-z]+:/.test(link)) return false;
    const [file = "", anchor] = link.split("#");
    const target = file === "" ? name : path.join(path.dirname(name), file);
    if (!(await isThere(target))) return true;
    if (anchor === undefined) return false;
    return !anchors(file === "" ? text : page(target)).includes(anchor);
  }

  test("in every page lead somewhere", async () => {
    const links = pages.flatMap((one) =>
      [...one.text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => ({ one, link })),
    );
    expect(links.length).toBeGreaterThan(20);
    const broken = await Promise.all(
      links.map(async ({ one, link }) =>
        (await isBroken(one, link)) ? [`${one.name}: ${link}`] : [],
      ),
    );
    expect(broken.flat()).toEqual([]);
  });

  test("ARCHITECTURE.md and the decisions name files that are there", async () => {
    const known = await Promise.all(
      folders.map(async (folder) =>
        (await readdir(folder, { recursive: true }).catch(() => [])).map(
          (file) => `${folder}/${file}`,
        ),
      ),
    );
    const files = [...folders.map((folder) => `${folder}/`), ...known.flat()];
    const named = pages
      .filter(({ name }) => name === "ARCHITECTURE.md" || name.startsWith("docs/decisions/"))
      .flatMap(
        ({ text }) =>
          text.match(/\b(?:docs|migrations|shared|broker|cli|test|bench)\/[\w./-]*/g) ?? [],
      )
      .map((name) => name.replace(/[./]+$/, ""));
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter((name) => !files.some((file) => file.startsWith(name)))).toEqual([]);
  });
});

describe("the pages", () => {
  test("name only settings that there are", async () => {
    const named = pages
      .filter(({ name }) => name !== "docs/cli.md")
      .flatMap(({ text }) => text.match(/\bSVC_[A-Z_]+\b/g) ?? []);
    const ofClients = ["SVC_URL", "SVC_TOKEN", "SVC_ORG", "SVC_PROFILE", "SVC_DATA_DIR"];
    const isElsewhere =
      /^agent\/(?:jobs|handlers)\/|^broker\/(?:actions|workflows)\/|^test\/(?:support|tools)\//;
    const ofJobsAndTests = (await sourceFiles())
      .filter(({ name }) => isElsewhere.test(name))
      .flatMap(({ text }) => text.match(/\bSVC_[A-Z_]+\b/g) ?? []);
    const ofAgents = settingNames.map(variableOf);
    const known = new Set([...Object.keys(settings), ...ofAgents, ...ofClients, ...ofJobsAndTests]);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });
});

describe("a broker", () => {
  let broker: TestBroker;
  let paths: Record<string, Record<string, { operationId: string; responses: object }>>;

  beforeAll(async () => {
    broker = await startBroker({ url: (await testDatabase()).url });
    const document = await broker.call<{ paths: typeof paths }>("GET /openapi.json");
    paths = document.body.paths;
  });

  test("shows the metrics that operations.md has, and no other", async () => {
    const { body } = await broker.call<string>("GET /metrics");
    const shown: string[] = [...body.matchAll(/^# TYPE (\w+)/gm)].map(([, name = ""]) => name);
    const documented = firstCells(operations, /^(?:svc|process)_[a-z_]+$/);
    expect(documented.toSorted()).toEqual(shown.toSorted());
  });

  test("describes each operation and its path in its reference", async () => {
    const { body } = await broker.call<string>("GET /docs");
    const operationIds = Object.values(paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(operationIds.length).toBeGreaterThan(50);
    expect(operationIds.filter((id) => !body.includes(`id="${id}"`))).toEqual([]);
    const text = body.replaceAll(/<[^>]+>/g, "");
    expect(Object.keys(paths).filter((one) => !text.includes(one))).toEqual([]);
  });

  test("takes a key for all that is created, but for the orders that api.md names", () => {
    const rules = routeRules;
    const enqueues = ["enqueueJob", "enqueueJobs", "rerunJob"]; // they keep the key with the job
    const bare = Object.entries(paths).flatMap(([one, { post }]) => {
      const rule = rules[post?.operationId ?? ""];
      const isByHand = rule?.surface === "operator" || rule?.surface === "control-plane";
      if (post === undefined || !isByHand) return [];
      if (!("201" in post.responses) && !one.endsWith("-shutdown")) return []; // orders, too
      const takesKey = rule.idempotent !== undefined || enqueues.includes(post.operationId);
      return takesKey ? [] : [path.basename(one)];
    });
    const orders = /^- Orders to processes \((.+)\) take none/m.exec(api)?.[1] ?? "";
    const told = [...orders.matchAll(/`…\/([a-z-]+)`/g)].map(([, name = ""]) => name);
    expect(told.toSorted()).toEqual(bare.toSorted());
  });

  test("has every route that the pages tell of", () => {
    const shape = (one: string): string => one.replaceAll(/\{\w+\}|[a-z]{3}_…|\$[A-Z]+/g, "{}");
    const known = Object.entries(paths).flatMap(([one, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${shape(one)}`),
    );
    const told = pages.flatMap(({ name, text }) =>
      [...text.matchAll(/\b(GET|POST|PUT|PATCH|DELETE) (\/v1\/[\w/{}…$-]+)/g)].map(
        ([, method = "", one = ""]) => ({ name, route: `${method} ${shape(one)}` }),
      ),
    );
    expect(told.length).toBeGreaterThan(5);
    expect(told.filter(({ route }) => !known.includes(route))).toEqual([]);
  });
});

describe("api.md", () => {
  const patterns = [
    /problem\.(?:malformed|forbidden|conflict)\(\s*"([a-z][a-z0-9_]*)"/g,
    /\b(?:conflict|refused)\(\s*"([a-z][a-z0-9_]*)"/g,
    /\btooMany\([^;]*?"([a-z0-9_]+)",?\s*\)/g,
    /\bcode: "([a-z][a-z0-9_]*)"/g,
    /\bcode(?: =|:)[^;,]*?\s\? "([a-z][a-z0-9_]*)"\s+: "([a-z][a-z0-9_]*)"/g,
  ];

  async function codes(): Promise<string[]> {
    // faults of app configs have a page of their own, made from their list
    const refusing = /^(?:broker|shared\/(?!app-config\/))/;
    const shipped = (await sourceFiles()).filter(({ name }) => refusing.test(name));
    const ofNotFound = /problem\.notFound\(\s*"([a-z -]+)"/g;
    const found = shipped.flatMap(({ text }) => [
      ...patterns.flatMap((pattern) =>
        [...text.matchAll(pattern)].flatMap(([, ...found]) => found),
      ),
      ...[...text.matchAll(ofNotFound)].map(
        ([, what = ""]) => `${what.replaceAll(/[ -]/g, "_")}_not_found`,
      ),
    ]);
    return [...new Set(found)].filter((code) => code !== undefined);
  }

  test("has the code of every refusal", async () => {
    const all = (await codes()).filter((code) => code !== "custom"); // zod's own word, told as another
    expect(all).toEqual(expect.arrayContaining(["until_past", "until_far", "invalid_base64"]));
    expect(all.length).toBeGreaterThan(50);
    expect(all.filter((code) => !api.includes(`\`${code}\``))).toEqual([]);
  });

  test("has at most 200 lines", () => {
    expect(api.trimEnd().split("\n").length).toBeLessThanOrEqual(200);
  });
});
