/** Makes the execution's workspace, 0700 and empty; answers its path. */
export async function makeWorkspace(workDir: string, executionId: string): Promise<string> {
  throw new Error(`not yet: ${workDir} ${executionId}`);
}

/** Takes the execution's workspace away, whatever rights its files have; answers words if something is left. */
export async function removeWorkspace(
  workDir: string,
  executionId: string,
): Promise<string | undefined> {
  throw new Error(`not yet: ${workDir} ${executionId}`);
}

/** Takes away the workspaces of all executions but those named; answers how many there were. */
export async function sweepWorkspaces(workDir: string, keep: ReadonlySet<string>): Promise<number> {
  throw new Error(`not yet: ${workDir} ${keep.size}`);
}
