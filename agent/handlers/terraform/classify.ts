import type { CommandEnd } from "../../jobs/stored-execution.ts";
import type { Diagnostic, Said } from "./said.ts";

/** The class of a terraform failure, for programs: `error_metadata.class` of the result. */
export type TerraformClass =
  | "state_lock"
  | "workspace_blocked"
  | "plan_stale"
  | "plan_changed"
  | "state_push_failed"
  | "state_conflict"
  | "auth"
  | "quota"
  | "lockfile"
  | "provider_install"
  | "module_install"
  | "registry"
  | "provider_crash"
  | "config_invalid"
  | "variable_missing"
  | "policy"
  | "timeout"
  | "canceled"
  | "interrupted"
  | "killed_dirty"
  | "too_large"
  | "oom"
  | "disk_full"
  | "lost"
  | "terraform_failed";

type Row = {
  readonly class: TerraformClass;
  readonly pattern: RegExp;
  /** Another attempt may succeed. */
  readonly isRetryable?: true;
};

/** The order counts: errors about the state come before a cloud's, and these before their consequences. */
const rows: readonly Row[] = [
  { class: "workspace_blocked", pattern: /ID=blocked|ID: +blocked\b|workspace_blocked/ },
  { class: "plan_stale", pattern: /saved plan is stale/i },
  {
    class: "state_push_failed",
    pattern: /failed to (?:save|persist|upload) state|error saving state|errored\.tfstate/i,
  },
  { class: "state_lock", pattern: /error (?:acquiring|releasing) the state lock|state locked/i },
  {
    class: "lockfile",
    pattern:
      /checksums previously recorded|inconsistent dependency lock file|dependency changes detected|locked dependencies|locked provider .* does not match/i,
  },
  {
    class: "registry",
    pattern:
      /could not connect to \S+|registry service is unreachable|failed to request discovery document|error accessing remote module registry|failed to retrieve available versions/i,
    isRetryable: true,
  },
  {
    class: "provider_install",
    pattern:
      /failed to (?:install provider|query available provider packages)|no available releases match|required plugins are not installed|provider registry .* does not have a provider|failed to resolve provider packages/i,
  },
  {
    class: "module_install",
    pattern:
      /failed to download module|module not found|could not download module|unreadable module/i,
  },
  { class: "variable_missing", pattern: /no value for required variable/i },
  {
    class: "quota",
    pattern:
      /quota|limit ?exceeded|throttl|too ?many ?requests|requestlimitexceeded|rate exceeded|\b429\b/i,
    isRetryable: true,
  },
  {
    class: "auth",
    pattern:
      /no valid credential|invalidclienttokenid|expired ?token|access ?denied|unauthori[sz]ed|authorizationfailed|forbidden|could not find default credentials|invalid_grant|signaturedoesnotmatch|(?:status code:?|HTTP error:) ?40[13]\b|\b40[13] (?:Unauthorized|Forbidden)/i,
  },
  {
    class: "provider_crash",
    pattern: /plugin did not respond|plugin crashed|the plugin encountered an error|panic:/i,
  },
  { class: "state_conflict", pattern: /HTTP error: 409/ },
];

/** The kind of failure, from how terraform ended and its errors; `main` is the error that is reported. */
export type Classified = {
  readonly class: TerraformClass;
  readonly main: Diagnostic | undefined;
  readonly isRetryable: boolean;
};

/** Classifies a run of terraform that did not end well. */
export function classify(end: CommandEnd, said: Said): Classified {
  const { diagnostics } = said;
  const known = rows
    .map((row) => ({ row, main: diagnostics.find((one) => row.pattern.test(textOf(one))) }))
    .find(({ main }) => main !== undefined);
  if (known !== undefined) {
    const { row, main } = known;
    return { class: row.class, main, isRetryable: row.isRetryable === true };
  }
  const byEnd = ofEnd[end.why];
  const main = diagnostics.find(({ file }) => file !== undefined) ?? diagnostics.at(-1);
  const plain = { main, isRetryable: false };
  if (byEnd !== undefined) return { ...plain, class: byEnd };
  const words = said.words.join("\n");
  const inWords = rows.find(({ pattern }) => diagnostics.length === 0 && pattern.test(words));
  if (inWords !== undefined) return { ...plain, class: inWords.class };
  // A provider's error names the resource; an error of the language only the place.
  const isLanguage = main?.file !== undefined && main.address === undefined;
  return { ...plain, class: isLanguage ? "config_invalid" : "terraform_failed" };
}

const ofEnd: Partial<Record<CommandEnd["why"], TerraformClass>> = {
  "out-of-memory": "oom",
  "disk-full": "disk_full",
  lost: "lost",
  "timed-out": "timeout",
};

/** Joins lines, as long messages are wrapped. */
const textOf = ({ summary, detail }: Diagnostic): string =>
  `${summary} ${detail}`.replaceAll(/\s+/g, " ");

/** The id of the lock that was already taken. Terraform does not print its holder: what it shows is its own lock. */
export function lockIdIn(diagnostic: Diagnostic | undefined): string | undefined {
  return /\bID=([^\s:]+)/.exec(diagnostic?.detail ?? "")?.[1];
}
