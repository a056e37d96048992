/** Where children's output waits to be read. */
export type RunDir = {
  readonly path: string;
  /** Whether it is in memory: if not, `words` say what that means. */
  readonly isMemory: boolean;
  readonly words?: string;
};

/** Makes the agent's run directory (0700, in memory where the host has such a place), the same after a restart. */
export async function openRunDir(asked: {
  readonly setting?: string | undefined;
  readonly runtimeDir?: string | undefined;
  readonly dataDir: string;
}): Promise<RunDir> {
  throw new Error(`not yet: ${asked.dataDir}`);
}

/** Takes away the folders of children whose processes have gone, but of those executions that are named. */
export async function sweepRunDir(path: string, keep: ReadonlySet<string>): Promise<number> {
  throw new Error(`not yet: ${path} ${keep.size}`);
}
