import { html } from "hono/html";
import { type ComponentBuild, getBuildRoute } from "../../../shared/api/builds.ts";
import { isEndedBuild } from "../../../shared/build-statuses.ts";
import { errorNotice } from "../jobs/job-facts.ts";
import type { Html, Page } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { choices, crumbs, heading } from "../parts/choices.ts";
import { facts } from "../parts/facts.ts";
import { timeAgo } from "../parts/time.ts";
import { policySaid } from "./policy-said.ts";

/** GET /apps/{app_id}/builds/{build_id}: what is built of which source, the artifact, or why there is none. */
export const showBuild: Page = {
  path: "/apps/{app_id}/builds/{build_id}",
  permission: "apps.read",
  async render(view) {
    const params = { build_id: view.param("build_id") };
    const build = await view.ask(getBuildRoute, { params });
    const { component_name: name, status, status_description: why } = build;
    return {
      title: `${name}: ${status}`,
      live: isEndedBuild(status) ? [] : ["jobs"],
      main: html`${crumbs(["Apps", "/apps"], ["App", `/apps/${build.app_id}`])}
      ${heading(`Build of ${name}`, build.id, badge(status))}
      ${why === "" || build.composite_error ? "" : html`<p>${why}</p>`}
      ${choices(view, [
        {
          label: "Cancel…",
          to: `/apps/${build.app_id}/builds/${build.id}/cancel`,
          permission: "builds.write",
          isOpen: !isEndedBuild(status),
        },
        {
          label: "Build again…",
          to: `/apps/${build.app_id}/components/${build.component_id}/build`,
          permission: "builds.write",
          isOpen: isEndedBuild(status),
        },
      ])}
      ${errorNotice(build.composite_error)} ${buildFacts(build, view.nowMs)}
      ${policySaid(build.policy_reports)}`,
    };
  },
};

function buildFacts(build: ComponentBuild, nowMs: number): Html {
  const { artifact, build_runner_job_id: job, workflow_id: workflow } = build;
  const source = build.source_ref || build.source_image || build.git_ref;
  return facts([
    ["Type", html`<code>${build.component_type}</code>`],
    ["Built from", build.config_folder ? "the config's own folder" : "–"],
    ["Source", source === "" ? "–" : html`<code>${source}</code>`],
    ["Artifact", artifact === undefined ? "–" : html`<code>${artifact.repository}</code>`],
    ["Digest", artifact === undefined ? "–" : html`<code>${artifact.digest}</code>`],
    ["Same as the build before", build.no_op ? "yes" : "no"],
    [
      "Config",
      html`<a href="/apps/${build.app_id}/configs/${build.app_config_id}"
        >${build.app_config_id}</a
      >`,
    ],
    ["Workflow", html`<a href="/workflows/${workflow}">${workflow}</a>`],
    ["Job", job === "" ? "–" : html`<a href="/jobs/${job}">${job}</a>`],
    ["Log", job === "" ? "–" : html`<a href="/jobs/${job}/log">its log</a>`],
    ["Made", timeAgo(build.created_at, nowMs)],
  ]);
}
