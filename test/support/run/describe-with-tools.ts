import { describe } from "vitest";
import { adviceFor, findTool } from "../../tools/find-tool.ts";

declare module "vitest" {
  // Only an interface can be merged into vitest's own.
  // oxlint-disable-next-line typescript/consistent-type-definitions
  interface TaskMeta {
    /** The programs for want of which a test is left out. */
    missingTools?: readonly string[];
  }
}

/**
 * Tests that need programs of test/tools. Where one is missing they are left out, and the run's last lines say so; in CI
 * and with SVC_TOOLS=required their file fails.
 */
export function describeWithTools(
  programs: readonly string[],
  name: string,
  tests: () => void,
): void {
  const missing = programs.filter((program) => findTool(program) === undefined);
  if (missing.length === 0) {
    // oxlint-disable-next-line vitest/valid-describe-callback
    describe(name, tests);
    return;
  }
  if (isRequired()) {
    const advice = [...new Set(missing.map(adviceFor))].join("; ");
    throw new Error(`${name}: ${missing.join(", ")} missing: ${advice}`);
  }
  // The house skips no tests but these: closing-line.ts counts them and says what they want.
  // oxlint-disable-next-line vitest/valid-describe-callback
  describe(name, { skip: true, meta: { missingTools: missing } }, tests);
}

function isRequired(): boolean {
  const { CI, SVC_TOOLS } = process.env;
  return CI === "true" || SVC_TOOLS === "required";
}
