import { aliasesOf, type Brands } from "../../shared/brands.ts";

/** The sources of a child's environment. */
export type EnvSources = {
  /** The agent's own environment; only an allow-list of it passes. */
  readonly agent: Readonly<Record<string, string | undefined>>;
  /** Variables from the plan. */
  readonly plan: Readonly<Record<string, string>>;
  /** Other names of svc in variables: what is refused is so by each of them. */
  readonly brands?: Brands;
  readonly home: string;
  readonly tmp: string;
};

/** A variable of the plan that a child does not get, and why. */
export type RefusedVariable = { readonly name: string; readonly words: string };

const usualPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** The agent's own variables that a child gets: location, proxies, certificates. No secrets. */
const passed: readonly RegExp[] = [
  /^(?:PATH|LANG|LANGUAGE|LC_[A-Z]+|TZ)$/,
  /^(?:https?_proxy|no_proxy|all_proxy)$/i,
  /^(?:SSL_CERT_FILE|SSL_CERT_DIR|NODE_EXTRA_CA_CERTS|CURL_CA_BUNDLE|REQUESTS_CA_BUNDLE)$/,
  /^(?:GIT_SSL_CAINFO|GIT_SSL_CAPATH|AWS_CA_BUNDLE|PIP_CERT|NODE_USE_ENV_PROXY)$/,
  /^KUBERNETES_(?:SERVICE|PORT)(?:_[A-Z0-9_]+)?$/,
  /^AWS_(?:DEFAULT_)?REGION$/,
  /^AWS_(?:ROLE_ARN|WEB_IDENTITY_TOKEN_FILE|STS_REGIONAL_ENDPOINTS|EC2_METADATA_DISABLED)$/,
  /^AWS_CONTAINER_(?:CREDENTIALS_(?:FULL|RELATIVE)_URI|AUTHORIZATION_TOKEN_FILE)$/,
  /^AZURE_(?:CLIENT_ID|TENANT_ID|FEDERATED_TOKEN_FILE|AUTHORITY_HOST)$/,
  /^(?:GOOGLE_APPLICATION_CREDENTIALS|GOOGLE_CLOUD_PROJECT|CLOUDSDK_CORE_PROJECT)$/,
];

/** Cloud metadata servers: requests to them must never go through a proxy. */
const neverByProxy = ["169.254.169.254", "169.254.170.2", "fd00:ec2::254"];

/** Variables that no plan may set: they would run code in every program, or change what the agent runs around it. */
const barred: readonly (readonly [RegExp, string])[] = [
  [/^SVC_(?:AGENT|JOB)_/, "the prefix is reserved for the agent"],
  [/^(?:LD_|DYLD_)/, "it loads code into every program; set it in the script"],
  [
    /^(?:NODE_OPTIONS|BASH_ENV|ENV|PERL5OPT|PYTHONSTARTUP|RUBYOPT|JAVA_TOOL_OPTIONS)$/,
    "it runs code in programs other than yours; set it in the script",
  ],
  [/^TF_(?:CLI_ARGS|REATTACH_PROVIDERS)/, "it changes the arguments of terraform"],
  [/^(?:IFS|PS4|SHELLOPTS|BASHOPTS|BASH_FUNC_.*)$/, "it changes how shells read scripts"],
];

/**
 * Makes a child's environment: the allowed part of the agent's, a home and a temporary directory of its own, then the
 * plan's. Refused variables of the plan are returned with the reason.
 */
export function allowedEnv({ agent, plan, brands = [], home, tmp }: EnvSources): {
  env: Record<string, string>;
  refused: RefusedVariable[];
} {
  const env: Record<string, string> = {
    PATH: usualPath,
    LANG: "C.UTF-8",
    ...passing(agent),
    HOME: home,
    TMPDIR: tmp,
  };
  const refused: RefusedVariable[] = [];
  const prefixes = aliasesOf("SVC_", brands);
  for (const [name, value] of Object.entries(plan)) {
    const prefix = prefixes.find((one) => name.startsWith(one));
    const own = prefix === undefined ? name : `SVC_${name.slice(prefix.length)}`;
    const words = objectionTo(own, value);
    if (words === undefined) env[name] = value;
    else refused.push({ name, words });
  }
  return { env: sparingMetadata(env), refused };
}

function passing(agent: EnvSources["agent"]): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(agent)) {
    if (value !== undefined && passed.some((pattern) => pattern.test(name))) env[name] = value;
  }
  return env;
}

function objectionTo(name: string, value: string): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return "it is not a valid variable name";
  if (value.includes("\0")) return "its value contains a NUL character";
  return barred.find(([pattern]) => pattern.test(name))?.[1];
}

/** With a proxy, both spellings of NO_PROXY get the addresses that only this host can reach. */
function sparingMetadata(env: Record<string, string>): Record<string, string> {
  if (!Object.keys(env).some((name) => /^(?:https?|all)_proxy$/i.test(name))) return env;
  const listed = (env["NO_PROXY"] ?? env["no_proxy"] ?? "").split(",").filter((at) => at !== "");
  const missing = neverByProxy.filter((address) => !listed.includes(address));
  const list = listed.includes("*") ? "*" : [...listed, ...missing].join(",");
  return { ...env, NO_PROXY: list, no_proxy: list };
}
