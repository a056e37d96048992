import { describe, expect, test } from "vitest";
import { commands } from "./commands.ts";
import { parseCommand } from "./parse-command.ts";
import { UsageError } from "./usage-error.ts";

const parse = (line: string) => parseCommand(line === "" ? [] : line.split(" "), commands);

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
      flags: { status: ["queued", "failed"], limit: "5" },
      globals: { output: "json", url: "http://a", "no-color": false },
    });
  });

  test("takes - and a value that looks like a flag where it is written with =", () => {
    expect(parse("api POST /v1/x --input - -f a=-1 --field=--b=c")).toMatchObject({
      flags: { input: "-", field: ["a=-1", "--b=c"] },
    });
  });

  test("reads a letter as the flag that it stands for in its command", () => {
    expect(parse("log tail -f job_x")).toMatchObject({
      args: { log: "job_x" },
      flags: { follow: true },
    });
    expect(parse("api POST /v1/x -f a=1")).toMatchObject({ flags: { field: ["a=1"] } });
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
      /^There is no command svc runner bogus\. There are: svc runner create, enrol, /,
    );
  });

  test.each([
    ["job crate", "There is no command svc job crate. Did you mean svc job create?"],
    ["jobs list", "There is no command svc jobs list. Did you mean svc job list?"],
    ["jobs crate", "There is no command svc jobs crate. Did you mean svc job create?"],
    ["jobs", "There is no command svc jobs. Did you mean svc job?"],
    ["org bogus", "There is no command svc org bogus. There are: svc org list, get, create."],
    ["bogus get", "There is no command svc bogus get. See: svc --help"],
    ["--no-color", "--no-color goes with a command. See: svc --help"],
    ["--verson", "--verson goes with a command. See: svc --help"],
    ["frobnicate", "There is no command svc frobnicate. See: svc --help"],
    ["job", "svc job what? run, create, list, get, wait, why, cancel, rerun. See: svc job --help"],
    ["job list --runer x", "svc job list has no flag --runer. Did you mean --runner?"],
    ["job list -x", "svc job list has no flag -x. See: svc job list --help"],
    ["job list --limit", "--limit needs a value: N."],
    ["job list --limit --url", "--limit needs a value: N."],
    ["job get", "JOB is missing: The job's id. See: svc job get --help"],
    ["job get a b", 'svc job get does not take "b". See: svc job get --help'],
    [
      "job create --type noop",
      "--runner is missing: The runner that is to do it. See: svc job create --help",
    ],
    ["dev --org x", "svc dev has no flag --org. See: svc dev --help"],
    ["dev --json=yes", "--json is a switch and takes no value."],
    ["org get -o yaml", "-o must be one of table, json, ndjson, name."],
  ])('is refused: "%s"', (line, words) => {
    expect(refusal(line)).toBe(words);
  });

  test("is told the nearest of the words that a flag takes", () => {
    expect(refusal("job list --status finish")).toMatch(/Did you mean finished\?$/);
  });
});
