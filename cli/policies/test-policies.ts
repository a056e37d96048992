import { readFile } from "node:fs/promises";
import { checkConfigFolder } from "../../shared/app-config/check-config.ts";
import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";
import { policyTypes } from "../../shared/app-config/members/permission-members.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { type ConfigPolicy, isAbout, isOpa } from "../../shared/policies/choose-policies.ts";
import { findOpa, opaAdvice } from "../../shared/policies/find-opa.ts";
import { hideSecrets } from "../../shared/policies/hide-secrets.ts";
import { inputsOfFile } from "../../shared/policies/inputs/inputs-of-file.ts";
import {
  type Judgement,
  type JudgingPolicy,
  judgePolicies,
} from "../../shared/policies/judge-policies.ts";
import { makeOpa, type Opa } from "../../shared/policies/opa.ts";
import { packageOf } from "../../shared/policies/package-of.ts";
import { PolicyUnavailable } from "../../shared/policies/policy-unavailable.ts";
import { brandFlag, findBrands } from "../apps/find-brands.ts";
import { appNameOf, openConfigFolder } from "../apps/open-config-folder.ts";
import { showChecked } from "../apps/validate-app.ts";
import { defineCommand } from "../command.ts";
import type { CliConfig } from "../config.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import type { Screen } from "../output/screen.ts";

export const testPolicies = defineCommand({
  name: "policy test",
  summary: "Run an app's policies against a file, without a broker and as a broker runs them.",
  details:
    "The file is the `input` of the policies, as JSON. What `terraform show -json` or `pulumi preview --json` prints is their `input.plan`; objects of Kubernetes are each the `input.review` of their creation. Without --input their text is checked alone. " +
    "Exits with 1 where one denies, has faults or cannot be evaluated. Needs OPA: `opa` on the PATH, or what SVC_OPA names.",
  isLocal: true,
  args: { folder: { summary: "The config's directory." } },
  flags: {
    input: { value: "FILE", summary: "What they judge, as JSON; - is the standard input." },
    type: { value: "TYPE", choices: policyTypes, summary: "Only policies of this type." },
    component: {
      value: "NAME",
      isRepeatable: true,
      summary: "Only policies that are about this component; repeatable.",
    },
    brand: brandFlag,
  },
  examples: [
    { does: "Check the text of all policies.", run: "svc policy test examples/app" },
    {
      does: "Judge a plan of terraform.",
      run: "svc policy test examples/app --type terraform_module --input plan.json",
    },
  ],
  run: async ({ args, flags, config, screen }) => {
    const checked = await checkConfigFolder(await openConfigFolder(args.folder), {
      appName: await appNameOf(args.folder),
      brands: await findBrands(config, { brand: flags.brand, profile: undefined }),
    });
    if (checked.config === undefined) {
      showChecked(screen, checked, args.folder);
      return exitCodes.failed.code;
    }
    const policies = chosen(checked.config.document, flags);
    const opa = await openOpa(config);
    const faults = await faultsOf(opa, policies);
    if (faults.length > 0 || flags.input === undefined) return showFaults(screen, policies, faults);
    const value = parsed(await readInput(flags.input), flags.input);
    const { inputs, secrets } = inputsOfFile(value, flags.input);
    const hide = (message: string): string => hideSecrets(message, secrets);
    return show(screen, await judgePolicies(opa, policies, inputs, { hide }));
  },
});

type Chosen = { readonly type?: string | undefined; readonly component: readonly string[] };

function chosen({ policies }: AppConfigDocument, { type, component }: Chosen): JudgingPolicy[] {
  const isChosen = (one: ConfigPolicy): boolean =>
    isOpa(one) &&
    (type === undefined || one.type === type) &&
    (component.length === 0 || component.some((name) => isAbout(one, name)));
  return (policies?.policy ?? [])
    .filter(isChosen)
    .map(({ name, contents }) => ({ id: "", name, contents, root: packageOf(contents) }));
}

async function openOpa({ env }: CliConfig): Promise<Opa> {
  const named = env["SVC_OPA"] || undefined;
  const program = await findOpa(named, env["PATH"]);
  if (program === undefined)
    throw new UsageError(
      named === undefined
        ? `There is no OPA here. ${opaAdvice}`
        : `SVC_OPA: ${named} is no program. ${opaAdvice}`,
    );
  return makeOpa(program);
}

type Fault = { readonly policy: string; readonly line: number | null; readonly detail: string };

async function faultsOf(opa: Opa, policies: readonly JudgingPolicy[]): Promise<Fault[]> {
  const all: Fault[] = [];
  for (const { name: policy, contents } of policies) {
    try {
      const found = await opa.check(contents);
      all.push(...found.map(({ line = null, detail }) => ({ policy, line, detail })));
    } catch (error) {
      if (!(error instanceof PolicyUnavailable)) throw error;
      all.push({ policy, line: null, detail: error.message });
    }
  }
  return all;
}

const mostInputBytes = 64 * 2 ** 20;

async function readInput(file: string): Promise<string> {
  const place = file === "-" ? "/dev/stdin" : file;
  const text = await readFile(place, "utf8").catch((error: unknown) => {
    throw new UsageError(`--input: ${file} cannot be read: ${(error as Error).message}.`); // the system's
  });
  if (text.length > mostInputBytes)
    throw new UsageError(`--input: ${file} has more than ${mostInputBytes / 2 ** 20} MiB.`);
  return text;
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`--input: ${file} is not JSON.`);
  }
}

function showFaults(
  screen: Screen,
  policies: readonly JudgingPolicy[],
  faults: readonly Fault[],
): number {
  if (isForPrograms(screen))
    screen.out(JSON.stringify({ valid: faults.length === 0, policies: policies.length, faults }));
  else {
    for (const { policy, line, detail } of faults)
      screen.out(`${policy}${line === null ? "" : `:${line}`}: bad_rego: ${detail}`);
    const count = `${policies.length} ${policies.length === 1 ? "policy" : "policies"}`;
    screen.say(
      faults.length === 0
        ? `${count}: valid.`
        : `${count}: ${faults.length} ${faults.length === 1 ? "fault" : "faults"}.`,
    );
  }
  return faults.length === 0 ? exitCodes.ok.code : exitCodes.failed.code;
}

function show(screen: Screen, judgement: Judgement): number {
  const { status, detail, policies, violations, deny_count, warn_count, pass_count } = judgement;
  if (isForPrograms(screen)) screen.out(JSON.stringify(judgement));
  else {
    for (const { severity, policy_name: name, message } of violations)
      screen.out(`${severity}  ${name}: ${message}`);
    for (const { status: own, policy_name: name } of policies)
      if (own === "pass") screen.out(`pass  ${name}`);
    if (status === "error") screen.say(detail);
    screen.say(`${status}: ${deny_count} deny, ${warn_count} warn, ${pass_count} pass.`);
  }
  return status === "pass" || status === "warn" ? exitCodes.ok.code : exitCodes.failed.code;
}

const isForPrograms = ({ format }: Screen): boolean => format === "json" || format === "ndjson";
