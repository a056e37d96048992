import type { SettingName } from "../config/settings.ts";
import { JobFailure } from "../jobs/job-failure.ts";

/** The failure of a job that whoever runs this agent does not want: it says whose rule it was. */
export function refused(setting: SettingName, words: string): JobFailure {
  const message = `${words}: so says the setting ${setting} of the agent on this host.`;
  return new JobFailure(message, { reason: "refused", metadata: { class: "policy", setting } });
}
