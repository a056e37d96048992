import { html } from "hono/html";
import type {
  WholeInstallDeploy,
  WholeInstallSandboxRun,
} from "../../../shared/api/install-deploys.ts";
import { shownDeployWord } from "../../../shared/deploy-words.ts";
import { policySaid } from "../builds/policy-said.ts";
import { errorNotice } from "../jobs/job-facts.ts";
import type { Html, View } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { jsonBlock } from "../parts/code-block.ts";
import { facts } from "../parts/facts.ts";
import { timeAgo } from "../parts/time.ts";

type Either = WholeInstallDeploy | WholeInstallSandboxRun;
type Counts = Partial<Record<"added" | "changed" | "replaced" | "removed", number | undefined>>;

/** How a deploy, a run or a component stands; what is torn down is as it should be. */
export function deployBadge({ status, plan_only = false }: Standing): Html {
  if (status === "") return html`<span class="dim">–</span>`;
  const word = shownDeployWord({ status, plan_only });
  return badge(word, tones[word]);
}
type Standing = { readonly status: string; readonly plan_only?: boolean };
const tones = { inactive: "off", "would change": "warn", "no change": "good" } as const as Readonly<
  Record<string, "off" | "warn" | "good">
>;

/** How many objects a plan changes. */
export function changesText(changes: Counts): string {
  const words = (["added", "changed", "replaced", "removed"] as const).flatMap((what) =>
    (changes[what] ?? 0) === 0 ? [] : [`${changes[what] ?? 0} ${what}`],
  );
  if (words.length > 0) return words.join(", ");
  return Object.keys(changes).length === 0 ? "–" : "none";
}

/** All that is told of a deploy or a run below its heading. `more` are facts that only one of the two has. */
export function deployFacts(
  deploy: Either,
  { nowMs }: View,
  more: Parameters<typeof facts>[0],
): Html {
  const { oci_artifact: artifact, workflow_id: workflow, outputs } = deploy;
  const why = deploy.status_description;
  return html`${why === "" || deploy.composite_error ? "" : html`<p>${why}</p>`}
  ${errorNotice(deploy.composite_error)}
  ${facts([
    ...more,
    ["Changes", changesText(deploy.changes)],
    ["Only planned", deploy.plan_only ? "yes" : "no"],
    ["Artifact", artifact === undefined ? "–" : html`<code>${artifact.repository}</code>`],
    ["Digest", artifact === undefined ? "–" : html`<code>${artifact.digest}</code>`],
    ["Role", deploy.role === "" ? "–" : deploy.role],
    ["Workflow", html`<a class="id" href="/workflows/${workflow}">${workflow}</a>`],
    ["Planned by", job(deploy.plan_job_id)],
    ["Applied by", job(deploy.apply_job_id)],
    ["Made", timeAgo(deploy.created_at, nowMs)],
    ["Ended", deploy.finished_at === null ? "–" : timeAgo(deploy.finished_at, nowMs)],
  ])}
  ${policySaid(deploy.policy_reports)}
  ${
    Object.keys(outputs).length === 0
      ? ""
      : html`<h2>Outputs</h2>
          ${jsonBlock("Outputs", JSON.stringify(outputs))}`
  }`;
}

const job = (id: string | null): Html | string =>
  id === null
    ? "–"
    : html`<a class="id" href="/jobs/${id}">${id}</a>, <a href="/jobs/${id}/log">its log</a>`;
