import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take longest begin first, so that at the end no worker is left with one of them alone. */
const order = ["slow", "agent", "api", "sql", "unit"];

/** Sorts the projects by how long their files take, and each project's files as vitest does. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ project }: TestSpecification) => order.indexOf(project.name);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}
