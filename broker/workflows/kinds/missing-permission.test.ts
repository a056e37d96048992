import { expect, test } from "vitest";
import { missingPermission } from "./missing-permission.ts";

test.each([
  [
    "An error occurred (AccessDenied) when calling the CreateBucket operation: User: arn:aws:iam::1:role/x is not authorized to perform: s3:CreateBucket on resource",
    "s3:CreateBucket",
  ],
  ["UnauthorizedOperation: You are not authorized to perform this operation.", ""],
  [
    "googleapi: Error 403: Permission 'storage.buckets.create' denied on resource",
    "storage.buckets.create",
  ],
  ["Required 'compute.instances.get' permission for 'projects/x'", "compute.instances.get"],
  [
    "AuthorizationFailed: The client does not have authorization to perform action 'Microsoft.Storage/storageAccounts/write' over scope",
    "Microsoft.Storage/storageAccounts/write",
  ],
  [
    'pods is forbidden: User "system:serviceaccount:a:b" cannot list resource "pods" in API group ""',
    "list pods",
  ],
  ["exit code 1", undefined],
  ["permission denied: ./run.sh", undefined],
  ["it is forbidden to smile", undefined],
])("of %j the missing permission is %j", (message, permission) => {
  expect(missingPermission(message)).toBe(permission);
});
