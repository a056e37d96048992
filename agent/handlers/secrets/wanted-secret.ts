import {
  type SecretFormat,
  secretFormats,
  type SecretMember,
} from "../../../shared/plans/sync-secrets-plan.ts";
import { invalidPlan } from "../../jobs/job-failure.ts";
import { type SecretPlace, secretPlace } from "./secret-place.ts";

/** A key of a Secret in a cluster. */
export type SecretTarget = {
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
};

/** A secret that a plan wants copied. */
export type WantedSecret = {
  /** What the app calls it: the name of its outputs. */
  readonly name: string;
  /** Absent where the plan does not say. */
  readonly place: SecretPlace | undefined;
  readonly format: SecretFormat;
  readonly targets: readonly SecretTarget[];
  readonly isRequired: boolean;
  readonly isGenerated: boolean;
};

const usualKey = "value";
const mostTargets = 500;

/** Reads an element of a plan's kubernetes_secrets; `at` is its name in the plan. Throws JobFailure. */
export function wantedSecret(
  member: SecretMember,
  at: string,
  project: string | null | undefined,
): WantedSecret {
  const targets = targetsOf(member, at);
  if (targets.length > mostTargets)
    throw invalidPlan(`${at} has ${targets.length} targets: ${mostTargets} are the most`);
  const place = secretPlace(member, at, project);
  const format = formatOf(member, at);
  const isGenerated = member.auto_generate === true;
  const isPinned =
    place !== undefined && "version" in place && !["", "latest"].includes(place.version);
  if (isGenerated && isPinned)
    throw invalidPlan(`${at} names a version, and auto_generate makes a new one: leave one out`);
  if (isGenerated && format === "json")
    throw invalidPlan(`${at}.format is json, of which auto_generate makes none: leave one out`);
  const [first] = targets;
  const name = member.secret_name || `${first?.name ?? ""}/${first?.key ?? ""}`;
  return { name, place, format, targets, isRequired: member.required === true, isGenerated };
}

function formatOf({ format }: SecretMember, at: string): SecretFormat {
  const found = secretFormats.find((one) => one === (format || "default"));
  if (found === undefined)
    throw invalidPlan(`${at}.format must be one of ${secretFormats.join(", ")}`);
  return found;
}

/** Every namespace of every target; else the one that the secret itself names. */
function targetsOf(member: SecretMember, at: string): SecretTarget[] {
  const { targets, namespace, name, key_name, auto_generate: isMade } = member;
  const isNowhere = !targets?.length && !namespace && !name;
  if (isNowhere && isMade === true && member.secret_name) return []; // its value is made, and stays in its store
  if (!targets || targets.length === 0)
    return [
      checked({ namespace: namespace ?? "", name: name ?? "", key: key_name || usualKey }, at),
    ];
  return targets.flatMap((target, nth) => {
    const here = `${at}.targets[${nth}]`;
    const { namespaces } = target;
    if (!namespaces || namespaces.length === 0) throw invalidPlan(`${here}.namespaces is missing`);
    return namespaces.map((one) =>
      checked({ namespace: one, name: target.name ?? "", key: target.key || usualKey }, here),
    );
  });
}

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const subdomain = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;
const dataKey = /^[\w.-]{1,253}$/;

function checked(target: SecretTarget, at: string): SecretTarget {
  const { namespace, name, key } = target;
  if (namespace === "")
    throw invalidPlan(`${at}.namespace is missing: where the Secret is written`);
  if (name === "") throw invalidPlan(`${at}.name is missing: the Secret that is written`);
  const names: readonly (readonly [string, string, RegExp])[] = [
    ["the namespace", namespace, label],
    ["the name", name, subdomain],
    ["the key", key, dataKey],
  ];
  for (const [what, text, allowed] of names) {
    if (!allowed.test(text)) throw invalidPlan(`${what} of ${at} is none that Kubernetes allows`);
  }
  return target;
}
