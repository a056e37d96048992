import { html } from "hono/html";
import {
  getCurrentOrgRoute,
  type Org,
  type OrgChanges,
  updateCurrentOrgRoute,
} from "../../../shared/api/orgs.ts";
import { fewestRetainedDays, type Retained, retainedKinds } from "../../../shared/retention.ts";
import type { Action } from "../page.ts";
import { textField, wrongField } from "../parts/fields.ts";
import { kindWords } from "./kept-days.ts";

/** Changes the org's name and retention, unless somebody else did since they were shown. */
export const changeOrg: Action = {
  path: "/org/change",
  permission: "orgs.write",
  back: () => "/org",
  async ask(view, entered) {
    const org = await view.ask(getCurrentOrgRoute, {});
    const shown = entered.get("version");
    const isRaced = shown !== null && shown !== String(org.version);
    return {
      title: "Change the organisation",
      text: html`<p>
          What is older than the new limit is deleted within some hours and cannot be restored.
        </p>
        ${
          isRaced
            ? html`<p>
                <strong>This is version ${org.version} now; you had version ${shown}.</strong> Your
                entries are kept. Send them again to put them in place of what stands there now.
              </p>`
            : ""
        }`,
      fields: html`<input type="hidden" name="version" value="${org.version}" />
        ${textField({ name: "name", label: "Name", value: org.name, isRequired: true }, entered)}
        <fieldset>
          <legend>Days for which it keeps what has ended</legend>
          ${retainedKinds.map((kind) =>
            textField(
              {
                name: fieldOf(kind),
                label: kindWords[kind],
                value: daysOf(org, kind),
                hint: hintOf(org, kind, entered),
              },
              entered,
            ),
          )}
        </fieldset>`,
      button: "Save",
      isDangerous: true,
      back: "/org",
    };
  },
  async run(view, form) {
    const org = await view.ask(getCurrentOrgRoute, {});
    const version = form.get("version") ?? "";
    const headers = { "if-match": `"${version}"` };
    const body = changesOf(org, form);
    const made = await view.ask(updateCurrentOrgRoute, { body, headers });
    const said =
      made.version === Number(version)
        ? "Nothing was changed: the organisation is as you entered it."
        : `Saved the organisation: version ${made.version}.`;
    return { said, to: "/org" };
  },
};

function hintOf(org: Org, kind: Retained, entered: URLSearchParams): string {
  const most = org.retention_limit_days[kind];
  const allowed = `From ${fewestRetainedDays[kind]} to ${most}; empty: as long as the broker does, ${most}.`;
  const text = entered.get(fieldOf(kind))?.trim() ?? daysOf(org, kind);
  return text === daysOf(org, kind) ? allowed : `${allowed} Now: ${daysOf(org, kind) || "empty"}.`;
}

/** As the API's problems name it. */
const fieldOf = (kind: Retained): string => `retention_days/${kind}`;

const daysOf = (org: Org, kind: Retained): string => String(org.retention_days[kind] ?? "");

/** Only what differs from what stands there, so that nothing else is written. */
function changesOf(org: Org, form: URLSearchParams): OrgChanges {
  const name = form.get("name")?.trim() ?? org.name;
  const days = retainedKinds.flatMap((kind) => {
    const text = form.get(fieldOf(kind))?.trim() ?? daysOf(org, kind);
    return text === daysOf(org, kind) ? [] : [[kind, wholeDays(kind, text)] as const];
  });
  return {
    ...(name !== org.name && { name }),
    ...(days.length > 0 && { retention_days: Object.fromEntries(days) }),
  };
}

function wholeDays(kind: Retained, text: string): number | null {
  if (text === "") return null;
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw wrongField(fieldOf(kind), "Give a whole number of days, or nothing.");
}
