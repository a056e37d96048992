import { expect, test } from "vitest";
import { checkTexts, type ConfigTexts } from "../../test/support/apps/config-of.ts";
import { templateFile, templateTypes } from "./template-file.ts";

const textOf = (type: (typeof templateTypes)[number]): ConfigTexts => {
  const { filename, content } = templateFile(type, "shop");
  return { [filename]: content };
};

test.each(templateTypes)("the template %s is a valid file", async (type) => {
  const { errors, warnings } = await checkTexts({
    ...textOf("top-level"),
    ...textOf("inputs"),
    ...textOf("runner"),
    ...textOf(type),
  });
  const others = warnings.filter(({ code }) => code !== "unused_input"); // where only inputs.toml names it
  expect([...errors, ...others]).toEqual([]);
});

test("a template says what each member is for", () => {
  expect(templateFile("runner", "shop").content).toContain(
    "# Where the runner of an install runs.",
  );
});
