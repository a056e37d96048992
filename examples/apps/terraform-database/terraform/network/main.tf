# A folder on the runner's host stands for the network, so that the app can be tried without an account of a cloud.
terraform {
  required_providers {
    local = { source = "hashicorp/local" }
  }
}

variable "name" { type = string }
variable "folder" { type = string }

locals {
  subnets = [for at in range(2) : cidrsubnet("10.0.0.0/16", 8, at)]
}

resource "local_file" "network" {
  filename = "${var.folder}/network.json"
  content  = jsonencode({ name = var.name, private_subnets = local.subnets })
}

output "private_subnets" {
  value      = local.subnets
  depends_on = [local_file.network]
}
