/** Who would give a value that is missing. */
export type Provider = {
  readonly type:
    | "input"
    | "runbook-input"
    | "component"
    | "action"
    | "secret"
    | "label"
    | "stack"
    | "sandbox"
    | "cloud-account"
    | "runner";
  /** Null of what an install has one of. */
  readonly name: string | null;
};

/** Who would give it, and in words what there is to do. */
export type Provided = { readonly provider: Provider | null; readonly words: string };

type Path = readonly string[];
/** Whether there is something at a path below `.svc`. */
type Has = (path: Path) => boolean;

/** `*` is the provider's name, in its path and in its words. */
type Rule = {
  readonly at: Path;
  readonly type: Provider["type"];
  readonly words: string;
  /** Whether the words name what comes to have outputs; else they say what to do. */
  readonly hasOutputs: boolean;
};

const rules: readonly Rule[] = [
  given("inputs.inputs.*", "input", "give the install the input *"),
  given("install.inputs.*", "input", "give the install the input *"),
  given("runbook.inputs.*", "runbook-input", "give the run of the runbook the input *"),
  given("app.variables.*", "secret", "give the app the secret *"),
  given("labels.*", "label", "give the install the label *"),
  given("domain", "sandbox", "the sandbox has not given the install its domains yet"),
  given(
    "install.public_domain",
    "sandbox",
    "the sandbox has not given the install its domains yet",
  ),
  given(
    "install.internal_domain",
    "sandbox",
    "the sandbox has not given the install its domains yet",
  ),
  given("cloud_account.*", "cloud-account", "the install's account is not one of *"),
  given("runner", "runner", "the install has no runner yet"),
  outputs("actions.workflows.*", "action", "the action *"),
  outputs("actions.*", "action", "the action *"),
  outputs("components.*", "component", "the component *"),
  outputs("secrets.*", "secret", "the secret *"),
  outputs("install_stack", "stack", "the install's stack"),
  outputs("install.sandbox", "sandbox", "the sandbox"),
  outputs("sandbox", "sandbox", "the sandbox"),
];

function given(at: string, type: Provider["type"], words: string): Rule {
  return { at: at.split("."), type, words, hasOutputs: false };
}

function outputs(at: string, type: Provider["type"], words: string): Rule {
  return { at: at.split("."), type, words, hasOutputs: true };
}

/** Who would give the value at a path below `.svc`, by what is there of those around it. */
export function whoProvides(path: Path, has: Has): Provided {
  const rule = rules.find(({ at }) =>
    at.every((key, place) => (key === "*" ? path[place] !== undefined : path[place] === key)),
  );
  if (rule === undefined) return { provider: null, words: "nothing gives this value" };
  const { at, type, hasOutputs } = rule;
  const name = at.includes("*") ? (path[at.indexOf("*")] ?? null) : null;
  const words = rule.words.replace("*", () => name ?? "");
  const provider = { type, name };
  if (!hasOutputs) return { provider, words };
  return { provider, words: `${words} ${lackWords(path, at.length, has)}` };
}

function lackWords(path: Path, length: number, has: Has): string {
  const [first, second] = path.slice(length);
  if (first === undefined) return "is not there yet";
  if (first !== "outputs") return `has no ${first} yet`;
  const isKnown = second !== undefined && has(path.slice(0, length + 1));
  return isKnown ? `has no output ${second}` : "has no outputs yet";
}
