import { describe, expect, test } from "vitest";
import { parseLine } from "../shared/command-line/parse-line.ts";
import { UsageError } from "../shared/command-line/usage-error.ts";
import { svc } from "./program.ts";

const parse = (line: string) => parseLine(line === "" ? [] : line.split(" "), svc);

function refusal(line: string): string {
  try {
    parse(line);
    return "";
  } catch (error) {
    if (error instanceof UsageError) return `${error.message} ${error.hint}`.trim();
    throw error;
  }
}

describe("a command line", () => {
  test("is a command with its arguments and flags, in any order", () => {
    const parsed = parse(
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

  test("takes - and a value that looks like a flag where it is written with =", () => {
    expect(parse("api POST /v1/x --input - -f a=-1 --field=--b=c")).toMatchObject({
      given: { flags: { input: "-", field: ["a=-1", "--b=c"] } },
    });
  });

  test("reads a letter as the flag that it stands for in its command", () => {
    expect(parse("log tail -f job_x")).toMatchObject({
      given: { args: { log: "job_x" }, flags: { follow: true } },
    });
    expect(parse("api POST /v1/x -f a=1")).toMatchObject({ given: { flags: { field: ["a=1"] } } });
  });

  test.each(["", "--help", "help", "job --help", "help job create", "job create -h --nonsense"])(
    'asks for help: "%s"',
    (line) => {
      expect(parse(line).kind).toBe("help");
    },
  );

  test.each(["version", "--version", "-v", "--version -o json"])(
    "asks for the version: %s",
    (line) => {
      expect(parse(line)).toMatchObject({ kind: "run", command: { name: "version" } });
    },
  );

  test("that is wrong names a near command, never a far one beside a right word", () => {
    expect(refusal("runner bogus")).toMatch(
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
  ])('is refused: "%s"', (line, words) => {
    expect(refusal(line)).toBe(words);
  });

  test("names a flag that it lacks, with what it is for", () => {
    expect(refusal("job create --runner run_x")).toMatch(
      /^The flag --type is required: .+ See: svc job create --help$/,
    );
  });

  test("is told the nearest of the words that a flag takes", () => {
    expect(refusal("job list --status finish")).toMatch(/Did you mean finished\?$/);
  });
});
