import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { svc } from "../support/programs/svc.ts";
import { testFolder } from "../support/run/folder.ts";

test("a script that is not UTF-8 is refused before anything is sent", async () => {
  const file = path.join(await testFolder(), "latin.sh");
  await writeFile(file, Buffer.from("echo caf\u00e9\n", "latin1"));
  const env = { SVC_URL: "http://127.0.0.1:9" };
  const { code, err } = await svc(["job", "run", "--runner", "run_1", "--", file], { env });
  expect({ code, err }).toEqual({
    code: 2,
    err: `${file} cannot be sent as it is: it is not UTF-8.\n`,
  });
});
