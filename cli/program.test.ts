import { describe, expect, test } from "vitest";
import { helpText } from "../shared/command-line/help-text.ts";
import { parseLine } from "../shared/command-line/parse-line.ts";
import { commandsOf, type Program } from "../shared/command-line/program.ts";
import { UsageError } from "../shared/command-line/usage-error.ts";
import type { Command } from "./command.ts";
import { nouns } from "./load-nouns.ts";
import { programFor, wholeProgram } from "./program.ts";

const wordsOf = (line: string): string[] => (line === "" ? [] : line.split(" "));
const whole = await wholeProgram();

/** Reads a line with the commands that are loaded for it. */
async function parse(line: string) {
  const argv = wordsOf(line);
  return parseLine(argv, await programFor(argv));
}

async function refusal(line: string): Promise<string> {
  const program = await programFor(wordsOf(line));
  return outcome(line, program);
}

/** What is said of a line, or what it asks for. */
function outcome(line: string, program: Program<Command>): string {
  try {
    const parsed = parseLine(wordsOf(line), program);
    if (parsed.kind === "help") return helpText(parsed.words, program);
    return JSON.stringify([parsed.command.name, parsed.given]);
  } catch (error) {
    if (error instanceof UsageError) return `${error.message} ${error.hint}`.trim();
    throw error;
  }
}

describe("a command line", () => {
  test("is a command with its arguments and flags, in any order", async () => {
    const parsed = await parse(
      "--url http://a job list --status queued --status failed -o json --limit=5",
    );
    expect(parsed).toMatchObject({
      kind: "run",
      command: { name: "job list" },
      given: {
        flags: {
          status: ["queued", "failed"],
          limit: "5",
          output: "json",
          url: "http://a",
          "no-color": false,
        },
      },
    });
  });

  test("takes - and a value that looks like a flag where it is written with =", async () => {
    expect(await parse("api POST /v1/x --input - -f a=-1 --field=--b=c")).toMatchObject({
      given: { flags: { input: "-", field: ["a=-1", "--b=c"] } },
    });
  });

  test("reads a letter as the flag that it stands for in its command", async () => {
    expect(await parse("log tail -f job_x")).toMatchObject({
      given: { args: { log: "job_x" }, flags: { follow: true } },
    });
    expect(await parse("api POST /v1/x -f a=1")).toMatchObject({
      given: { flags: { field: ["a=1"] } },
    });
  });

  test.each(["", "--help", "help", "job --help", "help job create", "job create -h --nonsense"])(
    'asks for help: "%s"',
    async (line) => {
      expect((await parse(line)).kind).toBe("help");
    },
  );

  test.each(["version", "--version", "-v", "--version -o json"])(
    "asks for the version: %s",
    async (line) => {
      expect(await parse(line)).toMatchObject({ kind: "run", command: { name: "version" } });
    },
  );

  test("that is wrong names a near command, never a far one beside a right word", async () => {
    expect(await refusal("runner bogus")).toMatch(
      /^Unknown command: svc runner bogus\. svc runner has: create, enrol, /,
    );
  });

  test.each([
    ["job crate", "Unknown command: svc job crate. Did you mean svc job create?"],
    ["jobs list", "Unknown command: svc jobs list. Did you mean svc job list?"],
    ["jobs crate", "Unknown command: svc jobs crate. Did you mean svc job create?"],
    ["jobs", "Unknown command: svc jobs. Did you mean svc job?"],
    ["org bogus", "Unknown command: svc org bogus. svc org has: list, get, create, update."],
    ["bogus get", "Unknown command: svc bogus get. See: svc --help"],
    ["--no-color", "There is no command before or after --no-color. See: svc --help"],
    ["--verson", "There is no command before or after --verson. See: svc --help"],
    ["schedule", "Unknown command: svc schedule. Schedules: svc emitter list"],
    ["frobnicate", "Unknown command: svc frobnicate. See: svc --help"],
    [
      "job",
      "svc job needs a subcommand: run, create, list, get, wait, why, cancel, rerun. See: svc job --help",
    ],
    ["job list --runer x", "Unknown flag for svc job list: --runer. Did you mean --runner?"],
    ["job list -x", "Unknown flag for svc job list: -x. See: svc job list --help"],
    ["job list --limit", "--limit needs a value: N."],
    ["job list --limit --url", "--limit needs a value: N."],
    ["job get", "The argument JOB is required: the job's id. See: svc job get --help"],
    ["job get a b", 'Unexpected argument for svc job get: "b". See: svc job get --help'],
    ["dev --org x", "Unknown flag for svc dev: --org. See: svc dev --help"],
    ["dev --json=yes", "--json takes no value."],
    ["org get -o yaml", "-o must be one of table, json, ndjson, name."],
    ["completion tcsh", "SHELL must be one of bash, zsh, fish."],
  ])('is refused: "%s"', async (line, words) => {
    expect(await refusal(line)).toBe(words);
  });

  test("names a flag that it lacks, with what it is for", async () => {
    expect(await refusal("job create --runner run_x")).toMatch(
      /^The flag --type is required: .+ See: svc job create --help$/,
    );
  });

  test("is told the nearest of the words that a flag takes", async () => {
    expect(await refusal("job list --status finish")).toMatch(/Did you mean finished\?$/);
  });
});

describe("a line with the commands of one noun", () => {
  test.each([
    "",
    "--help",
    "-o json --help",
    "help",
    "help job create",
    "help jobs",
    "--help job list",
    "job --help",
    "job",
    "jobs",
    "jbo list",
    "--url x jbo list",
    "--url x job list",
    "--url job execution list job_x",
    "--output=json job list",
    "-ojson job list",
    "--limit 3 job list",
    "--limit=3 job list --url x",
    "--limit job list",
    "--status job list",
    "--runner job execution list job_x",
    "-w job list",
    "-n x helm list",
    "job --limit 3 list",
    "job --app x list",
    "job list --app x",
    "job list --nonsense x",
    "job list -f x",
    "job list -zw",
    "job list -- --limit",
    "-- job list",
    "job list extra",
    "job list --help extra",
    "jobs --app x list",
    "helm install --install x",
    "helm upgrade --install r c",
    "log tail -f job_x",
    "auth bogus",
    "schedule --help",
    "constructor",
    "toString list",
    "--constructor job list",
    "completion suggest -- job",
    "-v",
    "--version -o json",
    "job --version",
    "app component list --help",
    "runner mng",
    "nonsense --help",
  ])("is read as with all commands: %s", async (line) => {
    expect(outcome(line, await programFor(wordsOf(line)))).toBe(outcome(line, whole));
  });

  test.each(nouns)("has the help that all commands give: %s", async (noun) => {
    expect(outcome(`${noun} --help`, await programFor([noun, "--help"]))).toBe(
      outcome(`${noun} --help`, whole),
    );
  });

  test.each([
    ["--help", []],
    ["jbo list", []],
    ["job list", ["job"]],
    ["help job", ["job"]],
    ["-o json --url x job list --limit 3", ["job"]],
    ["--limit 3 job list", nouns], // which noun has the flag is not known before
  ])("loads no more than it needs: %s", async (line, loaded) => {
    const program = await programFor(wordsOf(line));
    const parts = commandsOf(program).filter(({ examples }) => examples.length > 0);
    expect([...new Set(parts.map(({ name }) => name.split(" ")[0]))]).toEqual(loaded);
  });
});
