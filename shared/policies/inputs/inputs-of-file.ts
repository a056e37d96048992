import { type JudgedInputs, listOf } from "./judged-inputs.ts";
import { isPulumiPreview, pulumiInput } from "./pulumi-input.ts";
import { isKubeObject, reviewInputs } from "./review-inputs.ts";
import { isTerraformPlan, terraformInput } from "./terraform-input.ts";

/**
 * What policies read of a file: a plan of terraform and a preview of Pulumi as `input.plan`, objects of Kubernetes each as a review of its
 * creation, all else as it is.
 */
export function inputsOfFile(value: unknown, identity: string): JudgedInputs {
  if (isTerraformPlan(value)) return terraformInput(value, identity);
  if (isPulumiPreview(value)) return pulumiInput(value, identity);
  const objects = objectsIn(value);
  if (objects.length > 0)
    return reviewInputs(
      objects.map((object) => ({ operation: "CREATE", object, oldObject: undefined })),
    );
  return { inputs: [{ identity, document: value }], secrets: [] };
}

/** One, a list of them, or a List. */
function objectsIn(value: unknown) {
  if (isKubeObject(value) && value["kind"] === "List")
    return listOf(value["items"]).filter(isKubeObject);
  if (isKubeObject(value)) return [value];
  const all = listOf(value);
  return all.length > 0 && all.every(isKubeObject) ? all.filter(isKubeObject) : [];
}
