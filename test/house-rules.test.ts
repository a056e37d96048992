import { describe, expect, test } from "vitest";
import { readRootFile, type SourceFile, sourceFiles } from "./support/run/source-files.ts";

const files = await sourceFiles();
const isSpec = ({ name }: SourceFile) => /^(?:test|bench)\/|\.test\.ts$/.test(name);
const shipped = files.filter((file) => !isSpec(file));

/** Every import of the files that match, as "file → target". */
function importsOf(from: RegExp): { edge: string; target: string }[] {
  return shipped
    .filter(({ name }) => from.test(name))
    .flatMap(({ name, imports }) =>
      imports.map((target) => ({ edge: `${name} → ${target}`, target })),
    );
}

function edges(from: RegExp, isWrong: (target: string) => boolean): string[] {
  return importsOf(from)
    .filter(({ target }) => isWrong(target))
    .map(({ edge }) => edge);
}

/** The names of what a file exports of these kinds, in kebab-case. */
function exportsOf(text: string, kinds: string): string[] {
  const found = text.matchAll(new RegExp(`^export (?:${kinds}) (\\w+)`, "gm"));
  return [...found].map(([, name = ""]) =>
    name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, "-").toLowerCase(),
  );
}

function linesWith(searched: readonly SourceFile[], pattern: RegExp): string[] {
  return searched.flatMap(({ name, text }) =>
    text
      .split("\n")
      .flatMap((line, at) => (pattern.test(line) ? [`${name}:${at + 1} ${line.trim()}`] : [])),
  );
}

const isServer = (target: string) => /^(?:hono|@hono\/)/.test(target);
const isDatabase = (target: string) =>
  /^(?:postgres|pg|graphile-worker|pg-boss)(?:\/|$)/.test(target);

/** Rooms of shared/ that read a language with a package that knows it. */
const readers: readonly (readonly [room: string, packages: readonly string[]])[] = [
  ["shared/cron/", ["node-cron", "lru-cache"]],
  ["shared/app-config/", ["toml-eslint-parser"]],
];

describe("who may import whom", () => {
  test("shared knows zod, its OpenAPI dress, the client's package, and nobody who uses it", () => {
    const isAllowed = (target: string) =>
      /^(?:zod|@hono\/zod-openapi)$/.test(target) || /^(?:node:|shared\/|client\/)/.test(target);
    const wrong = importsOf(/^shared\//).filter(({ edge, target }) => {
      const isReader = readers.some(
        ([room, read]) => edge.startsWith(room) && read.includes(target),
      );
      return !isAllowed(target) && !isReader;
    });
    expect(wrong.map(({ edge }) => edge)).toEqual([]);
  });

  test("the agent knows shared, no database driver and no server", () => {
    const isWrong = (target: string) =>
      /^(?:broker|cli|test|bench)\//.test(target) || isDatabase(target) || isServer(target);
    expect(edges(/^agent\//, isWrong)).toEqual([]);
  });

  test("the command line knows shared; cli/local/ alone starts brokers and agents", () => {
    expect(edges(/^cli\/(?!local\/)/, (target) => /^(?:broker|agent)\//.test(target))).toEqual([]);
    expect(edges(/^cli\//, (target) => isServer(target) || isDatabase(target))).toEqual([]);
  });

  test("the broker knows shared, and neither the agent nor the command line", () => {
    expect(edges(/^broker\//, (target) => /^(?:agent|cli)\//.test(target))).toEqual([]);
  });

  test("the client's package knows itself and Node alone", () => {
    expect(edges(/^client\//, (target) => !/^(?:client\/|node:)/.test(target))).toEqual([]);
  });

  test("nothing that ships knows the tests or the benchmarks", () => {
    expect(edges(/./, (target) => /^(?:test|bench)\/|^vitest$|^fast-check$/.test(target))).toEqual(
      [],
    );
  });

  test("no program has circles of imports, types included", () => {
    const targets = new Map(shipped.map(({ name, imports }) => [name, imports]));
    const isReached = (from: string, to: string): boolean => {
      const seen = new Set<string>();
      const open = [...(targets.get(from) ?? [])];
      for (let next = open.pop(); next !== undefined; next = open.pop()) {
        if (next === to) return true;
        if (!seen.has(next)) open.push(...(targets.get(next) ?? []));
        seen.add(next);
      }
      return false;
    };
    const isProgram = (name: string) => /^(?:shared|broker|cli|client|agent)\//.test(name);
    const names = [...targets.keys()].filter(isProgram);
    expect(names.filter((name) => isReached(name, name))).toEqual([]);
  });

  test("the broker's database folder knows nobody above it", () => {
    expect(
      edges(/^broker\/database\//, (target) => /^broker\/(?!database\/)/.test(target)),
    ).toEqual([]);
  });

  test("commands and queries never see HTTP", () => {
    // The table of what child processes do knows all that they do, as the router knows all routes.
    const noun =
      /^broker\/(?!http\/|routes\/|dashboard\/|tasks\/|database\/|work-pool\/work-kinds)[^/]+\//;
    const isAbove = (target: string) => /^broker\/(?:http|routes|router|tasks|main)\b/.test(target);
    expect(edges(noun, (target) => isAbove(target) || isServer(target))).toEqual([]);
  });

  test("no query imports a refusal; it is the command that refuses", () => {
    const isProblem = (target: string) => target === "shared/problem.ts";
    expect(edges(/^broker\/(?:.+\/)?queries\.ts$|^broker\/database\//, isProblem)).toEqual([]);
  });

  test("routes are thin registrations: no SQL, and no route knows another", () => {
    const isRoute = ({ name }: SourceFile) => name.startsWith("broker/routes/");
    expect(linesWith(shipped.filter(isRoute), /\b(?:db|sql|tx)(?:<[^`]*>)?`/)).toEqual([]);
    const isWrong = (target: string) =>
      isDatabase(target) || /^broker\/(?:tasks|routes|main|router)\b/.test(target);
    expect(edges(/^broker\/routes\//, isWrong)).toEqual([]);
  });

  test("pages read and act by the API alone, as whoever is signed in", () => {
    const isAllowed = (target: string) =>
      /^(?:shared\/|hono\/|node:)/.test(target) ||
      /^broker\/dashboard\/(?:page\.ts$|(?!open-|session\/)[^/]+\/|assets\.ts$)/.test(target);
    const page = /^broker\/dashboard\/(?!session\/|live\/)[^/]+\//;
    expect(edges(page, (target) => !isAllowed(target))).toEqual([]);
    const isCommand = (target: string) =>
      /^broker\/(?!dashboard\/|http\/|oidc\/|sessions\/|tokens\/|wake\/|limits\/|broker\.ts|database\/database-errors)/.test(
        target,
      );
    expect(edges(/^broker\/dashboard\//, isCommand)).toEqual([]);
  });

  test("only the router lists routes", () => {
    const isRoute = (target: string) => target.startsWith("broker/routes/");
    const others = importsOf(/^broker\/(?!router\.ts)/).filter(({ target }) => isRoute(target));
    expect(others.map(({ edge }) => edge)).toEqual([]);
  });

  test("tasks are shallow: they know commands, not HTTP", () => {
    const isWrong = (target: string) => /^broker\/(?:http|routes|router|main)\b/.test(target);
    expect(edges(/^broker\/tasks\//, (target) => isWrong(target) || isServer(target))).toEqual([]);
  });
});

describe("every file", () => {
  test("has at most 250 lines", () => {
    const long = files.filter(({ text }) => text.trimEnd().split("\n").length > 250);
    expect(long.map(({ name }) => name)).toEqual([]);
  });

  test("has a kebab-case name that says what is in it", () => {
    const shape = /^(?:[a-z0-9]+(?:-[a-z0-9]+)*\/)+[a-z0-9]+(?:-[a-z0-9]+)*(?:\.test)?\.ts$/;
    const empty = /(?:^|[/-])(?:utils?|helpers?|common|misc|managers?|services?|index)(?:[./]|$)/;
    const wrong = files.filter(({ name }) => !shape.test(name) || empty.test(name));
    expect(wrong.map(({ name }) => name)).toEqual([]);
    expect(files.filter(({ name }) => /(?:^|\/)data[./]/.test(name))).toEqual([]);
  });

  test("with one exported value carries its name, in the broker and in what is shared", () => {
    const isOthers = /(?:^|\/)(?:main|router|registry|queries)\.ts$/;
    const wrong = shipped.filter(({ name, text }) => {
      const values = exportsOf(text, "const|async function\\*?|function\\*?|class");
      if (!/^(?:broker|shared)\//.test(name) || isOthers.test(name) || values.length !== 1)
        return false;
      const file = name.replace(/^.*\/|\.ts$/g, "");
      return ![...values, ...exportsOf(text, "type")].some(
        (one) => one === file || one.endsWith(`-${file}`) || one.startsWith(`${file}-`),
      );
    });
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  test("exports its own things, never another file's", () => {
    const others = files.filter(({ name }) => name !== "client/main.ts"); // all that a package offers
    expect(linesWith(others, /^export (?:type )?(?:\*|\{.*\} from)/)).toEqual([]);
  });

  test("imports project files by their whole name", () => {
    const isLoose = (target: string) =>
      /^(?:shared|broker|agent|cli|client|test|bench)\//.test(target) &&
      !/\.(?:ts|json)$/.test(target);
    expect(edges(/./, isLoose)).toEqual([]);
  });

  test("leaves nothing for later", () => {
    expect(linesWith(files, /TOD[O]|FIXM[E]|XX[X]/)).toEqual([]);
  });

  test("says of every exported function what a caller may rely on", () => {
    const bare = shipped.flatMap(({ name, text }) =>
      [...text.matchAll(/^(.*)\nexport (?:async )?function\*? (\w+)/gm)]
        .filter(([, before = ""]) => !before.endsWith("*/") && !before.endsWith(");"))
        .map((match) => `${name}: ${match[2]}`),
    );
    expect(bare).toEqual([]);
  });
});

test("settings are read in one place of each program", () => {
  const others = shipped.filter(
    ({ name }) => !/^(?:broker|cli)\/config\.ts$|^agent\/config\/environment\.ts$/.test(name),
  );
  expect(linesWith(others, /\bprocess\.env\b/)).toEqual([]);
});

test("no test is left out or run alone, but for a tool that is missing", () => {
  const mark =
    /\b(?:test|it|describe|suite)\.(?:only|skip|skipIf|runIf|fails|todo)\b|\bskip: true\b/;
  const others = files.filter(({ name }) => name !== "test/support/run/describe-with-tools.ts");
  expect(linesWith(others, mark)).toEqual([]);
});

test("no test waits for time to pass", () => {
  const specs = files.filter((file) => isSpec(file) && file.name.startsWith("test/"));
  expect(linesWith(specs, /\bsetTimeout\b/)).toEqual([]);
});

test("no test has a time limit of its own: a limit only ends what hangs", () => {
  const specs = files.filter(
    (file) => isSpec(file) && !file.name.startsWith("bench/") && !/hang-limits/.test(file.name),
  );
  const ofTest = /^\s*(?:\}|\)), [\d_]{4,}\);$|\b(?:describe|test|it)\b.*\btimeout: [\d_]{4,}/;
  const ofWait = /(?:poll|waitFor|waitUntil)\(.*\btimeout: [\d_]+|\btimeout: [\d_]+, interval\b/;
  expect([...linesWith(specs, ofTest), ...linesWith(specs, ofWait)]).toEqual([]);
});

test.each(["ARCHITECTURE.md", "STYLE.md"])("%s has at most 150 lines", async (name) => {
  expect((await readRootFile(name)).trimEnd().split("\n").length).toBeLessThanOrEqual(150);
});

test("a pattern for what callers send has words of its own: nobody is shown the pattern", () => {
  const wordless = /\.regex\(\s*(?:\/(?:\\.|[^/\\\n])+\/\w*|new RegExp\([^()]*\)),?\s*\)/g;
  const api = files.filter(({ name }) => name.startsWith("shared/") && !name.endsWith(".test.ts"));
  const found = api.flatMap(({ name, text }) =>
    [...text.matchAll(wordless)].map(([call]) => `${name} ${call}`),
  );
  expect(found).toEqual([]);
});
