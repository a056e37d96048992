import type { Opa, OpaInputs, Verdict } from "./opa.ts";
import { PolicyUnavailable } from "./policy-unavailable.ts";

/** A policy that judges. */
export type JudgingPolicy = {
  readonly id: string;
  readonly name: string;
  readonly contents: string;
  readonly root: string;
};
/** What is judged: how people know it, and what the policy reads as its input. */
export type PolicyInput = { readonly identity: string; readonly document: unknown };

/** Inputs whose documents are written already, as JSON of a list. */
export type WrittenInputs = {
  readonly documents: string;
  readonly identities: readonly string[];
};

export type Violation = {
  readonly policy_id: string;
  readonly policy_name: string;
  readonly input_index: number;
  readonly input_identity: string;
  readonly message: string;
  readonly severity: "deny" | "warn";
};
export const policyStatuses = ["pass", "warn", "deny", "error"] as const;
export type PolicyStatus = (typeof policyStatuses)[number];
type Counts = Readonly<Record<"deny_count" | "warn_count" | "pass_count", number>>;
export type PolicyOutcome = Counts & {
  readonly policy_id: string;
  readonly policy_name: string;
  readonly status: PolicyStatus;
  readonly input_count: number;
};
export type Judgement = Counts & {
  readonly status: PolicyStatus;
  /** The first that denies, or cannot be evaluated, and what of all was left out: in words. */
  readonly detail: string;
  readonly policies: readonly PolicyOutcome[];
  readonly violations: readonly Violation[];
};

export type JudgeOptions = {
  readonly signal?: AbortSignal | undefined;
  /** Hides what nobody may read in a text, before any of it is cut. */
  readonly hide?: (text: string) => string;
  /** After this policy no other is evaluated, if it could not be. */
  readonly endsAtFault?: boolean;
  /** After it no other begins: it is an error. */
  readonly patienceMs?: number;
};

/** How much of a judgement is kept. */
export const judgementBounds = { violations: 500, messageBytes: 4096 } as const;

/** What policies say of all inputs; one that cannot be evaluated is an error, and no consent. */
export async function judgePolicies(
  opa: Opa,
  policies: readonly JudgingPolicy[],
  inputs: readonly PolicyInput[] | WrittenInputs,
  options: JudgeOptions = {},
): Promise<Judgement> {
  const { signal, hide = (text) => text, endsAtFault = false, patienceMs = Infinity } = options;
  const endMs = performance.now() + patienceMs;
  const outcomes: PolicyOutcome[] = [];
  const violations: Violation[] = [];
  const faults: string[] = [];
  const { documents, named: names } = judgedBy(inputs);
  const identities = names.map((name) => cut(hide(name)));
  for (const policy of policies) {
    const { id: policy_id, name: policy_name } = policy;
    const named = { policy_id, policy_name, input_count: names.length };
    try {
      if (performance.now() > endMs)
        throw new PolicyUnavailable(`Those before it took more than ${patienceMs / 1000} s.`);
      const verdicts = await opa.evaluate(policy, documents, signal);
      const counts = countsOf(verdicts);
      outcomes.push({ ...named, ...counts, status: statusOf(counts) });
      for (const one of violationsOf(verdicts, { policy_id, policy_name, identities, hide }))
        violations.push(one); // there may be more than a call takes arguments
    } catch (error) {
      if (!(error instanceof PolicyUnavailable)) throw error;
      outcomes.push({ ...named, deny_count: 0, warn_count: 0, pass_count: 0, status: "error" });
      faults.push(`The policy ${policy_name} cannot be evaluated: ${cut(hide(error.message))}`);
      if (endsAtFault) break;
    }
  }
  return judgementOf(outcomes, violations, faults);
}

function judgedBy(inputs: readonly PolicyInput[] | WrittenInputs): {
  readonly documents: OpaInputs;
  readonly named: readonly string[];
} {
  if (!("documents" in inputs))
    return {
      documents: inputs.map(({ document }) => document),
      named: inputs.map(({ identity }) => identity),
    };
  const { documents: json, identities: named } = inputs;
  return { documents: { json, count: named.length }, named };
}

type Said = Pick<Violation, "policy_id" | "policy_name"> & {
  readonly identities: readonly string[];
  readonly hide: (text: string) => string;
};

const violationsOf = (
  verdicts: readonly Verdict[],
  { identities, hide, ...named }: Said,
): Violation[] =>
  verdicts.flatMap((verdict, at) =>
    severities.flatMap((severity) =>
      verdict[severity].map((message) => ({
        ...named,
        input_index: at,
        input_identity: identities[at] ?? "",
        message: cut(hide(message)),
        severity,
      })),
    ),
  );

const severities = ["deny", "warn"] as const;

function countsOf(verdicts: readonly Verdict[]): Counts {
  const sum = (of: (one: Verdict) => number): number =>
    verdicts.reduce((total, one) => total + of(one), 0);
  return {
    deny_count: sum(({ deny }) => deny.length),
    warn_count: sum(({ warn }) => warn.length),
    pass_count: sum(({ deny, warn }) => (deny.length + warn.length === 0 ? 1 : 0)),
  };
}

function statusOf({ deny_count, warn_count }: Omit<Counts, "pass_count">): PolicyStatus {
  if (deny_count > 0) return "deny";
  return warn_count > 0 ? "warn" : "pass";
}

/** Denials come first: of many violations these are kept. */
function judgementOf(
  policies: readonly PolicyOutcome[],
  found: readonly Violation[],
  faults: readonly string[],
): Judgement {
  const sorted = severities.flatMap((one) => found.filter(({ severity }) => severity === one));
  const violations = sorted.slice(0, judgementBounds.violations);
  const sum = (name: keyof Counts): number => policies.reduce((total, one) => total + one[name], 0);
  const counts = {
    deny_count: sum("deny_count"),
    warn_count: sum("warn_count"),
    pass_count: sum("pass_count"),
  };
  const [first] = violations;
  const left = sorted.length - violations.length;
  const denied =
    first?.severity === "deny" ? `The policy ${first.policy_name} denies it: ${first.message}` : "";
  const words = [
    faults[0] ?? denied,
    left === 0 ? "" : `Of ${sorted.length} messages ${violations.length} are kept.`,
  ];
  return {
    ...counts,
    status: faults.length > 0 ? "error" : statusOf(counts),
    detail: words.filter((one) => one !== "").join(" "),
    policies,
    violations,
  };
}

/** A text of so many bytes at most; what is cut says so. */
function cut(text: string): string {
  const whole = text.toWellFormed().replaceAll("\0", "");
  const bytes = Buffer.from(whole);
  if (bytes.length <= judgementBounds.messageBytes) return whole;
  const words = ` … (cut; it has ${bytes.length} bytes)`;
  const kept = bytes.subarray(0, judgementBounds.messageBytes - Buffer.byteLength(words));
  return `${kept.toString("utf8").replace(/\uFFFD+$/, "")}${words}`;
}
