import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { givenOperator } from "../../support/broker/given-operator.ts";
import { type Dialogue, replayDialogue } from "../../support/broker/replay-dialogue.ts";
import { givenToken } from "../../support/rows/given-token.ts";

/** What third-party runners of the two dialects send, byte for byte, and what they need of the answers. */
test.each(["registering-runner", "unregistered-runner"])(
  "a %s is answered as its client needs it, from its start to its end",
  async (name) => {
    const file = new URL(`${name}.json`, import.meta.url);
    const dialogue = JSON.parse(readFileSync(file, "utf8")) as Dialogue; // written for this
    const at = await givenOperator();
    const runner = await at.createRunner();
    const token = await givenToken(at.db, { orgId: at.orgId, runnerId: runner.id });
    await replayDialogue(at.broker.url, dialogue, {
      runner: runner.id,
      token,
      operator: at.token,
    });
    const logged = at.broker.logged.join("\n");
    expect(logged).toContain('"status":423');
    expect(logged).not.toContain(token);
  },
);
