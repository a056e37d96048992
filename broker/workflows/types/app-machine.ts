import { type BuildEnvironment, buildStep, supersededBy } from "../kinds/build-step.ts";
import type { Machine } from "../machine/step-kind.ts";

export type AppEnvironment = BuildEnvironment & {
  /** Newer ones have taken the place of all builds that are open: the rest of it is cancelled. */
  readonly isLeft: boolean;
};

/** What moves workflows of one app, as it is now: they build its components. */
export function appMachine(env: AppEnvironment, refusal?: Machine["refusal"]): Machine {
  const build = buildStep(env);
  return {
    refusal,
    isOrphaned: env.facts.app.deleted_at !== null || env.isLeft,
    kindOf({ kind }) {
      if (kind !== "build") throw new Error(`there are no steps of kind ${kind}`);
      return build;
    },
    generate(draft) {
      draft.workflow.app_config_id = env.facts.configId;
      const steps = draft.builds.map(({ id, component_id: component, component_name: name }) => ({
        kind: "build",
        name: `build ${name}`,
        params: {
          ends_on_failure: true,
          retryable: false,
          auto_retries: 2,
          auto_retry_code: "job_failed",
        },
        target_type: component === null ? "app_sandbox_builds" : "component_builds",
        target_id: id,
      }));
      return [{ name: "build", parallel: true, steps }];
    },
    began: () => {},
    ended(draft) {
      for (const build of draft.builds) {
        const newer = env.superseded[build.id];
        if (build.status === "cancelled" && newer !== undefined)
          build.status_description = supersededBy(newer);
      }
    },
  };
}
