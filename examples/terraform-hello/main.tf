# Needs no cloud, no provider and no credentials: terraform_data is a part of terraform itself.
#
#   ./svc terraform apply examples/terraform-hello --runner run_… --var name=you

variable "name" {
  type    = string
  default = "world"
}

resource "terraform_data" "greeting" {
  input = "Hello, ${var.name}!"
}

output "greeting" {
  value = terraform_data.greeting.output
}
