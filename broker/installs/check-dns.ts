import type { DnsCheck } from "../../shared/api/install-records.ts";
import { hiddenValue } from "../../shared/hidden-value.ts";
import type { Asking } from "../app-configs/changes-between.ts";
import type { Broker } from "../broker.ts";
import { type NameServers, nameServersOf } from "../egress/name-servers-of.ts";
import { renderForInstall } from "./render-for-install.ts";
import type { ReadingParts } from "./stored-values.ts";

/** A line each: the domain, and its name servers as JSON. What is not there is left out of its line. */
const template = [
  "{{ .svc.domain.public_domain }}",
  "{{ .svc.sandbox.outputs.public_domain.nameservers | toJson }}",
].join("\n");

/** Whether DNS delegates the public domain of an install to the name servers that its sandbox made. */
export async function checkDns(
  broker: ReadingParts & Pick<Broker, "render">,
  asking: Asking,
  id: string,
): Promise<DnsCheck> {
  const { shown } = await renderForInstall(broker, asking, { id, templateOf: () => template });
  const { readme: text } = shown;
  const [domain = "", list = ""] = text.split("\n");
  const expected = namesIn(list);
  const name = inOneForm(domain);
  if (domain === "") return { ...unasked, expected_nameservers: expected, message: noDomain };
  const isHidden = text.includes(hiddenValue);
  if (isHidden || !isName(name)) {
    const message = isHidden
      ? hidden
      : `${domain.slice(0, mostLetters)} is not the name of a domain.`;
    return { ...unasked, enabled: true, domain, message };
  }
  return compare(name, expected, await nameServersOf(name));
}

const unasked = {
  enabled: false,
  domain: "",
  delegated: false,
  expected_nameservers: [],
  observed_nameservers: [],
  missing_nameservers: [],
  extra_nameservers: [],
} satisfies Omit<DnsCheck, "message">;
const noDomain =
  "The sandbox of the install has no output public_domain, or was not applied yet: there is nothing to delegate.";
const hidden = "The domain or its name servers are sensitive: nobody is asked for them.";

const mostLetters = 253;
const mostNames = 32;
const isName = (name: string): boolean =>
  name.length <= mostLetters &&
  /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{1,62}$/.test(name);

const inOneForm = (name: string): string => name.toLowerCase().replace(/\.$/, "");

function namesIn(json: string): string[] {
  try {
    const list = JSON.parse(json) as unknown;
    const all = Array.isArray(list) ? (list as unknown[]) : [];
    return inOrder(all.filter((one) => typeof one === "string"));
  } catch {
    return []; // there are none
  }
}

const inOrder = (names: readonly string[]): string[] =>
  [...new Set(names.map(inOneForm))].sort().slice(0, mostNames);

/** What DNS says beside what is expected. */
function compare(domain: string, expected: readonly string[], found: NameServers): DnsCheck {
  const observed = "names" in found ? inOrder(found.names) : [];
  const isKnown = "names" in found || found.why !== "silent";
  const missing = isKnown ? expected.filter((name) => !observed.includes(name)) : [];
  const extra = expected.length === 0 ? [] : observed.filter((name) => !expected.includes(name));
  const delegated = isKnown && expected.length > 0 && missing.length + extra.length === 0;
  const says =
    "why" in found ? whys[found.why] : delegated ? "is delegated" : "is delegated to others";
  return {
    enabled: true,
    domain,
    delegated,
    expected_nameservers: [...expected],
    observed_nameservers: observed,
    missing_nameservers: missing,
    extra_nameservers: extra,
    message:
      expected.length === 0 ? `${domain}: ${noNames}` : `${domain} ${says}.${todo(missing, extra)}`,
  };
}

const noNames =
  "the output public_domain of the sandbox has no nameservers, so there is nothing to compare with.";
const whys = {
  unknown: "does not exist in DNS",
  none: "has no name servers of its own",
  silent: "could not be looked up: no DNS server answered",
} as const;

function todo(missing: readonly string[], extra: readonly string[]): string {
  const does = [
    ...(missing.length === 0 ? [] : [`add ${missing.join(", ")}`]),
    ...(extra.length === 0 ? [] : [`remove ${extra.join(", ")}`]),
  ];
  return does.length === 0 ? "" : ` In its parent zone, ${does.join(" and ")}.`;
}
