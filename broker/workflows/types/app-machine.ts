import { type BuildEnvironment, buildStep } from "../kinds/build-step.ts";
import type { Machine } from "../machine/step-kind.ts";

/** What moves workflows of one app, as it is now: they build its components. */
export function appMachine(env: BuildEnvironment, refusal?: Machine["refusal"]): Machine {
  const build = buildStep(env);
  return {
    refusal,
    isOrphaned: env.facts.app.deleted_at !== null,
    kindOf({ kind }) {
      if (kind !== "build") throw new Error(`there are no steps of kind ${kind}`);
      return build;
    },
    generate(draft) {
      draft.workflow.app_config_id = env.facts.configId;
      const steps = draft.builds.map(({ id, component_name: name }) => ({
        kind: "build",
        name: `build ${name}`,
        params: {
          ends_on_failure: true,
          retryable: false,
          auto_retries: 2,
          auto_retry_code: "job_failed",
        },
        target_type: "component_builds",
        target_id: id,
      }));
      return [{ name: "build", parallel: true, steps }];
    },
    began: () => {},
    ended: () => {},
  };
}
