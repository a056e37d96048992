import { serveWork } from "./serve-work.ts";
import { workKinds } from "./work-kinds.ts";

// The whole program of a child process of the pool.
serveWork(workKinds);
