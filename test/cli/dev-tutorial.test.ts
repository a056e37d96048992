import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { emptyDatabase } from "../support/database/database.ts";
import { isShownBy } from "../support/programs/is-shown-by.ts";
import { makeLauncher } from "../support/programs/make-launcher.ts";
import { compileCache, svcProgram } from "../support/programs/present-programs.ts";
import { type RunningSvc, startSvc } from "../support/programs/svc.ts";
import { typeInTerminal } from "../support/programs/type-in-terminal.ts";
import { type PagePart, readTypedPage, typedPageWith } from "../support/programs/typed-page.ts";
import { describeWithTools } from "../support/run/describe-with-tools.ts";
import { testFolder } from "../support/run/folder.ts";

const page = "docs/tutorial.md";

/** What the first terminal runs, by package.json; here on a free port, with a database of its own. */
const start = "npm start";

/** How a page shows what a person answers. */
const answered = /\? Only yes is a yes: (\w+)$/;

async function startDev(dataDir: string): Promise<RunningSvc> {
  expect(await readFile("package.json", "utf8")).toContain(`"start": "exec ./svc dev"`);
  const env = { DATABASE_URL: (await emptyDatabase()).url };
  const args = ["dev", "--port", "0", "--data-dir", dataDir];
  const dev = startSvc(args, { env });
  await expect.poll(() => dev.said.out + dev.said.err).toContain("Ctrl-C stops it");
  return dev;
}

/** Does what a part of the page says; answers with what a command printed. */
async function follow(part: PagePart, folder: string): Promise<string[][]> {
  if (part.kind === "file") {
    await writeFile(path.join(folder, part.name), part.text);
    return [];
  }
  const { code, lines } = await typeInTerminal(part.line, {
    folder,
    answers: part.shown.flatMap((line) => answered.exec(line)?.[1] ?? []),
    env: {
      PATH: process.env["PATH"] ?? "",
      NODE_COMPILE_CACHE: compileCache,
      XDG_CONFIG_HOME: folder,
      SVC_DATA_DIR: path.join(folder, ".svc"),
    },
  });
  if (code !== 0) throw new Error(`${part.line} ended with ${code}:\n${lines.join("\n")}`);
  return [lines];
}

test("a page shows what was printed where each line of it is there, or is said to be left out", () => {
  const printed = ["job_01m8rhhg7g9cgg02mkny3gxcmp  1.5s", "two", "three"];
  const other = "job_11111111111111111111111111";
  expect(isShownBy([other, "two", "three"], printed)).toBe(true);
  expect(isShownBy([other, "…", "three"], printed)).toBe(true);
  expect(isShownBy([other, "two", "three", "…"], printed)).toBe(false); // nothing is left out there
  expect(isShownBy([other, "three"], printed)).toBe(false);
  expect(isShownBy([other, "two", "three", "four"], printed)).toBe(false);
  expect(isShownBy(["app_01m8rhhg7g9cgg02mkny3gxcmp", "…"], printed)).toBe(false);
  expect(isShownBy([], printed)).toBe(false);
});

describeWithTools(["terraform"], "the tutorial", () => {
  test("works as it is printed, and prints what it shows (npx vitest run test/cli/dev-tutorial.test.ts -u)", async () => {
    const folder = await testFolder();
    await mkdir(path.join(folder, ".svc"));
    await makeLauncher(folder, "svc", svcProgram);
    const [first, ...parts] = await readTypedPage(page);
    expect(first).toMatchObject({ line: start });
    expect(parts.length).toBeGreaterThan(25);
    const dev = await startDev(path.join(folder, ".svc"));

    const printed = [dev.said.out.trimEnd().split("\n")];
    for (const part of parts) printed.push(...(await follow(part, folder)));
    const commands = [first, ...parts].filter((part) => part?.kind === "command");
    expect(printed).toHaveLength(commands.length);
    const now = commands.map(({ shown }, n) =>
      isShownBy(shown, printed[n] ?? []) ? shown : (printed[n] ?? []),
    );
    await expect(await typedPageWith(page, now)).toMatchFileSnapshot(`../../${page}`);
    dev.kill("SIGINT");
    expect(await dev.ended).toMatchObject({ code: 0 });
  });
});
