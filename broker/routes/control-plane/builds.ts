import * as routes from "../../../shared/api/builds.ts";
import {
  cancelSandboxBuildRoute,
  createSandboxBuildRoute,
  getSandboxBuildRoute,
} from "../../../shared/api/sandbox-builds.ts";
import { problem } from "../../../shared/problem.ts";
import { requireApp } from "../../apps/keep-apps.ts";
import type { Broker } from "../../broker.ts";
import {
  buildAllComponents,
  buildComponent,
  buildConfig,
  buildSandbox,
} from "../../builds/begin-builds.ts";
import { buildRows, sandboxBuildRows, type ShownBuildRow } from "../../builds/build-rows.ts";
import { cancelBuild } from "../../builds/cancel-build.ts";
import type { BuildHow } from "../../builds/draft-builds.ts";
import { listBuildsOfWorkflow } from "../../builds/find-latest-builds.ts";
import type { Db } from "../../database/connect.ts";
import type { ListRequest } from "../../database/page-request.ts";
import { answerList, splitQuery } from "../../http/answer/answer-list.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { openResource } from "../../http/resources/open-resource.ts";
import { type Reader, showWork } from "../../jobs/show-work.ts";
import { requireNamed } from "../../named-parts/show-named-parts.ts";
import type { OrgId } from "../../orgs/org-id.ts";
import { showWorkflow } from "../../workflows/show-workflow.ts";

/** /v1/builds, /v1/component-builds, /v1/apps/{app_id}/components/{component_id}/builds, …/components/build-all, …/configs/{app_config_id}/build */
export const keepBuilds: RegisterRoutes = (app, broker) => {
  openResource(app, broker, buildRows);
  openResource(app, broker, sandboxBuildRows);
  list(app, broker);
  readOne(app, broker);
  begin(app, broker);
};

const readOne: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.handle(routes.getBuildRoute, async ({ actor, orgId, params }) => {
    const row = await buildRows.find(db, orgId, params);
    if (row === undefined) throw problem.notFound("build");
    return { ...buildRows.toItem(row), ...(await workOf(broker, actor, row)) };
  });
  app.handle(routes.getLatestBuildRoute, async ({ actor, orgId, params }) => {
    const { app_id, component_id } = params;
    await requireNamed(db, orgId, { kind: "components", app: app_id, id: component_id });
    const page = { after: undefined, limit: 1, offset: 0 };
    const wanted = { params: { component_id }, filter: {}, ...page };
    const [row] = await buildRows.list(db, orgId, wanted);
    if (row === undefined) throw problem.notFound("build", "This component was never built.");
    return { ...buildRows.toItem(row), ...(await workOf(broker, actor, row)) };
  });
  app.handle(routes.getBuildOfComponentRoute, async ({ actor, orgId, params }) => {
    const row = await requireBuild(db, orgId, params);
    return { ...buildRows.toItem(row), ...(await workOf(broker, actor, row)) };
  });
  app.handle(
    getSandboxBuildRoute,
    async ({ actor, orgId, params: { app_id, sandbox_build_id: id } }) => {
      await requireApp(db, orgId, app_id);
      const row = await requireSandboxBuild(db, orgId, app_id, id);
      return { ...sandboxBuildRows.toItem(row), ...(await workOf(broker, actor, row)) };
    },
  );
};

/** The job of a build, and its log. */
async function workOf(broker: Broker, by: Reader, row: ShownBuildRow) {
  const { runner_job_id: job, log_stream_id: logStreamId } = row;
  const { jobs, ...work } = await showWork(broker, by, { jobs: [job], logStreamId });
  const [runner_job] = jobs ?? [];
  return { ...work, ...(runner_job && { runner_job }) };
}

const list: RegisterRoutes = (app, { db }) => {
  app.handle(routes.listBuildsOfComponentRoute, async ({ c, orgId, params, query }) => {
    const { app_id, component_id } = params;
    await requireNamed(db, orgId, { kind: "components", app: app_id, id: component_id });
    const [page, filter] = splitQuery(query);
    return await answerList(c, page, {
      filters: { component_id, ...filter },
      read: (request: ListRequest) =>
        buildRows.list(db, orgId, { params: { component_id }, filter, ...request }),
      toItem: (row) => buildRows.toItem(row),
    });
  });
  app.handle(routes.listBuildHistoryRoute, async ({ c, actor: { orgId, bound }, query }) => {
    const [page] = splitQuery(query);
    return await answerList(
      c,
      { ...page, hasPagesAlone: true },
      {
        read: (request: ListRequest) =>
          buildRows.list(db, orgId, { params: {}, filter: {}, bound, ...request }),
        toItem(row) {
          const build = buildRows.toItem(row);
          const { app_id, component_id, component_name, build_runner_job_id } = build;
          return { build, app_id, component_id, component_name, build_runner_job_id };
        },
      },
    );
  });
};

const begin: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.handle(routes.createBuildRoute, async ({ actor, params, body }) => {
    const { app_id, component_id: id } = params;
    const made = await buildComponent(db, actor, { app: app_id, id, how: howOf(body) });
    return buildRows.toItem(await requireBuild(db, actor.orgId, { app_id, build_id: made }));
  });
  app.handle(routes.cancelBuildRoute, async ({ orgId, params }) => {
    await cancelBuild(broker, orgId, await requireBuild(db, orgId, params));
    return buildRows.toItem(await requireBuild(db, orgId, params));
  });
  app.handle(createSandboxBuildRoute, async ({ actor, params: { app_id }, body }) => {
    const made = await buildSandbox(db, actor, { app: app_id, how: howOf(body) });
    return sandboxBuildRows.toItem(await requireSandboxBuild(db, actor.orgId, app_id, made));
  });
  app.handle(
    cancelSandboxBuildRoute,
    async ({ orgId, params: { app_id, sandbox_build_id: id } }) => {
      await cancelBuild(broker, orgId, await requireSandboxBuild(db, orgId, app_id, id));
      return sandboxBuildRows.toItem(await requireSandboxBuild(db, orgId, app_id, id));
    },
  );
  app.handle(routes.buildAllRoute, async ({ actor, params: { app_id: appId } }) => {
    const made = await buildAllComponents(db, actor, appId);
    return made === undefined ? [] : await listBuildsOfWorkflow(db, actor.orgId, made);
  });
  app.handle(routes.buildConfigRoute, async ({ actor, params }) => {
    const which = { app: params.app_id, configId: params.app_config_id };
    return await showWorkflow(db, actor.orgId, await buildConfig(db, actor, which));
  });
};

const howOf = ({ git_ref: gitRef = "", force = false }: Asked): BuildHow => ({
  gitRef,
  isForced: force,
});
type Asked = { readonly git_ref?: string | undefined; readonly force?: boolean | undefined };

type Which = { readonly app_id: string; readonly build_id: string; readonly component_id?: string };

/** 404 for that of another app or component, too. */
async function requireBuild(
  db: Db,
  org: OrgId,
  { app_id: app, component_id: component, build_id }: Which,
): Promise<ShownBuildRow> {
  const row = await buildRows.find(db, org, { build_id });
  const isOther = component !== undefined && row?.component_id !== component;
  if (row === undefined || row.app_id !== app || isOther) throw problem.notFound("build");
  return row;
}

async function requireSandboxBuild(
  db: Db,
  org: OrgId,
  app_id: string,
  sandbox_build_id: string,
): Promise<ShownBuildRow> {
  const row = await sandboxBuildRows.find(db, org, { app_id, sandbox_build_id });
  if (row === undefined) throw problem.notFound("build");
  return row;
}
