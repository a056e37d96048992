import { tokenPattern } from "../../shared/token.ts";
import { findProxy } from "../client/find-proxy.ts";
import { findToken } from "../client/obtain-token.ts";
import type { Environment } from "../config/environment.ts";
import type { AgentConfig } from "../config/read-config.ts";
import {
  type DoctorContext,
  failed,
  type Finding,
  type Verdict,
  warning,
} from "../doctor/finding.ts";
import { runChecks } from "../doctor/run-checks.ts";

export type DoctorOptions = {
  readonly config: AgentConfig;
  readonly isJson: boolean;
  readonly write: (text: string) => void;
};

const patienceMs = 10_000;
const marks: Readonly<Record<Verdict, string>> = {
  ok: "ok",
  warning: "warning",
  failed: "FAILED",
  "left-out": "–",
};

/**
 * Checks whether an agent can work here and prints the findings; returns 0 for none, 1 for failures, 2 for warnings.
 */
export async function doctor(options: DoctorOptions): Promise<number> {
  const { config, isJson, write } = options;
  const context = await sceneOf(config);
  const hidden = secretsOf(config, "token" in context ? context.token : undefined);
  const clean = (finding: Finding): Finding => ({
    ...finding,
    words: withoutSecrets(finding.words, hidden),
    ...(finding.advice !== undefined && { advice: withoutSecrets(finding.advice, hidden) }),
  });
  const tell = (finding: Finding): void => {
    if (!isJson) write(asText(clean(finding)));
  };
  const odd = config.warnings.map((words) => ({ check: "settings", ...warning(words) }));
  for (const finding of odd) tell(finding);
  if ("verdict" in context) tell(context);
  const findings = [...odd, ...("verdict" in context ? [context] : await runChecks(context, tell))];
  const code = codeOf(findings);
  if (isJson) {
    const told = { ok: code === 0, exit_code: code, findings: findings.map(clean) };
    write(`${JSON.stringify(told)}\n`);
  } else {
    write(`\n${summary(findings)}\n`);
  }
  return code;
}

/** The context of the checks; a finding if it cannot be made. */
async function sceneOf(config: AgentConfig): Promise<DoctorContext | Finding> {
  if (config.brokerUrl === undefined) {
    const words = "The broker is not configured.";
    return { check: "settings", ...failed(words, "Set broker-url.") };
  }
  const broker = new URL(config.brokerUrl);
  try {
    const proxy = findProxy(broker, config.env);
    return { config, broker, proxy, token: await findToken(config), patienceMs };
  } catch (error) {
    const isProxy = error instanceof TypeError;
    const words = isProxy ? "HTTPS_PROXY is not a valid URL." : (error as Error).message;
    return { check: "settings", ...failed(words) };
  }
}

function codeOf(findings: readonly Finding[]): number {
  if (findings.some(({ verdict }) => verdict === "failed")) return 1;
  return findings.some(({ verdict }) => verdict === "warning") ? 2 : 0;
}

function asText({ check, verdict, words, advice }: Finding): string {
  const line = `${marks[verdict].padEnd(7)} ${check.padEnd(11)} ${words}\n`;
  return advice === undefined ? line : `${line}${" ".repeat(20)}→ ${advice}\n`;
}

function summary(findings: readonly Finding[]): string {
  const count = (verdict: Verdict) => findings.filter((one) => one.verdict === verdict).length;
  const [wrong, odd] = [count("failed"), count("warning")];
  if (wrong > 0) return `An agent cannot work here: ${wrong} of ${findings.length} checks failed.`;
  if (odd > 0) return `An agent can work here, with ${odd} ${odd === 1 ? "warning" : "warnings"}.`;
  return "An agent can work here.";
}

/** Secrets to redact in errors: the token, and logins of proxies. */
function secretsOf({ env }: AgentConfig, token: string | undefined): string[] {
  const proxies = ["http_proxy", "https_proxy"].flatMap((name) => passwordOf(env, name));
  return token === undefined ? proxies : [...proxies, token];
}

function passwordOf(env: Environment, name: string): string[] {
  const url = env[name] || env[name.toUpperCase()];
  if (!url || !URL.canParse(url)) return [];
  const { password } = new URL(url);
  return password === "" ? [] : [password, decodeURIComponent(password)];
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) clean = clean.replaceAll(secret, "[secret]");
  return clean.replaceAll(tokenPattern, "[secret]");
}
