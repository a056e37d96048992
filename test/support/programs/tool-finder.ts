import { readConfig } from "../../../agent/config/read-config.ts";
import { findTerraform, type TerraformTool } from "../../../agent/tools/find-terraform.ts";

/** A process that finds a tool and prints where; its arguments are the tool, the version and the settings as JSON. */
const [, , tool = "terraform", version = "", settings = "{}"] = process.argv;
const config = readConfig(JSON.parse(settings) as Record<string, string>, { PATH: "/nowhere" });
const say = (words: string): void => console.error(words);
const found = await findTerraform(config, {
  tool: tool as TerraformTool,
  version,
  say,
  signal: new AbortController().signal,
});
console.log(JSON.stringify(found));
