import { expect, test } from "vitest";
import type { AppLabels } from "../../../shared/api/label-keys.ts";
import { givenAppsApi } from "../../support/apps/apps-api.ts";
import { job } from "../../support/apps/component-documents.ts";

const { setup } = await givenAppsApi();

test("labels of an app are those of its installs, components, actions and runbooks, with colors", async () => {
  const { sync, read } = await setup();
  const steps = [{ name: "s", type: "action", command: "true" }];
  await sync({
    "metadata.toml": { name: "shop", label_colors: { team: "#ff0000" } },
    components: job("web", { labels: { team: "web" } }),
    actions: {
      "a.toml": { name: "a", labels: { team: "ops" }, steps: [{ name: "s", command: "true" }] },
    },
    runbooks: { "r.toml": { name: "r", labels: { area: "eu" }, steps } },
  });
  const { body } = await read<AppLabels>("/labels");
  expect(body).toMatchObject({
    label_colors: { team: "#ff0000" },
    labels: [
      { key: "area", values: ["eu"], entity_types: ["runbook"], is_override: false },
      {
        key: "team",
        values: ["ops", "web"],
        entity_types: ["component", "action"],
        usage_count: 2,
        color: "#ff0000",
        is_override: true,
      },
    ],
  });
  expect(body.default_colors).toContain(body.labels[0]?.color);
  const theirs = await setup();
  expect((await theirs.read("/labels")).body).toMatchObject({ labels: [] });
});
