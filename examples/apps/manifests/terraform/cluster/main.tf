# A module that makes a cluster ends with this output. Here the cluster is there, and the runner is in it or beside it: outputs
# have no secrets, so the kubeconfig names the file on the runner's host that has the token.
variable "server" { type = string }
variable "ca" { type = string }
variable "token_file" { type = string }

resource "terraform_data" "cluster" {
  input = var.server
}

output "kube_config" {
  value = yamlencode({
    apiVersion      = "v1"
    kind            = "Config"
    current-context = "own"
    contexts        = [{ name = "own", context = { cluster = "own", user = "runner" } }]
    users           = [{ name = "runner", user = { tokenFile = var.token_file } }]
    clusters = [{
      name = "own"
      cluster = {
        server                     = terraform_data.cluster.output
        certificate-authority-data = var.ca
      }
    }]
  })
}
