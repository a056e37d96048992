import type { InstallReadme } from "../../shared/api/install-records.ts";
import type { JsonObject } from "../../shared/app-config/templates/json-value.ts";
import { renderWhatCan } from "../../shared/app-config/templates/render-template.ts";
import { RenderWork } from "../../shared/app-config/templates/render-work.ts";
import { hideCounted } from "../rendering/hide-counted.ts";
import { hideInText } from "../workflows/hide-in-text.ts";

/** A readme, with what is shown of the install, and what must not be. */
export type ReadmeOrder = {
  readonly template: string;
  readonly svc: JsonObject;
  readonly hidden: readonly unknown[];
};

/** What can be rendered of it, with what is sensitive hidden, and what cannot. */
export function renderReadme(
  { template, svc, hidden }: ReadmeOrder,
  work: RenderWork,
): Pick<InstallReadme, "readme" | "warnings"> {
  const place = { file: "metadata.toml", member: "readme" };
  const { text, faults } = renderWhatCan(template, { svc }, place, { work });
  const left = work.isSpent ? new RenderWork(work.budget) : work; // what was rendered until then is shown
  const readme = hideCounted(text, hidden, left);
  if (readme === undefined) return { readme: "", warnings: [tooLong] };
  return {
    readme,
    warnings: faults.map(({ code, line, path, detail }) => ({
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
