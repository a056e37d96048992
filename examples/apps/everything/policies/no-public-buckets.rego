package svc

deny contains "no bucket is public" if {
  input.plan.resource_changes[_].change.after.acl == "public-read"
}
