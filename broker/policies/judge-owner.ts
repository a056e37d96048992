import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";
import type { ConfigPolicy } from "../../shared/policies/choose-policies.ts";
import { opaAdvice } from "../../shared/policies/find-opa.ts";
import {
  type Judgement,
  judgePolicies,
  type PolicyInput,
  type WrittenInputs,
} from "../../shared/policies/judge-policies.ts";
import { packageOf } from "../../shared/policies/package-of.ts";
import { policyId } from "../../shared/policies/policy-id.ts";
import { storedDocument } from "../app-configs/stored-document.ts";
import type { Broker } from "../broker.ts";
import type { OrgId } from "../orgs/org-id.ts";
import {
  draftReport,
  type ReportAbout,
  type ReportDraft,
  type ReportInput,
} from "./report-draft.ts";

/** A broker that was killed while it evaluated, so often: it may be the policies. */
const mostTries = 3;
/** After it none of its policies begins. */
const patienceMs = 60_000;

/** What is judged of an owner, and how reports name it; or why it cannot be. */
export type JudgedThings =
  | {
      readonly inputs: readonly PolicyInput[] | WrittenInputs;
      readonly named: readonly ReportInput[];
      /** Hides what nobody may read in a text. */
      readonly hide?: (text: string) => string;
    }
  | { readonly obstacle: string };

export type JudgedOwner = {
  readonly org: OrgId;
  readonly tries: number;
  readonly about: Omit<ReportAbout, "inputs">;
  readonly configId: string | null;
  /** Those of the config that judge it. */
  readonly choose: (config: Pick<AppConfigDocument, "policies">) => readonly ConfigPolicy[];
  readonly read: () => Promise<JudgedThings>;
};

/** The report of what the policies of a config say of something. Throws the signal's reason. */
export async function judgeOwner(
  { db, opa: findsOpa }: Pick<Broker, "db" | "opa">,
  { org, tries, about, configId, choose, read }: JudgedOwner,
  signal: AbortSignal,
): Promise<ReportDraft> {
  const endMs = performance.now() + patienceMs;
  const unjudged = (detail: string): ReportDraft =>
    draftReport({ ...about, inputs: [] }, { ...nothing, detail });
  if (tries > mostTries) return unjudged(neverEnded);
  const opa = await findsOpa.find();
  if (opa === undefined) return unjudged(noOpa);
  const config = configId === null ? undefined : await storedDocument(db, org, configId);
  const policies = choose(config ?? {}).map(({ name, contents }) => ({
    id: policyId(about.app_id, name),
    name,
    contents,
    root: packageOf(contents),
  }));
  const things = await read();
  if ("obstacle" in things) return unjudged(things.obstacle);
  const { inputs, named, ...hidden } = things;
  const left = Math.max(0, Math.ceil((endMs - performance.now()) / 1000) * 1000);
  const bounds = { signal, endsAtFault: true, patienceMs: left, ...hidden };
  return draftReport(
    { ...about, inputs: named },
    await judgePolicies(opa, policies, inputs, bounds),
  );
}

const noOpa = `There is no OPA at the broker. ${opaAdvice}`;
const neverEnded = `Brokers began to evaluate the policies ${mostTries} times, and none came to an end.`;

const nothing: Judgement = {
  status: "error",
  detail: "",
  policies: [],
  violations: [],
  deny_count: 0,
  warn_count: 0,
  pass_count: 0,
};
