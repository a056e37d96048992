import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { z } from "zod";
import { type OpaBounds, opaBounds } from "./opa-bounds.ts";
import { PolicyUnavailable } from "./policy-unavailable.ts";
import { type OpaEnd, runOpa } from "./run-opa.ts";

/** What is wrong with a policy's text: a line of it, and words. */
export type RegoFault = { readonly line: number | undefined; readonly detail: string };

/** What a policy says of one input. */
export type Verdict = Readonly<Record<"deny" | "warn", readonly string[]>>;

/** The Rego of a policy, and the package that is asked. */
export type Rego = { readonly contents: string; readonly root: string };

/** What is judged: values, or so many as JSON of a list of them. */
export type OpaInputs = readonly unknown[] | { readonly json: string; readonly count: number };

export type Opa = {
  /** What is wrong with a text, as Rego v1, else as v0; nothing where it is well. Throws PolicyUnavailable where it cannot be told. */
  readonly check: (contents: string, signal?: AbortSignal) => Promise<readonly RegoFault[]>;
  /** What a policy says of each input. Throws PolicyUnavailable where it says nothing. */
  readonly evaluate: (
    rego: Rego,
    inputs: OpaInputs,
    signal?: AbortSignal,
  ) => Promise<readonly Verdict[]>;
};

/** OPA by a program of it: a process for each call, which reads nothing but the policy and the inputs. */
export function makeOpa(program: string, bounds: OpaBounds = opaBounds): Opa {
  let known: Promise<string> | undefined;
  const capabilities = (): Promise<string> =>
    (known ??= readCapabilities(program, bounds).catch((error: unknown) => {
      known = undefined;
      throw error;
    }));
  return {
    async check(contents, signal) {
      const asked = { program, bounds, contents, capabilities: await capabilities(), signal };
      return await inFolder(asked, async (run) => {
        const faults = faultsOf(await run(["check", "--format", "json", ...theFiles], ""));
        if (faults.length === 0) return [];
        const v0 = ["check", "--v0-compatible", "--format", "json", ...theFiles];
        return faultsOf(await run(v0, "")).length === 0 ? [] : faults;
      });
    },
    async evaluate({ contents, root }, inputs, signal) {
      const { json, count } =
        "json" in inputs ? inputs : { json: JSON.stringify(inputs), count: inputs.length };
      const input = `{"inputs":${json}}`;
      if (input.length > bounds.inputBytes)
        throw new PolicyUnavailable(
          `What it judges has more than ${bounds.inputBytes / 2 ** 20} MiB.`,
        );
      const asked = { program, bounds, contents, capabilities: await capabilities(), signal };
      return await inFolder(asked, async (run) => {
        const args = ["--format", "json", "--stdin-input", "--data", ...theFiles, queryOf(root)];
        const end = await run(["eval", ...args], input);
        const told = isOfText(end) ? await run(["eval", "--v0-compatible", ...args], input) : end;
        return verdictsOf(isOfText(told) ? end : told, count, bounds);
      });
    },
  };
}

const policyFile = "policy.rego";
const capabilitiesFile = "capabilities.json";
const theFiles = [policyFile, "--capabilities", capabilitiesFile];

/** The sets of each input; one that is not defined is an empty list. */
const queryOf = (root: string): string =>
  `[{"deny": [x | x := data.${root}.deny with input as one], "warn": [x | x := data.${root}.warn with input as one]} | one := input.inputs[_]]`;

type InFolder = {
  readonly program: string;
  readonly bounds: OpaBounds;
  readonly contents: string;
  readonly capabilities: string;
  readonly signal: AbortSignal | undefined;
};

/** Runs it in a folder of its own, which is gone afterwards; all runs together have the time of one. */
async function inFolder<Told>(
  { program, bounds, contents, capabilities, signal }: InFolder,
  act: (run: (args: readonly string[], input: string) => Promise<OpaEnd>) => Promise<Told>,
): Promise<Told> {
  const endMs = performance.now() + bounds.seconds * 1000;
  const folder = await mkdtemp(path.join(tmpdir(), "svc-policy-"));
  try {
    await writeFile(path.join(folder, policyFile), contents);
    await writeFile(path.join(folder, capabilitiesFile), capabilities);
    return await act((args, input) =>
      runOpa({ program, args, folder, input, bounds, endMs, signal }),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const capabilitiesSchema = z.looseObject({
  builtins: z.array(z.looseObject({ name: z.string() })),
});

/** What this OPA has, without what reaches out of it. */
async function readCapabilities(program: string, bounds: OpaBounds): Promise<string> {
  const endMs = performance.now() + bounds.seconds * 1000;
  const args = ["capabilities", "--current"];
  const { out, code } = await runOpa({ program, args, folder: "/", input: "", bounds, endMs });
  const read = code === 0 ? capabilitiesSchema.safeParse(parsed(out)) : undefined;
  if (read?.success !== true)
    throw new PolicyUnavailable(`${program} is no OPA that tells its capabilities.`);
  const builtins = read.data.builtins.filter(({ name }) => !reachesOut.test(name));
  return JSON.stringify({ ...read.data, builtins, allow_net: [] });
}

const reachesOut = /^(?:http\.send|net\..*|opa\.runtime|rego\.parse_module|trace)$/;

const errorsSchema = z.object({
  errors: z.array(
    z.looseObject({
      message: z.string(),
      code: z.string().default(""),
      location: z.looseObject({ file: z.string().optional(), row: z.int().optional() }).optional(),
    }),
  ),
});

const errorsOf = ({ out, err }: OpaEnd) =>
  errorsSchema.safeParse(parsed(out)).data?.errors ??
  errorsSchema.safeParse(parsed(err)).data?.errors ??
  [];

/** Whether the policy's text could not be read, or not be understood. */
const isOfText = (end: OpaEnd): boolean =>
  errorsOf(end).some(({ code }) => /^rego_(?:parse|compile|type|unsafe_var|recursion)/.test(code));

function faultsOf(end: OpaEnd): readonly RegoFault[] {
  if (end.code === 0) return [];
  const errors = errorsOf(end);
  if (errors.length === 0) throw new PolicyUnavailable(`OPA exited with ${end.code}.`);
  return errors
    .slice(0, 5)
    .map(({ message, location }) => ({ line: location?.row, detail: wordsOf(message) }));
}

const wordsOf = (message: string): string => message.replaceAll(/\s+/g, " ").trim().slice(0, 300);

const sets = z.array(z.unknown());
const valueSchema = z.object({
  result: z.tuple([
    z.looseObject({
      expressions: z.tuple([
        z.looseObject({ value: z.array(z.object({ deny: sets, warn: sets })) }),
      ]),
    }),
  ]),
});

function verdictsOf(end: OpaEnd, count: number, bounds: OpaBounds): readonly Verdict[] {
  if (end.code !== 0) throw new PolicyUnavailable(whyNot(end, bounds));
  const value = valueSchema.safeParse(parsed(end.out)).data?.result[0].expressions[0].value;
  if (value?.length !== count) throw new PolicyUnavailable("OPA answered something else.");
  return value.map(({ deny, warn }) => ({
    deny: messagesOf("deny", deny),
    warn: messagesOf("warn", warn),
  }));
}

function whyNot(end: OpaEnd, { seconds }: OpaBounds): string {
  const [error] = errorsOf(end);
  if (error === undefined) return `OPA exited with ${end.code}.`;
  if (/cancel|timeout|deadline/.test(error.code)) return `It took more than ${seconds} s.`;
  const row = error.location?.file === policyFile ? error.location.row : undefined;
  return `${row === undefined ? "" : `Line ${row}: `}${wordsOf(error.message)}.`;
}

/** The messages of a rule's value, if it has one: a set of texts, or of objects with `msg`. */
function messagesOf(rule: string, [value]: readonly unknown[]): string[] {
  if (value === undefined) return [];
  const messages = messagesSchema.safeParse(value).data;
  if (messages !== undefined)
    return messages.map((one) => (typeof one === "string" ? one : one.msg));
  throw new PolicyUnavailable(
    `${rule} must be a set of texts, or of objects with a text \`msg\`: \`${rule} contains msg if { … }\`.`,
  );
}

const messagesSchema = z.array(z.union([z.string(), z.looseObject({ msg: z.string() })]));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
