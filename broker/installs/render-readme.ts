import type { InstallReadme } from "../../shared/api/install-records.ts";
import { renderWhatCan } from "../../shared/app-config/templates/render-template.ts";
import { RenderWork } from "../../shared/app-config/templates/render-work.ts";
import { hideCounted } from "../rendering/hide-counted.ts";
import { hideInText } from "../workflows/hide-in-text.ts";
import { byRoots, hiddenValues, shownStateOf } from "./install-state.ts";
import type { StateBase } from "./state-base.ts";
import type { StateValues } from "./state-values.ts";

/** A readme, and of which install. */
type ReadmeOrder = { readonly template: string; readonly facts: StateBase };

/** What can be rendered of it, with what is sensitive hidden, and what cannot. */
export function renderReadme(
  { template, facts: base }: ReadmeOrder,
  values: StateValues,
  work: RenderWork,
): Pick<InstallReadme, "readme" | "faults"> {
  const facts = { ...base, ...values };
  const svc = shownStateOf(facts, work);
  const hidden = hiddenValues(facts);
  const place = { file: "metadata.toml", member: "readme" };
  const { text, faults } = renderWhatCan(template, byRoots(svc, base), place, { work });
  const left = work.isSpent ? new RenderWork(work.budget) : work; // what was rendered until then is shown
  const readme = hideCounted(text, hidden, left);
  if (readme === undefined) return { readme: "", faults: [tooLong] };
  return {
    readme,
    faults: faults.map(({ code, line, path, detail }) => ({
      code,
      line,
      path,
      detail: hideInText(detail, hidden),
    })),
  };
}

const tooLong = {
  code: "render_failed",
  line: 1,
  path: null,
  detail: "it takes too many steps to hide in it what is sensitive",
};
