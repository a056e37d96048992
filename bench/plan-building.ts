import { chooseBuild } from "../broker/deploys/choose-build.ts";
import { findDeployFacts } from "../broker/deploys/deploy-facts.ts";
import { findInstallFacts } from "../broker/installs/install-facts.ts";
import type { OrgId } from "../broker/orgs/org-id.ts";
import { orderOf } from "../broker/workflows/kinds/begin-plan.ts";
import type { Install } from "../shared/api/install.ts";
import { givenApp } from "./deploys.ts";
import type { Bench } from "./support/bench.ts";
import { quantile } from "./support/figures.ts";
import { openLocalBroker } from "./support/local-broker.ts";
import { type Stage, withStage } from "./support/stage.ts";

const components = 50;
const mostMs = 20;
const mostStatements = 2;
const registry = { SVC_REGISTRY: "http://127.0.0.1:9/acme" };

/** What the plan of a deploy costs once its workflow is read: its templates, and what is read for them. */
export const planBuilding: Bench = {
  what: "the plans of all components of an install of 50, each rendered with what is read for it",
  run: async ({ scale }, tell) => {
    await withStage(
      async (stage) => {
        const broker = await stage.startBroker({
          ...registry,
          SVC_RATE_TOKEN_PER_S: "0",
          SVC_RATE_ORG_PER_S: "0",
        });
        const count = Math.max(2, Math.round(components * scale));
        const org = await givenApp(stage, broker.url, count);
        const install = await org.install("wide", 0);
        await org.ended(install.workflow_id ?? "");
        await broker.stop(); // what else it reads is not counted
        const { took, statements } = await planAll(stage, org.orgId, install);
        tell({
          figure: `a plan of one of ${count} components, p95`,
          value: quantile(took, 0.95),
          unit: "ms",
          note: `median ${quantile(took, 0.5).toFixed(1)} ms, the slowest ${quantile(took, 1).toFixed(1)} ms`,
          target: { atMost: mostMs },
        });
        tell({
          figure: "statements a plan",
          value: statements / took.length,
          unit: "",
          target: { atMost: mostStatements },
        });
      },
      { settings: { shared_preload_libraries: "pg_stat_statements" } },
    );
  },
};

/** Each plan is built of an install that was read for it: nothing is known of another's. */
async function planAll(stage: Stage, orgId: OrgId, { id, app_config_ref }: Install) {
  const { db, seals, render, ...rest } = await openLocalBroker(stage.url, registry);
  const parts = { db, seals, ...rest };
  const configId = app_config_ref.expected_config_id ?? "";
  const read = async () => {
    const facts = await findInstallFacts(parts, orgId, { id, choose: () => configId });
    if (facts === undefined) throw new Error("the install is gone");
    const { config } = facts;
    const of = { installId: id, configId, config, chosenBuild: undefined };
    const deploys = await findDeployFacts(db, orgId, { ...of, registry: rest.config.registry });
    return { facts, deploys };
  };
  const { deploys: known } = await read();
  const all = await Promise.all(known.components.map(read));
  await stage.db`create extension if not exists pg_stat_statements`;
  await stage.db`select pg_stat_statements_reset()`;
  const took: number[] = [];
  for (const [at, env] of all.entries()) {
    const part = env.deploys.components[at];
    if (part === undefined) throw new Error("a component is gone");
    const fromMs = performance.now();
    const chosen = chooseBuild(part, "newest");
    if ("code" in chosen) throw new Error(chosen.detail);
    const of = {
      step: { params: {} },
      deploy: { id: `dep_${at}` },
      part,
      target: targetOf(part.targetId),
    };
    const given = orderOf(env as never, of as never, chosen); // it reads no more of them
    const planned = await render({ orgId, name: "deploy", given, values: env.facts.values });
    took.push(performance.now() - fromMs);
    if ("code" in planned) throw new Error(planned.detail);
  }
  const [counted] = await stage.db<{ calls: number }[]>`
    select coalesce(sum(s.calls), 0)::float8 as calls
      from pg_stat_statements s join pg_database d on d.oid = s.dbid and d.datname = current_database()
     where s.query not like '%pg_stat_statements%'`;
  await db.end();
  return { took, statements: counted?.calls ?? 0 };
}

const targetOf = (id: string) => ({ id, workspace_id: "tfw_bench", chart_id: "hch_bench" });
