import { z } from "zod";
import { secretText, secretTexts, text, words } from "./plan-members.ts";

/** A chart: from the repository of the component, or from one of charts. */
export const helmBuildPlan = z.looseObject({
  helmRepoConfig: z.looseObject({ chart: text, repoURL: text, version: text }).nullish(),
  labels: words,
  values: z.array(z.looseObject({ name: text, value: secretText, type: text })).nullish(),
  values_files: secretTexts,
});
