# The customer's cluster. What the app needs there besides (node pools, DNS, storage) would be made here.
variable "cluster_name" { type = string }
variable "cluster_endpoint" { type = string }
variable "cluster_ca" { type = string }
variable "node_count" { type = number }

resource "terraform_data" "nodes" {
  input = var.node_count
}

output "nodes" { value = terraform_data.nodes.output }

# In EKS, GKE and AKS the runner signs in by itself, without a token. Without a cluster here, its own kubeconfig counts.
output "cluster" {
  value = var.cluster_endpoint == "" ? null : {
    name                       = var.cluster_name
    endpoint                   = var.cluster_endpoint
    certificate_authority_data = var.cluster_ca
  }
}
